package broker

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

func newTopic(name string, partitions int32, factor int16) kmsg.CreateTopicsRequestTopic {
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = name, partitions, factor
	return t
}

func assigned(name string, replicas ...int32) kmsg.CreateTopicsRequestTopic {
	t := newTopic(name, -1, -1)
	for i, id := range replicas {
		a := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
		a.Partition, a.Replicas = int32(i), []int32{id}
		t.ReplicaAssignment = append(t.ReplicaAssignment, a)
	}
	return t
}

func configured(name, key string, value *string) kmsg.CreateTopicsRequestTopic {
	t := newTopic(name, 1, 1)
	c := kmsg.NewCreateTopicsRequestTopicConfig()
	c.Name, c.Value = key, value
	t.Configs = append(t.Configs, c)
	return t
}

func createRequest(topics ...kmsg.CreateTopicsRequestTopic) *kmsg.CreateTopicsRequest {
	r := kmsg.NewPtrCreateTopicsRequest()
	r.Version, r.Topics = 7, topics
	return r
}

func (r *raw) create(topics ...kmsg.CreateTopicsRequestTopic) []kmsg.CreateTopicsResponseTopic {
	return r.ask(createRequest(topics...)).(*kmsg.CreateTopicsResponse).Topics
}

func TestCreateTopicsChecksInTheControllersOrder(t *testing.T) {
	l := newLab(t, 3, Entry{"num.partitions", "4"})
	l.topic("old.topic", 1)
	c := l.client("c", "broker-2")
	word := "many"
	both := assigned("t", 1)
	both.NumPartitions = 1
	factored := assigned("t", 1)
	factored.ReplicationFactor = 1
	gap := assigned("t", 1, 2)
	gap.ReplicaAssignment[1].Partition = 2
	for _, tt := range []struct {
		name  string
		topic kmsg.CreateTopicsRequestTopic
		want  wire.Code
	}{
		{"there already", newTopic("old.topic", 0, 0), wire.TopicAlreadyExists},
		{"a bad name", newTopic("a b", 0, 0), wire.InvalidTopicException},
		{"a colliding name", newTopic("old_topic", 0, 0), wire.InvalidTopicException},
		{"no replicas", newTopic("t", 0, 0), wire.InvalidReplicationFactor},
		{"no partitions", newTopic("t", 0, 1), wire.InvalidPartitions},
		{"negative partitions", newTopic("t", -2, 1), wire.InvalidPartitions},
		{"too many partitions", newTopic("t", 10_001, 1), wire.PolicyViolation},
		{"assignment and partitions", both, wire.InvalidRequest},
		{"assignment and factor", factored, wire.InvalidRequest},
		{"a partition is missing", gap, wire.InvalidReplicaAssignment},
		{"an unknown broker", assigned("t", 9), wire.InvalidReplicaAssignment},
		{"an unknown setting", configured("t", "no.such", &word), wire.InvalidConfig},
		{"a bad value", configured("t", "retention.ms", &word), wire.InvalidConfig},
		{"no value", configured("t", "retention.ms", nil), wire.InvalidConfig},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := c.create(tt.topic)[0]
			require.Equal(t, tt.want, wire.Code(out.ErrorCode))
			require.NotEmpty(t, *out.ErrorMessage)
			require.Nil(t, l.c.byName["t"])
		})
	}
	out := c.create(newTopic("twice", 1, 1), newTopic("t", -1, -1), newTopic("twice", 1, 1))
	require.Equal(t, wire.InvalidRequest, wire.Code(out[0].ErrorCode))
	require.Equal(t, wire.None, wire.Code(out[1].ErrorCode))
	require.Equal(t, wire.InvalidRequest, wire.Code(out[2].ErrorCode))
	require.EqualValues(t, 4, out[1].NumPartitions, "num.partitions")
	require.EqualValues(t, 1, out[1].ReplicationFactor)
	require.Equal(t, l.c.byName["t"].ID, out[1].TopicID)
	require.Len(t, out[1].Configs, len(shownTopic))

	require.Zero(t, c.create(assigned("placed", 3, 1))[0].ErrorCode)
	placed := l.c.byName["placed"].Partitions
	require.Equal(t, []int32{3, 1}, []int32{l.c.State(placed[0]).Leader, l.c.State(placed[1]).Leader})
}

