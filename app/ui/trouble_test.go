package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/view"
)

func TestTroubleNamesItsPlaceOnce(t *testing.T) {
	for _, c := range []struct {
		problem view.Problem
		want    Trouble
	}{
		{view.Problem{Text: "loop:3:9: no such name pol", File: "loop", Line: 3, Col: 9},
			Trouble{"loop:3", 3, "No such name pol."}},
		{view.Problem{Text: "s.star:12: too long", File: "s.star", Line: 12},
			Trouble{"s.star:12", 12, "Too long."}},
		{view.Problem{Text: "too long", File: "s.star", Line: 12}, Trouble{"s.star:12", 12, "Too long."}},
		{view.Problem{Text: "no lab: 7 is loaded"}, Trouble{Text: "No lab: 7 is loaded."}},
		{view.Problem{}, Trouble{}},
	} {
		require.Equal(t, c.want, TroubleOf(&c.problem), c.problem.Text)
	}
}

func TestCrashIsTroubleOfItsClientAlone(t *testing.T) {
	v := view.View{Clients: []view.Client{
		{Name: "A", Life: "crashed", LifeAt: 12e6, LifeText: "loop:5:9: division by zero"},
		{Name: "B", Life: "killed"},
	}}
	require.Equal(t, Trouble{"loop:5", 5, "A has crashed at 00:00.012. Division by zero."}, CrashOf(&v, "A"))
	require.Empty(t, CrashOf(&v, "B"))
}
