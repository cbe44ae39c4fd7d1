package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/view"
)

func TestPartitionsOfTheInternalTopicAreToldOnlyWhenAskedFor(t *testing.T) {
	lab, err := Run(Canonical(3))
	require.NoError(t, err)
	defer lab.Close()
	rows := func(classes int) (internal, other int) {
		for _, row := range lab.Events(view.Events{After: 2000, Filter: view.Filter{Classes: classes}}).Rows {
			if strings.Contains(row.Text, "__consumer_offsets") {
				internal++
			} else {
				other++
			}
		}
		return internal, other
	}
	internal, other := rows(^view.ClassInternal)
	require.Zero(t, internal)
	require.NotZero(t, other)
	internal, other = rows(view.ClassInternal)
	require.GreaterOrEqual(t, internal, 50)
	require.Zero(t, other)
	first := lab.Step(view.Step{Kind: view.StepNotable})
	require.True(t, first.Found)
	row := lab.Events(view.Events{From: first.Index, Before: 1, Filter: view.Filter{Classes: -1}}).Rows[0]
	require.NotContains(t, row.Text, "__consumer_offsets", "nobody stops there")
}

func TestMessageSaysThatItIsHeldUntilItIsReleased(t *testing.T) {
	o := Canonical(3)
	base, err := Run(o)
	require.NoError(t, err)
	defer base.Close()
	talk := base.Messages(view.Events{From: base.Len() / 2, After: 40, Filter: view.Filter{Classes: view.ClassMessage | view.ClassBeat}})
	var held view.MessageRow
	for _, m := range talk.Rows {
		if m.Name == "Heartbeat" && !m.Response && m.ArriveAt > 0 {
			held = m
			break
		}
	}
	require.NotZero(t, held.ID)
	o.Commands = []view.Command{{At: held.SentAt, Text: fmt.Sprintf("hold(%d)", held.ID)}}
	lab, err := Run(o)
	require.NoError(t, err)
	defer lab.Close()
	m, err := lab.Message(held.ID)
	require.NoError(t, err)
	require.True(t, m.Held)
	m, err = base.Message(held.ID)
	require.NoError(t, err)
	require.False(t, m.Held)
}