func TestATopicThatIsOnlyTriedIsNotCreated(t *testing.T) {
	l := newLab(t, 1)
	c := l.client("c", "broker-1")
	r := createRequest(newTopic("t", 3, 1))
	r.ValidateOnly = true
	out := c.ask(r).(*kmsg.CreateTopicsResponse).Topics[0]
	require.Zero(t, out.ErrorCode)
	require.EqualValues(t, 3, out.NumPartitions)
	require.Nil(t, l.c.byName["t"])
}

func deleteRequest(topics ...kmsg.DeleteTopicsRequestTopic) *kmsg.DeleteTopicsRequest {
	r := kmsg.NewPtrDeleteTopicsRequest()
	r.Version, r.Topics = 6, topics
	return r
}

func (r *raw) deleteTopics(
	topics ...kmsg.DeleteTopicsRequestTopic,
) []kmsg.DeleteTopicsResponseTopic {
	return r.ask(deleteRequest(topics...)).(*kmsg.DeleteTopicsResponse).Topics
}

func TestATopicIsDeletedByNameOrID(t *testing.T) {
	l := newLab(t, 3)
	a, b := l.topic("a", 3), l.topic("b", 1)
	l.topic("c", 1)
	c := l.client("c", "broker-3")
	none, name := [16]byte{}, "a"
	for _, tt := range []struct {
		name string
		q    kmsg.DeleteTopicsRequestTopic
		want wire.Code
	}{
		{"neither", kmsg.DeleteTopicsRequestTopic{}, wire.InvalidRequest},
		{"both", kmsg.DeleteTopicsRequestTopic{Topic: &name, TopicID: a.ID}, wire.InvalidRequest},
		{"unknown id", kmsg.DeleteTopicsRequestTopic{TopicID: [16]byte{9}}, wire.UnknownTopicID},
		{"by name", kmsg.DeleteTopicsRequestTopic{Topic: &name}, wire.None},
		{"unknown name", kmsg.DeleteTopicsRequestTopic{Topic: &name}, wire.UnknownTopicOrPartition},
		{"by id", kmsg.DeleteTopicsRequestTopic{TopicID: b.ID}, wire.None},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, wire.Code(c.deleteTopics(tt.q)[0].ErrorCode))
		})
	}
	third := "c"
	twice := kmsg.DeleteTopicsRequestTopic{Topic: &third}
	for _, out := range c.deleteTopics(twice, twice) {
		require.Equal(t, wire.InvalidRequest, wire.Code(out.ErrorCode))
	}
	old := deleteRequest()
	old.Version, old.TopicNames = 5, []string{"c"}
	require.Zero(t, c.ask(old).(*kmsg.DeleteTopicsResponse).Topics[0].ErrorCode)
	require.Empty(t, l.c.topics)
	for _, n := range l.c.nodes {
		require.Empty(t, n.disk)
	}
	require.NotEqual(t, none, a.ID)
	require.NotEqual(t, a.ID, l.topic("a", 1).ID, "the new one of that name has another id")
}

func TestADeletedTopicEndsWaitingFetchesAndSessions(t *testing.T) {
	for _, version := range []int16{12, 13} { // by name, by id
		l := newLab(t, 1)
		topic, name := l.topic("t", 1), "t"
		gone := wire.UnknownTopicOrPartition
		q := fetchRequest("t", want{})
		q.Version = version
		if version >= 13 {
			gone = wire.UnknownTopicID
			q.Topics[0].TopicID = topic.ID
		}
		q.MaxWaitMillis = 0
		c, other := l.client("c", "broker-1"), l.client("o", "broker-1")
		opened := c.fetch(session(q, 0, 0))
		wait := fetchRequest("t")
		wait.Version, wait.MaxWaitMillis = version, 60_000
		c.send(session(wait, opened.SessionID, 1))
		l.wait(time.Second)
		n := len(c.answers)
		other.deleteTopics(kmsg.DeleteTopicsRequestTopic{Topic: &name})
		l.wait(10 * time.Millisecond)
		require.Len(t, c.answers, n+1)
		r := c.last().frame.Resp.(*kmsg.FetchResponse)
		require.Equal(t, gone, wire.Code(parts(r)[0].ErrorCode))

		l.topic("t", 1) // by name the session finds the new one, by id it never does
		other.produce("t", 0, "x")
		wait.MaxWaitMillis = 0
		r = c.fetch(session(wait, opened.SessionID, 2))
		if version >= 13 {
			require.Equal(t, gone, wire.Code(parts(r)[0].ErrorCode))
		} else {
			require.Equal(t, []int64{0}, offsetsIn(t, parts(r)[0].RecordBatches))
		}
	}
}

