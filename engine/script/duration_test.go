package script

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/sim"
)

func TestDurationsAreReadByIntegerArithmetic(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"500ms": 500 * time.Millisecond, "45s": 45 * time.Second, "1m30s": 90 * time.Second,
		"2h": 2 * time.Hour, "10us": 10 * time.Microsecond, "1.5s": 1500 * time.Millisecond,
		"0.1s": 100 * time.Millisecond, "0.000000001s": 1, "7ns": 7, "0s": 0, " 3s ": 3 * time.Second,
		"1h1m1s1ms1us1ns": time.Hour + time.Minute + time.Second + 1_001_001, "10000h": maxDuration,
	} {
		got, err := ParseDuration(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

func TestBadDurationsSayWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{
		"20":                    `"20" has no unit; did you mean "20s"?`,
		"1.5":                   `"1.5" has no unit; did you mean "1.5s"?`,
		"-5s":                   `"-5s" is negative; a duration is at least "0s"`,
		"":                      `"" is no duration`,
		"soon":                  `"soon" is no duration`,
		"20sec":                 `"20sec" has no unit "sec"; units are h, m, s, ms, us and ns`,
		"20S":                   `"20S" has no unit "S"`,
		"30s1m":                 `"30s1m" is out of order`,
		"1s1s":                  `"1s1s" is out of order`,
		"10001h":                `is longer than 10000 hours; is the unit right?`,
		"99999999999999999999s": `is longer than`,
		"9000h9000h":            `out of order`,
		"1e3s":                  `has no unit "e"`,
	} {
		_, err := ParseDuration(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestDurationsAreWrittenInTheirLargestWholeUnit(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", 90 * time.Second: "90s", 5 * time.Minute: "5m", time.Hour: "1h",
		1500 * time.Millisecond: "1500ms", 45 * time.Second: "45s", 168 * time.Hour: "168h", 7: "7ns",
	} {
		require.Equal(t, want, formatDuration(d))
		back, err := ParseDuration(want)
		require.NoError(t, err)
		require.Equal(t, d, back)
	}
}

func TestNormalAndUniformFollowTheirDistribution(t *testing.T) {
	r := sim.NewRand(1, "work")
	n := spread{kind: spreadNormal, a: 20 * time.Millisecond, b: 5 * time.Millisecond}
	u := spread{kind: spreadUniform, a: 10 * time.Millisecond, b: 30 * time.Millisecond}
	const draws = 20_000
	var sum, usum time.Duration
	inside := 0
	for range draws {
		d := n.draw(r)
		sum += d
		if d > 15*time.Millisecond && d < 25*time.Millisecond {
			inside++
		}
		v := u.draw(r)
		require.True(t, v >= u.a && v <= u.b)
		usum += v
	}
	require.InDelta(t, 20*time.Millisecond, sum/draws, float64(100*time.Microsecond))
	require.InDelta(t, 20*time.Millisecond, usum/draws, float64(200*time.Microsecond))
	require.InDelta(t, 0.6827, float64(inside)/draws, 0.02, "one deviation on either side")
}

func TestANormalDistributionNeverGoesBelowZero(t *testing.T) {
	r := sim.NewRand(1, "work")
	n := spread{kind: spreadNormal, a: time.Millisecond, b: 24 * time.Hour}
	for range 1000 {
		d := n.draw(r)
		require.True(t, d >= 0 && d < 24*4*time.Hour)
	}
}

func FuzzDuration(f *testing.F) {
	for _, s := range []string{"20s", "1m30s", "1.5s", "20", "-1s", "10000h1ns", "1.s", ".5s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			return
		}
		require.True(t, d >= 0 && d <= maxDuration)
		back, err := ParseDuration(formatDuration(d))
		require.NoError(t, err)
		require.Equal(t, d, back)
	})
}
