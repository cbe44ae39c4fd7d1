package clients

import (
	"flag"
	"os"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestMain lets all libraries run side by side: they wait for timers more than for processors.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// library is one client library in one manner of use.
type library struct {
	name string
	// groupType is that of the groups that join makes: classic or consumer.
	groupType string
	// produce writes values to a topic, spread over its partitions and compressed by a codec, and
	// returns when all are acknowledged.
	produce func(l *lab, topic, codec string, values []string)
	// join starts a member of a group that commits what it was given.
	join func(l *lab, m membership) member
}

// membership is what a member is asked to be.
type membership struct {
	name, group, topic string
	got                func(value string)
}

// member is a running consumer.
type member interface {
	// kill ends it without a word to anybody.
	kill()
	// leave ends it as a program that is asked to stop.
	leave()
}

func libraries() []library {
	return []library{
		{"franz-go, eager", "classic", kgoProduce, kgoJoin(kgo.Balancers(kgo.RangeBalancer()))},
		{"franz-go, cooperative", "classic", kgoProduce, kgoJoin(kgo.Balancers(kgo.CooperativeStickyBalancer()))},
		{"franz-go, consumer protocol", "consumer", kgoProduce, kgoJoin(kgo.ServerSideBalancer())}, // KIP-848
		{"kafka-go", "classic", kafkaGoProduce, kafkaGoJoin},
		{"sarama, range", "classic", saramaProduce, saramaJoin("range")},
		{"sarama, sticky", "classic", saramaProduce, saramaJoin("sticky")},
		{"librdkafka, eager", "classic", kcatProduce, kcatJoin("range")},
		{"librdkafka, cooperative", "classic", kcatProduce, kcatJoin("cooperative-sticky")},
	}
}

// codecs are the ways to compress a batch.
var codecs = []string{"none", "gzip", "snappy", "lz4", "zstd"}

// each runs a test for every library, side by side.
func each(t *testing.T, test func(l *lab, lib library)) {
	for _, lib := range libraries() {
		t.Run(lib.name, func(t *testing.T) {
			t.Parallel()
			test(newLab(t), lib)
		})
	}
}
