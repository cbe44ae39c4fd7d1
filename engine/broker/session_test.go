package broker

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// opened starts a session over partitions 0..2 of t, empty so far.
func opened(t *testing.T, l *lab) (c *raw, id int32) {
	l.topic("t", 3)
	c = l.client("c", "broker-1")
	q := fetchRequest("t", want{part: 0}, want{part: 1}, want{part: 2})
	q.MaxWaitMillis = 0
	r := c.fetch(session(q, 0, 0))
	require.NotZero(t, r.SessionID)
	require.Equal(t, []int32{0, 1, 2}, numbers(r), "a full answer lists all")
	return c, r.SessionID
}

func quick(q *kmsg.FetchRequest) *kmsg.FetchRequest {
	q.MaxWaitMillis = 0
	return q
}

func TestAnIncrementalAnswerListsOnlyWhatChanged(t *testing.T) { // E16
	l := newLab(t, 1)
	c, id := opened(t, l)
	r := c.fetch(session(quick(fetchRequest("t")), id, 1))
	require.Equal(t, id, r.SessionID)
	require.Empty(t, numbers(r))
	l.client("p", "broker-1").produce("t", 1, "x")
	r = c.fetch(session(fetchRequest("t"), id, 2))
	require.Equal(t, []int32{1}, numbers(r))
	r = c.fetch(session(quick(fetchRequest("t", want{part: 1, offset: 1})), id, 3))
	require.Empty(t, numbers(r))
}

func TestAnIncrementalFetchWaitsForAllPartitionsOfItsSession(t *testing.T) { // E14, S04
	l := newLab(t, 1)
	c, id := opened(t, l)
	c.send(session(fetchRequest("t", want{part: 0}), id, 1))
	l.wait(50 * time.Millisecond)
	l.client("p", "broker-1").produce("t", 2, "x")
	l.wait(time.Millisecond)
	r := c.last().frame.Resp.(*kmsg.FetchResponse)
	require.Equal(t, []int32{2}, numbers(r))
}

func TestSessionErrorsStandAtTheTop(t *testing.T) { // E15
	l := newLab(t, 1)
	c, id := opened(t, l)
	for _, tt := range []struct {
		name      string
		id, epoch int32
		byID      bool
		code      wire.Code
	}{
		{"unknown", id + 1, 1, false, wire.FetchSessionIDNotFound},
		{"wrong epoch", id, 2, false, wire.InvalidFetchSessionEpoch},
		{"ids in a session of names", id, 1, true, wire.FetchSessionTopicIDError},
		{"right", id, 1, false, wire.None},
		{"the same epoch again", id, 1, false, wire.InvalidFetchSessionEpoch},
	} {
		q := session(quick(fetchRequest("t")), tt.id, tt.epoch)
		if tt.byID {
			q.Version = 13
		}
		require.Equal(t, tt.code, wire.Code(c.fetch(q).ErrorCode), tt.name)
	}
}

func TestAFullFetchClosesTheSessionItNames(t *testing.T) { // E14
	l := newLab(t, 1)
	c, id := opened(t, l)
	r := c.fetch(session(quick(fetchRequest("t", want{})), id, -1))
	require.Zero(t, r.SessionID)
	r = c.fetch(session(quick(fetchRequest("t")), id, 1))
	require.Equal(t, int16(wire.FetchSessionIDNotFound), r.ErrorCode)
}

func TestTheSessionEpochWrapsToOne(t *testing.T) { // E14
	l := newLab(t, 1)
	c, id := opened(t, l)
	s := l.c.node(1).broker.sessions.byID[id]
	s.epoch = math.MaxInt32
	require.Zero(t, c.fetch(session(quick(fetchRequest("t")), id, math.MaxInt32)).ErrorCode)
	require.Equal(t, int32(1), s.epoch)
}

