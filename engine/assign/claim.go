package assign

import "rebalancelab/engine/wire"

// claim is what a sticky assignor believes of a member's past: Java's MemberData.
type claim struct {
	partitions []TopicPartition
	// generation is wire.NoGeneration where the member tells none.
	generation int32
}

// stickyClaim reads the user data: an eager member owns nothing any more when it joins (D14).
// [StickyAssignor.memberData]
func stickyClaim(m *Member) claim {
	if len(m.UserData) == 0 {
		return claim{generation: wire.NoGeneration}
	}
	d, err := wire.DecodeStickyUserData(m.UserData)
	if err != nil {
		return claim{generation: wire.NoGeneration}
	}
	return claim{partitions: d.Previous, generation: d.Generation}
}

// cooperativeClaim is what the member owns, in the generation of its subscription or, from a client
// before version 2, in that of its user data. [CooperativeStickyAssignor.memberData]
func cooperativeClaim(m *Member) claim {
	if m.Generation >= 0 {
		return claim{partitions: m.Owned, generation: m.Generation}
	}
	if m.UserData == nil {
		return claim{partitions: m.Owned, generation: wire.NoGeneration}
	}
	generation, err := wire.DecodeCooperativeUserData(m.UserData)
	if err != nil {
		generation = wire.NoGeneration
	}
	return claim{partitions: m.Owned, generation: generation}
}
