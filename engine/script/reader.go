package script

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"rebalancelab/engine/client"
)

// ReaderOptions are what kafka-go's ReaderConfig has beside Kafka's settings. [reader.go]
type ReaderOptions struct {
	JoinGroupBackoff       time.Duration
	WatchPartitionChanges  bool
	PartitionWatchInterval time.Duration
	// CommitInterval, if not 0, has commit_messages return at once and commits come by a timer.
	CommitInterval time.Duration
}

func readerOptions(a *arguments) ReaderOptions {
	return ReaderOptions{
		JoinGroupBackoff:       a.duration("join_group_backoff", 5*time.Second),
		WatchPartitionChanges:  a.flag("watch_partition_changes"),
		PartitionWatchInterval: a.duration("partition_watch_interval", 5*time.Second),
		CommitInterval:         a.duration("commit_interval", 0),
	}
}

func (o *ReaderOptions) watch() time.Duration {
	if o.WatchPartitionChanges {
		return o.PartitionWatchInterval
	}
	return 0
}

// readerCalls are those of kafka-go's Reader alone; readerToo those that it shares.
var (
	readerCalls = []string{"fetch_message", "read_message", "commit_messages", "stats"}
	readerToo   = []string{"subscribe", "close", "assignment", "subscription"}
)

// endless is a timeout that no run reaches.
const endless = time.Duration(1<<63 - 1)

// fetchMessage is c.fetch_message(): the next record, however long that takes. Nothing is committed.
func fetchMessage(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("fetch_message", args, kw); err != nil {
		return nil, err
	}
	return s.nextMessage("fetch_message")
}

func (s *strand) nextMessage(name string) (starlark.Value, error) {
	a := s.app
	var records []client.Record
	err := s.call(name, 0, func(done func(error)) {
		a.consumer.Poll(endless, func(r []client.Record, err error) {
			records = r
			done(err)
		})
	})
	if err != nil || len(records) == 0 {
		return starlark.None, err
	}
	for _, m := range a.marks {
		m.handed(records)
	}
	list := recordList(records)
	return list.Index(0), nil
}

// readMessage is c.read_message(): it commits the record before it returns it, so a crash in the
// handler loses it (S77). [Reader.ReadMessage]
func readMessage(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("read_message", args, kw); err != nil {
		return nil, err
	}
	v, err := s.nextMessage("read_message")
	if r, ok := v.(*recordValue); ok && err == nil {
		err = s.commitMessages([]*recordValue{r})
	}
	return v, err
}

// commitMessagesCall is c.commit_messages(record, ...).
func commitMessagesCall(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if len(kw) > 0 {
		return nil, fmt.Errorf("commit_messages: give the records alone")
	}
	var records []*recordValue
	for _, v := range args {
		r, ok := v.(*recordValue)
		if !ok {
			return nil, fmt.Errorf("commit_messages: %s is no record; take one of those that "+
				"c.fetch_message returns", brief(v))
		}
		records = append(records, r)
	}
	return starlark.None, s.commitMessages(records)
}

// commitMessages commits the highest record of each partition, now and awaited, or with a commit
// interval later and unheard of.
func (s *strand) commitMessages(records []*recordValue) error {
	a := s.app
	stash := a.stash
	if a.spec.Profile.Reader.CommitInterval == 0 {
		stash = nil
	}
	for _, r := range records {
		stash = merge(stash, client.Offset{
			TP: client.TopicPartition{Topic: r.Topic, Partition: r.Partition}, Offset: r.Offset + 1,
		})
	}
	if a.spec.Profile.Reader.CommitInterval > 0 {
		a.stash = stash
		return nil
	}
	if len(stash) == 0 {
		return nil
	}
	return s.call("commit_messages", 0, func(done func(error)) { a.consumer.CommitSync(stash, done) })
}

// merge keeps the highest offset of each partition. [offsetStash.merge]
func merge(stash []client.Offset, o client.Offset) []client.Offset {
	for i := range stash {
		if stash[i].TP == o.TP {
			stash[i].Offset = max(stash[i].Offset, o.Offset)
			return stash
		}
	}
	return append(stash, o)
}

// commitLoop commits the stash every commit interval; what fails stays in it.
// [Reader.commitLoopInterval]
func (a *App) commitLoop() {
	interval := a.spec.Profile.Reader.CommitInterval
	a.env.After(interval, func() {
		if a.closing || a.dead {
			return
		}
		if sent := a.stash; len(sent) > 0 {
			a.stash = nil
			err := a.consumer.CommitAsync(sent, func(_ []client.Offset, err error) {
				if err == nil {
					return
				}
				a.logLine(err.Error(), 2)
				newer := a.stash
				a.stash = sent
				for _, o := range newer {
					a.stash = merge(a.stash, o)
				}
			})
			if err != nil {
				a.logLine(err.Error(), 2)
			}
		}
		a.commitLoop()
	})
}

// statsCall is c.stats(): what was counted since the last look, which begins the count anew (S53).
// [Reader.Stats]
func statsCall(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("stats", args, kw); err != nil {
		return nil, err
	}
	a := s.app
	now, before := a.consumer.Metrics(), a.counted
	a.counted = now
	d := starlark.NewDict(3)
	for _, c := range []struct {
		name string
		n    int64
	}{
		{"rebalances", now.Rebalances - before.Rebalances}, {"messages", now.Records - before.Records},
		{"fetches", now.Fetches - before.Fetches},
	} {
		if err := d.SetKey(starlark.String(c.name), starlark.MakeInt64(c.n)); err != nil {
			return nil, err
		}
	}
	return d, nil
}
