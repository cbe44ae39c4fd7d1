package verdict

import (
	"errors"
	"fmt"

	"rebalancelab/engine/trace"
)

// maxDepth bounds queries inside the times of queries.
const maxDepth = 8

// ask is one query being answered.
type ask struct {
	f     *Facts
	q     Query
	end   int64
	depth int

	from, to, at int64 // the times of the query: by default 0, end and end
}

// Eval answers q for a run that has come to time end, in nanoseconds since its start. Something
// that never happened is an answer ([KindNone]); an error says that the question itself is wrong.
func (f *Facts) Eval(q Query, end int64) (Value, error) {
	return (&ask{f: f, q: q, end: end}).answer()
}

// Outcome is how an expectation went: what was got and wanted, as people read it.
type Outcome struct {
	OK        bool
	Got, Want string
}

// Check answers q and holds the answer against m; queries in m are answered too.
func (f *Facts) Check(q Query, m Matcher, end int64) (Outcome, error) {
	got, err := f.Eval(q, end)
	if err != nil {
		return Outcome{}, err
	}
	for _, want := range []*Value{&m.Want, &m.Want2} {
		if want.Kind != KindQuery {
			continue
		}
		if *want, err = f.Eval(*want.Query, end); err != nil {
			return Outcome{}, err
		}
		if want.Kind == KindNone { // what never happened is equal to nothing
			return Outcome{Got: got.String(), Want: m.String()}, nil
		}
	}
	o := Outcome{Got: got.String()}
	o.OK, o.Want = Match(got, m)
	if !o.OK && m.Op != Equals && timeKind(got.Kind) && o.Want == m.exact() {
		o.Got = got.exact()
	}
	return o, nil
}

func (a *ask) answer() (Value, error) {
	if a.depth > maxDepth {
		return Value{}, errors.New("queries are nested too deep")
	}
	if _, ok := Lookup(a.q.Name); !ok {
		return Value{}, fmt.Errorf("no such query: %s", a.q.Name)
	}
	missing, err := a.times()
	if missing != nil || err != nil {
		return orNone(missing), err
	}
	for _, area := range []func() (Value, error){
		a.neighbour, a.delivery, a.commits, a.standing, a.group, a.member, a.process, a.calls, a.wire,
	} {
		v, err := area()
		if err == errElsewhere {
			continue
		}
		switch v.Kind {
		case KindNumber, KindDuration, KindTime:
			v.N += a.q.Plus
		}
		return v, err
	}
	return Value{}, fmt.Errorf("query %s has no answer", a.q.Name)
}

// errElsewhere says that a query belongs to another area.
var errElsewhere = errors.New("not of this area")

func orNone(v *Value) Value {
	if v == nil {
		return Value{}
	}
	return *v
}

// times resolves the query's moments. One that never came is the answer to the query.
func (a *ask) times() (*Value, error) {
	a.from, a.to, a.at = 0, a.end, a.end
	for _, m := range []struct {
		given Moment
		field *int64
	}{{a.q.Since, &a.from}, {a.q.Until, &a.to}, {a.q.At, &a.at}} {
		if !m.given.Set {
			continue
		}
		v, err := a.resolve(m.given)
		if err != nil || v.Kind == KindNone {
			return &v, err
		}
		*m.field = v.N
	}
	return nil, nil
}

func (a *ask) resolve(m Moment) (Value, error) {
	switch {
	case m.Query != nil:
		v, err := (&ask{f: a.f, q: *m.Query, end: a.end, depth: a.depth + 1}).answer()
		if err == nil && v.Kind != KindNone && !timeKind(v.Kind) {
			err = fmt.Errorf("%s answers with a %s, not with a time", m.Query, v.Kind)
		}
		return v, err
	case m.Symbol != "":
		return a.symbol(m.Symbol)
	}
	return Time(m.At), nil
}

// symbol is the last event of that kind of the process or partition at hand; of any process when
// the query names none.
func (a *ask) symbol(word string) (Value, error) {
	if !IsSymbol(word) {
		return Value{}, fmt.Errorf("no such moment: %q", word)
	}
	if word == "resume" && a.q.Topic != "" && a.q.Node == "" {
		return a.resumption()
	}
	at := int64(-1)
	who := a.subject()
	for _, p := range a.f.procList {
		if who == "" || a.f.name(p.ref) == who {
			at = max(at, p.moment(word))
		}
	}
	if at < 0 {
		return None("no " + word), nil
	}
	return Time(at), nil
}

// subject is the process that a word such as kill is about; "" is any.
func (a *ask) subject() string {
	if a.q.Node != "" {
		return a.q.Node
	}
	if a.isProcess(a.q.Who) {
		return a.q.Who
	}
	return ""
}

func (p *process) moment(word string) int64 {
	at := int64(-1)
	for i, s := range p.stints {
		switch {
		case word == "start" && i == 0, word == "restart" && i > 0:
			at = s.start
		case s.end < 0:
		case word == "end", word == "kill" && s.by == trace.EndedByKill,
			word == "stop" && s.by == trace.EndedByStop,
			word == "crash" && s.by == trace.EndedByCrash:
			at = s.end
		}
	}
	for _, z := range p.freezes {
		switch word {
		case "freeze":
			at = z.from
		case "thaw", "resume":
			at = max(at, z.to)
		}
	}
	return at
}

