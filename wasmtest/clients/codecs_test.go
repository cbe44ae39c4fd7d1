package clients

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestEveryCodecOfEveryLibraryIsReadByEveryOther(t *testing.T) {
	for _, codec := range codecs {
		t.Run(codec, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.topic("t", 3)
			var all []string
			for _, lib := range libraries() {
				v := values(lib.name+" "+codec, 50) // much alike, so that they shrink
				lib.produce(l, "t", codec, v)
				all = append(all, v...)
			}
			for _, lib := range libraries() {
				book := newLedger()
				m := lib.join(l, membership{
					name: "reader", group: lib.name, topic: "t",
					got: func(v string) { book.note("reader", v) },
				})
				l.until(func() bool { return book.len() == len(all) },
					func() string { return lib.name + " does not read it all" })
				m.kill()
				book.requireOnce(t, all)
			}
			l.requireCodec("t", codec, all)
		})
	}
}

// requireCodec checks how each record lies in the brokers' logs: that no client decided to send it
// plain, and no broker to unpack it.
func (l *lab) requireCodec(topic, codec string, values []string) {
	l.t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(l.addrs...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	require.NoError(l.t, err)
	defer client.Close()
	for n := 0; n < len(values); {
		fetches := client.PollFetches(l.ctx())
		require.NoError(l.t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			n++
			require.Equal(l.t, codec, codecs[r.Attrs.CompressionType()], "%s", r.Value)
		})
	}
}
