package client

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// The error table C.7, JoinGroup and SyncGroup columns: what is asked next, which member id the
// next Join carries, and whether poll throws.
func TestReactionsToErrorsOfJoinAndSync(t *testing.T) {
	const start = "Metadata FindCoordinator JoinGroup "
	for _, tc := range []struct {
		name   string
		key    int16
		codes  []wire.Code
		want   string // requests, without ApiVersions, up to the first OffsetFetch
		throws string
		slow   bool // a back-off comes in between
		keeps  bool // the second Join after the error has the old member id
	}{
		{"load in progress backs off", wire.KeyJoinGroup,
			[]wire.Code{wire.MemberIDRequired, wire.CoordinatorLoadInProgress},
			start + "JoinGroup JoinGroup SyncGroup OffsetFetch", "", true, true},
		{"not coordinator rediscovers", wire.KeyJoinGroup,
			[]wire.Code{wire.MemberIDRequired, wire.NotCoordinator},
			start + "JoinGroup FindCoordinator JoinGroup SyncGroup OffsetFetch", "", false, true},
		{"coordinator not available rediscovers", wire.KeyJoinGroup,
			[]wire.Code{wire.CoordinatorNotAvailable},
			start + "FindCoordinator JoinGroup JoinGroup SyncGroup OffsetFetch", "", false, false},
		{"rebalance in progress retries at once", wire.KeyJoinGroup,
			[]wire.Code{wire.MemberIDRequired, wire.RebalanceInProgress},
			start + "JoinGroup JoinGroup SyncGroup OffsetFetch", "", false, true},
		{"unknown member resets the id", wire.KeyJoinGroup,
			[]wire.Code{wire.MemberIDRequired, wire.UnknownMemberID},
			start + "JoinGroup JoinGroup JoinGroup SyncGroup OffsetFetch", "", false, false},
		{"sync: rebalance in progress rejoins", wire.KeySyncGroup, []wire.Code{wire.RebalanceInProgress},
			start + "JoinGroup SyncGroup JoinGroup SyncGroup OffsetFetch", "", false, true},
		{"sync: illegal generation keeps the id", wire.KeySyncGroup, []wire.Code{wire.IllegalGeneration},
			start + "JoinGroup SyncGroup JoinGroup SyncGroup OffsetFetch", "", false, true},
		{"sync: unknown member resets", wire.KeySyncGroup, []wire.Code{wire.UnknownMemberID},
			start + "JoinGroup SyncGroup JoinGroup JoinGroup SyncGroup OffsetFetch", "", false, false},
		{"sync: not coordinator", wire.KeySyncGroup, []wire.Code{wire.NotCoordinator},
			start + "JoinGroup SyncGroup FindCoordinator JoinGroup SyncGroup OffsetFetch", "", false, true},
		{"sync: loading is not expected", wire.KeySyncGroup, []wire.Code{wire.CoordinatorLoadInProgress},
			"", "KafkaException", false, true},
		{"join: an error that is not expected", wire.KeyJoinGroup, []wire.Code{wire.NotEnoughReplicas},
			"", "KafkaException", false, true},
		{"fenced is fatal in Join too", wire.KeyJoinGroup, []wire.Code{wire.FencedInstanceID},
			"", "FENCED_INSTANCE_ID", false, false},
		{"version is fatal", wire.KeyJoinGroup, []wire.Code{wire.UnsupportedVersion},
			"", "UNSUPPORTED_VERSION", false, false},
		{"sync: coordinator not available", wire.KeySyncGroup, []wire.Code{wire.CoordinatorNotAvailable},
			start + "JoinGroup SyncGroup FindCoordinator JoinGroup SyncGroup OffsetFetch", "", false, true},
		{"inconsistent protocol is fatal", wire.KeyJoinGroup, []wire.Code{wire.InconsistentGroupProtocol},
			"", "INCONSISTENT_GROUP_PROTOCOL", false, false},
		{"session timeout is fatal", wire.KeyJoinGroup, []wire.Code{wire.InvalidSessionTimeout},
			"", "INVALID_SESSION_TIMEOUT", false, false},
		{"group full is fatal", wire.KeyJoinGroup, []wire.Code{wire.GroupMaxSizeReached},
			"", "GROUP_MAX_SIZE_REACHED", false, false},
		{"invalid group is fatal", wire.KeyJoinGroup, []wire.Code{wire.InvalidGroupID},
			"", "INVALID_GROUP_ID", false, false},
		{"authorization is fatal", wire.KeySyncGroup, []wire.Code{wire.GroupAuthorizationFailed},
			"", "GROUP_AUTHORIZATION_FAILED", false, false},
		{"fenced is fatal", wire.KeySyncGroup, []wire.Code{wire.FencedInstanceID},
			"", "FENCED_INSTANCE_ID", false, false},
		{"find: authorization is fatal", wire.KeyFindCoordinator,
			[]wire.Code{wire.GroupAuthorizationFailed}, "", "GROUP_AUTHORIZATION_FAILED", false, false},
		{"find: not available is asked again", wire.KeyFindCoordinator,
			[]wire.Code{wire.CoordinatorNotAvailable, wire.CoordinatorNotAvailable},
			"Metadata FindCoordinator Metadata FindCoordinator FindCoordinator JoinGroup JoinGroup " +
				"SyncGroup OffsetFetch", "", true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t, 1)
			l.committed[TopicPartition{Topic: "t"}] = 0
			l.answers[tc.key] = tc.codes
			a := &app{l: l, timeout: 10 * time.Second}
			l.do(0, func() {
				a.c = NewConsumer(l.p, testConfig())
				a.c.Subscribe(l.topics, nil)
				a.c.Poll(a.timeout, func(_ []Record, err error) { a.errs = append(a.errs, err) })
			})
			l.run(2 * time.Second)
			if tc.throws != "" {
				require.Len(t, a.errs, 1)
				name, _ := ErrorName(a.errs[0])
				require.Equal(t, tc.throws, name)
				return
			}
			require.Empty(t, a.errs)
			if tc.name == "find: not available is asked again" {
				require.Contains(t, l.requests("ApiVersions", "Metadata", "Fetch"),
					"FindCoordinator FindCoordinator FindCoordinator JoinGroup JoinGroup SyncGroup")
			} else {
				require.Equal(t, tc.want, l.requests("ApiVersions", "Fetch", "Metadata2")[:len(tc.want)])
			}
			offsetFetch := l.times(wire.KeyOffsetFetch)
			require.NotEmpty(t, offsetFetch)
			if tc.slow {
				require.Greater(t, offsetFetch[0], 80*time.Millisecond)
			} else {
				require.Less(t, offsetFetch[0], 40*time.Millisecond)
			}
		})
	}
}

