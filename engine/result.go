package engine

import (
	"strings"
	"time"

	"rebalancelab/engine/script"
	"rebalancelab/engine/tell"
	"rebalancelab/engine/verdict"
	"rebalancelab/engine/view"
)

// Verdict holds the expectations, goals and predictions against the run. It is asked when the run is
// done; before that it speaks of what has happened so far.
func (l *Lab) Verdict() view.Verdict {
	var v view.Verdict
	end := l.reached()
	for _, c := range l.scenario.Expectations {
		v.Checks = append(v.Checks, l.check("expect", c, end))
	}
	for _, c := range l.scenario.Goals {
		v.Checks = append(v.Checks, l.check("goal", c, end))
	}
	for _, p := range l.scenario.Pars {
		v.Checks = append(v.Checks, l.par(p, end))
	}
	for _, p := range l.scenario.Predictions {
		v.Predict = append(v.Predict, l.prediction(p, end))
	}
	v.Groups = l.groupResults(end)
	if l.failed != nil {
		v.Error = l.failed.Error()
	}
	return v
}

func (l *Lab) check(kind string, c script.Check, end int64) view.Check {
	out := view.Check{Kind: kind, Text: c.Text, Line: c.Line}
	o, err := l.facts.Check(c.Query, c.Match, end)
	if err != nil {
		out.Got, out.Want = err.Error(), c.Match.String()
		return out
	}
	out.OK, out.Got, out.Want = o.OK, o.Got, o.Want
	return out
}

func (l *Lab) par(p script.Par, end int64) view.Check {
	if p.Check != nil {
		c := l.check("par", *p.Check, end)
		c.Text = p.Text
		return c
	}
	n := l.changedLines()
	return view.Check{
		Kind: "par", Text: p.Text, OK: n <= p.ChangedLines, Line: p.Line,
		Got: plural(n, "changed line"), Want: "at most " + plural(p.ChangedLines, "changed line"),
	}
}

// prediction finds the option that holds. Exactly one must, which the tests of the lessons see to.
func (l *Lab) prediction(p script.Prediction, end int64) view.Prediction {
	out := view.Prediction{Key: p.Key}
	for _, o := range p.Options {
		holds, why := l.option(o, end)
		out.Options, out.Why = append(out.Options, o.Key), append(out.Why, why)
		if holds && out.Right == "" {
			out.Right = o.Key
		}
	}
	return out
}

// option says whether all checks of an option hold, and what was measured.
func (l *Lab) option(o script.Option, end int64) (holds bool, why string) {
	holds = true
	for _, c := range o.Checks {
		k := l.check("predict", c, end)
		holds = holds && k.OK
		if why != "" {
			why += "; "
		}
		why += c.Query.String() + " is " + k.Got
	}
	return holds, why
}

// Holding lists, for each prediction, the options that hold on the run so far.
func (l *Lab) Holding() map[string][]string {
	out := map[string][]string{}
	for _, p := range l.scenario.Predictions {
		out[p.Key] = nil
		for _, o := range p.Options {
			if holds, _ := l.option(o, l.reached()); holds {
				out[p.Key] = append(out[p.Key], o.Key)
			}
		}
	}
	return out
}

func (l *Lab) groupResults(end int64) []view.GroupResult {
	report := l.facts.Report(end)
	var out []view.GroupResult
	for _, name := range l.scenario.Groups() {
		g, ok := report.Groups[name]
		if !ok {
			continue
		}
		r := view.GroupResult{Group: name, Generation: g.Generation, Rebalances: g.Rebalances}
		for _, part := range l.Scene().Parts {
			p, ok := g.Partitions[part]
			if !ok {
				continue
			}
			o := view.PartResult{
				Part: part, Processed: p.Processed, Duplicates: spansText(p.Duplicates),
				Lost: spansText(p.Lost), Committed: -1, StalledMs: p.StalledMs,
				Lag: report.Partitions[part].HW,
			}
			if p.Committed != nil {
				o.Committed = *p.Committed
				o.Lag -= *p.Committed
			}
			r.Parts = append(r.Parts, o)
		}
		r.Zombies = l.zombies(name, end)
		out = append(out, r)
	}
	return out
}

func (l *Lab) zombies(group string, end int64) []string {
	v, err := l.facts.Eval(verdict.Query{Name: "zombies", Group: group}, end)
	if err != nil {
		return nil
	}
	return v.Names
}

func spansText(spans [][2]int64) string {
	list := make([]verdict.Span, len(spans))
	for i, s := range spans {
		list[i] = verdict.Span{First: s[0], Last: s[1]}
	}
	return verdict.Offsets(list...).String()
}

