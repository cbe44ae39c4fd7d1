package fold

import (
	"slices"

	"rebalancelab/engine/trace"
)

// State is what the world looks like after the events applied so far.
type State struct {
	dir   *Directory
	index int
	at    int64

	brokers []broker
	parts   []part
	copies  []replica
	groups  []group
	readers []reader
	members []member
	clients []client
	stores  []store
	flying  []flying
	waiting []waiting
	nears   []near
	loaders []trace.Ref // by partition of __consumer_offsets: who coordinates it
}

type broker struct {
	up, frozen, controller bool
}

// part is a partition as its leader has it.
type part struct {
	known            bool
	leader           trace.Ref
	epoch            int64
	start, high, end int64
	// replicas and isr are lists of brokers ("1,2,3"); 0 for a partition with one replica.
	replicas, isr trace.Ref
}

// replica is one broker's copy of a partition that has several.
type replica struct {
	start, high, end int64
}

type group struct {
	state, since, generation, rebalances int64
	coordinator, protocol, leader        trace.Ref
	offsetsPart                          int32
	modern                               bool // of the consumer protocol (KIP-848)
	targetEpoch                          int64
	timer, timerFrom, timerTo            int64
}

// reader is one group in one partition.
type reader struct {
	known                               bool
	owner, assigned                     trace.Ref // process; member id at the coordinator
	target                              trace.Ref // member id that shall have it (KIP-848)
	revoking                            bool      // the assigned member was told to give it up
	assignedGen                         int64
	dead                                bool
	since, committed, position, fetched int64
	work, workFrom, workTo              int64
	finished                            int64 // next offset after the last one finished
}

type member struct {
	known, pending        bool
	client                trace.Ref
	waits                 int32 // api key of the parked request; -1: none
	heard, session, until int64
	epoch, state          int64 // in a group of the consumer protocol
}

type client struct {
	life, lifeAt, thaws   int64
	lifeText              trace.Ref
	group, memberID       trace.Ref
	state, generation     int64
	call, callback        trace.Ref
	callFrom, callTo      int64
	line                  int64
	depth                 int64
	buffered, polls, done int64
	pollFrom, pollTo      int64
	beatFrom, beatAt      int64
	sent, acked           int64
}

type store struct {
	effects int64
	last    [4]trace.Ref
}

type flying struct {
	id, sent, arrive, info int64
	from, to, err          trace.Ref
	api                    int32
	held                   bool
}

type waiting struct {
	broker, client  trace.Ref
	corr, since, to int64
}

// Values of client.life.
const (
	lifeWaiting int64 = iota
	lifeRunning
	lifeFrozen
	lifeStopped
	lifeKilled
	lifeCrashed
	lifeExited
)

var lifeNames = []string{
	"waiting", "running", "frozen", "stopped", "killed", "crashed", "exited",
}

// New returns the state before the first event.
func New(dir *Directory) *State { return &State{dir: dir} }

// Index is the number of events applied, At the time of the last.
func (s *State) Index() int { return s.index }

// At is the time of the last event applied.
func (s *State) At() int64 { return s.at }

// Clone copies the state: a keyframe.
func (s *State) Clone() *State {
	c := *s
	c.brokers = slices.Clone(s.brokers)
	c.parts = slices.Clone(s.parts)
	c.copies = slices.Clone(s.copies)
	c.groups = slices.Clone(s.groups)
	c.readers = slices.Clone(s.readers)
	c.members = slices.Clone(s.members)
	c.clients = slices.Clone(s.clients)
	c.stores = slices.Clone(s.stores)
	c.flying = slices.Clone(s.flying)
	c.waiting = slices.Clone(s.waiting)
	c.loaders = slices.Clone(s.loaders)
	c.nears = slices.Clone(s.nears)
	return &c
}

// at gives the element n of a table, which grows to hold it.
func at[T any](table *[]T, n int) *T {
	for len(*table) <= n {
		var zero T
		*table = append(*table, zero)
	}
	return &(*table)[n]
}

func (s *State) part(e trace.Event) *part {
	p := at(&s.parts, s.dir.parts.of(partKey{e.Name, e.Part}))
	p.known = true
	return p
}

// copyOf is the copy of a partition at broker Node.
func (s *State) copyOf(e trace.Event) *replica {
	return at(&s.copies, s.dir.copies.of(copyKey{partKey{e.Name, e.Part}, e.Node}))
}

func (s *State) group(r trace.Ref) *group {
	g := at(&s.groups, s.dir.groups.of(r))
	return g
}

func (s *State) reader(groupRef, topic trace.Ref, number int32) *reader {
	k := readerKey{groupRef, partKey{topic, number}}
	r := at(&s.readers, s.dir.readers.of(k))
	if !r.known {
		*r = reader{known: true, committed: -1, position: -1, fetched: -1, work: -1, finished: -1, since: s.at}
	}
	return r
}

func (s *State) member(groupRef, id trace.Ref) *member {
	m := at(&s.members, s.dir.members.of(memberKey{groupRef, id}))
	if !m.known {
		*m = member{known: true, waits: -1}
	}
	return m
}

func (s *State) client(r trace.Ref) *client {
	n, ok := s.dir.client(r)
	if !ok {
		return nil
	}
	return at(&s.clients, n)
}

func (s *State) flight(id int64) *flying {
	for i := range s.flying {
		if s.flying[i].id == id {
			return &s.flying[i]
		}
	}
	return nil
}