func TestPartitionsThatReturnedRecordsGoToTheEnd(t *testing.T) { // E16
	l := newLab(t, 1)
	c, id := opened(t, l)
	p := l.client("p", "broker-1")
	p.produce("t", 0, "x")
	require.Equal(t, []int32{0}, numbers(c.fetch(session(fetchRequest("t"), id, 1))))
	p.produce("t", 1, "x")
	p.produce("t", 2, "x")
	r := c.fetch(session(fetchRequest("t", want{part: 0, offset: 1}), id, 2))
	require.Equal(t, []int32{1, 2}, numbers(r))
	for part := range int32(3) {
		p.produce("t", part, "y")
	}
	r = c.fetch(session(fetchRequest("t", want{part: 1, offset: 1}, want{part: 2, offset: 1}), id, 3))
	require.Equal(t, []int32{0, 1, 2}, numbers(r), "0 was not returned last time, so it comes first")

	l = newLab(t, 1)
	c, id = opened(t, l)
	p = l.client("p", "broker-1")
	p.produce("t", 0, "x")
	c.fetch(session(fetchRequest("t"), id, 1))
	for part := range int32(3) {
		p.produce("t", part, "y")
	}
	require.Equal(t, []int32{1, 2, 0}, numbers(c.fetch(session(fetchRequest("t"), id, 2))),
		"0 was, so it comes last, though nobody moved it in a request")
}

func TestAnErrorIsToldEveryTimeAndTheGoodStateAfterIt(t *testing.T) { // E16
	l := newLab(t, 1)
	c, id := opened(t, l)
	bad := want{part: 0, offset: 5}
	for epoch := range int32(2) {
		r := c.fetch(session(fetchRequest("t", bad), id, epoch+1))
		require.Equal(t, []int32{0}, numbers(r))
		require.Equal(t, int16(wire.OffsetOutOfRange), parts(r)[0].ErrorCode)
	}
	r := c.fetch(session(quick(fetchRequest("t", want{part: 0})), id, 3))
	require.Equal(t, []int32{0}, numbers(r), "its high watermark counts as changed")
	require.Empty(t, numbers(c.fetch(session(quick(fetchRequest("t")), id, 4))))
}

func TestForgottenPartitionsAreNoLongerRead(t *testing.T) { // E14
	l := newLab(t, 1)
	c, id := opened(t, l)
	l.client("p", "broker-1").produce("t", 1, "x")
	q := session(quick(fetchRequest("t")), id, 1)
	f := kmsg.NewFetchRequestForgottenTopic()
	f.Topic, f.Partitions = "t", []int32{1}
	q.ForgottenTopics = append(q.ForgottenTopics, f)
	require.Empty(t, numbers(c.fetch(q)))
	q = session(quick(fetchRequest("t", want{part: 1})), id, 2)
	require.Equal(t, []int32{1}, numbers(c.fetch(q)), "it can come back")
}

func TestSessionSlotsAreLimited(t *testing.T) { // E17
	l := newLab(t, 1, Entry{"max.incremental.fetch.session.cache.slots", "1"})
	c, id := opened(t, l)
	small := fetchRequest("t", want{})
	require.Zero(t, c.fetch(session(quick(small), 0, 0)).SessionID, "no slot: plain full fetches")
	large := fetchRequest("t", want{part: 0}, want{part: 1}, want{part: 2}, want{part: 3})
	second := c.fetch(session(quick(large), 0, 0)).SessionID
	require.NotZero(t, second, "a larger one takes the slot")
	gone := c.fetch(session(quick(fetchRequest("t")), id, 1))
	require.Equal(t, int16(wire.FetchSessionIDNotFound), gone.ErrorCode)
	l.wait(120 * time.Second)
	require.NotZero(t, c.fetch(session(quick(small), 0, 0)).SessionID, "after 120 s idle any does")
}

func TestFetchByTopicID(t *testing.T) { // 0.2, E1
	l := newLab(t, 1)
	topic := l.topic("t", 1)
	c := l.client("c", "broker-1")
	c.produce("t", 0, "x")
	q := fetchRequest("", want{})
	q.Version, q.Topics[0].TopicID = 17, topic.ID
	r := c.fetch(q)
	require.Equal(t, topic.ID, r.Topics[0].TopicID)
	require.Empty(t, r.Topics[0].Topic)
	require.Equal(t, []int64{0}, offsetsIn(t, parts(r)[0].RecordBatches))
	q.Topics[0].TopicID = [16]byte{1}
	require.Equal(t, int16(wire.UnknownTopicID), parts(c.fetch(q))[0].ErrorCode)
}
