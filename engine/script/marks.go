package script

import (
	"fmt"
	"sort"

	"go.starlark.net/starlark"

	"rebalancelab/engine/client"
)

// markValue remembers which records are finished, for committing: high_mark() the highest finished
// one of each partition, low_mark() the lowest that is not.
type markValue struct {
	low   bool
	parts map[client.TopicPartition]*markPart
}

// markPart is what a mark knows about one partition.
type markPart struct {
	high int64 // highest finished offset + 1; -1: none
	// For a low mark: offsets handed to the program and not finished, ascending, and the offset
	// after the last handed over.
	open []int64
	next int64
}

func newMark(low bool) *markValue {
	return &markValue{low: low, parts: map[client.TopicPartition]*markPart{}}
}

func (m *markValue) String() string {
	if m.low {
		return "low_mark()"
	}
	return "high_mark()"
}
func (m *markValue) Type() string          { return "mark" }
func (m *markValue) Freeze()               {}
func (m *markValue) Truth() starlark.Bool  { return true }
func (m *markValue) Hash() (uint32, error) { return 0, fmt.Errorf("a mark cannot be a key") }
func (m *markValue) AttrNames() []string   { return []string{"mark", "offsets"} }

// Attr gives mark(record) and offsets().
func (m *markValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "mark":
		return starlark.NewBuiltin("mark", m.mark).BindReceiver(m), nil
	case "offsets":
		return starlark.NewBuiltin("offsets", m.offsets).BindReceiver(m), nil
	}
	return nil, noField("mark", name, m.AttrNames())
}

func (m *markValue) part(tp client.TopicPartition) *markPart {
	p := m.parts[tp]
	if p == nil {
		p = &markPart{high: -1, next: -1}
		m.parts[tp] = p
	}
	return p
}

// mark says that a record is finished.
func (m *markValue) mark(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple,
) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackPositionalArgs("mark", args, kw, 1, &v); err != nil {
		return nil, err
	}
	r, ok := v.(*recordValue)
	if !ok {
		return nil, fmt.Errorf("mark: %s is no record", brief(v))
	}
	tp := client.TopicPartition{Topic: r.Topic, Partition: r.Partition}
	if m.low && m.parts[tp] == nil {
		return starlark.None, nil // the partition is no longer ours
	}
	p := m.part(tp)
	p.high = max(p.high, r.Offset+1)
	i := sort.Search(len(p.open), func(i int) bool { return p.open[i] >= r.Offset })
	if i < len(p.open) && p.open[i] == r.Offset {
		p.open = append(p.open[:i], p.open[i+1:]...)
	}
	return starlark.None, nil
}

// handed hears of records that poll gives to the program.
func (m *markValue) handed(records []client.Record) {
	if !m.low {
		return
	}
	for i := range records {
		r := &records[i]
		p := m.part(client.TopicPartition{Topic: r.Topic, Partition: r.Partition})
		if r.Offset < p.next { // gone back: what is open from here on comes again
			j := sort.Search(len(p.open), func(j int) bool { return p.open[j] >= r.Offset })
			p.open = p.open[:j]
		}
		p.open = append(p.open, r.Offset)
		p.next = r.Offset + 1
	}
}

// forget drops partitions that the process no longer owns.
func (m *markValue) forget(parts []client.TopicPartition) {
	for _, tp := range parts {
		delete(m.parts, tp)
	}
}

// offsets is {partition: offset to commit}, in order of topic and number.
func (m *markValue) offsets(
	_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple,
) (starlark.Value, error) {
	if err := starlark.UnpackPositionalArgs("offsets", args, kw, 0); err != nil {
		return nil, err
	}
	keys := make([]client.TopicPartition, 0, len(m.parts))
	for tp := range m.parts {
		keys = append(keys, tp)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].Topic != keys[j].Topic {
			return keys[i].Topic < keys[j].Topic
		}
		return keys[i].Partition < keys[j].Partition
	})
	d := starlark.NewDict(len(keys))
	for _, tp := range keys {
		p := m.parts[tp]
		at := p.high
		if m.low {
			at = p.next
			if len(p.open) > 0 {
				at = p.open[0]
			}
		}
		if at < 0 {
			continue
		}
		key := starlark.String(partitionText(tp.Topic, tp.Partition))
		if err := d.SetKey(key, starlark.MakeInt64(at)); err != nil {
			return nil, err
		}
	}
	return d, nil
}
