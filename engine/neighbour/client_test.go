package neighbour

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/sim"
)

// host is a process with a client, and what its calls ended with.
type host struct {
	*Client
	thing Thing
	ended []string
}

func (h *host) Start(env sim.Env) { h.Client = NewClient(env, &h.thing, "g") }

func (h *host) note(m *Message, err error) {
	switch {
	case err != nil:
		h.ended = append(h.ended, err.Error())
	case m == nil:
		h.ended = append(h.ended, "nothing")
	case len(m.Records) == 0:
		h.ended = append(h.ended, MessageName(int32(m.Op)))
	default:
		h.ended = append(h.ended, "#"+num(m.Records[0].Number))
	}
}

func newHost(t *testing.T) (*lab, *host) {
	l := newLab(t, ticks(), "P")
	h := &host{thing: l.thing}
	l.world.Spawn("A", h)
	h.Ask(&Message{Op: OpSubscribe}, h.note)
	l.run(10 * time.Millisecond)
	require.Equal(t, []string{"SUBSCRIBE"}, h.take())
	return l, h
}

// take is what calls ended with since it was last asked.
func (h *host) take() []string {
	out := h.ended
	h.ended = nil
	return out
}

func TestNextWaitsForAMessageNoLongerThanItIsTold(t *testing.T) {
	l, h := newHost(t)
	h.Next(time.Second, h.note)
	l.run(999 * time.Millisecond)
	require.Empty(t, h.take())
	l.run(time.Millisecond)
	require.Equal(t, []string{"nothing"}, h.take())
	h.Next(time.Second, h.note)
	l.publish("P", 1, 100)
	require.Equal(t, []string{"#0"}, h.take())
}

func TestReadingMakesRoomForWhatWaitsAtTheServer(t *testing.T) {
	l, h := newHost(t)
	l.publish("P", 6, 100)
	for range 6 {
		h.Next(time.Second, h.note)
		l.run(10 * time.Millisecond)
	}
	require.Equal(t, []string{"#0", "#1", "#2", "#3", "#4", "#5"}, h.take())
}

func TestWhatCameBeforeTheConnectionBrokeIsReadFirst(t *testing.T) {
	l, h := newHost(t)
	l.publish("P", 2+10, 100)
	for range 4 {
		h.Next(time.Second, h.note)
		l.run(10 * time.Millisecond)
	}
	require.Equal(t, []string{"#0", "#1", "ConnectionError", "ConnectionError"}, h.take())
	h.Ask(&Message{Op: OpSubscribe}, h.note)
	l.run(10 * time.Millisecond)
	require.Equal(t, []string{"SUBSCRIBE"}, h.take(), "over a new connection")
}

func TestAnInterruptEndsTheCallUnderWayOrTheNextOne(t *testing.T) {
	l, h := newHost(t)
	h.Next(time.Hour, h.note)
	h.Interrupt(&Error{Name: "woken"})
	l.run(time.Millisecond)
	require.Equal(t, []string{"woken"}, h.take())
	h.Interrupt(&Error{Name: "woken"})
	h.Next(time.Hour, h.note)
	l.run(time.Millisecond)
	require.Equal(t, []string{"woken"}, h.take())
	h.Next(time.Millisecond, h.note)
	l.run(time.Millisecond)
	require.Equal(t, []string{"nothing"}, h.take(), "once")
}