func TestGroupsForgetTheOffsetsOfADeletedTopic(t *testing.T) { // B23
	l := newLab(t, 1)
	l.topic("t", 2)
	l.topic("u", 1)
	for _, tp := range []struct {
		topic string
		part  int32
	}{{"t", 0}, {"t", 1}, {"u", 0}} {
		require.NoError(t, l.c.CommitOffset("g", tp.topic, tp.part, 5))
	}
	require.NoError(t, l.c.DeleteTopic("t"))
	l.topic("t", 2)
	offsets := func() (out []int64) {
		for _, tp := range []wire.TopicPartition{
			{Topic: "t", Partition: 0}, {Topic: "t", Partition: 1}, {Topic: "u", Partition: 0},
		} {
			list, code := l.c.nodes[0].broker.groups.Offsets("g", []wire.TopicPartition{tp})
			require.Equal(t, wire.None, code)
			out = append(out, list[0].Offset)
		}
		return out
	}
	require.Equal(t, []int64{-1, -1, 5}, offsets())
	l.kill("broker-1")
	l.revive("broker-1")
	l.wait(time.Second)
	require.Equal(t, []int64{-1, -1, 5}, offsets(), "the tombstones are in the log")
}

func (r *raw) grow(q kmsg.CreatePartitionsRequestTopic, only bool) wire.Code {
	req := kmsg.NewPtrCreatePartitionsRequest()
	req.Version, req.ValidateOnly = 3, only
	req.Topics = append(req.Topics, q)
	return wire.Code(r.ask(req).(*kmsg.CreatePartitionsResponse).Topics[0].ErrorCode)
}

func TestATopicOnlyGrows(t *testing.T) {
	l := newLab(t, 3)
	topic := l.topic("t", 2)
	c := l.client("c", "broker-2")
	q := func(count int32, replicas ...int32) kmsg.CreatePartitionsRequestTopic {
		t := kmsg.NewCreatePartitionsRequestTopic()
		t.Topic, t.Count = "t", count
		for _, id := range replicas {
			t.Assignment = append(t.Assignment,
				kmsg.CreatePartitionsRequestTopicAssignment{Replicas: []int32{id}})
		}
		return t
	}
	missing := q(3)
	missing.Topic = "u"
	require.Equal(t, wire.UnknownTopicOrPartition, c.grow(missing, false))
	require.Equal(t, wire.InvalidPartitions, c.grow(q(1), false))
	require.Equal(t, wire.InvalidPartitions, c.grow(q(2), false))
	require.Equal(t, wire.InvalidReplicaAssignment, c.grow(q(4, 1), false))
	require.Equal(t, wire.InvalidReplicaAssignment, c.grow(q(3, 7), false))
	require.Equal(t, wire.PolicyViolation, c.grow(q(10_003), false))
	require.Equal(t, wire.None, c.grow(q(5), true))
	require.Len(t, topic.Partitions, 2, "it was only tried")
	require.Equal(t, wire.None, c.grow(q(3), false))
	require.Equal(t, wire.None, c.grow(q(5, 2, 2), false))
	var leaders []int32
	for _, p := range topic.Partitions {
		leaders = append(leaders, l.c.State(p).Leader)
	}
	require.Equal(t, []int32{1, 2, 3, 2, 2}, leaders)
}

