package view

// The painter gets plain arrays of little-endian int32, so that JavaScript reads them without a
// decoder. Times in them count Ticks from the start of the run; nodes, partitions and lanes are
// indices into the lists of [Scene].

// Tick is the unit of times in paint blocks: 10 us. An int32 then reaches 5.9 hours.
const Tick = 10_000

// PaintVersion is the first number of a paint block:
//
//	version, time, event index, tapes, dots, the tapes, the dots, pins, the pins
//
// A tape shows the group that read its partition first; what the other groups and the followers have
// is pinned to it.
//
//	a tape: partition, color (-1: no owner), owner dead (0/1), log start, log end, high watermark,
//	        committed (-1), position (-1), fetched (-1), work offset (-1), work done in permille,
//	        next offset after the last one finished (-1)
//	a dot:  message number, from node, to node, way done in permille, flags (DotX bits), api key
//	a pin:  partition, kind (PinX), color of the group's owner (-1: none), offset
const PaintVersion = 1

// Bits of a dot's flags.
const (
	DotResponse = 1 << iota
	DotHeld
	DotError
	DotBeat
)

// Kinds of pins.
const (
	PinCommitted = iota + 1 // what another group has committed
	PinPosition             // where another group's owner is
	PinInSync               // the log end of a follower in sync
	PinBehind               // the log end of a follower that is not
)

// Sizes in int32 of the parts of a paint block.
const (
	PaintHead = 5
	TapeSize  = 12
	DotSize   = 6
	PinSize   = 4
)

// TimelineVersion is the first number of a timeline block:
//
//	version, from, to, lanes, segments, marks, samples,
//	  a segment: lane, kind (SegX), from, to, value (color of the owner for partitions, generation for the coordinator)
//	  a mark:    lane (-1: all), kind (MarkX), time
//	  samples:   per partition lane, samples numbers: the lag at equally spaced times
const TimelineVersion = 1

// Sizes in int32 of the parts of a timeline block.
const (
	TimelineHead = 7
	SegSize      = 5
	MarkSize     = 3
)

// Kinds of segments.
const (
	SegPoll        = iota + 1 // inside poll, waiting
	SegWork                   // handler running
	SegCommit                 // inside a commit
	SegIdle                   // running, none of the others
	SegRebalancing            // in a rebalance, as the client sees it
	SegFrozen
	SegDead
	SegCallback
	SegOwned  // partition lane: read by a running owner
	SegUnread // partition lane: owned by a dead or frozen member, or by nobody
	SegStable
	SegPreparing
	SegCompleting
	SegEmpty
	SegProduce
	SegSleep
)

// Kinds of marks.
const (
	MarkBeat = iota + 1
	MarkCommit
	MarkError
	MarkKill
	MarkStart
	MarkFreeze
	MarkCommand
	MarkRebalance
)

// Kinds of lanes.
const (
	LaneGroup = iota + 1
	LaneConsumer
	LanePartition
	LaneProducer
)

// Lane is a row of the timeline.
type Lane struct {
	Kind  int
	Name  string
	Color int // of a consumer; -1 else
}

// Code implements [Coded].
func (l *Lane) Code(c *Coder) {
	c.Int(&l.Kind)
	c.String(&l.Name)
	c.Int(&l.Color)
}

// Scene names what indices in paint blocks mean. It is answered with a finished run (see OpScene).
type Scene struct {
	Nodes []string
	Parts []string
	Lanes []Lane
}

// Code implements [Coded].
func (s *Scene) Code(c *Coder) {
	c.Strings(&s.Nodes)
	c.Strings(&s.Parts)
	structs(c, &s.Lanes)
}
