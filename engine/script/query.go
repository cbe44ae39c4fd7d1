package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/verdict"
)

// parseQuery reads the arguments of a query as its line in [verdict.Table] says.
func parseQuery(sig *verdict.Signature, a *arguments, at Place) (starlark.Value, error) {
	v := &queryValue{q: verdict.Query{Name: sig.Name, Partition: -1}, place: at}
	for _, p := range sig.Params {
		arg, ok := a.param(*p)
		if !ok || a.err != nil {
			continue
		}
		if err := bind(&v.q, *p, arg); err != nil {
			return nil, fmt.Errorf("%s(): %w", sig.Name, err)
		}
	}
	return v, nil
}

// param is the argument for a parameter of a query; a missing one that is needed is a mistake.
func (a *arguments) param(p verdict.Param) (v starlark.Value, ok bool) {
	if p.Positional {
		v, ok = a.next(p.Name)
	} else {
		v, ok = a.named(p.Name)
	}
	if !ok && !p.Optional {
		a.fail("%s is missing", p.Name)
	}
	return v, ok
}

// bind gives a query one argument.
func bind(q *verdict.Query, p verdict.Param, arg starlark.Value) error {
	v, err := argument(p, arg)
	if err != nil {
		return fmt.Errorf("%s = %s: %w", p.Name, brief(arg), err)
	}
	if p.Type == verdict.ParamAPI {
		if _, ok := neighbour.MessageKey(v.Text); !ok {
			return fmt.Errorf("no such request %q%s", v.Text, suggest(v.Text, neighbour.MessageNames()))
		}
	}
	if p.Type == verdict.ParamPartition {
		if _, _, ok := verdict.SplitPartition(v.Text); !ok {
			return fmt.Errorf("%q is no partition; write its number too, as %q", v.Text, v.Text+"-0")
		}
	}
	return q.Bind(p, v)
}

func argument(p verdict.Param, arg starlark.Value) (verdict.Value, error) {
	switch arg := arg.(type) {
	case starlark.String:
		if p.Type != verdict.ParamTime || verdict.IsSymbol(string(arg)) {
			return verdict.Text(string(arg)), nil
		}
		d, err := ParseDuration(string(arg))
		if err != nil && (arg == "" || arg[0] < '0' || arg[0] > '9') {
			var words []string
			for _, s := range verdict.Symbols {
				words = append(words, s.Word)
			}
			return verdict.Value{}, fmt.Errorf("no such moment%s", suggest(string(arg), words))
		}
		return verdict.Time(int64(d)), err
	case starlark.Bool:
		return verdict.Bool(bool(arg)), nil
	case starlark.Int:
		if p.Type == verdict.ParamTime {
			_, err := toDuration(arg)
			return verdict.Value{}, err
		}
		n, ok := arg.Int64()
		if !ok {
			return verdict.Value{}, fmt.Errorf("is too large")
		}
		return verdict.Number(n), nil
	case *queryValue:
		return verdict.Ask(arg.q), nil
	case *starlark.List, starlark.Tuple:
		names, err := texts(arg.(starlark.Iterable))
		return verdict.Sequence(names...), err
	}
	return verdict.Value{}, fmt.Errorf("a %s cannot stand here", arg.Type())
}

func texts(list starlark.Iterable) ([]string, error) {
	var all []string
	for e := range starlark.Elements(list) {
		s, ok := e.(starlark.String)
		if !ok {
			return nil, fmt.Errorf("%s is no text in quotes", brief(e))
		}
		all = append(all, string(s))
	}
	return all, nil
}

// resolveQuery checks the names in a query and settles what its partition is.
func (f *finder) resolveQuery(q *verdict.Query) error {
	if err := f.resolveNames(q); err != nil {
		return fmt.Errorf("%s: %w", q.Name, err)
	}
	for _, m := range []*verdict.Moment{&q.Since, &q.Until, &q.At} {
		if m.Query == nil {
			continue
		}
		inner := *m.Query
		if err := f.resolveQuery(&inner); err != nil {
			return err
		}
		if k := inner.Kind(); k != verdict.KindTime {
			return fmt.Errorf("%s: %s answers with a %s, not with a time", q.Name, inner.Name, k)
		}
		m.Query = &inner
	}
	return nil
}

