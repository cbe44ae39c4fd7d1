package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"rebalancelab/engine/client"
	"rebalancelab/engine/neighbour"
)

func (a *App) nearRecord(r *neighbour.Record) *recordValue {
	return &recordValue{near: r, Record: client.Record{
		Topic: a.spec.Of, Partition: -1, Offset: r.Number, Key: []byte(r.Key), Value: []byte(r.Value),
	}}
}

// newNeighbourValue is the c of a program that reads from a neighbour, with the calls that its kind has.
func newNeighbourValue(a *App, kind int64) *consumerValue {
	v := &consumerValue{app: a, methods: starlark.StringDict{}}
	for i := range neighbourCalls {
		call := &neighbourCalls[i]
		if call.kind != 0 && call.kind != kind {
			continue
		}
		v.methods[call.name] = starlark.NewBuiltin(call.name, func(
			t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple,
		) (starlark.Value, error) {
			s := strandOf(t)
			if s == nil || s.app != a || !s.main {
				return nil, fmt.Errorf("c.%s: this connection belongs to the program of %s itself", call.name,
					a.spec.Name)
			}
			in := newArguments(call.name, args, kw)
			out, err := call.fn(s, in)
			if err == nil {
				err = in.end()
			}
			return out, err
		})
	}
	return v
}

// away is a blocking call of the neighbour's client: the records of its answer.
func (s *strand) away(
	name string, begin func(done func(*neighbour.Message, error)),
) ([]*neighbour.Record, error) {
	var out []*neighbour.Record
	err := s.call(name, 0, func(done func(error)) {
		begin(func(m *neighbour.Message, err error) {
			if m != nil {
				out = m.Records
			}
			if e, ok := err.(*neighbour.Error); ok {
				err = &programError{name: e.Name, text: e.Name}
			}
			done(err)
		})
	})
	return out, err
}

// passing is a blocking call that only takes its time.
func (s *strand) passing(name string) error {
	s.waiting = 0
	s.begin(name, 0)
	return s.end(name, 0, s.block(s.beginWait))
}