func (r *raw) configOf(
	kind kmsg.ConfigResourceType, name string, keys ...string,
) kmsg.DescribeConfigsResponseResource {
	q := kmsg.NewDescribeConfigsRequestResource()
	q.ResourceType, q.ResourceName, q.ConfigNames = kind, name, keys
	req := kmsg.NewPtrDescribeConfigsRequest()
	req.Version = 4
	req.Resources = append(req.Resources, q)
	return r.ask(req).(*kmsg.DescribeConfigsResponse).Resources[0]
}

func TestEverySettingIsDescribedWithItsDefault(t *testing.T) { // A9, B27, E5, E17, E28, E34
	var topic, broker []string
	for _, s := range topicSettings {
		topic = append(topic, s.key)
	}
	topic = append(topic, "cleanup.policy", "message.timestamp.type", "min.cleanable.dirty.ratio",
		"unclean.leader.election.enable")
	for _, s := range brokerSettings {
		broker = append(broker, s.key)
	}
	broker = append(broker, "auto.create.topics.enable", "auto.leader.rebalance.enable",
		"replica.selector.class", "unclean.leader.election.enable")
	l := newLab(t, 1)
	l.topic("t", 1)
	c := l.client("c", "broker-1")
	values := map[string]string{}
	keys := func(r kmsg.DescribeConfigsResponseResource) (out []string) {
		for _, e := range r.Configs {
			require.Equal(t, kmsg.ConfigSourceDefaultConfig, e.Source)
			out = append(out, e.Name)
			values[e.Name] = *e.Value
		}
		require.True(t, slices.IsSorted(out))
		return out
	}
	require.ElementsMatch(t, topic, keys(c.configOf(kmsg.ConfigResourceTypeTopic, "t")))
	require.ElementsMatch(t, broker, keys(c.configOf(kmsg.ConfigResourceTypeBroker, "1")))
	for key, want := range map[string]string{
		"cleanup.policy": "delete", "retention.ms": "604800000", "segment.bytes": "1073741824",
		"max.message.bytes": "1048588", "group.initial.rebalance.delay.ms": "3000",
		"group.max.session.timeout.ms": "1800000", "fetch.max.bytes": "57671680",
		"offsets.retention.minutes": "10080", "offsets.topic.num.partitions": "50",
	} {
		require.Equal(t, want, values[key], key)
	}
	for _, s := range shownTopic {
		if s.text(&l.c.cfg.topic) != "" {
			require.NoError(t, l.c.SetConfig("t", s.key, values[s.key]), "it can be set to what is shown")
		}
	}
	for _, s := range shownBroker {
		require.NoError(t, l.c.SetConfig("", s.key, values[s.key]))
	}
}

func TestConfigsOfWhatIsNotThereAreRefused(t *testing.T) {
	l := newLab(t, 2)
	c := l.client("c", "broker-1")
	code := func(kind kmsg.ConfigResourceType, name string) wire.Code {
		return wire.Code(c.configOf(kind, name).ErrorCode)
	}
	require.Equal(t, wire.UnknownTopicOrPartition, code(kmsg.ConfigResourceTypeTopic, "t"))
	require.Equal(t, wire.InvalidRequest, code(kmsg.ConfigResourceTypeBroker, "2"), "ask broker 2")
	require.Equal(t, wire.InvalidRequest, code(kmsg.ConfigResourceTypeBroker, "9"))
	require.Equal(t, wire.InvalidRequest, code(kmsg.ConfigResourceTypeGroupConfig, "g"))
	require.Equal(t, wire.None, code(kmsg.ConfigResourceTypeBroker, ""))
}

func (r *raw) alter(
	kind kmsg.ConfigResourceType, name, key string, op kmsg.IncrementalAlterConfigOp, value *string,
) wire.Code {
	e := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	e.Name, e.Op, e.Value = key, op, value
	q := kmsg.NewIncrementalAlterConfigsRequestResource()
	q.ResourceType, q.ResourceName = kind, name
	q.Configs = append(q.Configs, e)
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Version = 1
	req.Resources = append(req.Resources, q)
	return wire.Code(r.ask(req).(*kmsg.IncrementalAlterConfigsResponse).Resources[0].ErrorCode)
}

