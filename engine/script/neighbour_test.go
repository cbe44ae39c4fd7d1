package script

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/trace"
)

const beside = `cluster(brokers = 1)
topic("orders")
redis_pubsub("ticks")
redis_stream("entries", records = 3, keys = ["a", "b"])
queue("jobs")
def loop(c): c.close()
`

func TestNeighboursHaveTheDefaultsOfTheirOwn(t *testing.T) {
	sc := mustLoad(t, beside+`
consumer("A", of = "ticks", run = loop)
consumer("B", of = "entries", group = "g", run = loop)
consumer("C", of = "jobs", run = loop)
producer("P", to = "jobs", rate = 5)
`, LoadOptions{})
	require.Equal(t, &neighbour.Thing{
		Name: "ticks", Kind: trace.NeighbourChannel, HardLimit: 32 << 20, SoftLimit: 8 << 20,
		SoftTime: time.Minute, Socket: 128 << 10,
	}, sc.Neighbours[0])
	require.Equal(t, []string{"a", "b"}, sc.Neighbour("entries").Keys)
	require.Equal(t, []string{"redis", "rabbitmq"}, sc.Servers())
	require.Equal(t, []string{"A", "g", "jobs"}, sc.Groups(), "who must get every message once")
	require.Equal(t, "jobs", sc.Producers[0].To)
}

func TestMistakesWithNeighboursAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		`consumer("A", of = "jbs", run = loop)`:               `no such channel, stream or queue "jbs"; did you mean jobs?`,
		`producer("A", to = "orders", rate = 1)`:              `no such channel, stream or queue "orders"`,
		`producer("A", rate = 1)`:                             `topic is missing: where it writes to`,
		`producer("A", topic = "orders", to = "jobs")`:        `give one of the two`,
		`consumer("A", of = "entries", run = loop)`:           "group is missing: a consumer of a stream is one of a group",
		`consumer("A", of = "jobs", group = "g", run = loop)`: "a RabbitMQ queue has no groups; leave group out",
		`consumer("A", of = "jobs", run = loop, max_poll_records = 5)`: `"jobs" is no topic of Kafka: Kafka's ` +
			"settings say nothing there; leave them out",
		`queue("orders")`: `"orders" is taken or empty; give a name of its own`,
		`topic("jobs")`:   `there is a topic "jobs" already`,
		`consumer("redis", of = "jobs", run = loop)`:         `"redis" is the name of a server; choose another`,
		`at("1s", kill("rabbitmq"))`:                         `"rabbitmq" is the model of a server; it can be frozen or cut off, nothing else`,
		`expect(pending("orders"), equals = [])`:             `no such channel, stream or queue "orders"`,
		`expect(requests("redis", "basic.akc"), equals = 0)`: `no such request "basic.akc"; did you mean basic.ack?`,
		"consumer(\"A\", of = \"jobs\", run = loop)\non(sent(\"A\", \"basic.ack\"), respond(error = \"NOT_COORDINATOR\"))": "only " +
			"requests of Kafka can be answered so; use drop() or hold()",
	} {
		_, err := Load(Source{File: "s.star", Text: beside + text}, LoadOptions{})
		require.ErrorContains(t, err, want, text)
		require.ErrorContains(t, err, "s.star:", text)
	}
}
