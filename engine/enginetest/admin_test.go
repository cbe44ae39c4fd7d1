package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
)

// AdminClientConfig of Kafka's Java client: retry.backoff.ms, default.api.timeout.ms.
func TestAChangeIsAskedForAgainWhileNoControllerIsActive(t *testing.T) {
	const source = `
cluster(brokers = 1)
topic("t", partitions = 2)
at("5s", stop_broker(1))
at("10s", add_partitions("t", 4))
`
	lab, err := Run(engine.Options{File: "admin.star", Seed: 1, Source: source + `
at("20s", start_broker(1))
run_for("40s")
expect(hw("t-3"), equals = 0)
`})
	require.NoError(t, err)
	defer lab.Close()
	verdict := lab.Verdict()
	require.Len(t, verdict.Checks, 1)
	require.True(t, verdict.Checks[0].OK, "%+v", verdict.Checks[0])

	_, err = Run(engine.Options{File: "admin.star", Seed: 1, Source: source + `run_for("120s")`})
	require.ErrorContains(t, err, `add_partitions("t", 4): no controller is active now`)
}
