package clients

import (
	"testing"

	"github.com/IBM/sarama"
	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

func TestFranzGosAdministratorGetsWhatItAsksFor(t *testing.T) {
	l := newLab(t)
	ctx := l.ctx()
	two := "2"
	created, err := l.admin.CreateTopics(ctx, 3, 1, map[string]*string{"retention.ms": &two}, "a", "b")
	require.NoError(t, err)
	require.NoError(t, created.Error())
	require.EqualValues(t, 3, created["a"].NumPartitions)
	_, err = l.admin.CreateTopic(ctx, 3, 1, nil, "a")
	require.ErrorIs(t, err, kerr.TopicAlreadyExists)

	configs, err := l.admin.DescribeTopicConfigs(ctx, "a")
	require.NoError(t, err)
	value := func(key string) string {
		for _, c := range configs[0].Configs {
			if c.Key == key {
				return c.MaybeValue()
			}
		}
		return ""
	}
	require.Equal(t, "2", value("retention.ms"))
	require.Equal(t, "delete", value("cleanup.policy"))
	altered, err := l.admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{
		{Op: kadm.AppendConfig, Name: "cleanup.policy", Value: kadm.StringPtr("compact")}}, "a")
	require.NoError(t, err)
	require.NoError(t, altered[0].Err)
	configs, err = l.admin.DescribeTopicConfigs(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, "delete,compact", value("cleanup.policy"))
	brokers, err := l.admin.DescribeBrokerConfigs(ctx, 1, 2, 3)
	require.NoError(t, err)
	require.Len(t, brokers, 3)

	grown, err := l.admin.CreatePartitions(ctx, 2, "a")
	require.NoError(t, err)
	require.NoError(t, grown.Error())
	topics, err := l.admin.ListTopics(ctx)
	require.NoError(t, err)
	require.Len(t, topics["a"].Partitions, 5)
	meta, err := l.admin.BrokerMetadata(ctx)
	require.NoError(t, err)
	require.Len(t, meta.Brokers, 3)

	var offsets kadm.Offsets
	offsets.AddOffset("a", 0, 7, -1)
	offsets.AddOffset("b", 0, 8, -1)
	require.NoError(t, l.admin.CommitAllOffsets(ctx, "g", offsets))
	groups, err := l.admin.ListGroups(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"g"}, groups.Groups())
	deleted, err := l.admin.DeleteTopics(ctx, "b")
	require.NoError(t, err)
	require.NoError(t, deleted.Error())
	left, err := l.admin.FetchOffsets(ctx, "g")
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.EqualValues(t, 7, left["a"][0].At)
	_, err = l.admin.DeleteOffsets(ctx, "g", kadm.TopicsSet{"a": {0: {}}})
	require.NoError(t, err)
	gone, err := l.admin.DeleteGroup(ctx, "g")
	require.NoError(t, err)
	require.NoError(t, gone.Err)
}

func TestSaramasAdministratorGetsWhatItAsksFor(t *testing.T) {
	l := newLab(t)
	admin, err := sarama.NewClusterAdmin(l.addrs, saramaConfig())
	require.NoError(t, err)
	defer admin.Close()
	value := "compact"
	require.NoError(t, admin.CreateTopic("a", &sarama.TopicDetail{
		NumPartitions: 2, ReplicationFactor: 1,
		ConfigEntries: map[string]*string{"cleanup.policy": &value}}, false))
	require.Error(t, admin.CreateTopic("a", &sarama.TopicDetail{
		NumPartitions: 2, ReplicationFactor: 1}, false))
	require.NoError(t, admin.CreatePartitions("a", 4, nil, false))
	described, err := admin.DescribeTopics([]string{"a"})
	require.NoError(t, err)
	require.Len(t, described[0].Partitions, 4)
	entries, err := admin.DescribeConfig(sarama.ConfigResource{
		Type: sarama.TopicResource, Name: "a", ConfigNames: []string{"cleanup.policy"}})
	require.NoError(t, err)
	require.Equal(t, "compact", entries[0].Value)
	hour := "3600000"
	require.NoError(t, admin.IncrementalAlterConfig(sarama.TopicResource, "a",
		map[string]sarama.IncrementalAlterConfigsEntry{
			"retention.ms": {Operation: sarama.IncrementalAlterConfigsOperationSet, Value: &hour},
		}, false))
	require.NoError(t, admin.AlterConfig(sarama.TopicResource, "a",
		map[string]*string{"retention.ms": &hour}, false))
	topics, err := admin.ListTopics()
	require.NoError(t, err)
	require.Equal(t, map[string]*string{"retention.ms": &hour}, topics["a"].ConfigEntries)
	brokers, controller, err := admin.DescribeCluster()
	require.NoError(t, err)
	require.Len(t, brokers, 3)
	require.EqualValues(t, 1, controller)
	require.NoError(t, admin.DeleteTopic("a"))
	topics, err = admin.ListTopics()
	require.NoError(t, err)
	require.Empty(t, topics)
}

func TestKafkaGosAdministratorGetsWhatItAsksFor(t *testing.T) {
	l := newLab(t)
	client := l.kafkaGoClient()
	created, err := client.CreateTopics(l.ctx(), &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: "a", NumPartitions: 2, ReplicationFactor: 1}}})
	require.NoError(t, err)
	require.NoError(t, created.Errors["a"])
	grown, err := client.CreatePartitions(l.ctx(), &kafka.CreatePartitionsRequest{
		Topics: []kafka.TopicPartitionsConfig{{Name: "a", Count: 3}}})
	require.NoError(t, err)
	require.NoError(t, grown.Errors["a"])
	meta, err := l.kafkaGoClient().Metadata(l.ctx(), &kafka.MetadataRequest{Topics: []string{"a"}})
	require.NoError(t, err)
	require.Len(t, meta.Brokers, 3)
	require.Len(t, meta.Topics[0].Partitions, 3)
	deleted, err := client.DeleteTopics(l.ctx(), &kafka.DeleteTopicsRequest{Topics: []string{"a"}})
	require.NoError(t, err)
	require.NoError(t, deleted.Errors["a"])
}

// kafkaGoClient is a client that knows nothing yet; an older one shows metadata that it has kept.
func (l *lab) kafkaGoClient() *kafka.Client {
	transport := &kafka.Transport{}
	l.t.Cleanup(transport.CloseIdleConnections)
	return &kafka.Client{Addr: kafka.TCP(l.addrs...), Transport: transport}
}
