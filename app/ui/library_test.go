package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/app/course"
)

func titles(list []StoryView) (out []string) {
	for _, s := range list {
		out = append(out, s.Title)
	}
	return out
}

func TestLibraryIsInTheOrderOfRowsAndFoundByWordsAndRow(t *testing.T) {
	c := &course.Course{Library: []course.Story{
		{ID: "none", Title: "No row"},
		{ID: "late", Title: "Late", Sentences: "a zombie commits", Rows: []string{"S101", "S9"}},
		{ID: "early", Title: "Early", Rows: []string{"S9"}},
		{ID: "field", Title: "Field", Rows: []string{"R1"}},
	}}
	v := LibraryOf(c, "", "")
	require.Equal(t, []string{"Early", "Late", "Field", "No row"}, titles(v.Stories))
	require.Equal(t, []Tab{{Label: "all rows", On: true}, {ID: "S9", Label: "S9"}, {ID: "S101", Label: "S101"}, {ID: "R1", Label: "R1"}}, v.Rows)
	require.Equal(t, []string{"Early", "Late"}, titles(LibraryOf(c, "", "S9").Stories))
	require.Equal(t, []string{"Late"}, titles(LibraryOf(c, "commits ZOMBIE", "").Stories))
	require.Empty(t, LibraryOf(c, "zombie", "S8").Stories)
	require.Equal(t, 4, LibraryOf(c, "zombie", "S8").Count)
	require.Equal(t, "#1/sandbox:early", v.Stories[0].Href)
}
