package script

import (
	"fmt"
	"strconv"

	"go.starlark.net/starlark"

	"rebalancelab/engine/client"
	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/verdict"
)

// recordValue is one record that poll returned.
type recordValue struct {
	client.Record
	near *neighbour.Record // of a neighbour: its offset is its number there, and it has no partition
}

var recordFields = []string{
	"topic", "partition", "offset", "key", "value", "timestamp", "topic_partition",
}

func (r *recordValue) String() string {
	return fmt.Sprintf("%s-%d@%d", r.Topic, r.Partition, r.Offset)
}
func (r *recordValue) Type() string         { return "record" }
func (r *recordValue) Freeze()              {}
func (r *recordValue) Truth() starlark.Bool { return true }
func (r *recordValue) Hash() (uint32, error) {
	return starlark.String(r.String()).Hash()
}
func (r *recordValue) AttrNames() []string { return recordFields }

// Attr gives a field: key and value as texts, None when absent; timestamp in milliseconds since the
// Unix epoch; topic_partition as "orders-0". A neighbour's has an id, deliveries and, in answer to
// xpending, an owner.
func (r *recordValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "topic":
		return starlark.String(r.Topic), nil
	case "partition":
		return starlark.MakeInt(int(r.Partition)), nil
	case "offset":
		return starlark.MakeInt64(r.Offset), nil
	case "key":
		return bytesValue(r.Key), nil
	case "value":
		return bytesValue(r.Value), nil
	case "timestamp":
		return starlark.MakeInt64(r.TimestampMs), nil
	case "topic_partition":
		return starlark.String(partitionText(r.Topic, r.Partition)), nil
	}
	if r.near != nil {
		switch name {
		case "id":
			return starlark.String(r.near.ID), nil
		case "owner":
			return starlark.String(r.near.Owner), nil
		case "deliveries":
			return starlark.MakeInt64(r.near.Deliveries), nil
		}
	}
	return nil, noField("record", name, recordFields)
}

func noField(what, name string, have []string) error {
	return fmt.Errorf("a %s has no %s%s", what, name, suggest(name, have))
}

func bytesValue(b []byte) starlark.Value {
	if b == nil {
		return starlark.None
	}
	return starlark.String(b)
}

func partitionText(topic string, part int32) string {
	return topic + "-" + strconv.Itoa(int(part))
}

// single is a list of one record, what most polls of a consumer that keeps up return, in one piece of
// memory.
type single struct {
	list  starlark.List
	elems [1]starlark.Value
	value recordValue
}

// recordList turns what poll returned into a list; all records share one allocation.
func recordList(records []client.Record) *starlark.List {
	if len(records) == 1 {
		s := &single{value: recordValue{Record: records[0]}}
		s.elems[0] = &s.value
		s.list = *starlark.NewList(s.elems[:])
		return &s.list
	}
	values := make([]recordValue, len(records))
	elems := make([]starlark.Value, len(records))
	for i := range records {
		values[i].Record = records[i]
		elems[i] = &values[i]
	}
	return starlark.NewList(elems)
}

// partitionList is a list of texts such as "orders-0".
func partitionList(parts []client.TopicPartition) *starlark.List {
	elems := make([]starlark.Value, len(parts))
	for i, p := range parts {
		elems[i] = starlark.String(partitionText(p.Topic, p.Partition))
	}
	return starlark.NewList(elems)
}

// toPartition reads "orders-0", or takes the partition of a record.
func toPartition(v starlark.Value) (client.TopicPartition, error) {
	switch v := v.(type) {
	case *recordValue:
		return client.TopicPartition{Topic: v.Topic, Partition: v.Partition}, nil
	case starlark.String:
		topic, part, ok := verdict.SplitPartition(string(v))
		if !ok {
			return client.TopicPartition{}, fmt.Errorf("%s is no partition; write it as \"orders-0\"", v)
		}
		return client.TopicPartition{Topic: topic, Partition: part}, nil
	}
	return client.TopicPartition{}, fmt.Errorf("%s is no partition; write it as \"orders-0\"", brief(v))
}

// toPartitions reads one partition or a list of them.
func toPartitions(v starlark.Value) ([]client.TopicPartition, error) {
	list, ok := v.(starlark.Iterable)
	if !ok {
		p, err := toPartition(v)
		return []client.TopicPartition{p}, err
	}
	var parts []client.TopicPartition
	for e := range starlark.Elements(list) {
		p, err := toPartition(e)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// toOffsets reads {"orders-0": 42}; None means the present positions. A value may be (42, "note").
func toOffsets(v starlark.Value) ([]client.Offset, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("offsets = %s: must be a dict such as {\"orders-0\": 42}", brief(v))
	}
	offsets := make([]client.Offset, 0, d.Len())
	for k, e := range d.Entries() {
		tp, err := toPartition(k)
		if err != nil {
			return nil, err
		}
		o := client.Offset{TP: tp}
		if pair, ok := e.(starlark.Tuple); ok && len(pair) == 2 {
			note, _ := starlark.AsString(pair[1])
			o.Metadata, e = note, pair[0]
		}
		n, ok := e.(starlark.Int)
		if o.Offset, ok = int64Of(n, ok); !ok {
			return nil, fmt.Errorf("%s = %s: must be an offset", k, brief(e))
		}
		offsets = append(offsets, o)
	}
	return offsets, nil
}
