package engine

import (
	"fmt"
	"slices"

	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
	"rebalancelab/engine/wire"
)

// label describes a message for the trace.
func label(m sim.Message) sim.Label {
	if n, ok := m.(*neighbour.Message); ok {
		return sim.Label{API: int32(n.Op), Info: trace.MessageInfo(n.Corr, 0, n.Response), Err: n.Err}
	}
	f := m.(*wire.Frame)
	l := sim.Label{API: int32(f.Key), Info: trace.MessageInfo(f.Corr, f.Version, f.IsResponse())}
	if f.IsResponse() {
		if code := wire.ErrorCode(f); code != 0 {
			l.Err = wire.Code(code).Name()
		}
	}
	return l
}

// hop is what messages pass on their way: nothing, or the codec in the test mode. Neighbours have none.
func (l *Lab) hop() func(sim.Message) sim.Message {
	if !l.opt.Hops {
		return nil
	}
	return func(m sim.Message) sim.Message {
		f, ok := m.(*wire.Frame)
		if !ok {
			return m
		}
		b := f.Encode()
		var err error
		var out *wire.Frame
		if f.IsResponse() {
			out, err = wire.DecodeResponse(b, f.Key, f.Version)
		} else {
			out, err = wire.DecodeRequest(b)
		}
		if err != nil {
			panic(l.report(fmt.Sprintf("a %s does not decode: %v", f.APIName(), err)))
		}
		return out
	}
}

// intercept answers a request in place of the broker when an action said so.
func (l *Lab) intercept(d *sim.Delivery) (sim.Message, bool) {
	code, ok := l.cast.respond[d.ID]
	if !ok {
		return nil, false
	}
	delete(l.cast.respond, d.ID)
	f, ok := d.Msg.(*wire.Frame)
	if !ok {
		return nil, false
	}
	return wire.ErrorReply(f, code), true
}

// Message makes message id anew by running the scenario again up to the moment it is sent.
func (l *Lab) Message(id int64) (view.Message, error) {
	row, found := l.findMessage(id, l.log.Len())
	if !found {
		return view.Message{}, fmt.Errorf("no message %d in this run", id)
	}
	sent, err := l.remake(id)
	if err != nil {
		return view.Message{}, err
	}
	m := view.Message{
		ID: id, Name: row.Name, Response: row.Response, From: row.From, To: row.To, SentAt: row.SentAt,
		ArriveAt: row.ArriveAt, Error: row.Error, Lost: row.Lost, SentIdx: row.Index,
	}
	switch f := sent.(type) {
	case *wire.Frame:
		m.Version, m.Corr, m.Bytes = int(f.Version), int64(f.Corr), f.Encode()
		for _, field := range wire.Describe(f) {
			m.Fields = append(m.Fields, view.Field(field))
		}
		if row.Error != "" {
			m.ErrorIs = wire.Code(wire.ErrorCode(f)).Text()
		}
	case *neighbour.Message:
		m.Corr = int64(f.Corr)
		m.Fields = append(m.Fields, view.Field{Name: "message", Value: f.Text()})
	}
	if m.Corr != 0 || m.Bytes != nil {
		m.Other = l.counterpart(row, int32(m.Corr))
	}
	m.Held = l.stillHeld(id)
	return m, nil
}

// stillHeld says whether message id waits on the wire where the run ends.
func (l *Lab) stillHeld(id int64) bool {
	end := l.View(view.At{Index: l.log.Len()})
	return slices.ContainsFunc(end.Flying, func(f view.Flying) bool { return f.ID == id && f.Held })
}

// remake runs a second lab until message id is on its way and takes it from the wire.
func (l *Lab) remake(id int64) (sim.Message, error) {
	o := l.opt
	o.CheckIndex = 0
	again, err := Load(o)
	if err != nil {
		return nil, err
	}
	defer again.Close()
	for {
		if d, ok := again.world.Flying(id); ok {
			return d.Msg, nil
		}
		if again.done {
			return nil, fmt.Errorf("message %d was not sent again", id)
		}
		if err := again.turn(); err != nil {
			return nil, err
		}
	}
}

// counterpart is the answer to a request, or the request that an answer belongs to.
func (l *Lab) counterpart(row view.MessageRow, corr int32) int64 {
	from, _ := l.log.Lookup(row.To)
	to, _ := l.log.Lookup(row.From)
	found := int64(0)
	match := func(e trace.Event) bool {
		c, _, response := trace.UnpackMessageInfo(e.Y)
		return e.Kind == trace.MessageSent && e.Node == from && e.Peer == to && c == corr &&
			response != row.Response && neighbour.MessageName(e.Part) == row.Name
	}
	if !row.Response {
		r := l.log.Reader(row.Index)
		for found == 0 {
			e, ok := r.Next()
			if !ok {
				break
			}
			if match(e) {
				found = e.X
			}
		}
		return found
	}
	for hi := row.Index - 1; hi > 0 && found == 0; hi -= rowWindow {
		lo := max(hi-rowWindow, 0)
		r := l.log.Reader(lo)
		for i := lo; i < hi; i++ {
			if e, _ := r.Next(); match(e) {
				found = e.X
			}
		}
	}
	return found
}
