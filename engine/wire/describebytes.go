package wire

import "strconv"

// bytes shows a byte field, decoded if it is known what it holds.
func (d *describer) bytes(depth int, name string, b []byte) {
	var parts []Field
	ok := false
	switch name {
	case "records":
		parts, ok = describeBatches(depth+1, b), true
	case "metadata", "memberMetadata":
		parts, ok = describeSubscription(depth+1, b)
	case "assignment", "memberAssignment":
		parts, ok = describeAssignment(depth+1, b)
	}
	if !ok || len(b) == 0 {
		d.add(depth, name, blob(b))
		return
	}
	d.add(depth, name, strconv.Itoa(len(b))+" bytes")
	d.fields = append(d.fields, parts...)
}

// describeBatches shows a run of batches; one that cannot be read ends it with the reason.
func describeBatches(depth int, b []byte) []Field {
	var fields []Field
	for i := 0; ; i++ {
		name := "batch[" + strconv.Itoa(i) + "]"
		batch, rest, err := NextBatch(b)
		switch {
		case err != nil:
			return append(fields, Field{depth, name, err.Error()})
		case batch == nil && len(b) > 0:
			return append(fields, Field{depth, name, "cut off after " + strconv.Itoa(len(b)) + " bytes"})
		case batch == nil:
			return fields
		}
		fields = append(fields, Field{depth, name, strconv.Itoa(len(batch)) + " bytes"})
		fields = append(fields, describeBatch(depth+1, batch)...)
		b = rest
	}
}

func describeBatch(depth int, b []byte) []Field {
	h, records, err := DecodeBatch(b)
	crc := "right"
	if !CheckCRC(b) {
		crc = "wrong"
	}
	fields := []Field{
		{depth, "baseOffset", itoa(h.BaseOffset)},
		{depth, "lastOffset", itoa(h.LastOffset())},
		{depth, "partitionLeaderEpoch", itoa(int64(h.LeaderEpoch))},
		{depth, "crc", "0x" + strconv.FormatUint(uint64(h.CRC), 16) + " " + crc},
		{depth, "attributes", "0x" + strconv.FormatUint(uint64(uint16(h.Attributes)), 16)},
		{depth, "baseTimestamp", itoa(h.FirstTimestamp)},
		{depth, "maxTimestamp", itoa(h.MaxTimestamp)},
		{depth, "producerId", itoa(h.ProducerID)},
		{depth, "producerEpoch", itoa(int64(h.ProducerEpoch))},
		{depth, "baseSequence", itoa(int64(h.BaseSequence))},
	}
	if err != nil {
		return append(fields, Field{depth, "records", err.Error()})
	}
	for i := range records {
		fields = append(fields, describeRecord(depth, &records[i])...)
	}
	return fields
}

func describeRecord(depth int, r *Record) []Field {
	fields := []Field{
		{depth, "record", "offset " + itoa(r.Offset)},
		{depth + 1, "timestamp", itoa(r.Timestamp)},
		{depth + 1, "key", blob(r.Key)},
		{depth + 1, "value", blob(r.Value)},
	}
	for _, h := range r.Headers {
		fields = append(fields, Field{depth + 1, "header " + h.Key, blob(h.Value)})
	}
	return fields
}

func describeSubscription(depth int, b []byte) ([]Field, bool) {
	s, err := DecodeSubscription(b)
	if err != nil {
		return nil, false
	}
	fields := []Field{{depth, "version", itoa(int64(s.Version))}}
	topics := "["
	for i, t := range s.Topics {
		if i > 0 {
			topics += ", "
		}
		topics += t
	}
	fields = append(fields, Field{depth, "topics", topics + "]"},
		Field{depth, "userData", blob(s.UserData)})
	if s.Version >= 1 {
		fields = append(fields, Field{depth, "ownedPartitions", partitionList(s.Owned)})
	}
	if s.Version >= 2 {
		fields = append(fields, Field{depth, "generationId", itoa(int64(s.Generation))})
	}
	if s.Version >= 3 {
		fields = append(fields, Field{depth, "rackId", s.Rack})
	}
	return fields, true
}

func describeAssignment(depth int, b []byte) ([]Field, bool) {
	a, err := DecodeAssignment(b)
	if err != nil {
		return nil, false
	}
	return []Field{
		{depth, "version", itoa(int64(a.Version))},
		{depth, "assignedPartitions", partitionList(a.Partitions)},
		{depth, "userData", blob(a.UserData)},
	}, true
}

func partitionList(tps []TopicPartition) string {
	text := "["
	for i, tp := range tps {
		if i > 0 {
			text += ", "
		}
		text += tp.String()
	}
	return text + "]"
}
