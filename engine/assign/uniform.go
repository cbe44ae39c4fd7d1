package assign

import (
	"slices"

	"rebalancelab/engine/wire"
)

// Uniform is the default server-side assignor: sizes differ by at most one where subscriptions
// allow it, and members keep what they have as far as that leaves it so (F15).
// [UniformAssignor]
type Uniform struct{}

// Name implements [ServerAssignor].
func (Uniform) Name() string { return "uniform" }

// AssignGroup implements [ServerAssignor].
func (Uniform) AssignGroup(spec GroupSpec) []TargetAssignment {
	topics := spec.check()
	if len(spec.Members) == 0 {
		return nil
	}
	if spec.Heterogeneous {
		return newMixedUniform(&spec, topics).assign()
	}
	return (&equalUniform{spec: &spec, topics: topics}).assign()
}

// equalUniform deals partitions to members that all subscribe to the same topics.
// [UniformHomogeneousAssignmentBuilder]
type equalUniform struct {
	spec   *GroupSpec
	topics groupTopics
	// free are the partitions without owner, in the order in which they are given away.
	free  []TopicIDPartition
	given [][]TopicIDPartition
	// least is what every member gets; extra is how many may still get one more.
	least, extra int
	unfilled     []unfilled
}

// unfilled is a member with room for some more partitions.
type unfilled struct{ member, room int }

func (u *equalUniform) assign() []TargetAssignment {
	u.given = make([][]TopicIDPartition, len(u.spec.Members))
	total := u.findFree()
	u.least, u.extra = total/len(u.spec.Members), total%len(u.spec.Members)
	for rank, member := range u.spec.walk() {
		u.keep(rank, member)
	}
	for _, m := range u.unfilled {
		n := min(m.room, len(u.free))
		u.given[m.member] = append(u.given[m.member], u.free[:n]...)
		u.free = u.free[n:]
	}
	if len(u.free) > 0 {
		panic("assign: uniform has left partitions without owner")
	}
	return u.spec.results(u.given)
}

// findFree lists the partitions that nobody has and counts all of them.
func (u *equalUniform) findFree() (total int) {
	owned := map[TopicIDPartition]bool{}
	for i := range u.spec.Members {
		for _, p := range u.spec.Members[i].Target {
			owned[p] = true
		}
	}
	ids := u.spec.Members[0].Topics
	for _, id := range wire.JavaOrder(ids, wire.JavaCopyTable(len(ids)), wire.JavaUUIDHash) {
		n := u.topics[id].Partitions
		for p := range n {
			if tp := (TopicIDPartition{id, p}); !owned[tp] {
				u.free = append(u.free, tp)
			}
		}
		total += int(n)
	}
	return total
}

// keep leaves a member what it has, up to its quota, and frees the rest. The right to one partition
// more than the least is passed on by a member that has no use for it, unless all members that
// follow have that right anyway. rank is the member's place in the walk.
func (u *equalUniform) keep(rank, member int) {
	quota, extra := u.least, u.extra > 0
	if extra {
		quota++
	}
	for _, group := range byTopic(u.spec.Members[member].Target) {
		if !slices.Contains(u.spec.Members[member].Topics, group[0].Topic) {
			continue
		}
		n := min(quota, len(group))
		quota -= n
		u.given[member] = append(u.given[member], group[:n]...)
		u.free = append(u.free, group[n:]...)
	}
	if quota > 0 && extra && len(u.spec.Members)-rank > u.extra {
		quota--
		extra = false
	}
	if quota > 0 {
		u.unfilled = append(u.unfilled, unfilled{member, quota})
	}
	if extra {
		u.extra--
	}
}

// byTopic splits a target assignment by topic: topics and the partitions of each as the
// coordinator's maps walk over them. Where two share a bucket, their order in target decides.
func byTopic(target []TopicIDPartition) [][]TopicIDPartition {
	var groups [][]TopicIDPartition
	index := map[TopicID]int{}
	for _, p := range target {
		i, ok := index[p.Topic]
		if !ok {
			i = len(groups)
			index[p.Topic] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	for i, g := range groups {
		groups[i] = wire.JavaOrder(g, wire.JavaCopyTable(len(g)), func(p TopicIDPartition) int32 {
			return p.Partition
		})
	}
	return wire.JavaOrder(groups, wire.JavaTable(len(groups)), func(g []TopicIDPartition) int32 {
		return wire.JavaUUIDHash(g[0].Topic)
	})
}
