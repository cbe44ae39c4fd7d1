package client

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func (l *lab) producer(change func(*ProducerConfig)) *Producer {
	cfg := DefaultProducerConfig()
	cfg.Bootstrap, cfg.ClientID = []string{"broker-1"}, "P"
	if change != nil {
		change(&cfg)
	}
	require.NoError(l.t, cfg.Validate())
	return NewProducer(l.p, cfg)
}

// batches are the headers of all produced batches in order.
func (l *lab) batches() []wire.BatchHeader {
	var out []wire.BatchHeader
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.ProduceRequest); ok {
			h, err := wire.ReadHeader(r.Topics[0].Partitions[0].Records)
			require.NoError(l.t, err)
			out = append(out, h)
		}
	}
	return out
}

func TestAProducerAsksForItsIdAndNumbersItsBatches(t *testing.T) { // E33
	l := newLab(t, 1)
	var got []string
	l.do(0, func() {
		p := l.producer(nil)
		var tick func()
		n := 0
		tick = func() {
			p.Send("t", nil, []byte("v"), 0, func(part int32, offset int64, err error) {
				got = append(got, fmt.Sprint(part, "@", offset, err))
			})
			if n++; n < 3 {
				l.p.env.After(20*time.Millisecond, tick)
			}
		}
		tick()
	})
	l.run(time.Second)
	require.Equal(t, "Metadata InitProducerId Produce Produce Produce", l.requests("ApiVersions"))
	require.Equal(t, []string{"0@0 <nil>", "0@1 <nil>", "0@2 <nil>"}, got)
	for i, h := range l.batches() {
		require.Equal(t, []int64{7, int64(i)}, []int64{h.ProducerID, int64(h.BaseSequence)})
	}
}

func TestLingerGathersRecordsIntoOneBatch(t *testing.T) {
	l := newLab(t, 1)
	l.do(0, func() {
		p := l.producer(nil)
		for i := range 10 {
			l.p.env.After(time.Second+time.Duration(i)*time.Millisecond, func() {
				p.Send("t", nil, []byte("v"), 0, nil)
			})
		}
		p.Send("t", nil, []byte("first"), 0, nil)
	})
	l.run(2 * time.Second)
	var counts []int32
	for _, h := range l.batches() {
		counts = append(counts, h.Count)
	}
	require.Equal(t, []int32{1, 6, 4}, counts)
	require.Equal(t, time.Second+6*time.Millisecond, l.times(wire.KeyProduce)[1])
}

func TestPartitioners(t *testing.T) {
	for _, tc := range []struct {
		name string
		key  string
		want func(n int, parts []int32)
	}{
		{"round_robin", "", func(n int, parts []int32) {
			require.Equal(t, []int32{0, 1, 2, 0, 1, 2}, parts)
		}},
		{"key", "k", func(n int, parts []int32) {
			for _, p := range parts {
				require.Equal(t, wire.PartitionForKey([]byte("k"), 3), p)
			}
		}},
		{"sticky", "k", func(n int, parts []int32) {
			for _, p := range parts {
				require.Equal(t, parts[0], p)
			}
		}},
	} {
		l := newLab(t, 3)
		var parts []int32
		l.do(0, func() {
			p := l.producer(func(c *ProducerConfig) { c.Partitioner, c.Linger = tc.name, 0 })
			var key []byte
			if tc.key != "" {
				key = []byte(tc.key)
			}
			for range 6 {
				p.Send("t", key, []byte("v"), -1, func(part int32, _ int64, err error) {
					require.NoError(t, err)
				})
			}
			p.Flush(func(error) {})
		})
		l.run(time.Second)
		for _, f := range l.asked {
			if r, ok := f.Req.(*kmsg.ProduceRequest); ok {
				for _, q := range r.Topics[0].Partitions {
					h, _ := wire.ReadHeader(q.Records)
					for range h.Count {
						parts = append(parts, q.Partition)
					}
				}
			}
		}
		require.Len(t, parts, 6)
		if tc.name == "round_robin" {
			seen := map[int32]int{}
			for _, p := range parts {
				seen[p]++
			}
			require.Equal(t, map[int32]int{0: 2, 1: 2, 2: 2}, seen)
			continue
		}
		tc.want(6, parts)
	}
}

