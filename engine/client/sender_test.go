package client

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// stored is the values in the log of t-0, in order.
func (l *lab) stored() string {
	var values []string
	for _, b := range l.logs[parts(0)[0]] {
		_, records, err := wire.DecodeBatch(b)
		require.NoError(l.t, err)
		for _, r := range records {
			values = append(values, string(r.Value))
		}
	}
	return strings.Join(values, " ")
}

// sendAll makes a producer and sends values one by one, each in a batch of its own, from one second
// on, after a first record that has the connections made.
func (l *lab) sendAll(change func(*ProducerConfig), values ...string) (p *Producer, results *[]string) {
	results = new([]string)
	note := func(v string) func(int32, int64, error) {
		return func(_ int32, offset int64, err error) {
			name := "ok"
			if err != nil {
				name, _ = ErrorName(err)
			}
			*results = append(*results, v+" "+name)
		}
	}
	l.do(0, func() {
		p = l.producer(func(c *ProducerConfig) {
			c.Linger = 0
			if change != nil {
				change(c)
			}
		})
		p.Send("t", nil, []byte("first"), 0, nil)
	})
	for i, v := range values {
		l.do(time.Second+time.Duration(i)*50*time.Microsecond, func() {
			p.Send("t", nil, []byte(v), 0, note(v))
		})
	}
	l.run(900 * time.Millisecond)
	return p, results
}

// failProduce answers the next Produce requests with errors.
func (l *lab) failProduce(codes ...wire.Code) { l.answers[wire.KeyProduce] = codes }

func TestARetryMayOvertakeOnlyWithoutIdempotence(t *testing.T) { // E30, E33
	for _, tc := range []struct {
		name   string
		change func(*ProducerConfig)
		want   string
	}{
		{"idempotent", nil, "first a b c d"},
		{"not, five in flight", func(c *ProducerConfig) { c.EnableIdempotence = false }, "first b c d a"},
		{"not, one in flight", func(c *ProducerConfig) { c.EnableIdempotence, c.MaxInFlight = false, 1 },
			"first a b c d"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t, 1)
			_, results := l.sendAll(tc.change, "a", "b", "c", "d")
			l.failProduce(wire.NotLeaderOrFollower)
			if tc.name == "idempotent" { // what comes after a gap is refused
				l.failProduce(wire.NotLeaderOrFollower, wire.OutOfOrderSequenceNumber,
					wire.OutOfOrderSequenceNumber, wire.OutOfOrderSequenceNumber)
			}
			l.run(5 * time.Second)
			require.Equal(t, tc.want, l.stored())
			require.Len(t, *results, 4)
			require.Len(t, l.times(wire.KeyInitProducerID), min(1, len(l.times(wire.KeyInitProducerID))))
			for _, h := range l.batches() {
				require.LessOrEqual(t, h.ProducerEpoch, int16(0), "no gap, no new epoch")
			}
		})
	}
}

func TestNoMoreRequestsAreUnderWayThanAllowed(t *testing.T) { // E33
	for _, limit := range []int{1, 2, 5} {
		l := newLab(t, 1)
		l.sendAll(func(c *ProducerConfig) { c.MaxInFlight, c.BatchSize = limit, 1 },
			"a", "b", "c", "d", "e", "f", "g", "h")
		sent := 0
		l.instead = func(f *wire.Frame) (sim.Message, bool) {
			if f.Key == wire.KeyProduce {
				sent++
			}
			return nil, false
		}
		l.silent[wire.KeyProduce] = true
		l.run(2 * time.Second)
		require.Equal(t, limit, sent)
	}
}

func TestALostAnswerIsRepeatedWithTheSameSequence(t *testing.T) { // E30, S16
	l := newLab(t, 1)
	_, results := l.sendAll(nil, "a")
	l.silent[wire.KeyProduce] = true
	l.do(20*time.Second, func() { l.silent[wire.KeyProduce] = false })
	l.run(40 * time.Second)
	h := l.batches()
	require.Len(t, h, 3)
	require.Equal(t, h[1].BaseSequence, h[2].BaseSequence)
	require.Equal(t, h[1].ProducerID, h[2].ProducerID)
	require.Equal(t, []string{"a ok"}, *results)
	require.InDelta(t, 31, l.times(wire.KeyProduce)[2].Seconds(), 0.2, "request.timeout.ms, then at once anew")
}