func TestSettingsAreAlteredOneByOne(t *testing.T) { // KIP-339
	const topic, broker = kmsg.ConfigResourceTypeTopic, kmsg.ConfigResourceTypeBroker
	const set, del = kmsg.IncrementalAlterConfigOpSet, kmsg.IncrementalAlterConfigOpDelete
	const add, sub = kmsg.IncrementalAlterConfigOpAppend, kmsg.IncrementalAlterConfigOpSubtract
	l := newLab(t, 1)
	made := l.topic("t", 1)
	c := l.client("c", "broker-1")
	shown := func(key string) (string, kmsg.ConfigSource) {
		e := c.configOf(topic, "t", key).Configs[0]
		return *e.Value, e.Source
	}
	n, word, compact, del2 := "1000", "many", "compact", "delete"
	require.Equal(t, wire.UnknownTopicOrPartition, c.alter(topic, "u", "retention.ms", set, &n))
	require.Equal(t, wire.InvalidConfig, c.alter(topic, "t", "retention.ms", set, &word))
	require.Equal(t, wire.InvalidConfig, c.alter(topic, "t", "retention.ms", add, &n), "no list")
	require.Equal(t, wire.InvalidRequest, c.alter(broker, "1", "num.partitions", set, &n))

	require.Equal(t, wire.None, c.alter(topic, "t", "retention.ms", set, &n))
	require.Equal(t, wire.None, c.alter(topic, "t", "cleanup.policy", add, &compact))
	value, source := shown("cleanup.policy")
	require.Equal(t, "delete,compact", value)
	require.Equal(t, kmsg.ConfigSourceDynamicTopicConfig, source)
	require.True(t, made.cfg.log.Compact)
	require.Equal(t, int64(1000), made.cfg.log.RetentionMs)
	require.Equal(t, wire.None, c.alter(topic, "t", "cleanup.policy", sub, &del2))
	require.False(t, made.cfg.log.Delete)
	require.Equal(t, wire.None, c.alter(topic, "t", "retention.ms", del, nil))
	value, source = shown("retention.ms")
	require.Equal(t, "604800000", value)
	require.Equal(t, kmsg.ConfigSourceDefaultConfig, source)

	for _, key := range []string{"num.partitions", "group.max.size", "no.such"} {
		require.Equal(t, wire.InvalidConfig, c.alter(broker, "", key, set, &n))
	}
	require.Equal(t, wire.None, c.alter(broker, "", "log.retention.ms", set, &n))
	value, source = shown("retention.ms")
	require.Equal(t, "1000", value)
	require.Equal(t, kmsg.ConfigSourceStaticBrokerConfig, source)

	all := kmsg.NewPtrAlterConfigsRequest() // replaces what is there
	all.Version = 2
	r := kmsg.NewAlterConfigsRequestResource()
	r.ResourceType, r.ResourceName = topic, "t"
	r.Configs = append(r.Configs, kmsg.AlterConfigsRequestResourceConfig{Name: "segment.ms", Value: &n})
	all.Resources = append(all.Resources, r)
	require.Zero(t, c.ask(all).(*kmsg.AlterConfigsResponse).Resources[0].ErrorCode)
	require.Equal(t, []Entry{{"segment.ms", "1000"}}, made.entries)
	require.False(t, made.cfg.log.Compact)
}