// The Heartbeat column of C.7.
func TestReactionsToErrorsOfHeartbeat(t *testing.T) {
	for _, tc := range []struct {
		code   wire.Code
		calls  []string
		next   string
		throws string
	}{
		{wire.RebalanceInProgress, []string{"assigned[t-0]", "revoked[t-0]", "assigned[t-0]"},
			"Heartbeat OffsetCommit JoinGroup SyncGroup OffsetFetch", ""},
		{wire.IllegalGeneration, []string{"assigned[t-0]", "lost[t-0]", "assigned[t-0]"},
			"Heartbeat JoinGroup SyncGroup OffsetFetch", ""},
		{wire.UnknownMemberID, []string{"assigned[t-0]", "lost[t-0]", "assigned[t-0]"},
			"Heartbeat JoinGroup JoinGroup SyncGroup OffsetFetch", ""},
		{wire.NotCoordinator, []string{"assigned[t-0]"}, "Heartbeat FindCoordinator", ""},
		{wire.CoordinatorNotAvailable, []string{"assigned[t-0]"}, "Heartbeat FindCoordinator", ""},
		{wire.FencedInstanceID, []string{"assigned[t-0]", "lost[t-0]", "assigned[t-0]"},
			"Heartbeat", "FENCED_INSTANCE_ID"},
		{wire.GroupAuthorizationFailed, []string{"assigned[t-0]"}, "Heartbeat Heartbeat", ""},
	} {
		t.Run(tc.code.Name(), func(t *testing.T) {
			l := newLab(t, 1)
			l.committed[TopicPartition{Topic: "t"}] = 0
			l.answers[wire.KeyHeartbeat] = []wire.Code{tc.code}
			li := &listener{l: l}
			a := l.start(0, testConfig(), li)
			l.run(3900 * time.Millisecond)
			require.Equal(t, tc.calls, li.calls)
			require.Contains(t, l.requests("ApiVersions", "Fetch", "Metadata"), tc.next)
			if tc.throws == "" {
				require.Empty(t, a.errs)
				return
			}
			require.Len(t, a.errs, 1)
			name, _ := ErrorName(a.errs[0])
			require.Equal(t, tc.throws, name)
		})
	}
}