func TestARetryKeepsSequenceAndOrder(t *testing.T) { // E30, E33
	l := newLab(t, 1)
	var offsets []int64
	l.do(0, func() {
		p := l.producer(func(c *ProducerConfig) { c.Linger = 0 })
		l.answers[wire.KeyProduce] = []wire.Code{wire.NotLeaderOrFollower, wire.OutOfOrderSequenceNumber}
		for i := range 3 {
			l.p.env.After(time.Duration(i)*100*time.Microsecond+time.Second, func() {
				p.Send("t", nil, []byte("v"), 0, func(_ int32, o int64, err error) {
					require.NoError(t, err)
					offsets = append(offsets, o)
				})
			})
		}
		p.Send("t", nil, []byte("v"), 0, nil)
		l.answers[wire.KeyProduce] = append([]wire.Code{wire.None}, l.answers[wire.KeyProduce]...)
	})
	l.run(10 * time.Second)
	require.Len(t, offsets, 3)
	var seqs []int32
	for _, h := range l.batches() {
		seqs = append(seqs, h.BaseSequence)
	}
	require.Subset(t, seqs, []int32{0, 1, 2, 3})
	require.Greater(t, len(seqs), 4)
	require.IsNonDecreasing(t, seqs[len(seqs)-2:])
}

func TestErrorsOfProduce(t *testing.T) { // E26-E28
	for _, tc := range []struct {
		code wire.Code
		want string
	}{
		{wire.NotEnoughReplicas, ""}, {wire.DuplicateSequenceNumber, ""},
		{wire.MessageTooLarge, "MESSAGE_TOO_LARGE"}, {wire.InvalidRecord, "INVALID_RECORD"},
	} {
		l := newLab(t, 1)
		l.answers[wire.KeyProduce] = []wire.Code{tc.code}
		var errs []error
		l.do(0, func() {
			l.producer(nil).Send("t", nil, []byte("v"), 0, func(_ int32, _ int64, err error) {
				errs = append(errs, err)
			})
		})
		l.run(5 * time.Second)
		require.Len(t, errs, 1)
		if tc.want == "" {
			require.NoError(t, errs[0], tc.code.Name())
			continue
		}
		name, _ := ErrorName(errs[0])
		require.Equal(t, tc.want, name)
		require.Len(t, l.events(trace.ProducerFailed), 1)
	}
}

func TestAcksZeroWaitsForNobody(t *testing.T) { // E27
	l := newLab(t, 1)
	l.silent[wire.KeyProduce] = true
	var offset int64
	l.do(0, func() {
		p := l.producer(func(c *ProducerConfig) { c.Acks, c.EnableIdempotence = 0, false })
		p.Send("t", nil, []byte("v"), 0, func(_ int32, o int64, err error) {
			require.NoError(t, err)
			offset = o
		})
	})
	l.run(time.Second)
	require.Equal(t, int64(-1), offset)
	require.Len(t, l.times(wire.KeyProduce), 1)
	require.Equal(t, int32(-1), l.batches()[0].BaseSequence)
}

func TestAProducerGivesUpAfterTheDeliveryTimeout(t *testing.T) {
	l := newLab(t, 1)
	l.silent[wire.KeyProduce] = true
	var errs []error
	var when time.Duration
	l.do(0, func() {
		l.producer(nil).Send("t", nil, []byte("v"), 0, func(_ int32, _ int64, err error) {
			errs = append(errs, err)
			when = l.at()
		})
		l.producer(nil).Send("absent", nil, []byte("v"), 0, func(_ int32, _ int64, err error) {
			require.ErrorContains(t, err, "TimeoutException")
		})
	})
	l.run(5 * time.Minute)
	require.Len(t, errs, 1)
	require.GreaterOrEqual(t, when, 2*time.Minute)
	require.Less(t, when, 2*time.Minute+31*time.Second)
}

func TestCloseWaitsForWhatWasSent(t *testing.T) {
	l := newLab(t, 1)
	var order []string
	l.do(0, func() {
		p := l.producer(nil)
		p.Send("t", nil, []byte("v"), 0, func(int32, int64, error) { order = append(order, "acked") })
		p.Close(func(err error) { order = append(order, "closed") })
		p.Send("t", nil, []byte("v"), 0, func(_ int32, _ int64, err error) {
			require.ErrorContains(t, err, ErrProducerClosed)
		})
	})
	l.run(10 * time.Second)
	require.Equal(t, []string{"acked", "closed"}, order)
	require.Empty(t, l.p.ends)
}