func TestARefusedBatchBeginsANewEpochWithoutABroker(t *testing.T) { // E31, E33, KIP-360
	for _, tc := range []struct {
		name  string
		codes []wire.Code
		want  []string // epoch/sequence of every batch
		done  []string
	}{
		{"a record is refused", []wire.Code{wire.InvalidRecord},
			[]string{"0/0", "0/1", "1/0"}, []string{"a INVALID_RECORD", "b ok"}},
		{"a gap", []wire.Code{wire.OutOfOrderSequenceNumber},
			[]string{"0/0", "0/1", "1/0", "1/1"}, []string{"a ok", "b ok"}},
		{"a producer that the broker has forgotten", []wire.Code{wire.UnknownProducerID},
			[]string{"0/0", "0/1", "1/0", "1/1"}, []string{"a ok", "b ok"}},
		{"an old epoch", []wire.Code{wire.InvalidProducerEpoch},
			[]string{"0/0", "0/1", "1/0"}, []string{"a INVALID_PRODUCER_EPOCH", "b ok"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t, 1)
			p, results := l.sendAll(nil, "a")
			l.do(1500*time.Millisecond, func() {
				p.Send("t", nil, []byte("b"), 0, func(_ int32, _ int64, err error) {
					require.NoError(t, err)
					*results = append(*results, "b ok")
				})
			})
			l.failProduce(tc.codes...)
			l.run(5 * time.Second)
			var got []string
			for _, h := range l.batches() {
				got = append(got, fmt.Sprintf("%d/%d", h.ProducerEpoch, h.BaseSequence))
			}
			require.Equal(t, tc.want, got)
			require.Equal(t, tc.done, *results)
			require.Len(t, l.times(wire.KeyInitProducerID), 1)
		})
	}
}

func TestAfterTheLastEpochANewIdIsAskedFor(t *testing.T) { // E33
	l := newLab(t, 1)
	p, _ := l.sendAll(nil, "a", "b")
	p.id.epoch = math.MaxInt16
	p.topics[0].parts[0].seq.id = p.id
	l.failProduce(wire.InvalidRecord, wire.OutOfOrderSequenceNumber)
	l.run(5 * time.Second)
	require.Equal(t, "first b", l.stored(), "b was on its way under the old id")
	require.Len(t, l.times(wire.KeyInitProducerID), 2)
	last := l.batches()[len(l.batches())-1]
	require.Equal(t, []int32{0, 0}, []int32{int32(last.ProducerEpoch), last.BaseSequence})
}

func TestABatchIsGivenUpAtTheDeliveryTimeoutEvenOnTheWire(t *testing.T) {
	l := newLab(t, 1)
	var when time.Duration
	p, _ := l.sendAll(func(c *ProducerConfig) { c.DeliveryTimeout = 31 * time.Second })
	l.do(time.Second, func() {
		l.silent[wire.KeyProduce] = true
		p.Send("t", nil, []byte("a"), 0, func(_ int32, _ int64, err error) {
			require.ErrorContains(t, err, "31s has passed since batch creation")
			when = l.at()
		})
	})
	l.run(50 * time.Second)
	require.Equal(t, 32*time.Second, when)
	require.Zero(t, p.memory)
}

func TestWhatWasGivenUpUndecidedHoldsTheNextBack(t *testing.T) { // E33
	l := newLab(t, 1)
	p, results := l.sendAll(func(c *ProducerConfig) { c.DeliveryTimeout = 30*time.Second + 0 }, "a")
	for range 40 {
		l.answers[wire.KeyProduce] = append(l.answers[wire.KeyProduce], wire.NotEnoughReplicas)
	}
	l.do(31500*time.Millisecond, func() {
		p.Send("t", nil, []byte("b"), 0, func(_ int32, _ int64, err error) { *results = append(*results, "b") })
	})
	l.run(70 * time.Second)
	require.Equal(t, "a TimeoutException", (*results)[0])
	last := l.batches()[len(l.batches())-1]
	require.Equal(t, []int32{1, 0}, []int32{int32(last.ProducerEpoch), last.BaseSequence},
		"nobody knows whether a is in the log, so b may not follow it")
}

func TestABatchThatIsTooLargeIsCut(t *testing.T) { // E28
	for _, idempotent := range []bool{true, false} {
		l := newLab(t, 1)
		p, _ := l.sendAll(func(c *ProducerConfig) {
			c.EnableIdempotence, c.Linger, c.BatchSize = idempotent, 5*time.Millisecond, 300
		})
		done := 0
		l.do(time.Second, func() {
			for i := range 10 {
				p.Send("t", nil, fmt.Appendf(nil, "value %d %s", i, strings.Repeat("x", 5)), 0,
					func(_ int32, o int64, err error) {
						require.NoError(t, err)
						done++
					})
			}
			l.failProduce(wire.MessageTooLarge)
		})
		l.run(5 * time.Second)
		require.Equal(t, 10, done)
		require.Equal(t, 10, strings.Count(l.stored(), "value"))
		require.True(t, slices.IsSorted(numbersIn(l.stored())), l.stored())
		require.Zero(t, p.memory)
		for _, h := range l.batches() {
			require.LessOrEqual(t, h.ProducerEpoch, int16(0))
		}
	}
}

