package assign

import "slices"

// rackTable is what sticky assignors know of racks. It is empty, and nothing mismatches, unless
// racks can make a difference: some member's rack holds a replica, and not every partition is in
// every rack (KIP-881). [AbstractStickyAssignor.RackInfo]
type rackTable struct {
	// member is the rack of each member, -1 for none; nil while racks make no difference.
	member []int32
	// replicas are the racks of each partition.
	replicas [][]int32
	// consumers is how many members are in a rack of each partition.
	consumers []int32
}

func newRackTable(members []Member, c *catalog) rackTable {
	index := map[string]int32{}
	number := func(rack string) int32 {
		if _, ok := index[rack]; !ok {
			index[rack] = int32(len(index))
		}
		return index[rack]
	}
	t := rackTable{member: slices.Repeat([]int32{-1}, len(members))}
	for i := range members {
		if members[i].Rack != "" {
			t.member[i] = number(members[i].Rack)
		}
	}
	withMembers := len(index)
	if withMembers == 0 {
		return rackTable{}
	}
	t.replicas = make([][]int32, 0, c.partitions())
	for i := range c.topics {
		for p := range c.topics[i].Partitions {
			t.replicas = append(t.replicas, numbered(c.topics[i].racksOf(p), number))
		}
	}
	if !t.matters(withMembers) {
		return rackTable{}
	}
	t.countConsumers(len(index))
	return t
}

// racksOf are the racks of one partition's replicas.
func (t *Topic) racksOf(p int32) []string {
	if int(p) >= len(t.Racks) {
		return nil
	}
	return t.Racks[p]
}

// numbered is a set of racks as sorted numbers.
func numbered(racks []string, number func(string) int32) []int32 {
	var set []int32
	for _, r := range racks {
		if r != "" {
			set = append(set, number(r))
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// matters says whether a member's rack (one below withMembers) holds a replica and the partitions
// are in different racks.
func (t *rackTable) matters(withMembers int) bool {
	var all []int32
	for _, racks := range t.replicas {
		for _, r := range racks {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	shared := slices.ContainsFunc(all, func(r int32) bool { return int(r) < withMembers })
	return shared && slices.ContainsFunc(t.replicas, func(racks []int32) bool {
		return len(racks) < len(all)
	})
}

func (t *rackTable) countConsumers(racks int) {
	members := make([]int32, racks)
	for _, r := range t.member {
		if r >= 0 {
			members[r]++
		}
	}
	t.consumers = make([]int32, len(t.replicas))
	for p := range t.replicas {
		for _, r := range t.replicas[p] {
			t.consumers[p] += members[r]
		}
	}
}

// inUse says whether racks make a difference.
func (t *rackTable) inUse() bool { return t.member != nil }

// mismatch says whether a member with a rack would have to read the partition from another one.
func (t *rackTable) mismatch(m, p int32) bool {
	return t.inUse() && t.member[m] >= 0 && !slices.Contains(t.replicas[p], t.member[m])
}

// match says whether the member has a rack and the partition a replica in it.
func (t *rackTable) match(m, p int32) bool {
	return t.inUse() && t.member[m] >= 0 && slices.Contains(t.replicas[p], t.member[m])
}
