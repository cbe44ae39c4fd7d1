package group

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// fakeTopics is the metadata of a coordinator under test.
type fakeTopics struct {
	list             []*Topic
	changed, created int64
}

func (f *fakeTopics) Topic(name string) *Topic {
	for _, t := range f.list {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func (f *fakeTopics) TopicByID(id [16]byte) *Topic {
	for _, t := range f.list {
		if t.ID == id {
			return t
		}
	}
	return nil
}

func (f *fakeTopics) TopicNames() []string {
	var names []string
	for _, t := range f.list {
		names = append(names, t.Name)
	}
	return names
}

func (f *fakeTopics) Versions() (int64, int64) { return f.changed, f.created }

// set makes a topic or changes its number of partitions.
func (f *fakeTopics) set(name string, partitions int32) {
	f.changed++
	if t := f.Topic(name); t != nil {
		t.Partitions = partitions
		return
	}
	f.created = f.changed
	f.list = append(f.list, &Topic{Name: name, ID: [16]byte{byte(len(f.list) + 1)}, Partitions: partitions})
}

// beatRequest is a heartbeat that changes nothing.
func beatRequest(id string, epoch int32) *kmsg.ConsumerGroupHeartbeatRequest {
	r := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	r.Version, r.Group, r.MemberID, r.MemberEpoch = 1, testGroup, id, epoch
	return r
}

type beatOption func(*lab, *kmsg.ConsumerGroupHeartbeatRequest)

// full adds what every join has: a subscription to t, a rebalance timeout, no partitions.
func full(l *lab, r *kmsg.ConsumerGroupHeartbeatRequest) {
	r.RebalanceTimeoutMillis, r.SubscribedTopicNames = 300000, []string{"t"}
	r.Topics = []kmsg.ConsumerGroupHeartbeatRequestTopic{}
}

func topics(names ...string) beatOption {
	return func(l *lab, r *kmsg.ConsumerGroupHeartbeatRequest) { r.SubscribedTopicNames = names }
}

func regex(s string) beatOption {
	return func(l *lab, r *kmsg.ConsumerGroupHeartbeatRequest) {
		r.SubscribedTopicRegex = &s
		if r.MemberEpoch == epochJoin {
			r.SubscribedTopicNames = nil
		}
	}
}

func instance(i string) beatOption {
	return func(l *lab, r *kmsg.ConsumerGroupHeartbeatRequest) { r.InstanceID = &i }
}

func assignor(name string) beatOption {
	return func(l *lab, r *kmsg.ConsumerGroupHeartbeatRequest) { r.ServerAssignor = &name }
}

func rebalanceTimeout(d time.Duration) beatOption {
	return func(l *lab, r *kmsg.ConsumerGroupHeartbeatRequest) {
		r.RebalanceTimeoutMillis = int32(d.Milliseconds())
	}
}

// owns says which partitions the member holds, as "t-0".
func owns(parts ...string) beatOption {
	return func(l *lab, r *kmsg.ConsumerGroupHeartbeatRequest) {
		r.Topics = []kmsg.ConsumerGroupHeartbeatRequestTopic{}
		for _, p := range l.parse(parts) {
			n := len(r.Topics)
			if n == 0 || r.Topics[n-1].TopicID != p.Topic {
				t := kmsg.NewConsumerGroupHeartbeatRequestTopic()
				t.TopicID = p.Topic
				r.Topics = append(r.Topics, t)
				n++
			}
			r.Topics[n-1].Partitions = append(r.Topics[n-1].Partitions, p.Partition)
		}
	}
}

func (l *lab) parse(parts []string) []assign.TopicIDPartition {
	var out []assign.TopicIDPartition
	for _, s := range parts {
		i := strings.LastIndexByte(s, '-')
		t := l.meta.Topic(s[:i])
		require.NotNil(l.t, t, s)
		n, err := strconv.Atoi(s[i+1:])
		require.NoError(l.t, err)
		out = append(out, assign.TopicIDPartition{Topic: t.ID, Partition: int32(n)})
	}
	slices.SortFunc(out, assign.TopicIDPartition.Compare)
	return out
}

// beatAnswer is the answer to a heartbeat in plain words.
type beatAnswer struct {
	code  wire.Code
	id    string
	epoch int32
	// parts is the assignment as "t-0 t-1"; "-" if the answer has none.
	parts    string
	interval time.Duration
}

func (l *lab) sendBeat(r *kmsg.ConsumerGroupHeartbeatRequest) beatAnswer {
	var got *beatAnswer
	from := Client{ID: r.MemberID, Host: "/" + r.MemberID}
	l.c.ConsumerGroupHeartbeat(r, from, func(resp *kmsg.ConsumerGroupHeartbeatResponse) {
		require.Nil(l.t, got, "answered twice")
		a := beatAnswer{code: wire.Code(resp.ErrorCode), epoch: resp.MemberEpoch, parts: "-"}
		a.id = deref(resp.MemberID)
		a.interval = millis(resp.HeartbeatIntervalMillis)
		if resp.Assignment != nil {
			a.parts = ""
			for _, t := range resp.Assignment.Topics {
				for _, p := range t.Partitions {
					a.parts += " " + l.meta.TopicByID(t.TopicID).Name + "-" + strconv.Itoa(int(p))
				}
			}
			if a.parts != "" {
				a.parts = a.parts[1:]
			}
		}
		got = &a
	})
	require.NotNil(l.t, got, "not answered")
	return *got
}

// beat sends a heartbeat.
func (l *lab) beat(id string, epoch int32, options ...beatOption) beatAnswer {
	r := beatRequest(id, epoch)
	for _, o := range options {
		o(l, r)
	}
	return l.sendBeat(r)
}

// enter joins a member of the consumer protocol with a subscription to t.
func (l *lab) enter(id string, options ...beatOption) beatAnswer {
	return l.beat(id, 0, append([]beatOption{full}, options...)...)
}

func (l *lab) consumers() *consumerGroup { return l.group().consumer }

// holds is what the group says that a member holds, as "t-0 t-1", with "-t-2" for what it must give up.
func (l *lab) holds(id string) string {
	m := l.consumers().byID[id]
	require.NotNil(l.t, m, "no member "+id)
	s := ""
	for _, h := range m.assigned {
		s += " " + l.meta.TopicByID(h.partition.Topic).Name + "-" +
			strconv.Itoa(int(h.partition.Partition))
	}
	for _, h := range m.revoking {
		s += " -" + l.meta.TopicByID(h.partition.Topic).Name + "-" +
			strconv.Itoa(int(h.partition.Partition))
	}
	if s != "" {
		s = s[1:]
	}
	return s
}

func (l *lab) memberState(id string) string {
	return trace.MemberStateNames[l.consumers().byID[id].state]
}

func (l *lab) state() string { return trace.GroupStateNames[l.group().state] }

// consumerLab is a lab with topic t and no wait between assignments.
func consumerLab(partitions int32) func(l *lab) {
	return func(l *lab) {
		l.cfg.Consumer.AssignmentInterval.Value = 0
		l.meta.set("t", partitions)
	}
}

// name is a partition as "t-0".
func (l *lab) name(p assign.TopicIDPartition) string {
	return l.meta.TopicByID(p.Topic).Name + "-" + strconv.Itoa(int(p.Partition))
}
