package tell

import (
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// Sentences about a server that is no Kafka, by event; those of an event that can mean several things
// follow each other, and the first one that fits is told. In them @ is the channel, stream or queue, %
// the number of the message, & the process, and $ another number of the event; what follows | is only for a number above 1.
var neighbourTexts = [...]struct {
	kind trace.Kind
	of   int64 // kind of neighbour, 0: any
	z    int64 // Z of the event, -1: any
	bad  bool
	text string
}{
	{trace.NeighbourUp, 0, -1, false, "has @: this is a model of such a system"},
	{trace.Published, trace.NeighbourChannel, 0, true, "@ #% is gone: nobody is subscribed"},
	{trace.Published, 0, -1, false, "@ #% comes in"},
	{trace.Subscribed, trace.NeighbourStream, 1, false, "@ has the new group $, which reads from #% on"},
	{trace.Subscribed, trace.NeighbourStream, -1, false, "& is a consumer of group $ of @"},
	{trace.Subscribed, trace.NeighbourQueue, -1, false, "& consumes from @"},
	{trace.Subscribed, 0, -1, false, "& subscribes to @: it gets what comes in from #% on"},
	{trace.Unsubscribed, 0, -1, false, "& reads @ no longer"},
	{trace.Pushed, trace.NeighbourChannel, -1, false, "pushes @ #% to &"},
	{trace.Pushed, trace.NeighbourStream, -1, false, "@ #% is pending for &|, delivery $"},
	{trace.Pushed, 0, -1, false, "delivers @ #% to &|, delivery $"},
	{trace.Settled, 0, trace.SettledByAck, false, "@ #% is acknowledged by &"},
	{trace.Settled, 0, trace.SettledByReject, true, "@ #% is rejected for good by &"},
	{trace.Settled, 0, trace.SettledByAutoAck, false, "@ #% counts as acknowledged, since it is sent to &"},
	{trace.Settled, 0, -1, true, "$ messages from @ #% on are dropped with the connection of &"},
	{trace.Requeued, 0, 0, true, "@ #% goes back into the queue: & rejects it"},
	{trace.Requeued, 0, -1, true, "@ #% goes back into the queue: the connection of & is gone"},
	{trace.Buffered, 0, -1, false, "output buffer of &: % bytes, $ messages"},
	{trace.BufferCut, 0, -1, true, "output buffer of & is full with % bytes: connection closed, $ messages dropped"},
}

// neighbour tells what happens at a server that is no Kafka.
func (t *Teller) neighbour(l *view.Line, e trace.Event) {
	t.Learn(e)
	for i := range neighbourTexts {
		s := &neighbourTexts[i]
		if s.kind == e.Kind && (s.of == 0 || s.of == t.things[e.Name]) && (s.z < 0 || s.z == e.Z) {
			l.Bad, l.Text = s.bad, t.fill(s.text, e)
			return
		}
	}
}

// fill puts what e says into a sentence.
func (t *Teller) fill(text string, e trace.Event) string {
	out, from := "", 0
	for i := range len(text) {
		word := ""
		switch text[i] {
		case '@':
			word = t.log.String(e.Name)
		case '&':
			word = t.log.String(e.Peer)
		case '%':
			word = num(e.X)
		case '$':
			word = num(e.Y)
			if e.Kind == trace.Subscribed {
				word = t.log.String(trace.Ref(e.Y))
			}
		case '|':
			if e.Y <= 1 {
				return out + text[from:i]
			}
		default:
			continue
		}
		out += text[from:i] + word
		from = i + 1
	}
	return out + text[from:]
}