// numbersIn are the numbers in "value 3 xxxxx".
func numbersIn(s string) (numbers []string) {
	words := strings.Fields(s)
	for i := range words {
		if words[i] == "value" {
			numbers = append(numbers, words[i+1])
		}
	}
	return numbers
}

func TestABatchFillsWhileThereIsNoConnection(t *testing.T) {
	l := newLab(t, 1)
	l.do(0, func() {
		p := l.producer(func(c *ProducerConfig) { c.Linger = 0 })
		for i := range 5 {
			l.p.env.After(time.Duration(i)*100*time.Microsecond, func() { p.Send("t", nil, []byte("v"), 0, nil) })
		}
	})
	l.run(time.Second)
	require.Equal(t, int32(5), l.batches()[0].Count)
}

func TestABatchIsSentWhenItIsFull(t *testing.T) { // batch.size counts bytes on the wire
	l := newLab(t, 1)
	p, _ := l.sendAll(func(c *ProducerConfig) { c.Linger, c.BatchSize = 200*time.Millisecond, 100 })
	l.do(time.Second, func() {
		for range 7 {
			p.Send("t", nil, []byte("0123456789"), 0, nil)
		}
	})
	l.run(3 * time.Second)
	var sizes []int
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.ProduceRequest); ok {
			sizes = append(sizes, len(r.Topics[0].Partitions[0].Records))
		}
	}
	require.Equal(t, []int{73, 95, 95, 95, 78}, sizes, "61 bytes of header, 17 a record, at most 100")
	at := l.times(wire.KeyProduce)
	require.Less(t, at[3], 1010*time.Millisecond)
	require.Greater(t, at[4], 1200*time.Millisecond, "the last one is not full")
}

func TestARequestIsNoLargerThanAllowed(t *testing.T) {
	l := newLab(t, 3)
	l.do(0, func() {
		p := l.producer(func(c *ProducerConfig) { c.Linger, c.MaxRequestSize = 0, 250 })
		for part := range int32(3) {
			p.Send("t", nil, make([]byte, 50), part, nil)
		}
		p.Send("t", nil, make([]byte, 200), 0, func(_ int32, _ int64, err error) {
			require.ErrorContains(t, err, "MESSAGE_TOO_LARGE")
		})
	})
	l.run(time.Second)
	var counts []int
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.ProduceRequest); ok {
			counts = append(counts, len(r.Topics[0].Partitions))
		}
	}
	require.Equal(t, []int{2, 1}, counts)
}

func TestAStickyPartitionIsLeftAfterABatch(t *testing.T) { // KIP-794
	l := newLab(t, 4)
	p, _ := l.sendAll(func(c *ProducerConfig) { c.Partitioner, c.Linger, c.BatchSize = "key", 5*time.Millisecond, 1000 })
	l.do(time.Second, func() {
		for range 400 {
			p.Send("t", nil, []byte("0123456789"), -1, nil)
		}
	})
	l.run(3 * time.Second)
	var order []int32
	for _, f := range l.asked[1:] {
		if r, ok := f.Req.(*kmsg.ProduceRequest); ok {
			for _, q := range r.Topics[0].Partitions {
				h, err := wire.ReadHeader(q.Records)
				require.NoError(t, err)
				order = append(order, h.Count)
			}
		}
	}
	full := 0
	for _, n := range order {
		if n >= 50 {
			full++
		}
	}
	require.GreaterOrEqual(t, full, 6, "whole batches, not one record here and one there: %v", order)
}

func TestTheShorterAQueueTheLikelierItsPartition(t *testing.T) { // KIP-794
	l := newLab(t, 3)
	p, _ := l.sendAll(nil)
	topic := p.topics[0]
	for _, part := range topic.parts {
		part.used = true
	}
	draw := func() (counts [3]int) {
		for range 3000 {
			counts[p.nextSticky(topic)]++
		}
		return counts
	}
	for _, n := range draw() {
		require.InDelta(t, 1000, n, 120, "all alike")
	}
	topic.parts[1].queue = []*batch{{}, {}, {}}
	topic.parts[2].queue = []*batch{{}}
	got := draw() // 0, 3, 1 batches: weights 4, 1, 3
	require.InDelta(t, 1500, got[0], 150)
	require.InDelta(t, 375, got[1], 120)
	require.InDelta(t, 1125, got[2], 150)
	p.meta.list[0].parts[0].leader = -1
	got = draw()
	require.Zero(t, got[0], "without a leader it is not drawn")
}

