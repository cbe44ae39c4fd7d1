package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"rebalancelab/engine/trace"
)

// Stores are the outside stores of a run, as databases: they survive every process, and count the
// changes that they see.
type Stores struct {
	byName map[string]*outside
}

// outside is one store.
type outside struct {
	values  *starlark.Dict
	effects int64
}

const maxStoreKeys = 1_000_000

// NewStores returns a run's stores, all empty.
func NewStores() *Stores { return &Stores{byName: map[string]*outside{}} }

func (s *Stores) get(name string) *outside {
	o := s.byName[name]
	if o == nil {
		o = &outside{values: new(starlark.Dict)}
		s.byName[name] = o
	}
	return o
}

// Effects is the number of changes that the store called name has seen.
func (s *Stores) Effects(name string) int64 { return s.get(name).effects }

// storeValue is store(name): only the name, so that it may also be made at the top level.
type storeValue struct {
	opaque
	name string
}

func (v *storeValue) String() string      { return fmt.Sprintf("store(%q)", v.name) }
func (v *storeValue) Type() string        { return "store" }
func (v *storeValue) AttrNames() []string { return storeMethodNames }

type storeMethod func(s *strand, name string, args starlark.Tuple) (starlark.Value, error)

var storeMethodNames = []string{"add", "count", "get", "has", "put", "put_new", "update"}

var storeMethods = map[string]struct {
	min, max int
	fn       storeMethod
}{
	"get": {1, 2, storeGet}, "has": {1, 1, storeHas}, "put": {2, 2, storePut},
	"put_new": {2, 2, storePutNew}, "add": {1, 2, storeAdd}, "update": {2, 3, storeUpdate},
	"count": {0, 0, storeCount},
}

// Attr gives a method.
func (v *storeValue) Attr(name string) (starlark.Value, error) {
	m, ok := storeMethods[name]
	if !ok {
		return nil, noField("store", name, storeMethodNames)
	}
	return starlark.NewBuiltin(name, func(
		t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple,
	) (starlark.Value, error) {
		s := strandOf(t)
		if s == nil {
			return nil, fmt.Errorf("store.%s works only in a program", name)
		}
		if len(kw) > 0 || len(args) < m.min || len(args) > m.max {
			return nil, fmt.Errorf("store.%s takes %d to %d arguments without names", name, m.min, m.max)
		}
		return m.fn(s, v.name, args)
	}), nil
}

// storeStatement is store(name) at the top level.
func storeStatement(_ *loader, a *arguments, _ Place) (starlark.Value, error) {
	return &storeValue{name: a.mustText("name", "the store's name")}, nil
}

func storeInProgram(_ *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackArgs("store", args, kw, "name", &name); err != nil {
		return nil, err
	}
	return &storeValue{name: name}, nil
}

func storeGet(s *strand, name string, args starlark.Tuple) (starlark.Value, error) {
	v, ok, err := s.app.opt.Stores.get(name).values.Get(args[0])
	if err != nil || ok {
		return v, err
	}
	if len(args) == 2 {
		return args[1], nil
	}
	return starlark.None, nil
}

func storeHas(s *strand, name string, args starlark.Tuple) (starlark.Value, error) {
	_, ok, err := s.app.opt.Stores.get(name).values.Get(args[0])
	return starlark.Bool(ok), err
}

func storeCount(s *strand, name string, _ starlark.Tuple) (starlark.Value, error) {
	return starlark.MakeInt(s.app.opt.Stores.get(name).values.Len()), nil
}

func storePut(s *strand, name string, args starlark.Tuple) (starlark.Value, error) {
	return starlark.None, s.app.change(name, args[0], args[1])
}

// storePutNew changes the store only if the key is new, and says whether it was.
func storePutNew(s *strand, name string, args starlark.Tuple) (starlark.Value, error) {
	_, ok, err := s.app.opt.Stores.get(name).values.Get(args[0])
	if err != nil || ok {
		return starlark.False, err
	}
	return starlark.True, s.app.change(name, args[0], args[1])
}

// storeAdd adds a number, 1 if none is given, and gives the sum.
func storeAdd(s *strand, name string, args starlark.Tuple) (starlark.Value, error) {
	old, ok, err := s.app.opt.Stores.get(name).values.Get(args[0])
	if err != nil {
		return nil, err
	}
	sum := starlark.MakeInt(1)
	if len(args) == 2 {
		n, whole := args[1].(starlark.Int)
		if !whole {
			return nil, fmt.Errorf("store.add: %s is no whole number", brief(args[1]))
		}
		sum = n
	}
	if ok {
		was, ok := old.(starlark.Int)
		if !ok {
			return nil, fmt.Errorf("store.add: the value of %s is %s, not a number", args[0], brief(old))
		}
		sum = was.Add(sum)
	}
	return sum, s.app.change(name, args[0], sum)
}

// storeUpdate puts fn(old value) in the place of the old value; the third argument stands for a
// value that is not there.
func storeUpdate(s *strand, name string, args starlark.Tuple) (starlark.Value, error) {
	old, err := storeGet(s, name, append(starlark.Tuple{args[0]}, args[2:]...))
	if err != nil {
		return nil, err
	}
	v, err := starlark.Call(s.thread, args[1], starlark.Tuple{old}, nil)
	if err != nil {
		return nil, err
	}
	return v, s.app.change(name, args[0], v)
}

// change sets a value. The same value again is no effect: that is what idempotent means.
func (a *App) change(name string, key, v starlark.Value) error {
	o := a.opt.Stores.get(name)
	n := 0
	if err := textSize(v, &n, 0); err != nil {
		return err
	}
	old, ok, err := o.values.Get(key)
	if err != nil {
		return err
	}
	if ok {
		if same, err := starlark.Equal(old, v); err == nil && same {
			return nil
		}
	}
	if o.values.Len() >= maxStoreKeys {
		return fmt.Errorf("store(%q) has %d keys, the most that it can hold", name, maxStoreKeys)
	}
	v.Freeze()
	if err := o.values.SetKey(key, v); err != nil {
		return err
	}
	o.effects++
	text := valueText(key) + "=" + valueText(v)
	a.trace(trace.Event{Kind: trace.StoreSet, Name: a.ref(name), Peer: a.ref(text), X: o.effects})
	return nil
}

// valueText is a text without its quotes, and anything else as Starlark shows it, cut short.
func valueText(v starlark.Value) string {
	s, ok := starlark.AsString(v)
	if !ok {
		s = v.String()
	}
	if len(s) > 200 {
		s = s[:200] + "..."
	}
	return s
}