func TestAGroupForgetsOffsetsThatItDoesNotNeed(t *testing.T) { // KIP-496
	l := newLab(t, 1)
	l.topic("t", 2)
	require.NoError(t, l.c.CommitOffset("g", "t", 0, 5))
	c := l.client("c", "broker-1")
	ask := func(group string, partitions ...int32) *kmsg.OffsetDeleteResponse {
		q := kmsg.NewPtrOffsetDeleteRequest()
		q.Group = group
		topic := kmsg.NewOffsetDeleteRequestTopic()
		topic.Topic = "t"
		for _, p := range partitions {
			topic.Partitions = append(topic.Partitions,
				kmsg.OffsetDeleteRequestTopicPartition{Partition: p})
		}
		q.Topics = append(q.Topics, topic)
		return c.ask(q).(*kmsg.OffsetDeleteResponse)
	}
	require.Equal(t, wire.GroupIDNotFound, wire.Code(ask("h", 0).ErrorCode))
	require.Equal(t, wire.InvalidGroupID, wire.Code(ask("", 0).ErrorCode))
	r := ask("g", 0, 1, 7)
	require.Zero(t, r.ErrorCode)
	require.Zero(t, r.Topics[0].Partitions[0].ErrorCode)
	require.Zero(t, r.Topics[0].Partitions[1].ErrorCode, "no offset is no error")
	require.Equal(t, wire.UnknownTopicOrPartition, wire.Code(r.Topics[0].Partitions[2].ErrorCode))
	list, _ := l.c.nodes[0].broker.groups.Offsets("g", []wire.TopicPartition{{Topic: "t"}})
	require.Equal(t, int64(-1), list[0].Offset)
}

func TestDescribeClusterTellsWhereBrokersListen(t *testing.T) {
	l := newLab(t, 3)
	l.c.Advertise(2, "127.0.0.1", 9093)
	l.kill("broker-3")
	c := l.client("c", "broker-1")
	q := kmsg.NewPtrDescribeClusterRequest()
	q.Version, q.EndpointType = 2, 1
	r := c.ask(q).(*kmsg.DescribeClusterResponse)
	require.Zero(t, r.ErrorCode)
	require.EqualValues(t, 1, r.ControllerID)
	require.Len(t, r.Brokers, 2)
	require.Equal(t, "broker-1", r.Brokers[0].Host)
	require.EqualValues(t, Port, r.Brokers[0].Port)
	require.Equal(t, "127.0.0.1", r.Brokers[1].Host)
	require.EqualValues(t, 9093, r.Brokers[1].Port)
	q.EndpointType = 2
	r = c.ask(q).(*kmsg.DescribeClusterResponse)
	require.Equal(t, wire.MismatchedEndpointType, wire.Code(r.ErrorCode), "KIP-919")
}

func TestTopicsAreDescribedInPages(t *testing.T) { // KIP-966
	l := newLab(t, 1)
	l.topic("b", 3)
	l.topic("a", 2)
	c := l.client("c", "broker-1")
	var got []string
	q := kmsg.NewPtrDescribeTopicPartitionsRequest()
	q.ResponsePartitionLimit = 2
	for pages := 0; ; pages++ {
		require.Less(t, pages, 9)
		r := c.ask(q).(*kmsg.DescribeTopicPartitionsResponse)
		for _, topic := range r.Topics {
			for _, p := range topic.Partitions {
				got = append(got, *topic.Topic+string(rune('0'+p.Partition)))
			}
		}
		if r.NextCursor == nil {
			require.Equal(t, 2, pages)
			break
		}
		q.Cursor = &kmsg.DescribeTopicPartitionsRequestCursor{
			Topic: r.NextCursor.Topic, Partition: r.NextCursor.Partition,
		}
	}
	require.Equal(t, []string{"a0", "a1", "b0", "b1", "b2"}, got)
	q.Cursor = nil
	q.Topics = []kmsg.DescribeTopicPartitionsRequestTopic{{Topic: "c"}}
	r := c.ask(q).(*kmsg.DescribeTopicPartitionsResponse)
	require.Equal(t, wire.UnknownTopicOrPartition, wire.Code(r.Topics[0].ErrorCode))
}

func TestSettingsBelowWhatKafkaTakesAreRefused(t *testing.T) {
	l := newLab(t, 1)
	l.topic("t", 1)
	require.ErrorContains(t, l.c.SetConfig("", "num.partitions", "0"), "at least 1 is expected")
	require.ErrorContains(t, l.c.SetConfig("", "log.retention.check.interval.ms", "0"), "at least 1")
	require.ErrorContains(t, l.c.SetConfig("t", "retention.ms", "-2"), "at least -1 is expected")
	require.NoError(t, l.c.SetConfig("t", "retention.ms", "-1"))
}