// resumption is the end of the longest stall of the partition, or of any partition of the topic.
func (a *ask) resumption() (Value, error) {
	readings, err := a.readings()
	if err != nil {
		return Value{}, err
	}
	best, at := int64(0), int64(-1)
	for _, rd := range readings {
		if length, until := rd.stall.longest(0, a.end); length > best {
			best, at = length, until
		}
	}
	if at < 0 {
		return None("never resumed"), nil
	}
	return Time(at), nil
}

// isProcess says whether a process of that name occurs in the trace.
func (a *ask) isProcess(name string) bool { return a.procNamed(name) != nil }

func (a *ask) procNamed(name string) *process {
	r, ok := a.f.log.Lookup(name)
	if !ok || name == "" {
		return nil
	}
	return a.f.knownProcess(r)
}

// node is the process that the query is about; nil when the trace has none of that name.
func (a *ask) node() *process { return a.procNamed(a.q.Node) }

// ref is the Ref of a name; one that does not occur is a Ref that no event has.
func (a *ask) ref(name string) trace.Ref {
	if r, ok := a.f.log.Lookup(name); ok {
		return r
	}
	return ^trace.Ref(0)
}

func (a *ask) groupNamed(name string) *group {
	r, ok := a.f.log.Lookup(name)
	if !ok || name == "" || int(r) >= len(a.f.groups) {
		return nil
	}
	return a.f.groups[r]
}

// partitions are those that the query names; an error when the topic is unknown.
func (a *ask) partitions() ([]*partition, error) {
	t := a.topicNamed(a.q.Topic)
	part := a.q.Partition
	if t == nil { // a topic whose own name ends in a number
		t, part = a.topicNamed(PartitionName(a.q.Topic, a.q.Partition)), -1
	}
	if t == nil {
		return nil, fmt.Errorf("no topic %q in this run", a.q.Topic)
	}
	var list []*partition
	for i, p := range t.parts {
		if p != nil && (part < 0 || part == int32(i)) {
			list = append(list, p)
		}
	}
	if part >= 0 && len(list) == 0 {
		return nil, fmt.Errorf("no partition %s in this run", PartitionName(a.q.Topic, part))
	}
	return list, nil
}

func (a *ask) topicNamed(name string) *topic {
	r, ok := a.f.log.Lookup(name)
	if !ok || int(r) >= len(a.f.topics) {
		return nil
	}
	return a.f.topics[r]
}

// whole says whether the query is about a topic rather than one partition.
func (a *ask) whole() bool {
	return a.q.Topic == "" || a.q.Partition < 0 || a.topicNamed(a.q.Topic) == nil
}

// readings are the readings of the query's partitions by its group, or by the one group there is.
func (a *ask) readings() ([]*reading, error) {
	parts, err := a.partitions()
	if err != nil {
		return nil, err
	}
	var group trace.Ref
	if a.q.Group != "" {
		group = a.ref(a.q.Group)
	} else if group, err = a.onlyGroup(parts); err != nil {
		return nil, err
	}
	var list []*reading
	for _, p := range parts {
		for _, rd := range p.readings {
			if rd.group.ref == group {
				list = append(list, rd)
			}
		}
	}
	return list, nil
}

func (a *ask) onlyGroup(parts []*partition) (trace.Ref, error) {
	var group trace.Ref
	for _, p := range parts {
		for _, rd := range p.readings {
			switch {
			case rd.group.ref == 0 || rd.group.ref == group:
			case group != 0:
				return 0, fmt.Errorf("groups %q and %q both read %s: say which with group =",
					a.f.name(group), a.f.name(rd.group.ref), PartitionName(a.q.Topic, a.q.Partition))
			default:
				group = rd.group.ref
			}
		}
	}
	return group, nil
}

func (a *ask) partName(p *partition) string { return PartitionName(a.f.name(p.topic), p.part) }

// count is how many events from a.from to a.to see accepts.
func (a *ask) count(see func(e trace.Event) bool) int64 {
	n := int64(0)
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		if see(e) {
			n++
		}
		return true
	})
	return n
}

// first is the time of the first event from a.from to a.to that see accepts.
func (a *ask) first(see func(e trace.Event) bool) Value {
	v := None("never")
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		if see(e) {
			v = Time(e.At)
		}
		return v.Kind == KindNone
	})
	return v
}

// nth picks the query's nth of times, or the last.
func (a *ask) nth(times []int64) Value {
	n := a.q.Nth
	if n == 0 {
		n = len(times)
	}
	if n == 0 || n > len(times) {
		return None("never")
	}
	return Time(times[n-1])
}

// unique is the texts as a set.
func unique(texts []string) Value {
	v := Names(texts...)
	kept := v.Names[:0]
	for i, s := range v.Names {
		if i == 0 || s != v.Names[i-1] {
			kept = append(kept, s)
		}
	}
	v.Names = kept
	return v
}

func (a *ask) within(t int64) bool { return t >= a.from && t <= a.to }
