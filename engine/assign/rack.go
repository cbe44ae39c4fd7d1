package assign

import "slices"

// needsRacks says whether racks can improve the topic's split: some member rack holds a replica,
// and the partitions are not all in the same racks (D8).
func (s *split) needsRacks(members []Member) bool {
	if s.topic.Racks == nil {
		return false
	}
	all := s.allRacks()
	shared := slices.ContainsFunc(s.consumers, func(i int) bool {
		return members[i].Rack != "" && slices.Contains(all, members[i].Rack)
	})
	if !shared {
		return false
	}
	return slices.ContainsFunc(s.topic.Racks, func(racks []string) bool {
		return !containsAll(racks, all)
	})
}

func (s *split) allRacks() []string {
	var all []string
	for _, racks := range s.topic.Racks {
		for _, rack := range racks {
			if !slices.Contains(all, rack) {
				all = append(all, rack)
			}
		}
	}
	return all
}

func containsAll(racks, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(r string) bool { return !slices.Contains(racks, r) })
}

// inRack says whether consumer c may have partition p for its rack's sake. A consumer without a
// rack may have any.
func (s *split) inRack(members []Member, c int, p int32) bool {
	rack := members[s.consumers[c]].Rack
	return rack == "" ||
		int(p) < len(s.topic.Racks) && slices.Contains(s.topic.Racks[p], rack)
}

// matchRacks gives away the partitions that have a replica in the rack of a member with room.
// Topics that must be split alike are dealt with together.
func matchRacks(splits []*split, members []Member) {
	done := make([]bool, len(splits))
	for i, s := range splits {
		if done[i] {
			continue
		}
		alike := []*split{s}
		for j := i + 1; j < len(splits); j++ {
			if !done[j] && splits[j].alike(s) {
				alike = append(alike, splits[j])
				done[j] = true
			}
		}
		if len(alike) > 1 {
			matchTogether(alike, members)
		} else if s.useRacks {
			s.fill(func(c int, p int32) bool { return s.inRack(members, c, p) })
		}
	}
}

// alike says whether two topics have as many partitions and the same subscribers.
func (s *split) alike(t *split) bool {
	return s.topic.Partitions == t.topic.Partitions && slices.Equal(s.consumers, t.consumers)
}

// matchTogether gives partition p of all the topics to the first consumer that has room and whose
// rack matches in every one of them.
func matchTogether(splits []*split, members []Member) {
	for p := range splits[0].topic.Partitions {
		for c := range splits[0].consumers {
			ok := !slices.ContainsFunc(splits, func(s *split) bool {
				return s.room(c) == 0 || !s.inRack(members, c, p)
			})
			if ok {
				for _, s := range splits {
					s.give(c, p)
				}
				break
			}
		}
	}
}
