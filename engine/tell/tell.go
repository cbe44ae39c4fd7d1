package tell

import (
	"strconv"
	"strings"

	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// Api keys that have a class of their own.
const (
	apiFetch     = 1
	apiCommit    = 8
	apiHeartbeat = 12
)

// Teller tells the events of one trace.
type Teller struct {
	log *trace.Log
	// client gives the process name of a member id, as MemberAdded and MemberPending said.
	clients map[trace.Ref]string
	// modern are the groups that were seen to speak the consumer protocol last (KIP-848).
	modern map[trace.Ref]bool
	// things are the neighbours' channels, streams and queues, with their kinds.
	things map[trace.Ref]int64
}

// New returns a teller of log.
func New(log *trace.Log) *Teller {
	return &Teller{
		log: log, clients: map[trace.Ref]string{}, modern: map[trace.Ref]bool{},
		things: map[trace.Ref]int64{},
	}
}

// Class is the class of e: bits of view.ClassX. What happens to partitions of the brokers' own topic
// is of the class that hides it, whatever else it is: there are fifty of them. What brokers say to each
// other is replication, errors included, and so are the copies of followers: there is a lot of it and all
// of it as it should be.
func (t *Teller) Class(e trace.Event) int {
	switch {
	case t.internal(e):
		return view.ClassInternal
	case t.replication(e):
		return view.ClassReplication
	}
	return class(e)
}

// offsetsTopic is where coordinators keep commits and members.
const offsetsTopic = "__consumer_offsets"

func (t *Teller) internal(e trace.Event) bool {
	switch e.Kind {
	case trace.TopicCreated, trace.LeaderElected, trace.Appended, trace.HighWatermark, trace.LogStart:
		return t.log.String(e.Name) == offsetsTopic
	case trace.CoordinatorLoaded:
		return e.X == 0 // it has nobody to coordinate
	}
	return false
}

func (t *Teller) replication(e trace.Event) bool {
	switch e.Kind {
	case trace.MessageSent, trace.MessageArrived, trace.MessageLost, trace.ConnOpened,
		trace.ConnClosed:
		return t.isBroker(e.Node) && t.isBroker(e.Peer)
	case trace.Replicated, trace.FollowerWatermark:
		return true
	}
	return false
}

func (t *Teller) isBroker(r trace.Ref) bool {
	return strings.HasPrefix(t.log.String(r), "broker-")
}

func class(e trace.Event) int {
	switch e.Kind {
	case trace.MessageSent, trace.MessageArrived, trace.MessageLost:
		switch {
		case e.Kind == trace.MessageSent && e.Name != 0, e.Kind == trace.MessageLost:
			return view.ClassError | messageClass(e)
		default:
			return messageClass(e)
		}
	case trace.MessageHeld, trace.MessageReleased, trace.LinkCut, trace.LinkHealed, trace.Commanded,
		trace.ProcessFrozen, trace.ProcessThawed:
		return view.ClassFault
	case trace.ProcessStarted, trace.ProcessEnded:
		return view.ClassFault | view.ClassState
	case trace.GroupState, trace.GroupProtocol, trace.MemberAdded, trace.MemberRemoved,
		trace.GenerationStable, trace.Owned, trace.Unowned, trace.ConsumerState, trace.LeaderElected,
		trace.CoordinatorLoaded, trace.GroupLeader, trace.CallbackStarted, trace.PartitionAssigned,
		trace.MemberPending, trace.TopicCreated, trace.Controller, trace.ReplicasPlaced,
		trace.ISRChanged, trace.TopicDeleted, trace.MemberEpoch, trace.MemberTarget,
		trace.TargetPartition, trace.PartitionRevoking, trace.PartitionReleased:
		return view.ClassState
	case trace.Truncated:
		return view.ClassError | view.ClassState
	case trace.BrokerFenced:
		return view.ClassFault | view.ClassState
	case trace.OffsetCommitted, trace.OffsetRemoved, trace.CommitSent:
		return view.ClassCommit
	case trace.CommitDone:
		if e.Name != 0 {
			return view.ClassCommit | view.ClassError
		}
		return view.ClassCommit
	case trace.CommitRefused, trace.PollExpired, trace.WorkFailed, trace.ProducerFailed:
		return view.ClassError
	case trace.ProgramEnded:
		if e.Name != 0 {
			return view.ClassError
		}
		return view.ClassCall
	case trace.WorkStarted, trace.WorkEnded, trace.StoreSet:
		return view.ClassWork
	case trace.NeighbourUp, trace.Subscribed, trace.Unsubscribed:
		return view.ClassState
	case trace.BufferCut:
		return view.ClassError | view.ClassState
	case trace.Settled, trace.Requeued:
		return view.ClassCommit
	case trace.Published, trace.Pushed, trace.Buffered:
		return view.ClassFetch
	case trace.Fetched, trace.Delivered, trace.FetchParked, trace.FetchAnswered, trace.Positioned,
		trace.FetchAsked:
		return view.ClassFetch
	case trace.CallStarted, trace.CallEnded, trace.CallbackEnded:
		return view.ClassCall
	case trace.Appended, trace.HighWatermark, trace.LogStart, trace.LogLine, trace.ProducerSent,
		trace.ProducerAcked, trace.ProduceParked, trace.ProduceAnswered:
		return view.ClassLog
	}
	return view.ClassTimer
}

func messageClass(e trace.Event) int {
	switch neighbour.Op(e.Part) {
	case neighbour.OpPublish, neighbour.OpXAdd, neighbour.OpBasicPublish, neighbour.OpMessage,
		neighbour.OpBasicDeliver, neighbour.OpWindow:
		return view.ClassFetch
	}
	switch e.Part {
	case apiHeartbeat:
		return view.ClassBeat
	case apiFetch, 0:
		return view.ClassFetch
	}
	return view.ClassMessage
}

// Notable says whether a person would stop at e: a state change, an error, a commit or a kill.
func (t *Teller) Notable(e trace.Event) bool {
	if t.internal(e) || t.replication(e) {
		return false
	}
	switch e.Kind {
	case trace.GroupState, trace.MemberRemoved, trace.ProcessEnded, trace.ProcessFrozen,
		trace.CommitDone, trace.CommitRefused, trace.PollExpired, trace.WorkFailed, trace.LinkCut,
		trace.MessageLost, trace.MessageHeld, trace.OffsetRemoved, trace.LeaderElected,
		trace.ISRChanged, trace.Truncated, trace.BrokerFenced, trace.TopicDeleted, trace.BufferCut,
		trace.Requeued:
		return true
	case trace.ProcessStarted:
		return e.At > 0
	case trace.MessageSent:
		return e.Name != 0
	}
	return false
}

// part is the partition that e is about, or the neighbour's channel, stream or queue.
func (t *Teller) part(e trace.Event) string {
	if e.Part < 0 {
		return t.log.String(e.Name)
	}
	return t.log.String(e.Name) + "-" + strconv.Itoa(int(e.Part))
}

func num(v int64) string { return strconv.FormatInt(v, 10) }

// many is a number of things: "1 record", "2 records".
func many(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return num(n) + " " + thing + "s"
}

// who is the short name of a member: its process when known, else its id cut short.
func (t *Teller) who(id trace.Ref) string {
	if c, ok := t.clients[id]; ok && c != "" {
		return c
	}
	return Short(t.log.String(id))
}

// Short cuts the UUID of a member id to its first letters: "A-6f1c0e22-..." becomes "A-6f1c".
func Short(id string) string {
	if len(id) > 37 {
		return id[:len(id)-32]
	}
	return id
}

// Line tells e. Its Index is left to the caller. Calls must go forward in time for one teller, since
// it learns the names of members on the way.
func (t *Teller) Line(e trace.Event) view.Line {
	l := view.Line{At: e.At, Class: t.Class(e), Who: t.log.String(e.Node)}
	switch {
	case e.Kind < trace.TopicCreated:
		t.world(&l, e)
	case e.Kind < trace.GroupState:
		t.broker(&l, e)
	case e.Kind < trace.CallStarted:
		t.group(&l, e)
	case e.Kind >= trace.NeighbourUp:
		t.neighbour(&l, e)
	default:
		t.client(&l, e)
	}
	return l
}

// Learn notes what later sentences need from e, without telling it.
func (t *Teller) Learn(e trace.Event) {
	switch e.Kind {
	case trace.MemberAdded:
		t.clients[e.Peer] = t.log.String(trace.Ref(e.Z))
	case trace.MemberID:
		if e.Name != 0 {
			t.clients[e.Name] = t.log.String(e.Node)
		}
	case trace.MemberEpoch:
		t.modern[e.Name] = true
	case trace.NeighbourUp:
		t.things[e.Name] = e.X
	case trace.GroupState:
		switch e.X {
		case trace.GroupAssigning, trace.GroupReconciling:
			t.modern[e.Name] = true
		case trace.GroupPreparingRebalance, trace.GroupCompletingRebalance:
			t.modern[e.Name] = false
		}
	}
}

// counted is a generation, or what stands for it in a group of the consumer protocol.
func (t *Teller) counted(group trace.Ref, modern string, n int64) string {
	if t.modern[group] {
		return modern + " " + num(n)
	}
	return "generation " + num(n)
}

var endedTexts = []string{"stopped", "killed (kill -9)", "crashed", "ended"}

func (t *Teller) world(l *view.Line, e trace.Event) {
	name := func() string { return neighbour.MessageName(e.Part) }
	peer := t.log.String(e.Peer)
	_, _, response := trace.UnpackMessageInfo(e.Y)
	switch e.Kind {
	case trace.ProcessStarted:
		l.Text = "started"
		if e.X > 1 {
			l.Text = "started again"
		}
	case trace.ProcessEnded:
		l.Text = endedTexts[e.X]
		if e.Name != 0 {
			l.Text += ": " + t.log.String(e.Name)
		}
		l.Bad = e.X == trace.EndedByKill || e.X == trace.EndedByCrash
	case trace.ProcessFrozen:
		l.Text, l.Bad = "frozen", true
		if e.X > 0 {
			l.Text += " until " + Clock(e.X)
		}
	case trace.ProcessThawed:
		l.Text = "goes on"
	case trace.ConnOpened:
		l.Text = "connected to " + peer
	case trace.ConnClosed:
		l.Text = "connection to " + peer + " closed"
	case trace.LinkCut:
		l.Text, l.Bad = "cut off from "+peer, true
	case trace.LinkHealed:
		l.Text, l.OK = "link to "+peer+" healed", true
	case trace.MessageSent:
		l.Message = e.X
		l.Text = name() + " to " + peer
		if response {
			l.Text = name() + " answer to " + peer
			if e.Name != 0 {
				l.Text += ": " + t.log.String(e.Name)
				l.Bad = true
			}
		}
	case trace.MessageArrived:
		l.Message = e.X
		l.Text = "receives " + name() + " from " + peer
		if response {
			l.Text = "receives the " + name() + " answer of " + peer
		}
	case trace.MessageLost:
		l.Message, l.Bad = e.X, true
		l.Text = "message to " + peer + " lost, the connection broke"
	case trace.MessageHeld:
		l.Message, l.Text = e.X, "message to "+peer+" held on the wire"
	case trace.MessageReleased:
		l.Message, l.Text = e.X, "message to "+peer+" goes on"
	case trace.Commanded:
		l.Who, l.Text = "scenario", t.log.String(e.Name)
		if e.X == 1 {
			l.Who = "you"
		}
	}
}

func (t *Teller) broker(l *view.Line, e trace.Event) {
	peer := t.log.String(e.Peer)
	switch e.Kind {
	case trace.TopicCreated:
		l.Text = "topic " + t.log.String(e.Name) + " with " + many(int64(e.Part), "partition")
	case trace.LeaderElected:
		l.Text = t.part(e) + " has leader " + peer + ", epoch " + num(e.Y)
		if e.X < 0 {
			l.Text, l.Bad = t.part(e)+" has no leader", true
		}
	case trace.Appended:
		l.Text = t.part(e) + " appends " + span(e.X, e.Y) + " from " + peer
		if e.Peer == 0 {
			l.Text = t.part(e) + " begins with " + span(e.X, e.Y)
		}
	case trace.HighWatermark:
		l.Text = t.part(e) + " high watermark " + num(e.X)
	case trace.LogStart:
		l.Text = t.part(e) + " log start " + num(e.X)
	case trace.FetchParked:
		l.Text = "fetch of " + peer + " waits until " + Clock(e.X)
	case trace.FetchAnswered:
		l.Text = "waiting fetch of " + peer + " is answered"
	case trace.Controller:
		l.Text = "is the controller"
	default:
		t.replicas(l, e)
	}
}

// replicas tells what happens between the copies of a partition.
func (t *Teller) replicas(l *view.Line, e trace.Event) {
	peer := t.log.String(e.Peer)
	switch e.Kind {
	case trace.ReplicasPlaced:
		l.Text = t.part(e) + " has replicas on brokers " + peer
	case trace.Replicated:
		l.Text = t.part(e) + " copies " + span(e.X, e.Y) + " from " + peer
	case trace.FollowerWatermark:
		l.Text = t.part(e) + " learns of high watermark " + num(e.X)
	case trace.ISRChanged:
		l.Text = t.part(e) + " in sync: brokers " + peer
		if e.X == 1 {
			l.Text = t.part(e) + " in sync: broker " + peer + " alone"
		}
	case trace.Truncated:
		l.Text = t.part(e) + " cut from " + num(e.Y) + " to " + num(e.X) + ": the leader has no more"
		l.Bad = true
		if e.X > e.Y {
			l.Text, l.Bad = t.part(e)+" starts over at "+num(e.X), false
		}
	case trace.BrokerFenced:
		l.Text, l.Bad = "counts "+peer+" out", e.X == 1
		if e.X == 0 {
			l.Text, l.OK = "counts "+peer+" in", true
		}
	case trace.TopicDeleted:
		l.Text = "topic " + t.log.String(e.Name) + " is deleted"
	case trace.ProduceParked:
		l.Text = "produce of " + peer + " waits for followers until " + Clock(e.X)
	case trace.ProduceAnswered:
		l.Text = "waiting produce of " + peer + " is answered"
	}
}

// span is "15..22" for eight records from 15, "15" for one.
func span(first, n int64) string {
	if n <= 1 {
		return num(first)
	}
	return num(first) + ".." + num(first+n-1)
}

// Clock is a time as mm:ss.mmm.
func Clock(ns int64) string {
	ms := ns / 1e6
	pad := func(v int64, n int) string {
		s := num(v)
		return strings.Repeat("0", max(n-len(s), 0)) + s
	}
	return pad(ms/60000, 2) + ":" + pad(ms/1000%60, 2) + "." + pad(ms%1000, 3)
}

// Seconds is a length in seconds with three decimals: "45.000 s".
func Seconds(ns int64) string {
	ms := ns / 1e6
	s := num(ms % 1000)
	return num(ms/1000) + "." + strings.Repeat("0", 3-len(s)) + s + " s"
}
