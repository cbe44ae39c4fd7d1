package client

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// committing is a consumer that has got two records and then does something, once, before it polls on.
func committing(t *testing.T, do func(l *lab, a *app, next func())) *lab {
	l := newLab(t, 1)
	l.write(0, 2)
	cfg := testConfig()
	cfg.EnableAutoCommit = false
	a := l.start(0, cfg, nil)
	once := false
	a.after = func(records []Record, next func()) {
		if len(records) > 0 && !once {
			once = true
			do(l, a, next)
			return
		}
		next()
	}
	return l
}

// errorText is the name that an error's text begins with.
func errorText(err error) string {
	name, _, _ := strings.Cut(fmt.Sprint(err), ":")
	return name
}

func TestCommitSyncTriesAgainWhileItsErrorIsRetriable(t *testing.T) { // C39, C.7
	again := wire.CoordinatorLoadInProgress
	for _, c := range []struct {
		name    string
		answers []wire.Code
		want    string
		tries   int
		within  [2]time.Duration // after the call
	}{
		{"accepted", nil, "<nil>", 1, [2]time.Duration{0, 10 * time.Millisecond}},
		{"accepted at the third", []wire.Code{again, again}, "<nil>", 3,
			[2]time.Duration{240 * time.Millisecond, 380 * time.Millisecond}}, // 100 and 200 ms, 20% jitter
		{"refused", []wire.Code{wire.OffsetMetadataTooLarge}, "OFFSET_METADATA_TOO_LARGE", 1,
			[2]time.Duration{0, 10 * time.Millisecond}},
		{"never answered well", forEver(again), "TimeoutException", 60,
			[2]time.Duration{time.Minute, time.Minute}}, // default.api.timeout.ms
	} {
		t.Run(c.name, func(t *testing.T) {
			got, took := "", time.Duration(0)
			l := committing(t, func(l *lab, a *app, next func()) {
				l.answers[wire.KeyOffsetCommit] = c.answers
				from := l.at()
				a.c.CommitSync(nil, func(err error) {
					got, took = errorText(err), l.at()-from
					next()
				})
			})
			l.run(70 * time.Second)
			require.Equal(t, c.want, got)
			require.GreaterOrEqual(t, took, c.within[0])
			require.LessOrEqual(t, took, c.within[1])
			tries := len(l.times(wire.KeyOffsetCommit))
			if c.tries == 60 {
				require.Greater(t, tries, 50, "once a second at last")
				return
			}
			require.Equal(t, c.tries, tries)
		})
	}
}

// forEver is more errors than a commit can meet.
func forEver(code wire.Code) []wire.Code {
	out := make([]wire.Code, 1000)
	for i := range out {
		out[i] = code
	}
	return out
}

func TestCommitSyncReturnsAfterTheCallbacksOfEarlierAsynchronousCommits(t *testing.T) { // C39, C40
	for name, offsets := range map[string][]Offset{
		"with offsets": nil, // all positions
		"without any it only waits for the others": {},
	} {
		t.Run(name, func(t *testing.T) {
			var order []string
			l := committing(t, func(l *lab, a *app, next func()) {
				for i := range 2 {
					require.NoError(t, a.c.CommitAsync(nil, func([]Offset, error) {
						order = append(order, fmt.Sprint("async ", i))
					}))
				}
				require.Empty(t, order, "their answers are not there")
				a.c.CommitSync(offsets, func(err error) {
					require.NoError(t, err)
					order = append(order, "sync")
					next()
				})
			})
			l.run(time.Second)
			require.Equal(t, []string{"async 0", "async 1", "sync"}, order)
			want := 3
			if offsets != nil {
				want = 2
			}
			require.Len(t, l.times(wire.KeyOffsetCommit), want)
		})
	}
	t.Run("callbacks of finished ones come before anything is sent", func(t *testing.T) {
		var order []string
		l := committing(t, func(l *lab, a *app, next func()) {
			require.NoError(t, a.c.CommitAsync(nil, func([]Offset, error) {
				order = append(order, fmt.Sprint("async, sent ", len(l.events(trace.CommitSent))))
			}))
			l.p.env.After(100*time.Millisecond, func() { // the program works meanwhile
				require.Empty(t, order)
				a.c.CommitSync(nil, func(error) { next() })
			})
		})
		l.run(time.Second)
		require.Equal(t, []string{"async, sent 1"}, order)
		require.Len(t, l.events(trace.CommitSent), 2)
	})
}

func TestCommittedOffsetsAreAlwaysAskedForStable(t *testing.T) { // C41
	for _, level := range []string{"read_uncommitted", "read_committed"} {
		l := newLab(t, 1)
		cfg := testConfig()
		cfg.IsolationLevel = level
		l.start(0, cfg, nil)
		l.run(10 * time.Second)
		n := 0
		for _, f := range l.asked {
			if r, ok := f.Req.(*kmsg.OffsetFetchRequest); ok {
				n++
				require.True(t, r.RequireStable, level)
			}
		}
		require.Equal(t, 1, n)
	}
}

// The members of both protocols look whether auto-commit is due when the program polls, and at no
// other time; the one of the consumer protocol then lets its background thread send.
func TestAMemberOfTheConsumerProtocolCommitsOnlyWhenItPolls(t *testing.T) { // C25, G5
	k := newCluster(t, true, topicT(1))
	k.preload(1, 9)
	a, _ := k.modern(0, "A", func(m *member) {
		m.cfg.EnableAutoCommit, m.cfg.MaxPollRecords, m.handler = true, 1, 12*time.Second
	})
	k.run(100 * time.Second)
	require.Empty(t, a.errs)
	sent, given := k.events(trace.CommitSent, "A"), k.events(trace.Delivered, "A")
	require.Len(t, sent, 8)
	for i, e := range sent {
		require.Equal(t, commitAuto, e.Z)
		require.Equal(t, int64(i+1), e.X, "positions as they were at that poll")
		late := time.Duration(e.At-given[i].At) - 12*time.Second
		require.GreaterOrEqual(t, late, time.Duration(0), "the interval of 5 s ran out twice before")
		require.Less(t, late, time.Millisecond, "the poll that came after the work")
	}
}
