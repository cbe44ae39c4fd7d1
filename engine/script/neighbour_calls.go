package script

import (
	"time"

	"go.starlark.net/starlark"

	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/trace"
)

// neighbourCalls are the calls that a subscriber's program has, named as redis-py and pika name them, and
// with which kind of neighbour (0: all).
var neighbourCalls = [...]struct {
	name string
	kind int64
	fn   func(s *strand, a *arguments) (starlark.Value, error)
}{
	{"subscribe", trace.NeighbourChannel, subscribeChannel},
	{"get_message", trace.NeighbourChannel, getMessage},
	{"xgroup_create", trace.NeighbourStream, xgroupCreate},
	{"xreadgroup", trace.NeighbourStream, xreadgroup},
	{"xack", trace.NeighbourStream, xack},
	{"xpending", trace.NeighbourStream, xpending},
	{"xclaim", trace.NeighbourStream, xclaim},
	{"xautoclaim", trace.NeighbourStream, xautoclaim},
	{"get_message", trace.NeighbourQueue, getMessage},
	{"basic_qos", trace.NeighbourQueue, basicQos},
	{"basic_consume", trace.NeighbourQueue, basicConsume},
	{"basic_ack", trace.NeighbourQueue, basicAck},
	{"basic_nack", trace.NeighbourQueue, basicNack},
	{"close", 0, closeNeighbour},
}

// ask sends a command and waits for the answer: a list of records.
func (s *strand) ask(a *arguments, m *neighbour.Message) (starlark.Value, error) {
	if a.err != nil {
		return nil, a.err
	}
	m.Who = s.app.spec.Name
	records, err := s.away(a.fn, func(done func(*neighbour.Message, error)) { s.app.near.Ask(m, done) })
	if err != nil {
		return nil, err
	}
	elems := make([]starlark.Value, len(records))
	for i, r := range records {
		elems[i] = s.app.nearRecord(r)
	}
	return starlark.NewList(elems), nil
}

// ours are the numbers and delivery tags of records given one by one or as a list.
func (a *arguments) ours() (numbers []int64, tag int64) {
	for _, v := range a.others() {
		list, ok := v.(starlark.Iterable)
		if !ok {
			list = starlark.Tuple{v}
		}
		for e := range starlark.Elements(list) {
			r, ok := e.(*recordValue)
			if !ok || r.near == nil {
				a.fail("%s is no record that this consumer was given", brief(e))
				break
			}
			numbers, tag = append(numbers, r.Offset), r.near.Tag
		}
	}
	return numbers, tag
}

func subscribeChannel(s *strand, a *arguments) (starlark.Value, error) {
	return s.ask(a, &neighbour.Message{Op: neighbour.OpSubscribe})
}

// getMessage is the next pushed message, or None when none comes in time.
func getMessage(s *strand, a *arguments) (starlark.Value, error) {
	timeout := a.mustDuration("timeout", `how long to wait, as "1s"`)
	if a.err != nil {
		return nil, a.err
	}
	records, err := s.away(a.fn, func(done func(*neighbour.Message, error)) { s.app.near.Next(timeout, done) })
	if len(records) == 0 {
		return starlark.None, err
	}
	return s.app.nearRecord(records[0]), err
}

// id reads id = ..., which is zero for "0".
func (a *arguments) id(other string) (zero bool) {
	id := a.text("id", other)
	if id != "0" && id != other {
		a.fail("id = %q: must be %q or \"0\"", id, other)
	}
	return id == "0"
}

// xgroupCreate: id = "$" reads what is added from now on, "0" everything.
func xgroupCreate(s *strand, a *arguments) (starlark.Value, error) {
	return s.ask(a, &neighbour.Message{Op: neighbour.OpXGroupCreate, Flag: a.id("$")})
}

// xreadgroup: id = ">" is for entries that nobody in the group was given, "0" for this consumer's own
// pending ones. Without block it does not wait; "0s" waits for good.
func xreadgroup(s *strand, a *arguments) (starlark.Value, error) {
	m := &neighbour.Message{Op: neighbour.OpXReadGroup, Flag: a.id(">"), Wait: -1}
	m.N = a.number("count", 0, 1, maxRecords)
	if _, given := a.has("block"); given {
		m.Wait = a.duration("block", 0)
	}
	return s.ask(a, m)
}

// xack gives those records that were pending.
func xack(s *strand, a *arguments) (starlark.Value, error) {
	m := &neighbour.Message{Op: neighbour.OpXAck}
	m.Numbers, _ = a.ours()
	return s.ask(a, m)
}

// xpending lists what is pending for the whole group.
func xpending(s *strand, a *arguments) (starlark.Value, error) {
	return s.claim(a, neighbour.OpXPending, a.duration("min_idle", 0))
}

func xclaim(s *strand, a *arguments) (starlark.Value, error) {
	return s.claim(a, neighbour.OpXClaim, minIdle(a))
}

func xautoclaim(s *strand, a *arguments) (starlark.Value, error) {
	return s.claim(a, neighbour.OpXAutoClaim, minIdle(a))
}

func minIdle(a *arguments) time.Duration {
	return a.mustDuration("min_idle", `how long an entry must have been pending, as "30s"`)
}

const defaultClaim = 100 // COUNT of XAUTOCLAIM

func (s *strand) claim(a *arguments, op neighbour.Op, idle time.Duration) (starlark.Value, error) {
	m := &neighbour.Message{Op: op, Wait: idle, N: a.number("count", defaultClaim, 1, maxRecords)}
	m.Numbers, _ = a.ours()
	return s.ask(a, m)
}

func basicQos(s *strand, a *arguments) (starlark.Value, error) {
	return s.ask(a, &neighbour.Message{
		Op: neighbour.OpBasicQos, N: a.mustNumber("prefetch_count", "deliveries without ack; 0: any", 0, 65535),
	})
}

func basicConsume(s *strand, a *arguments) (starlark.Value, error) {
	return s.ask(a, &neighbour.Message{Op: neighbour.OpBasicConsume, Flag: a.flag("auto_ack")})
}

func basicAck(s *strand, a *arguments) (starlark.Value, error) {
	return s.acknowledge(a, &neighbour.Message{Op: neighbour.OpBasicAck})
}

// basicNack puts the message back, unless discard = True.
func basicNack(s *strand, a *arguments) (starlark.Value, error) {
	return s.acknowledge(a, &neighbour.Message{Op: neighbour.OpBasicNack, Requeue: !a.flag("discard")})
}

// acknowledge is basic.ack or basic.nack of a delivery, for which there is no answer.
func (s *strand) acknowledge(a *arguments, m *neighbour.Message) (starlark.Value, error) {
	m.Flag = a.flag("multiple")
	if _, m.N = a.ours(); m.N == 0 {
		a.fail("what shall be acknowledged? give the record that c.get_message gave")
	}
	if a.err != nil {
		return nil, a.err
	}
	if !s.app.near.Connected() {
		return nil, &programError{name: "ConnectionError", text: "ConnectionError"}
	}
	s.app.near.Send(m)
	return starlark.None, s.passing(a.fn)
}

func closeNeighbour(s *strand, a *arguments) (starlark.Value, error) {
	return starlark.None, s.close()
}
