package script

import (
	"fmt"
	"strconv"

	"go.starlark.net/starlark"
)

// Bounds on what a file or a program may build and how long it may run without a blocking call.
const (
	maxElements = 1_000_000 // elements of a list, characters of a text
	maxSteps    = 1_000_000
	maxDepth    = 100 // lists within lists, when a value is turned into a text
	maxIntBits  = 100_000
	maxIntText  = 10_000 // digits of a text turned into a number
)

// Reasons for ending a thread that took too many steps; see toError.
const (
	cancelled   = "Starlark computation cancelled: "
	stepsReason = "1000000 steps without a blocking call; a loop that never polls? call c.poll(), " +
		"sleep() or process() in it"
	assignReason = "1000000 steps to assign the partitions; is there an endless loop?"
	loadReason   = "the file takes more than 1000000 steps to load; is there an endless loop?"
)

// charge counts the work of building n elements as steps.
func charge(t *starlark.Thread, n int) { t.Steps += uint64(n / 16) }

func tooLarge(what string, n int64) error {
	return fmt.Errorf("%s would have %d elements, more than the limit of %d", what, n, maxElements)
}

// limitedNames are the language's own built-ins that are replaced by checked ones.
var limitedNames = []string{
	"range", "list", "tuple", "set", "dict", "sorted", "reversed", "zip", "enumerate", "bytes",
	"str", "repr", "int", "hash", "print",
}

// limited are the checked operators and built-ins, by name.
func limited() starlark.StringDict {
	d := starlark.StringDict{
		opAdd:    starlark.NewBuiltin(opAdd, checkedAdd),
		opExtend: starlark.NewBuiltin(opExtend, checkedExtend),
		opRepeat: starlark.NewBuiltin(opRepeat, checkedRepeat),
		opFormat: starlark.NewBuiltin(opFormat, checkedFormat),
		opIn:     starlark.NewBuiltin(opIn, checkedIn),
		opMethod: starlark.NewBuiltin(opMethod, checkedMethod),
		opNothing: starlark.NewBuiltin(opNothing, func(
			*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple,
		) (starlark.Value, error) {
			return starlark.None, nil
		}),
	}
	for _, name := range limitedNames {
		of := starlark.Universe[name].(*starlark.Builtin)
		d[name] = starlark.NewBuiltin(name, func(
			t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
		) (starlark.Value, error) {
			if err := checkBuilds(t, name, args); err != nil {
				return nil, err
			}
			return of.CallInternal(t, args, kwargs)
		})
	}
	return d
}

// checkBuilds refuses arguments of a built-in that would give too large a result.
func checkBuilds(t *starlark.Thread, name string, args starlark.Tuple) error {
	switch name {
	case "range":
		return checkRange(args)
	case "str", "repr", "print":
		n := 0
		for _, a := range args {
			if err := textSize(a, &n, 0); err != nil {
				return err
			}
		}
		charge(t, n)
		return nil
	case "int":
		if len(args) > 0 && sizeOf(args[0]) > maxIntText {
			return fmt.Errorf("int: a text of %d digits is too long", sizeOf(args[0]))
		}
		return nil
	}
	for _, a := range args {
		n := sizeOf(a)
		if n > maxElements {
			return tooLarge(name+"()", int64(n))
		}
		charge(t, n)
		if name == "sorted" {
			charge(t, 4*n)
		}
	}
	return nil
}

// checkRange bounds the number of elements, not only the list made of them: f(*range(...)) and
// min(range(...)) build or walk without a step.
func checkRange(args starlark.Tuple) error {
	var v [3]int64
	for i, a := range args {
		n, ok := a.(starlark.Int)
		if !ok || i >= len(v) {
			return nil
		}
		if v[i], ok = n.Int64(); !ok || v[i] > 1<<53 || v[i] < -1<<53 {
			return fmt.Errorf("range(): %s is too large", n)
		}
	}
	start, stop, step := v[0], v[1], v[2]
	switch {
	case len(args) == 1:
		start, stop, step = 0, v[0], 1
	case len(args) == 2:
		step = 1
	}
	if step == 0 {
		return nil
	}
	n := (stop - start) / step
	if n > maxElements {
		return tooLarge("range()", n)
	}
	return nil
}

// sizeOf is the number of elements or characters of a value; 0 when it has none.
func sizeOf(v starlark.Value) int {
	if n := starlark.Len(v); n > 0 {
		return n
	}
	return 0
}

func grows(v starlark.Value) bool {
	switch v.(type) {
	case starlark.String, starlark.Bytes, *starlark.List, starlark.Tuple:
		return true
	}
	return false
}

// textSize adds to n the length of v as a text, roughly; it fails when that is too much. Values may
// share parts, so a small one can have an endless text.
func textSize(v starlark.Value, n *int, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("a value is nested more than %d deep; it cannot be shown", maxDepth)
	}
	*n += 2
	switch v := v.(type) {
	case starlark.String:
		*n += len(v)
	case starlark.Bytes:
		*n += len(v)
	case starlark.Int:
		if _, ok := v.Int64(); !ok {
			*n += v.BigInt().BitLen() / 3
		}
	case *starlark.Dict:
		for k, e := range v.Entries() {
			if err := textSize(k, n, depth+1); err != nil {
				return err
			}
			if err := textSize(e, n, depth+1); err != nil {
				return err
			}
		}
	case starlark.Iterable:
		for e := range starlark.Elements(v) {
			if err := textSize(e, n, depth+1); err != nil {
				return err
			}
		}
	}
	if *n > maxElements {
		return fmt.Errorf("a text would have more than the limit of %s characters",
			strconv.Itoa(maxElements))
	}
	return nil
}