// The OffsetCommit column of C.7, for commitSync.
func TestReactionsToErrorsOfCommit(t *testing.T) {
	for _, tc := range []struct {
		code  wire.Code
		want  string // error of commitSync, empty: it succeeds in the end
		next  string
		state int64
	}{
		{wire.CoordinatorLoadInProgress, "", "OffsetCommit OffsetCommit", trace.ConsumerStable},
		{wire.NotCoordinator, "", "OffsetCommit FindCoordinator OffsetCommit", trace.ConsumerStable},
		{wire.CoordinatorNotAvailable, "", "OffsetCommit FindCoordinator OffsetCommit", trace.ConsumerStable},
		{wire.RequestTimedOut, "", "OffsetCommit FindCoordinator OffsetCommit", trace.ConsumerStable},
		{wire.UnknownTopicOrPartition, "", "OffsetCommit OffsetCommit", trace.ConsumerStable},
		{wire.RebalanceInProgress, ErrRebalance, "OffsetCommit", trace.ConsumerStable},
		{wire.IllegalGeneration, ErrCommitFailed, "OffsetCommit", trace.ConsumerUnjoined},
		{wire.UnknownMemberID, ErrCommitFailed, "OffsetCommit", trace.ConsumerUnjoined},
		{wire.FencedInstanceID, "FENCED_INSTANCE_ID", "OffsetCommit", trace.ConsumerStable},
		{wire.GroupAuthorizationFailed, "GROUP_AUTHORIZATION_FAILED", "OffsetCommit", trace.ConsumerStable},
		{wire.OffsetMetadataTooLarge, "OFFSET_METADATA_TOO_LARGE", "OffsetCommit", trace.ConsumerStable},
		{wire.InvalidCommitOffsetSize, "INVALID_COMMIT_OFFSET_SIZE", "OffsetCommit", trace.ConsumerStable},
	} {
		t.Run(tc.code.Name(), func(t *testing.T) {
			l := newLab(t, 1)
			l.write(0, 5)
			cfg := testConfig()
			cfg.EnableAutoCommit = false
			a := l.start(0, cfg, nil)
			called := 0
			a.after = func(records []Record, next func()) {
				if len(records) == 0 {
					next()
					return
				}
				l.answers[wire.KeyOffsetCommit] = []wire.Code{tc.code}
				a.c.CommitSync(nil, func(err error) {
					called++
					if tc.want == "" {
						require.NoError(t, err)
						return
					}
					name, _ := ErrorName(err)
					require.Equal(t, tc.want, name)
				})
			}
			l.run(2 * time.Second)
			require.Equal(t, 1, called)
			require.Equal(t, tc.state, a.c.grp.state)
			require.Contains(t, l.requests("ApiVersions", "Fetch", "Metadata")+" ", tc.next+" ")
			if tc.want == "" {
				require.Equal(t, int64(5), l.committed[TopicPartition{Topic: "t"}])
			}
		})
	}
}

// Errors of a partition in a Fetch (C19, C20).
func TestReactionsToErrorsOfFetch(t *testing.T) {
	for _, tc := range []struct {
		name   string
		code   wire.Code
		reset  string
		next   string // after the failed fetch
		throws string
	}{
		{"not leader renews metadata", wire.NotLeaderOrFollower, "earliest", "Fetch Fetch Fetch Metadata", ""},
		{"unknown topic renews metadata", wire.UnknownTopicOrPartition, "earliest", "Fetch Fetch Fetch Metadata", ""},
		{"fenced epoch renews metadata", wire.FencedLeaderEpoch, "earliest", "Fetch Fetch Fetch Metadata", ""},
		{"unknown epoch retries", wire.UnknownLeaderEpoch, "earliest", "Fetch Fetch", ""},
		{"out of range resets", wire.OffsetOutOfRange, "earliest", "Fetch ListOffsets Fetch", ""},
		{"out of range without policy", wire.OffsetOutOfRange, "none", "Fetch", ErrOffsetOutOfRange},
		{"authorization", wire.TopicAuthorizationFailed, "earliest", "Fetch", "TOPIC_AUTHORIZATION_FAILED"},
		{"corrupt", wire.CorruptMessage, "earliest", "Fetch", "CORRUPT_MESSAGE"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t, 1)
			l.write(0, 2)
			l.committed[TopicPartition{Topic: "t"}] = 0
			l.answers[wire.KeyFetch] = []wire.Code{tc.code}
			cfg := testConfig()
			cfg.AutoOffsetReset = tc.reset
			a := l.start(0, cfg, nil)
			a.after = func(_ []Record, next func()) {
				if len(a.errs) == 0 {
					next()
				}
			}
			l.run(time.Second)
			got := l.requests("ApiVersions")
			require.Contains(t, got, "OffsetFetch "+tc.next)
			if tc.throws != "" {
				require.Len(t, a.errs, 1)
				name, _ := ErrorName(a.errs[0])
				require.Equal(t, tc.throws, name)
				return
			}
			require.Empty(t, a.errs)
			require.Len(t, a.records, 2)
		})
	}
}
