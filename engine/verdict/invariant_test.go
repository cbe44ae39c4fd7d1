package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/verdict"
)

// lead makes broker-n the leader of t-0 with a new epoch.
func (s *story) lead(broker string, epoch int64) *story {
	return s.event(trace.LeaderElected, "broker-1", broker, "t-0", 1, epoch, 0)
}

func (s *story) appended(broker string, base, n int64) *story {
	return s.event(trace.Appended, broker, "orders", "t-0", base, n, 0)
}

func (s *story) watermark(broker string, hw int64) *story {
	return s.event(trace.HighWatermark, broker, "", "t-0", hw, 0, 0)
}

func (s *story) acked(base, n, acks int64) *story {
	return s.event(trace.ProducerAcked, "orders", "", "t-0", base, n, acks)
}

// lead2 is lead with the leader's id, which unclean elections are known by.
func (s *story) lead2(broker string, id, epoch int64) *story {
	return s.event(trace.LeaderElected, "broker-1", broker, "t-0", id, epoch, 0)
}

func (s *story) placed(brokers string) *story {
	return s.event(trace.ReplicasPlaced, "broker-1", brokers, "t-0", 0, 0, 0)
}

func (s *story) inSync(brokers string) *story {
	return s.event(trace.ISRChanged, "broker-1", brokers, "t-0", 0, 0, 0)
}

func (s *story) copied(broker string, base, n int64) *story {
	return s.event(trace.Replicated, broker, "broker-1", "t-0", base, n, 0)
}

func (s *story) learned(broker string, hw int64) *story {
	return s.event(trace.FollowerWatermark, broker, "", "t-0", hw, 0, 0)
}

