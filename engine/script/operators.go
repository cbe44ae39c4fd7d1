package script

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

func two(args starlark.Tuple) (starlark.Value, starlark.Value) { return args[0], args[1] }

func checkedAdd(
	t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
) (starlark.Value, error) {
	x, y := two(args)
	if grows(x) && grows(y) {
		n := sizeOf(x) + sizeOf(y)
		if n > maxElements {
			return nil, tooLarge("the sum", int64(n))
		}
		charge(t, n)
	}
	return starlark.Binary(syntax.PLUS, x, y)
}

func checkedExtend(
	t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
) (starlark.Value, error) {
	x, y := two(args)
	if grows(x) {
		n := sizeOf(x) + sizeOf(y)
		if n > maxElements {
			return nil, tooLarge("the sum", int64(n))
		}
		if _, list := x.(*starlark.List); list {
			n = sizeOf(y)
		}
		charge(t, n)
	}
	return y, nil
}

func checkedRepeat(
	t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
) (starlark.Value, error) {
	x, y := two(args)
	if err := checkRepeat(t, x, y); err != nil {
		return nil, err
	}
	return starlark.Binary(syntax.STAR, x, y)
}

func checkRepeat(t *starlark.Thread, x, y starlark.Value) error {
	if grows(y) {
		x, y = y, x
	}
	times, ok := y.(starlark.Int)
	if !ok {
		return nil
	}
	if n, ok := x.(starlark.Int); ok {
		return checkProduct(n, times)
	}
	if !grows(x) || times.Sign() <= 0 {
		return nil
	}
	size := int64(sizeOf(x))
	k, ok := times.Int64()
	if size > 0 && (!ok || k > maxElements/size) {
		return fmt.Errorf("repeating %d elements %s times gives more than the limit of %d elements",
			size, times, maxElements)
	}
	charge(t, int(size*k))
	return nil
}

func checkProduct(x, y starlark.Int) error {
	if _, ok := x.Int64(); ok {
		if _, ok := y.Int64(); ok {
			return nil
		}
	}
	if n := x.BigInt().BitLen() + y.BigInt().BitLen(); n > maxIntBits {
		return fmt.Errorf("the product has more than %d digits", maxIntBits*3/10)
	}
	return nil
}

func checkedFormat(
	t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
) (starlark.Value, error) {
	x, y := two(args)
	if s, ok := x.(starlark.String); ok {
		n := len(s)
		if err := textSize(y, &n, 0); err != nil {
			return nil, err
		}
		charge(t, n)
	}
	return starlark.Binary(syntax.PERCENT, x, y)
}

func checkedIn(
	t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
) (starlark.Value, error) {
	x, y := two(args)
	switch y.(type) {
	case *starlark.List, starlark.Tuple, starlark.String:
		charge(t, sizeOf(y))
	}
	return starlark.Binary(syntax.IN, x, y)
}

// checkedMethod calls the bound method args[0] with the other arguments.
func checkedMethod(
	t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	if m, ok := args[0].(*starlark.Builtin); ok && m.Receiver() != nil {
		n, err := methodSize(m, args[1:], kwargs)
		if err != nil {
			return nil, err
		}
		if n > maxElements {
			return nil, tooLarge("the result of "+m.Name()+"()", n)
		}
		charge(t, int(n))
	}
	return starlark.Call(t, args[0], args[1:], kwargs)
}

// methodSize is a bound on the size of what a checked method gives.
func methodSize(m *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (int64, error) {
	self := sizeOf(m.Receiver())
	switch m.Name() {
	case "extend":
		if len(args) == 1 {
			return int64(self + sizeOf(args[0])), nil
		}
	case "join":
		return joinSize(self, args), nil
	case "replace":
		if len(args) >= 2 {
			return int64(self) + int64(self+1)*int64(sizeOf(args[1])), nil
		}
	case "format":
		n := self
		for _, a := range args {
			if err := textSize(a, &n, 0); err != nil {
				return 0, err
			}
		}
		for _, k := range kw {
			if err := textSize(k[1], &n, 0); err != nil {
				return 0, err
			}
		}
		// A field may stand in the text several times.
		return int64(n) * int64(1+self/2), nil
	}
	return 0, nil
}

func joinSize(sep int, args starlark.Tuple) int64 {
	n := int64(0)
	if len(args) != 1 {
		return 0
	}
	list, ok := args[0].(starlark.Iterable)
	if !ok {
		return 0
	}
	it := list.Iterate()
	defer it.Done()
	var v starlark.Value
	for it.Next(&v) {
		n += int64(sizeOf(v) + sep)
	}
	return n
}
