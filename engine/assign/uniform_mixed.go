package assign

import (
	"bytes"
	"cmp"
	"slices"
)

// mixedUniform deals partitions to members that subscribe to different topics: everybody keeps what
// it may keep, free partitions go to the smallest subscribers topic by topic, and then partitions
// move from large to small ones while that helps. Members are known by their place in the
// coordinator's walk. [UniformHeterogeneousAssignmentBuilder]
type mixedUniform struct {
	spec *GroupSpec
	walk []int
	// topics are the subscribed ones, those with the most partitions a subscriber first.
	topics []mixedTopic
	// size is how many partitions each member has.
	size []int32
}

// mixedTopic is one topic while it is dealt.
type mixedTopic struct {
	id          TopicID
	subscribers []int32
	// owner is the member that has each partition, -1 for none.
	owner []int32
}

// mostRounds bounds how often all topics are gone through to even sizes out.
const mostRounds = 16

func newMixedUniform(spec *GroupSpec, topics groupTopics) *mixedUniform {
	u := &mixedUniform{spec: spec, walk: spec.walk(), size: make([]int32, len(spec.Members))}
	place := map[TopicID]int{}
	for m, i := range u.walk {
		for _, id := range spec.Members[i].Topics {
			if _, ok := place[id]; !ok {
				place[id] = len(u.topics)
				owner := slices.Repeat([]int32{-1}, int(topics[id].Partitions))
				u.topics = append(u.topics, mixedTopic{id: id, owner: owner})
			}
			t := &u.topics[place[id]]
			t.subscribers = append(t.subscribers, int32(m))
		}
	}
	for m, i := range u.walk {
		for _, p := range spec.Members[i].Target {
			if slices.Contains(spec.Members[i].Topics, p.Topic) {
				u.give(&u.topics[place[p.Topic]], p.Partition, int32(m))
			}
		}
	}
	slices.SortFunc(u.topics, compareMixed)
	return u
}

// compareMixed puts topics with more partitions a subscriber first, then those with fewer
// subscribers, then the smaller id (as Kafka compares ids: by two signed halves).
func compareMixed(a, b mixedTopic) int {
	return cmp.Or(
		cmp.Compare(len(b.owner)*len(a.subscribers), len(a.owner)*len(b.subscribers)),
		cmp.Compare(len(a.subscribers), len(b.subscribers)),
		compareUUIDs(a.id, b.id),
	)
}

func compareUUIDs(a, b TopicID) int {
	for _, half := range [][]byte{a[:], b[:]} {
		half[0] ^= 0x80 // the sign bits: a negative half comes first
		half[8] ^= 0x80
	}
	return bytes.Compare(a[:], b[:])
}

// give makes a member the owner of a partition, which it takes from the present one.
func (u *mixedUniform) give(t *mixedTopic, p, m int32) {
	if old := t.owner[p]; old >= 0 {
		u.size[old]--
	}
	t.owner[p] = m
	u.size[m]++
}

func (u *mixedUniform) assign() []TargetAssignment {
	for i := range u.topics {
		t := &u.topics[i]
		l := newLevels(u.size, t.subscribers)
		for p, m := range t.owner {
			if m < 0 {
				u.give(t, int32(p), l.nextSmallest())
			}
		}
	}
	u.evenOut()
	given := make([][]TopicIDPartition, len(u.spec.Members))
	for _, t := range u.topics {
		for p, m := range t.owner {
			i := u.walk[m]
			given[i] = append(given[i], TopicIDPartition{t.id, int32(p)})
		}
	}
	return u.spec.results(given)
}

// evenOut goes through the topics with two or more subscribers, again and again, until it has gone
// through all of them since the last move. [balanceTopics]
func (u *mixedUniform) evenOut() {
	shared := slices.DeleteFunc(slices.Clone(u.topics), func(t mixedTopic) bool {
		return len(t.subscribers) < 2
	})
	last := -1
	for range mostRounds {
		for i := range shared {
			if i == last {
				return
			}
			if u.evenTopic(&shared[i]) || last < 0 {
				last = i
			}
		}
	}
}

// evenTopic moves partitions of one topic from its largest subscribers to its smallest, the last
// partition of a member first. [balanceTopic]
func (u *mixedUniform) evenTopic(t *mixedTopic) (moved bool) {
	l := newLevels(u.size, t.subscribers)
	if l.spread() <= 1 {
		return false
	}
	has := map[int32][]int32{}
	for p, m := range t.owner {
		has[m] = append(has[m], int32(p))
	}
	for !l.even() {
		from := l.nextLargest()
		for from >= 0 && len(has[from]) == 0 {
			l.excludeLargest()
			from = l.nextLargest()
		}
		if from < 0 {
			break
		}
		list := has[from]
		has[from] = list[:len(list)-1]
		to := l.nextSmallest()
		if l.even() {
			break
		}
		u.give(t, list[len(list)-1], to)
		moved = true
	}
	return moved
}