// Report is the result of the run for programs: design of run --json.
func (l *Lab) Report() verdict.Report {
	r := l.facts.Report(l.reached())
	r.Variant, r.Seed = l.scenario.Variant, l.opt.Seed
	for _, c := range l.Verdict().Checks {
		if c.Kind == "expect" {
			r.Expectations = append(r.Expectations, verdict.Expectation{
				Text: c.Text, OK: c.OK, Got: c.Got, Want: c.Want, Line: c.Line,
			})
		}
	}
	return r
}

// Tell gives every event as a sentence, in order.
func (l *Lab) Tell(each func(index int, at int64, who, text string)) {
	t := tell.New(l.log)
	r := l.log.Reader(0)
	for {
		e, ok := r.Next()
		if !ok {
			return
		}
		line := t.Line(e)
		each(r.Index(), line.At, line.Who, line.Text)
	}
}

// Loaded describes the lab to a page.
func (l *Lab) Loaded() view.Loaded {
	sc := l.scenario
	out := view.Loaded{
		Horizon: l.horizon, Rows: sc.Rows, Variants: sc.Variants, Variant: sc.Variant,
		Clients: sc.ProcessNames(),
	}
	for _, e := range sc.Editables {
		out.Editable = append(out.Editable, view.Editable(e))
	}
	for _, p := range sc.Predictions {
		o := view.Prediction{Key: p.Key}
		for _, k := range p.Options {
			o.Options = append(o.Options, k.Key)
		}
		out.Predict = append(out.Predict, o)
	}
	for _, g := range sc.Goals {
		out.Goals = append(out.Goals, view.Line{Text: g.Text})
	}
	for _, t := range sc.Topics {
		out.Topics = append(out.Topics, t.Name)
	}
	for _, a := range sc.Actions {
		if a.Trigger.Kind != script.TriggerAt {
			continue
		}
		for _, s := range a.Steps {
			out.Commands = append(out.Commands, view.Command{
				At: int64(a.Trigger.At + s.Delay), Text: s.Text,
			})
		}
	}
	for _, c := range sc.Consumers {
		out.Programs = append(out.Programs, l.program(c))
	}
	return out
}

func (l *Lab) program(c *script.ConsumerSpec) view.Program {
	p := l.scenario.Program(c)
	return view.Program{Client: c.Name, Function: p.Function, Text: p.Text, FirstLine: p.FirstLine}
}

// changedLines counts the lines of the learner's functions that the shipped ones do not have, in
// order.
func (l *Lab) changedLines() int {
	shipped, err := loadScenario(Options{File: l.opt.File, Source: l.opt.Source, Variant: l.opt.Variant})
	if err != nil {
		return 0
	}
	n := 0
	for _, o := range l.opt.Overrides {
		for _, e := range shipped.Editables {
			if !o.Setting && !e.Setting && e.Name == o.Name {
				n += newLines(e.Text, o.Text)
			}
		}
	}
	return n
}

// newLines is the number of lines of b outside the longest common subsequence with a; blank lines and
// space at their ends do not count.
func newLines(a, b string) int {
	x, y := codeLines(a), codeLines(b)
	row := make([]int, len(y)+1)
	for _, line := range x {
		diagonal := 0
		for j, other := range y {
			above := row[j+1]
			row[j+1] = max(above, row[j])
			if line == other {
				row[j+1] = diagonal + 1
			}
			diagonal = above
		}
	}
	return len(y) - row[len(y)]
}

func codeLines(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimRight(line, " \t\r"); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Config lists the settings of a client, or of the brokers when node is empty or a broker.
func (l *Lab) Config(node string) view.Config {
	var out view.Config
	table, given := script.BrokerSettings, l.scenario.BrokerConfig
	if r := l.cast.find(node); r != nil && r.consumer != nil {
		table, given = script.ConsumerSettings, append(append([]script.Setting(nil), r.consumer.Settings...), r.settings...)
	} else if r != nil {
		table, given = script.ProducerSettings, append(append([]script.Setting(nil), r.producer.Settings...), r.settings...)
	}
	for _, def := range table {
		row := view.Setting{Name: def.Key, Value: def.Default, Default: def.Default}
		for _, s := range given {
			if s.Name == def.Name {
				row.Value = s.String()
			}
		}
		row.Changed = row.Value != row.Default
		out.Rows = append(out.Rows, row)
	}
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return verdict.Number(int64(n)).String() + " " + what + "s"
}

// Now is the time that the run has reached.
func (l *Lab) Now() time.Duration { return time.Duration(l.world.Now().Since()) }