func (f *finder) resolveNames(q *verdict.Query) error {
	if q.Node != "" {
		if err := f.anyProcess(q.Node); err != nil {
			return err
		}
	}
	if q.Group != "" {
		if err := f.group(q.Group); err != nil {
			return err
		}
	}
	if q.Who != "" && f.anyProcess(q.Who) != nil && f.group(q.Who) != nil {
		names := append(f.clients(), f.sc.Groups()...)
		return fmt.Errorf("no such process or group %q%s", q.Who, suggest(q.Who, names))
	}
	if q.Topic == "" || q.Topic == offsetsTopic {
		return nil
	}
	name := verdict.PartitionName(q.Topic, q.Partition)
	q.Neighbour = contains(f.things(), name)
	if sig, ok := verdict.Lookup(q.Name); ok && sig.Params[0].Type == verdict.ParamThing {
		return f.thing(name)
	}
	topic, part, err := f.partition(name)
	if err == nil {
		q.Topic, q.Partition = topic, part
	}
	return err
}

// offsetsTopic exists in every cluster; its number of partitions is a broker setting.
const offsetsTopic = "__consumer_offsets"

// want reads what the answer to q should be.
func (f *finder) want(v starlark.Value, q *verdict.Query) (verdict.Value, error) {
	kind := q.Kind()
	timed := kind == verdict.KindTime || kind == verdict.KindDuration
	switch v := v.(type) {
	case starlark.NoneType:
		return verdict.None(""), nil
	case starlark.Bool:
		return verdict.Bool(bool(v)), nil
	case *queryValue:
		inner := v.q
		err := f.resolveQuery(&inner)
		return verdict.Ask(inner), err
	case spanValue:
		return verdict.Offsets(v.span), nil
	case starlark.Int:
		if timed {
			_, err := toDuration(v)
			return verdict.Value{}, err
		}
		n, ok := v.Int64()
		if !ok {
			return verdict.Value{}, fmt.Errorf("%s is too large", v)
		}
		return verdict.Number(n), nil
	case starlark.String:
		if !timed {
			return verdict.Text(string(v)), nil
		}
		d, err := ParseDuration(string(v))
		return verdict.Value{Kind: kind, N: int64(d)}, err
	case *starlark.Dict:
		return wantMap(v, kind)
	case starlark.Iterable:
		return f.wantList(v, q)
	}
	return verdict.Value{}, fmt.Errorf("%s cannot be compared with an answer", brief(v))
}

// wantList reads a list: offsets, names, or the partitions of one process.
func (f *finder) wantList(v starlark.Iterable, q *verdict.Query) (verdict.Value, error) {
	switch q.Kind() {
	case verdict.KindOffsets, verdict.KindPartitions:
		spans, err := spansOf(v)
		return verdict.Offsets(spans...), err
	case verdict.KindMembers:
		names, err := texts(v)
		return verdict.Names(names...), err
	case verdict.KindSequence:
		names, err := texts(v)
		return verdict.Sequence(names...), err
	}
	names, err := texts(v)
	return verdict.Names(names...), err
}

func spansOf(v starlark.Value) ([]verdict.Span, error) {
	switch v := v.(type) {
	case spanValue:
		return []verdict.Span{v.span}, nil
	case starlark.Int:
		n, ok := v.Int64()
		if !ok || n < 0 {
			return nil, fmt.Errorf("%s is no offset", v)
		}
		return []verdict.Span{{First: n, Last: n}}, nil
	case *starlark.List, starlark.Tuple, *starlark.Set:
		var all []verdict.Span
		for e := range starlark.Elements(v.(starlark.Iterable)) {
			if _, list := e.(*starlark.List); list {
				return nil, fmt.Errorf("%s is no offset; write span(15, 19) for a range", brief(e))
			}
			s, err := spansOf(e)
			if err != nil {
				return nil, err
			}
			all = append(all, s...)
		}
		return all, nil
	}
	return nil, fmt.Errorf("%s is no offset; write numbers, or span(15, 19) for a range", brief(v))
}

// wantMap reads {"order_events-0": span(15, 19)} or {"A": ["order_events-0"]}.
func wantMap(v *starlark.Dict, kind verdict.Kind) (verdict.Value, error) {
	var entries []verdict.Entry
	for k, e := range v.Entries() {
		name, ok := k.(starlark.String)
		if !ok {
			return verdict.Value{}, fmt.Errorf("%s is no name in quotes", brief(k))
		}
		entry := verdict.Entry{Name: string(name)}
		var err error
		if kind == verdict.KindMembers {
			list, ok := e.(starlark.Iterable)
			if !ok {
				return verdict.Value{}, fmt.Errorf("%s = %s: must be a list of partitions", name, brief(e))
			}
			entry.Names, err = texts(list)
		} else {
			entry.Spans, err = spansOf(e)
		}
		if err != nil {
			return verdict.Value{}, err
		}
		entries = append(entries, entry)
	}
	if kind == verdict.KindMembers {
		return verdict.ByMember(entries...), nil
	}
	return verdict.ByPartition(entries...), nil
}
