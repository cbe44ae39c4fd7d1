package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"rebalancelab/engine/verdict"
)

// checkKind says where a check goes.
type checkKind uint8

const (
	checkExpect checkKind = iota
	checkGoal
	checkPar
	checkOption
)

// pendingCheck is a check as it was written; names and wants are settled once the file has run.
type pendingCheck struct {
	kind       checkKind
	fn         string
	query      verdict.Query
	op         verdict.Op
	want       starlark.Value
	want2      starlark.Value
	variants   []string
	lines      int // par(changed_lines = n), else -1
	place      Place
	unresolved bool // a par without a query
}

func (p *pendingCheck) text() string { return p.query.String() }

type pendingPrediction struct {
	key     string
	options []pendingOption
	place   Place
}

type pendingOption struct {
	key    string
	checks []*pendingCheck
}

func expectStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	return l.addChecks(checkExpect, a, at)
}

func goalStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	return l.addChecks(checkGoal, a, at)
}

func checkStatement(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	checks, err := readChecks(checkOption, a, at)
	if err != nil || a.err != nil {
		return nil, err
	}
	return &checkValue{checks: checks}, nil
}

func (l *loader) addChecks(kind checkKind, a *arguments, at Place) (starlark.Value, error) {
	checks, err := readChecks(kind, a, at)
	if err == nil && a.err == nil {
		l.checks = append(l.checks, checks...)
	}
	return starlark.None, err
}

// parStatement: par(changed_lines = 1), or par(query, below = ...).
func parStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	lines := a.number("changed_lines", -1, 0, 10_000)
	if lines >= 0 {
		l.checks = append(l.checks, &pendingCheck{
			kind: checkPar, fn: "par", lines: int(lines), place: at, unresolved: true,
		})
		return starlark.None, nil
	}
	return l.addChecks(checkPar, a, at)
}

// readChecks reads a query, further arguments of it, matchers and variants. Each matcher gives a
// check.
func readChecks(kind checkKind, a *arguments, at Place) ([]*pendingCheck, error) {
	v := a.must("query", `what is asked, as lost("orders-0")`)
	if a.err != nil {
		return nil, nil
	}
	asked, ok := v.(*queryValue)
	if !ok {
		return nil, fmt.Errorf("%s(): %s is no query such as lost(\"orders-0\")", a.fn, brief(v))
	}
	base := pendingCheck{kind: kind, fn: a.fn, query: asked.q, lines: -1, place: at}
	if w, ok := a.named("variant"); ok {
		base.variants = a.asTexts("variant", w)
	}
	checks, err := readMatchers(base, a)
	if err != nil {
		return nil, err
	}
	if err := readMore(checks, a); err != nil {
		return nil, err
	}
	if len(checks) > 0 || a.err != nil {
		return checks, nil
	}
	if asked.q.Kind() == verdict.KindBool {
		base.op = verdict.Holds
		checks = []*pendingCheck{&base}
		return checks, readMore(checks, a)
	}
	if err := readMore([]*pendingCheck{&base}, a); err != nil || a.end() != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s(): what should %s be? give equals, below, at_most, above, at_least, "+
		"between or contains", a.fn, asked.q.Name)
}

func readMatchers(base pendingCheck, a *arguments) ([]*pendingCheck, error) {
	var checks []*pendingCheck
	for i, name := range verdict.OpNames {
		op := verdict.Op(i)
		want, given := a.has(name)
		if op == verdict.Holds || !given {
			a.known = append(a.known, name)
			continue
		}
		a.named(name)
		c := base
		c.op, c.want = op, want
		if op == verdict.Between {
			pair, ok := want.(starlark.Indexable)
			if !ok || pair.Len() != 2 {
				return nil, fmt.Errorf("%s(): between = %s: must be two values, as [\"42s\", \"48s\"]", a.fn,
					brief(want))
			}
			c.want, c.want2 = pair.Index(0), pair.Index(1)
		}
		checks = append(checks, &c)
	}
	return checks, nil
}

// readMore gives the query arguments that stand beside the matcher: expect(stalled("t"), below =
// "70s", since = "20s").
func readMore(checks []*pendingCheck, a *arguments) error {
	if len(checks) == 0 || a.err != nil {
		return nil
	}
	sig, _ := verdict.Lookup(checks[0].query.Name)
	for _, p := range sig.Params {
		v, ok := a.named(p.Name)
		if !ok {
			continue
		}
		for _, c := range checks {
			if err := bind(&c.query, *p, v); err != nil {
				return fmt.Errorf("%s(): %w", a.fn, err)
			}
		}
	}
	return nil
}

// predictStatement: predict("who", options = {"at_once": check(...), ...}), or with about = query
// the wanted values themselves.
func predictStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	p := &pendingPrediction{key: a.mustText("key", "the question's key in the lesson"), place: at}
	v, _ := a.named("options")
	options, ok := v.(*starlark.Dict)
	if !ok || options.Len() < 2 {
		return nil, fmt.Errorf("predict(): options must be a dict with two or more entries")
	}
	var about *queryValue
	if v, ok := a.named("about"); ok {
		if about, ok = v.(*queryValue); !ok {
			a.fail("about = %s: must be a query", brief(v))
		}
	}
	for k, e := range options.Entries() {
		o := pendingOption{key: a.asText("option", k)}
		var err error
		if o.checks, err = optionChecks(e, about, at); err != nil {
			return nil, fmt.Errorf("predict(): option %q: %w", o.key, err)
		}
		p.options = append(p.options, o)
	}
	for _, other := range l.predicts {
		if other.key == p.key {
			a.fail("there is a prediction %q already", p.key)
		}
	}
	l.predicts = append(l.predicts, p)
	return starlark.None, nil
}

func optionChecks(v starlark.Value, about *queryValue, at Place) ([]*pendingCheck, error) {
	switch v := v.(type) {
	case *checkValue:
		return v.checks, nil
	case *starlark.List:
		if about != nil {
			break
		}
		var all []*pendingCheck
		for e := range v.Elements() {
			c, ok := e.(*checkValue)
			if !ok {
				return nil, fmt.Errorf("%s is no check(...)", brief(e))
			}
			all = append(all, c.checks...)
		}
		if len(all) > 0 {
			return all, nil
		}
	}
	if about == nil {
		return nil, fmt.Errorf("%s is no check such as check(lost(\"orders-0\"), equals = [])", brief(v))
	}
	return []*pendingCheck{{
		kind: checkOption, fn: "predict", query: about.q, op: verdict.Equals, want: v, lines: -1, place: at,
	}}, nil
}

// settle turns a pending check into a checked one.
func (f *finder) settle(p *pendingCheck) (Check, error) {
	c := Check{Query: p.query, Match: verdict.Matcher{Op: p.op}, Place: p.place}
	if err := f.resolveQuery(&c.Query); err != nil {
		return c, errorAt(p.place, "%s(): %v", p.fn, err)
	}
	var err error
	if p.want != nil {
		if c.Match.Want, err = f.want(p.want, &c.Query); err == nil && p.want2 != nil {
			c.Match.Want2, err = f.want(p.want2, &c.Query)
		}
	}
	if err == nil {
		err = c.Match.Check(c.Query.Kind())
	}
	if err != nil {
		return c, errorAt(p.place, "%s(): %s of %s: %v", p.fn, verdict.OpNames[p.op], c.Query.Name, err)
	}
	c.Text = c.Query.String() + " "
	if p.op == verdict.Equals {
		c.Text += "= "
	}
	c.Text += c.Match.String()
	return c, nil
}
