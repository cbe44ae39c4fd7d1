package view

// View is everything that the stage shows at one moment. It is computed from the trace alone.
type View struct {
	At      int64 // the moment
	Index   int   // events at or before it
	Hash    uint64
	Brokers []Broker
	Parts   []Partition
	Groups  []Group
	Clients []Client
	Flying  []Flying
	Stores  []Store
	// Neighbours are the channels, streams and queues of other systems.
	Neighbours []Neighbour
}

// Code implements [Coded].
func (v *View) Code(c *Coder) {
	c.Int64(&v.At)
	c.Int(&v.Index)
	c.Uint64(&v.Hash)
	structs(c, &v.Brokers)
	structs(c, &v.Parts)
	structs(c, &v.Groups)
	structs(c, &v.Clients)
	structs(c, &v.Flying)
	structs(c, &v.Stores)
	structs(c, &v.Neighbours)
}

// Broker is one broker process.
type Broker struct {
	Name       string
	Up         bool
	Frozen     bool
	Controller bool
	// Coordinates are the groups whose coordinator it is.
	Coordinates []string
	// Waiting are the fetches parked at it (long polls).
	Waiting []Waiting
}

// Code implements [Coded].
func (b *Broker) Code(c *Coder) {
	c.String(&b.Name)
	c.Bool(&b.Up)
	c.Bool(&b.Frozen)
	c.Bool(&b.Controller)
	c.Strings(&b.Coordinates)
	structs(c, &b.Waiting)
}

// Waiting is a fetch that waits at a broker for data.
type Waiting struct {
	Client   string
	Since    int64
	Deadline int64
}

// Code implements [Coded].
func (w *Waiting) Code(c *Coder) {
	c.String(&w.Client)
	c.Int64(&w.Since)
	c.Int64(&w.Deadline)
}

// Partition is one partition of a topic and what consumers are doing in it.
type Partition struct {
	Topic     string
	Number    int32
	Leader    string // broker name; empty: no leader
	LogStart  int64
	HighWater int64
	LogEnd    int64
	// Readers has one entry a group that has committed in it or owns it.
	Readers []Reader
	Epoch   int64 // leader epoch
	// Replicas are its copies, the preferred leader's first; empty if there is only the leader's.
	Replicas []Replica
}

// Code implements [Coded].
func (p *Partition) Code(c *Coder) {
	c.String(&p.Topic)
	c.Int32(&p.Number)
	c.String(&p.Leader)
	c.Int64(&p.LogStart)
	c.Int64(&p.HighWater)
	c.Int64(&p.LogEnd)
	structs(c, &p.Readers)
	c.Int64(&p.Epoch)
	structs(c, &p.Replicas)
}

// Replica is one broker's copy of a partition.
type Replica struct {
	Broker    string
	InSync    bool
	LogStart  int64
	HighWater int64 // as this broker knows it
	LogEnd    int64
}

// Code implements [Coded].
func (r *Replica) Code(c *Coder) {
	c.String(&r.Broker)
	c.Bool(&r.InSync)
	c.Int64(&r.LogStart)
	c.Int64(&r.HighWater)
	c.Int64(&r.LogEnd)
}

// Reader is one group's state in one partition.
type Reader struct {
	Group     string
	Committed int64 // -1: none
	Owner     string
	OwnerDead bool  // the owner was killed; the coordinator does not know yet
	Since     int64 // since when it is owned, or unread
	Position  int64 // -1: unknown
	Fetched   int64 // next offset to fetch; records from Position to here are buffered
	Work      int64 // offset whose handler runs, -1: none
	WorkFrom  int64
	WorkTo    int64
}

// Code implements [Coded].
func (r *Reader) Code(c *Coder) {
	c.String(&r.Group)
	c.Int64(&r.Committed)
	c.String(&r.Owner)
	c.Bool(&r.OwnerDead)
	c.Int64(&r.Since)
	c.Int64(&r.Position)
	c.Int64(&r.Fetched)
	c.Int64(&r.Work)
	c.Int64(&r.WorkFrom)
	c.Int64(&r.WorkTo)
}

// Group is what the group coordinator knows.
type Group struct {
	Name          string
	Coordinator   string // broker name
	OffsetsPart   int32  // partition of __consumer_offsets
	State         string // Kafka's name: Stable, PreparingRebalance, ...
	StateSince    int64
	Generation    int64
	Protocol      string // assignor
	Leader        string // client of the leader
	Timer         string // initial delay, rebalance, pending sync; empty: none
	TimerFrom     int64
	TimerDeadline int64
	Members       []Member
	Rebalances    int64
	Type          string // classic or consumer (KIP-848); in the latter Generation is the group epoch
	TargetEpoch   int64  // epoch of the target assignment, in a consumer group
}

// Code implements [Coded].
func (g *Group) Code(c *Coder) {
	c.String(&g.Name)
	c.String(&g.Coordinator)
	c.Int32(&g.OffsetsPart)
	c.String(&g.State)
	c.Int64(&g.StateSince)
	c.Int64(&g.Generation)
	c.String(&g.Protocol)
	c.String(&g.Leader)
	c.String(&g.Timer)
	c.Int64(&g.TimerFrom)
	c.Int64(&g.TimerDeadline)
	structs(c, &g.Members)
	c.Int64(&g.Rebalances)
	c.String(&g.Type)
	c.Int64(&g.TargetEpoch)
}