func TestRoundRobinSkipsPartitionsWithoutALeader(t *testing.T) {
	l := newLab(t, 3)
	p, _ := l.sendAll(func(c *ProducerConfig) { c.Partitioner = "round_robin" })
	p.meta.list[0].parts[1].leader = -1
	var got []int32
	for range 4 {
		n, _ := p.choose(p.topics[0], &queued{partition: -1})
		got = append(got, n)
	}
	require.Equal(t, []int32{0, 2, 0, 2}, got)
}

func TestARecordWaitsForItsTopicAndPartition(t *testing.T) {
	l := newLab(t, 2)
	var got []string
	note := func(v string) func(int32, int64, error) {
		return func(_ int32, _ int64, err error) { got = append(got, fmt.Sprintf("%v %s %v", l.at(), v, err)) }
	}
	l.do(0, func() {
		p := l.producer(func(c *ProducerConfig) { c.MaxBlock, c.Linger = 5*time.Second, 0 })
		p.Send("t", nil, []byte("v"), 7, note("partition 7"))
		p.Send("t", nil, []byte("v"), 0, note("behind it"))
	})
	l.run(10 * time.Second)
	require.Len(t, got, 2)
	require.Contains(t, got[0], "5s partition 7 TimeoutException: partition 7 of topic t with partition count 2")
	require.Contains(t, got[1], "behind it <nil>")
}

func TestMemoryIsLimited(t *testing.T) {
	l := newLab(t, 1)
	p, results := l.sendAll(func(c *ProducerConfig) {
		c.BatchSize, c.BufferMemory, c.MaxBlock = 200, 400, 5*time.Second
	})
	for i := range 12 {
		l.do(time.Second, func() {
			l.silent[wire.KeyProduce] = true
			p.Send("t", nil, fmt.Appendf(nil, "%02d%s", i, strings.Repeat("x", 60)), 0,
				func(_ int32, _ int64, err error) {
					name := "ok"
					if err != nil {
						name, _ = ErrorName(err)
					}
					*results = append(*results, fmt.Sprintf("%02d %s", i, name))
				})
		})
	}
	l.run(5 * time.Second)
	require.LessOrEqual(t, p.memory, 400)
	require.NotEmpty(t, p.blocked)
	l.silent[wire.KeyProduce] = false
	l.run(3 * time.Minute)
	require.Len(t, *results, 12)
	require.Contains(t, strings.Join(*results, ","), "BufferExhaustedException", "after max.block.ms")
	require.Zero(t, p.memory)
	require.Empty(t, p.blocked)
}

func TestARetryGoesToANewLeaderAtOnce(t *testing.T) { // E13, KIP-951
	l := newLab(t, 1)
	_, results := l.sendAll(func(c *ProducerConfig) { c.RetryBackoff, c.RetryBackoffMax = time.Second, time.Second }, "a")
	first := true
	l.instead = func(f *wire.Frame) (sim.Message, bool) {
		if _, ok := f.Req.(*kmsg.ProduceRequest); !ok || !first || l.at() < time.Second {
			return nil, false
		}
		first = false
		l.leader, l.epoch = func(int32) int32 { return 2 }, 4
		r := wire.ErrorReply(f, wire.NotLeaderOrFollower)
		q := &r.Resp.(*kmsg.ProduceResponse).Topics[0].Partitions[0]
		q.CurrentLeader.LeaderID, q.CurrentLeader.LeaderEpoch = 2, 4
		return r, true
	}
	l.run(1500 * time.Millisecond)
	require.Equal(t, []string{"a ok"}, *results, "before the back-off is over")
	last := 0
	for i, f := range l.asked {
		if f.Key == wire.KeyProduce {
			last = i
		}
	}
	require.Equal(t, int32(2), l.askedOf[last])
}

func TestRetriesAreCountedAndBackOff(t *testing.T) { // C4
	l := newLab(t, 1)
	_, results := l.sendAll(func(c *ProducerConfig) { c.Retries = 3 }, "a")
	l.failProduce(wire.NotEnoughReplicas, wire.NotEnoughReplicas, wire.NotEnoughReplicas, wire.NotEnoughReplicas)
	l.run(10 * time.Second)
	require.Equal(t, []string{"a NOT_ENOUGH_REPLICAS"}, *results)
	at := l.times(wire.KeyProduce)[1:]
	require.Len(t, at, 4)
	for i, want := range []float64{100, 200, 400} {
		require.InDelta(t, want, float64((at[i+1] - at[i]).Milliseconds()), 0.2*want+5)
	}
}
