package assign

// ServerRange gives each subscriber of a topic a run of neighbouring partitions, static members
// first, as the classic range does (F15). It looks neither at what members have nor at racks.
// [coordinator.group.assignor.RangeAssignor]
type ServerRange struct{}

// Name implements [ServerAssignor].
func (ServerRange) Name() string { return "range" }

// AssignGroup implements [ServerAssignor].
func (ServerRange) AssignGroup(spec GroupSpec) []TargetAssignment {
	topics := spec.check()
	runs := map[TopicID]*run{}
	for id, t := range topics {
		runs[id] = &run{partitions: t.Partitions}
	}
	for i := range spec.Members {
		for _, id := range spec.Members[i].Topics {
			runs[id].subscribers++
		}
	}
	given := make([][]TopicIDPartition, len(spec.Members))
	for _, i := range spec.staticFirst() {
		for _, id := range spec.Members[i].Topics {
			first, n := runs[id].next()
			for p := range n {
				given[i] = append(given[i], TopicIDPartition{id, first + p})
			}
		}
	}
	return spec.results(given)
}

// staticFirst is the members' indexes: static members by instance id, then dynamic ones by id (D5).
func (s *GroupSpec) staticFirst() []int {
	members := make([]Member, len(s.Members))
	for i, m := range s.Members {
		members[i] = Member{ID: m.ID, InstanceID: m.InstanceID}
	}
	return order(members)
}

// run cuts the partitions of one topic into runs, one a subscriber.
type run struct {
	partitions, subscribers int32
	served, at              int32
}

// next is the first partition and the length of the next subscriber's run.
func (r *run) next() (first, n int32) {
	n = r.partitions / r.subscribers
	if r.served < r.partitions%r.subscribers {
		n++
	}
	first = r.at
	r.served++
	r.at += n
	return first, n
}