// Member is a member as the coordinator sees it.
type Member struct {
	ID       string
	Client   string // process name
	Pending  bool   // has an id, has not joined (KIP-394)
	Waits    string // JoinGroup or SyncGroup while that request is parked, else empty
	Heard    int64  // when the session timer was last re-armed
	Session  int64  // session timeout
	Deadline int64  // of the session timer; 0: stopped
	Assigned []string
	// In a consumer group (KIP-848): the member epoch, the member's state by Kafka's name, what it
	// shall have, and what it has and must give up.
	Epoch    int64
	State    string
	Target   []string
	Revoking []string
}

// Code implements [Coded].
func (m *Member) Code(c *Coder) {
	c.String(&m.ID)
	c.String(&m.Client)
	c.Bool(&m.Pending)
	c.String(&m.Waits)
	c.Int64(&m.Heard)
	c.Int64(&m.Session)
	c.Int64(&m.Deadline)
	c.Strings(&m.Assigned)
	c.Int64(&m.Epoch)
	c.String(&m.State)
	c.Strings(&m.Target)
	c.Strings(&m.Revoking)
}

// Client is a client process: a consumer or a producer.
type Client struct {
	Name     string
	Producer bool
	Group    string
	Color    int    // index of its colour, by order of appearance among consumers
	Life     string // waiting, running, frozen, stopped, killed, crashed, exited
	LifeAt   int64
	LifeText string // error of a crash
	Thaws    int64
	// State of membership, as the client sees it: UNJOINED, PREPARING_REBALANCE, ...
	State      string
	Generation int64
	MemberID   string
	Call       string // the blocking call it is in; empty: none
	CallFrom   int64
	CallTo     int64 // deadline of the call; 0: none
	Line       int   // line of the program that it is at; 0: none
	Callback   string
	Owned      []string // "topic-0"
	Buffered   int64
	Polls      int64
	Done       int64 // records finished
	Undone     int64 // finished, not committed (by this process)
	PollTo     int64 // deadline of max.poll.interval; 0: not running
	PollLength int64
	BeatAt     int64 // next heartbeat; 0: none
	BeatLength int64
	SessionTo  int64 // the coordinator's session deadline of its member; 0: none
	SessionLen int64
	Sent       int64 // producer: records sent
	Acked      int64
	// Of is the neighbour that it reads or writes; empty: Kafka.
	Of string
}

// Code implements [Coded].
func (p *Client) Code(c *Coder) {
	c.String(&p.Name)
	c.Bool(&p.Producer)
	c.String(&p.Group)
	c.Int(&p.Color)
	c.String(&p.Life)
	c.Int64(&p.LifeAt)
	c.String(&p.LifeText)
	c.Int64(&p.Thaws)
	c.String(&p.State)
	c.Int64(&p.Generation)
	c.String(&p.MemberID)
	c.String(&p.Call)
	c.Int64(&p.CallFrom)
	c.Int64(&p.CallTo)
	c.Int(&p.Line)
	c.String(&p.Callback)
	c.Strings(&p.Owned)
	c.Int64(&p.Buffered)
	c.Int64(&p.Polls)
	c.Int64(&p.Done)
	c.Int64(&p.Undone)
	c.Int64(&p.PollTo)
	c.Int64(&p.PollLength)
	c.Int64(&p.BeatAt)
	c.Int64(&p.BeatLength)
	c.Int64(&p.SessionTo)
	c.Int64(&p.SessionLen)
	c.Int64(&p.Sent)
	c.Int64(&p.Acked)
	c.String(&p.Of)
}

// Flying is a message on its way or held.
type Flying struct {
	ID       int64
	From     string
	To       string
	Name     string // JoinGroup, Fetch, ...
	Response bool
	Error    string
	SentAt   int64
	ArriveAt int64
	Held     bool
}

// Code implements [Coded].
func (f *Flying) Code(c *Coder) {
	c.Int64(&f.ID)
	c.String(&f.From)
	c.String(&f.To)
	c.String(&f.Name)
	c.Bool(&f.Response)
	c.String(&f.Error)
	c.Int64(&f.SentAt)
	c.Int64(&f.ArriveAt)
	c.Bool(&f.Held)
}

// Store is an outside store that handlers write to.
type Store struct {
	Name    string
	Effects int64
	Last    []string // the last writes, newest first: "key = value"
}

// Code implements [Coded].
func (s *Store) Code(c *Coder) {
	c.String(&s.Name)
	c.Int64(&s.Effects)
	c.Strings(&s.Last)
}

// Neighbour is a channel, a stream or a queue of a system that is no Kafka, as its server sees it, for one
// process that reads it.
type Neighbour struct {
	Name      string
	Kind      string // "Redis stream"
	Server    string // process
	Published int64  // messages that came in
	Settled   int64  // messages that the server has forgotten: acknowledged, rejected or dropped
	Limit     int64  // of a channel: hard limit of an output buffer in bytes
	Client    string // the process that reads it; empty: nobody does yet
	Live      bool   // its connection stands
	Cut       bool   // the server has closed its connection
	Pending   int64  // messages given to it and not acknowledged
	Buffered  int64  // bytes in its output buffer
	Messages  int64  // of so many messages
}

// Code implements [Coded].
func (n *Neighbour) Code(c *Coder) {
	for _, s := range [...]*string{&n.Name, &n.Kind, &n.Server, &n.Client} {
		c.String(s)
	}
	for _, v := range [...]*int64{&n.Published, &n.Settled, &n.Limit, &n.Pending, &n.Buffered, &n.Messages} {
		c.Int64(v)
	}
	c.Bool(&n.Live)
	c.Bool(&n.Cut)
}
