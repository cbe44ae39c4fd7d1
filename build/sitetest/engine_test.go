package sitetest

import (
	"encoding/base64"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
	"rebalancelab/engine/enginetest"
	"rebalancelab/engine/view"
)

// askScript puts one question to the page's engine; bytes travel as base64.
const askScript = `(async () => {
	const question = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0));
	const answer = await rebalanceLab.call(question);
	let text = "";
	for (let i = 0; i < answer.length; i += 8192) {
		text += String.fromCharCode(...answer.subarray(i, i + 8192));
	}
	return btoa(text);
})()`

// ask puts a question to the engine of the page, past the app.
func (p *page) ask(op view.Op, question, out view.Coded) {
	p.t.Helper()
	q := []byte{byte(op)}
	if question != nil {
		q = view.Encode(q, question)
	}
	answer, err := base64.StdEncoding.DecodeString(
		eval[string](p, fmt.Sprintf(askScript, base64.StdEncoding.EncodeToString(q))))
	require.NoError(p.t, err)
	require.NotEmpty(p.t, answer)
	require.EqualValues(p.t, view.AnswerOK, answer[0], string(answer))
	if out != nil {
		require.True(p.t, view.Decode(answer[1:], out), "the answer to op %d does not decode", op)
	}
}

// run runs o to its end in the page and gives the last progress and the lab's number.
func (p *page) run(o engine.Options) (view.Progress, int) {
	p.t.Helper()
	var l view.Loaded
	p.ask(view.OpLoad, &view.Load{
		File: o.File, Source: o.Source, Seed: o.Seed, Variant: o.Variant, Overrides: o.Overrides, Commands: o.Commands,
	}, &l)
	for {
		var pr view.Progress
		p.ask(view.OpRun, &view.Run{Lab: l.Lab, Events: 50_000}, &pr)
		if pr.Done {
			return pr, l.Lab
		}
	}
}

func nativeHash(t *testing.T, o engine.Options) uint64 {
	t.Helper()
	lab, err := enginetest.Run(o)
	require.NoError(t, err)
	defer lab.Close()
	return lab.Hash()
}

func TestSeedsAndLessonsGiveTheNativeHashInChromium(t *testing.T) {
	s, p := newServer(t), newPage(t)
	p.open(s.URL)
	p.started()
	eval[bool](p, `rebalanceLab.start().then(() => true)`)
	cases, err := enginetest.Lessons()
	require.NoError(t, err)
	seeds := uint64(20)
	if os.Getenv("LAB_ALL_SEEDS") != "" {
		seeds = 200
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		cases = append(cases, enginetest.Case{Name: fmt.Sprint("canonical ", seed), Options: enginetest.Canonical(seed)})
	}
	for _, c := range cases {
		pr, n := p.run(c.Options)
		require.Equal(t, nativeHash(t, c.Options), pr.Hash, c.Name)
		p.ask(view.OpFree, &view.LabOf{Lab: n}, nil)
	}
}

func BenchmarkCanonical(b *testing.B) {
	s, p := newServer(b), newPage(b)
	p.open(s.URL)
	p.started()
	eval[bool](p, `rebalanceLab.start().then(() => true)`)
	virtual := 0.0
	seed := uint64(0)
	for b.Loop() {
		seed++
		pr, n := p.run(enginetest.Canonical(seed))
		virtual += float64(pr.At) / 1e9
		p.ask(view.OpFree, &view.LabOf{Lab: n}, nil)
	}
	b.ReportMetric(virtual/b.Elapsed().Seconds(), "virtual-s/wall-s")
}
