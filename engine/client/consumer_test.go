package client

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestAConsumerStartsWithTheJavaClientsRequests(t *testing.T) { // C8-C12, A18, S33
	l := newLab(t, 2)
	l.write(0, 3)
	li := &listener{l: l}
	a := l.start(0, testConfig(), li)
	l.run(400 * time.Millisecond)
	require.Equal(t, "Metadata FindCoordinator JoinGroup JoinGroup SyncGroup OffsetFetch ListOffsets "+
		"Fetch Fetch", l.requests("ApiVersions"))
	require.Len(t, a.records, 3)
	require.Empty(t, a.errs)
	require.Equal(t, []string{"assigned[t-0, t-1]"}, li.calls) // C30: no callback on the first join
	require.Equal(t, []TopicPartition{{Topic: "t", Partition: 0}, {Topic: "t", Partition: 1}}, a.c.Assignment())
}

func TestBeatsLeaveExactlyAtMultiplesOfTheIntervalAfterTheJoinAnswer(t *testing.T) { // H0, C27
	l := newLab(t, 1)
	l.start(0, testConfig(), nil)
	l.run(10 * time.Second)
	var j time.Duration
	for _, e := range l.events(trace.ConsumerState) {
		if e.X == trace.ConsumerCompleting {
			j = time.Duration(e.At)
		}
	}
	require.NotZero(t, j)
	wireTime := time.Millisecond
	require.Equal(t, []time.Duration{
		j + 3*time.Second + wireTime, j + 6*time.Second + wireTime, j + 9*time.Second + wireTime,
	}, l.times(wire.KeyHeartbeat))
}
