package fold

import (
	"strings"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// Scene numbers nodes, partitions and lanes for the painter. Partitions are those of topics, in
// order of creation; internal topics are left out.
type Scene struct {
	dir   *Directory
	nodes []trace.Ref
	parts []int // numbers in the directory
	tapes []int // by number in the directory: the place in parts, -1 for none
	first []int // by place in parts: the first group's number among the readers, -1 for none
	lanes []lane
	Names view.Scene
}

type lane struct {
	kind int
	n    int // number of the group, client or partition in the directory
}

// NewScene lists what s knows now; a scene made at the end of a run serves every moment of it.
func NewScene(s *State) *Scene {
	sc := &Scene{dir: s.dir}
	for i := range s.groups {
		sc.lane(view.LaneGroup, i, s.name(s.dir.groups.keys[i]), -1)
	}
	color := 0
	for i, r := range s.dir.clients.keys {
		sc.node(r)
		if a := s.dir.roles[r]; a.Role == RoleConsumer {
			sc.lane(view.LaneConsumer, i, a.Name, color)
			color++
		}
	}
	for _, r := range s.dir.brokers.keys {
		sc.node(r)
	}
	for _, r := range s.dir.servers.keys {
		sc.node(r)
	}
	sc.tapes = make([]int, len(s.parts))
	for i, p := range s.parts {
		sc.tapes[i] = -1
		if p.known && s.name(s.dir.parts.keys[i].topic) != internalTopic {
			sc.tapes[i] = len(sc.parts)
			sc.parts = append(sc.parts, i)
			sc.Names.Parts = append(sc.Names.Parts, s.dir.part(i))
			sc.lane(view.LanePartition, i, s.dir.part(i), -1)
		}
	}
	sc.first = make([]int, len(sc.parts))
	return sc
}

// tape is the place in parts of a partition, -1 if it has none.
func (sc *Scene) tape(k partKey) int {
	if n, ok := sc.dir.parts.at[k]; ok && n < len(sc.tapes) {
		return sc.tapes[n]
	}
	return -1
}

func (sc *Scene) node(r trace.Ref) {
	sc.nodes = append(sc.nodes, r)
	sc.Names.Nodes = append(sc.Names.Nodes, sc.dir.log.String(r))
}

func (sc *Scene) lane(kind, n int, name string, color int) {
	sc.lanes = append(sc.lanes, lane{kind, n})
	sc.Names.Lanes = append(sc.Names.Lanes, view.Lane{Kind: kind, Name: name, Color: color})
}

func (sc *Scene) nodeIndex(r trace.Ref) int32 {
	for i, n := range sc.nodes {
		if n == r {
			return int32(i)
		}
	}
	return -1
}

// color is the colour index of a consumer process.
func (sc *Scene) color(r trace.Ref) int32 {
	if r == 0 {
		return -1
	}
	n := int32(0)
	for _, c := range sc.dir.clients.keys {
		if c == r {
			return n
		}
		if sc.dir.roles[c].Role == RoleConsumer {
			n++
		}
	}
	return -1
}

func ticks(ns int64) int32 { return int32(ns / view.Tick) }

// Paint appends the paint block of the state at time now; see view.PaintVersion.
func (s *State) Paint(dst []int32, sc *Scene, now int64) []int32 {
	dst = append(dst, view.PaintVersion, ticks(now), int32(s.index),
		int32(len(sc.parts)), int32(len(s.flying)))
	s.findFirst(sc)
	for i, n := range sc.parts {
		dst = s.paintTape(dst, sc, int32(i), n, now)
	}
	for _, f := range s.flying {
		dst = s.paintDot(dst, sc, f, now)
	}
	count := len(dst)
	dst = s.pinFollowers(s.pinGroups(append(dst, 0), sc), sc)
	dst[count] = int32((len(dst) - count - 1) / view.PinSize)
	return dst
}

// findFirst notes which group each tape shows.
func (s *State) findFirst(sc *Scene) {
	for i := range sc.first {
		sc.first[i] = -1
	}
	for j := range s.readers {
		if i := sc.tape(s.dir.readers.keys[j].partKey); s.readers[j].known && i >= 0 && sc.first[i] < 0 {
			sc.first[i] = j
		}
	}
}

// pinGroups pins what the groups have that a tape does not show.
func (s *State) pinGroups(dst []int32, sc *Scene) []int32 {
	for j := range s.readers {
		r := &s.readers[j]
		i := sc.tape(s.dir.readers.keys[j].partKey)
		if !r.known || i < 0 || sc.first[i] == j {
			continue
		}
		if r.committed >= 0 {
			dst = append(dst, int32(i), view.PinCommitted, sc.color(r.owner), int32(r.committed))
		}
		if r.position >= 0 && r.owner != 0 && !r.dead {
			dst = append(dst, int32(i), view.PinPosition, sc.color(r.owner), int32(r.position))
		}
	}
	return dst
}

// pinFollowers pins the log ends of the copies that a tape does not show.
func (s *State) pinFollowers(dst []int32, sc *Scene) []int32 {
	for j, k := range s.dir.copies.keys {
		i := sc.tape(k.partKey)
		if j >= len(s.copies) || i < 0 || sc.parts[i] >= len(s.parts) {
			continue
		}
		p := &s.parts[sc.parts[i]]
		if p.replicas == 0 || k.broker == p.leader {
			continue
		}
		kind := int32(view.PinBehind)
		if listed(s.name(p.isr), s.name(k.broker)) {
			kind = view.PinInSync
		}
		dst = append(dst, int32(i), kind, -1, int32(s.copies[j].end))
	}
	return dst
}

// listed says whether a list of ids ("1,3") has the broker ("broker-3").
func listed(ids, broker string) bool {
	id := strings.TrimPrefix(broker, brokerPrefix)
	for ids != "" {
		var one string
		if one, ids, _ = strings.Cut(ids, ","); one == id {
			return true
		}
	}
	return false
}

// paintTape draws one partition for the first group that reads it.
func (s *State) paintTape(dst []int32, sc *Scene, i int32, n int, now int64) []int32 {
	var p part
	if n < len(s.parts) {
		p = s.parts[n]
	}
	r := reader{committed: -1, position: -1, fetched: -1, work: -1, finished: -1}
	if j := sc.first[i]; j >= 0 {
		r = s.readers[j]
	}
	dead, done := int32(0), int32(0)
	if r.dead {
		dead = 1
	}
	if r.work >= 0 && r.workTo > r.workFrom {
		done = int32(min((now-r.workFrom)*1000/(r.workTo-r.workFrom), 1000))
	}
	return append(dst, i, sc.color(r.owner), dead, int32(p.start), int32(p.end), int32(p.high),
		int32(r.committed), int32(r.position), int32(r.fetched), int32(r.work), done,
		int32(r.finished))
}

func (s *State) paintDot(dst []int32, sc *Scene, f flying, now int64) []int32 {
	way := int32(1000)
	if f.arrive > f.sent {
		way = int32(min((now-f.sent)*1000/(f.arrive-f.sent), 1000))
	}
	var flags int32
	if _, _, response := trace.UnpackMessageInfo(f.info); response {
		flags |= view.DotResponse
	}
	if f.held {
		flags |= view.DotHeld
	}
	if f.err != 0 {
		flags |= view.DotError
	}
	if f.api == apiHeartbeat {
		flags |= view.DotBeat
	}
	return append(dst, int32(f.id), sc.nodeIndex(f.from), sc.nodeIndex(f.to), way, flags, f.api)
}