// invariantCases are traces that keep every rule (broken is nil) or break the rules named.
var invariantCases = []struct {
	name   string
	broken []string
	tell   func(s *story)
}{
	{"one member for two partitions is fine", nil, func(s *story) {
		s.start("A", "B").assign("A t-0 t-1").revoke("A").assign("A t-1", "B t-0")
	}},
	{"a partition assigned to two members of one generation", []string{"one-owner"}, func(s *story) {
		s.start("A", "B").assign("A* t-0", "B* t-0")
	}},
	{"a static member's new id takes over its partition (A42)", nil, func(s *story) {
		s.start("A").assign("A t-0").kill("A").start("A").remove("A-1", trace.RemovedByReplace, "0s")
		s.event(trace.PartitionAssigned, "broker-1", "A-2", "t-0", 1, int64(s.ref(group)), 0)
		s.event(trace.Owned, "A", group, "t-0", 1, 0, 0)
	}},
	{"a group that died counts its generations anew", nil, func(s *story) {
		s.start("A", "B").assign("A t-0").revoke("A").state(trace.GroupDead)
		s.gen = 0
		s.assign("B t-0")
	}},
	{"two processes hold a partition by one generation", []string{"one-owner"}, func(s *story) {
		s.start("A", "B").assign("A t-0").event(trace.Owned, "B", group, "t-0", 1, 0, 0)
	}},
	{"a partition of a consumer group passes on once it was released", nil, func(s *story) {
		s.start("A", "B").epoch("A", 2, 0).held(trace.PartitionAssigned, "A", "t-0")
		s.gen = 3
		s.held(trace.PartitionReleased, "A", "t-0").held(trace.PartitionAssigned, "B", "t-0")
	}},
	{"a partition of a consumer group passes on before it was released", []string{"one-owner"}, func(s *story) {
		s.start("A", "B").epoch("A", 2, 0).held(trace.PartitionAssigned, "A", "t-0")
		s.gen = 3
		s.held(trace.PartitionAssigned, "B", "t-0")
	}},
	{"what a coordinator did not replicate before the next one loaded is no fact (A65)", nil, func(s *story) {
		s.start("A", "B").state(trace.GroupStable).epoch("A", 2, 0).held(trace.PartitionAssigned, "A", "t-0")
		s.remove("A-1", trace.RemovedBySession, "0s").held(trace.PartitionAssigned, "B", "t-0")
		s.emit(trace.Event{Kind: trace.CoordinatorLoaded, Node: s.ref("broker-2"), Part: 7, X: 9})
		s.event(trace.MemberAdded, "broker-2", "A-1", group, 0, 0, 0)
		s.event(trace.PartitionAssigned, "broker-2", "A-1", "t-0", 2, int64(s.ref(group)), 0)
	}},
	{"the next coordinator gives a partition to two members", []string{"one-owner"}, func(s *story) {
		s.start("A", "B").state(trace.GroupStable).epoch("A", 2, 0)
		s.emit(trace.Event{Kind: trace.CoordinatorLoaded, Node: s.ref("broker-2"), Part: 7, X: 9})
		s.event(trace.PartitionAssigned, "broker-2", "A-1", "t-0", 2, int64(s.ref(group)), 0)
		s.event(trace.PartitionAssigned, "broker-2", "B-1", "t-0", 3, int64(s.ref(group)), 0)
	}},
	{"a member that is gone need not release it", nil, func(s *story) {
		s.start("A", "B").epoch("A", 2, 0).held(trace.PartitionAssigned, "A", "t-0")
		s.remove("A-1", trace.RemovedBySession, "0s").held(trace.PartitionAssigned, "B", "t-0")
	}},
	{"a static member that left for a while may still hold what it was to give up (F17, F23)", nil, func(s *story) {
		s.start("A", "B").epoch("A", 2, 0).event(trace.Owned, "A", group, "t-0", 2, 0, 0)
		s.epoch("A", -2, 0).event(trace.Owned, "B", group, "t-0", 3, 0, 0)
	}},
	{"a static member that is back holds alone (F17)", []string{"one-owner"}, func(s *story) {
		s.start("A", "B").epoch("A", 2, 0).event(trace.Owned, "A", group, "t-0", 2, 0, 0)
		s.epoch("A", -2, 0).epoch("A", 3, 0).event(trace.Owned, "B", group, "t-0", 3, 0, 0)
	}},
	{"two members of a consumer group hold a partition in different epochs", []string{"one-owner"}, func(s *story) {
		s.start("A", "B").epoch("A", 2, 0).event(trace.Owned, "A", group, "t-0", 2, 0, 0)
		s.event(trace.Owned, "B", group, "t-0", 3, 0, 0)
	}},
	{"a removed member takes what a late answer gives it, and is no second owner", nil, func(s *story) {
		s.start("A", "B").epoch("A", 2, 0).remove("A-1", trace.RemovedBySession, "0s")
		s.event(trace.Owned, "B", group, "t-0", 3, 0, 0).event(trace.Owned, "A", group, "t-0", 2, 0, 0)
	}},
	{"what it took by a late answer does not count when it is back", nil, func(s *story) {
		s.start("A", "B").epoch("A", 2, 0).remove("A-1", trace.RemovedByLeave, "0s")
		s.event(trace.Owned, "A", group, "t-0", 2, 0, 0).event(trace.MemberAdded, "broker-1", "A-1", group, 0, 0, 0)
		s.event(trace.Owned, "B", group, "t-0", 3, 0, 0)
	}},
	{"what it takes anew counts", []string{"one-owner"}, func(s *story) {
		s.start("A", "B").epoch("A", 2, 0).remove("A-1", trace.RemovedByLeave, "0s")
		s.event(trace.Owned, "A", group, "t-0", 2, 0, 0).event(trace.MemberAdded, "broker-1", "A-1", group, 0, 0, 0)
		s.event(trace.Unowned, "A", group, "t-0", 0, 0, 0).event(trace.Owned, "A", group, "t-0", 3, 0, 0)
		s.event(trace.Owned, "B", group, "t-0", 3, 0, 0)
	}},
	{"back in the classic protocol the generation counts again", nil, func(s *story) {
		s.start("A", "B").epoch("A", 2, 0).event(trace.Owned, "A", group, "t-0", 2, 0, 0)
		s.state(trace.GroupPreparingRebalance).event(trace.Owned, "B", group, "t-0", 3, 0, 0)
	}},
	{"a removed member that does not know yet is a zombie, not a second owner", nil, func(s *story) {
		s.start("A", "B").assign("A t-0").remove("A-1", trace.RemovedBySession, "0s")
		s.event(trace.Owned, "B", group, "t-0", 1, 0, 0).deliver("A", "t-0", 0, 0)
	}},
	{"a dead process holds nothing", nil, func(s *story) {
		s.start("A", "B").assign("A t-0").kill("A").event(trace.Owned, "B", group, "t-0", 1, 0, 0)
	}},
	{"the high watermark falls within an epoch", []string{"watermark"}, func(s *story) {
		s.lead("broker-1", 0).append("t-0", 0, 5).watermark("broker-1", 4)
	}},
	{"the high watermark may fall with a new epoch", nil, func(s *story) {
		s.lead("broker-1", 0).append("t-0", 0, 5).lead("broker-2", 1).watermark("broker-2", 4)
	}},
	{"the high watermark passes the log's end", []string{"watermark"}, func(s *story) {
		s.lead("broker-1", 0).appended("broker-1", 0, 5).watermark("broker-1", 6)
	}},
	{"a follower's copy is behind", nil, func(s *story) {
		s.placed("1,2").lead("broker-1", 0).appended("broker-1", 0, 5).copied("broker-2", 0, 2)
		s.learned("broker-2", 1).copied("broker-2", 2, 3).watermark("broker-1", 5)
	}},
	{"a follower's high watermark passes its log's end", []string{"watermark"}, func(s *story) {
		s.placed("1,2").lead("broker-1", 0).appended("broker-1", 0, 5).copied("broker-2", 0, 2)
		s.learned("broker-2", 3)
	}},
	{"a follower is cut off and goes on", nil, func(s *story) {
		s.placed("1,2").lead("broker-1", 0).appended("broker-1", 0, 5).copied("broker-2", 0, 2)
		s.lead2("broker-2", 2, 1).event(trace.Truncated, "broker-1", "", "t-0", 2, 5, 1)
		s.appended("broker-2", 2, 1).copied("broker-1", 2, 1).watermark("broker-2", 3)
	}},
	{"a leader that was in sync lacks what was acknowledged", []string{"acknowledged"}, func(s *story) {
		s.placed("1,2").lead("broker-1", 0).appended("broker-1", 0, 5).copied("broker-2", 0, 4)
		s.watermark("broker-1", 5).acked(0, 5, -1).lead2("broker-2", 2, 1)
	}},
	{"a leader that was not in sync may lack it", nil, func(s *story) {
		s.placed("1,2").lead("broker-1", 0).appended("broker-1", 0, 5).copied("broker-2", 0, 4)
		s.inSync("1").watermark("broker-1", 5).acked(0, 5, -1).lead2("broker-2", 2, 1)
		s.inSync("2").appended("broker-2", 4, 3)
	}},
	{"a deposed leader acknowledges what all replicas in sync have", nil, func(s *story) {
		s.placed("1,2,3").lead("broker-1", 0).appended("broker-1", 0, 5).lead2("broker-2", 2, 1).inSync("2,3")
		s.copied("broker-2", 0, 5).copied("broker-3", 0, 5).watermark("broker-1", 5).acked(0, 5, -1)
	}},
	{"a deposed leader acknowledges what a replica in sync lacks", []string{"acknowledged"}, func(s *story) {
		s.placed("1,2,3").lead("broker-1", 0).appended("broker-1", 0, 5).lead2("broker-2", 2, 1).inSync("2,3")
		s.copied("broker-2", 0, 5).copied("broker-3", 0, 4).watermark("broker-1", 5).acked(0, 5, -1)
	}},
	{"a replica counts as in sync that lacks it", []string{"acknowledged"}, func(s *story) {
		s.placed("1,2").lead("broker-1", 0).inSync("1").appended("broker-1", 0, 5)
		s.watermark("broker-1", 5).acked(0, 5, -1).copied("broker-2", 0, 4).inSync("1,2")
	}},
	{"a leader that was deposed and does not know it writes", nil, func(s *story) {
		s.placed("1,2").lead("broker-1", 0).appended("broker-1", 0, 5).copied("broker-2", 0, 5)
		s.watermark("broker-1", 5).acked(0, 5, -1).lead2("broker-2", 2, 1).appended("broker-1", 5, 2)
		s.appended("broker-2", 5, 1)
	}},
	{"a topic that was deleted begins anew", nil, func(s *story) {
		s.lead("broker-1", 3).append("t-0", 0, 5).acked(0, 5, -1)
		s.event(trace.TopicDeleted, "broker-1", "", "t-2", 0, 0, 0)
		s.lead("broker-1", 0).append("t-0", 0, 5)
	}},
	{"the leader epoch falls", []string{"watermark"}, func(s *story) {
		s.lead("broker-1", 3).lead("broker-2", 2)
	}},
	{"a consumer is told the committed offset", nil, func(s *story) {
		s.start("A").assign("A t-0").commits("t-0", 15).at("1s").positioned("A", "t-0", 15, 1)
		s.commits("t-0", 20).positioned("A", "t-0", 3, 0)
	}},
	{"a consumer is told an offset that nobody committed", []string{"committed"}, func(s *story) {
		s.start("A").assign("A t-0").commits("t-0", 15).positioned("A", "t-0", 16, 1)
	}},
	{"a consumer is told an offset that was replaced before it asked", []string{"committed"}, func(s *story) {
		s.start("A").assign("A t-0").commits("t-0", 15).at("1s").commits("t-0", 20)
		s.at("2s").sent("A", "broker-1", 9, "-").positioned("A", "t-0", 15, 1)
	}},
	{"a commit overtakes the answer", nil, func(s *story) {
		s.start("A").assign("A t-0").commits("t-0", 15).at("1s").sent("A", "broker-1", 9, "-")
		s.at("2s").commits("t-0", 20).positioned("A", "t-0", 15, 1)
	}},
	{"a consumer is told an offset that expired", []string{"committed"}, func(s *story) {
		s.start("A").assign("A t-0").commits("t-0", 15).at("1s")
		s.event(trace.OffsetRemoved, "broker-1", "", "t-0", 0, int64(s.ref(group)), 0)
		s.at("2s").sent("A", "broker-1", 9, "-").positioned("A", "t-0", 15, 1)
	}},
	{"a group's offset is not another group's", []string{"committed"}, func(s *story) {
		s.start("A").assign("A t-0").commits("t-0", 15)
		s.event(trace.OffsetCommitted, "broker-1", "", "t-0", 99, int64(s.ref("other")), 0)
		s.positioned("A", "t-0", 15, 1).positioned("A", "t-0", 99, 1)
	}},
	{"an acknowledged record is overwritten", []string{"acknowledged"}, func(s *story) {
		s.lead("broker-1", 0).append("t-0", 0, 5).acked(0, 5, -1)
		s.lead("broker-2", 1).appended("broker-2", 3, 1)
	}},
	{"a record acknowledged with acks=1 may be lost", nil, func(s *story) {
		s.lead("broker-1", 0).append("t-0", 0, 5).acked(0, 5, 1)
		s.lead("broker-2", 1).appended("broker-2", 3, 1)
	}},
	{"acks=all before the high watermark", []string{"acknowledged"}, func(s *story) {
		s.lead("broker-1", 0).appended("broker-1", 0, 5).watermark("broker-1", 4).acked(0, 5, -1)
	}},
	{"poll returns records of a partition the process gave up", []string{"delivery"}, func(s *story) {
		s.start("A").assign("A t-0 t-1").deliver("A", "t-0", 0, 1).revoke("A").deliver("A", "t-0", 2, 3)
	}},
	{"partitions assigned by hand are nobody's business", nil, func(s *story) {
		s.event(trace.ProcessStarted, "X", "", "", 1, 0, 0).deliver("X", "t-0", 0, 1)
		s.event(trace.Owned, "X", "", "t-0", 0, 0, 0).event(trace.Owned, "Y", "", "t-0", 0, 0, 0)
	}},
}

func TestInvariants(t *testing.T) {
	var rules []string
	for _, r := range verdict.Rules {
		rules = append(rules, r.Name)
	}
	for _, c := range invariantCases {
		t.Run(c.name, func(t *testing.T) {
			s := newStory(t).at("0s").topic("t", 2)
			c.tell(s)
			require.Equal(t, c.broken, s.broken)
			for _, rule := range s.broken {
				require.Contains(t, rules, rule)
			}
		})
	}
}

func TestABrokenInvariantSaysWhatAndWhen(t *testing.T) {
	log := trace.NewLog()
	inv := verdict.NewInvariants(log)
	e := trace.Event{Kind: trace.PartitionAssigned, Name: log.Ref("t"), Part: 3, X: 7,
		Peer: log.Ref("A-1"), Y: int64(log.Ref("g"))}
	require.Nil(t, inv.Observe(&e))
	e.Peer, e.At = log.Ref("B-1"), 61*s1
	require.EqualError(t, inv.Observe(&e), "invariant one-owner is broken at 01:01.000: "+
		"t-3 of group g is assigned to A-1 and to B-1 in generation 7")
}
