package script

import (
	"errors"

	"go.starlark.net/starlark"

	"rebalancelab/engine/client"
)

// programError is an error that a program raises itself; traced means that a record has been marked
// as failed for it.
type programError struct {
	name   string
	text   string
	traced bool
}

func (e *programError) Error() string { return e.text }

// errorValue is an error in a program's hand: the second value of attempt(), or what a callback of
// commit_async gets.
type errorValue struct {
	opaque
	name      string
	text      string
	retriable bool
}

var errorFields = []string{"name", "text", "retriable"}

func (e *errorValue) String() string      { return e.text }
func (e *errorValue) Type() string        { return "error" }
func (e *errorValue) AttrNames() []string { return errorFields }

// Attr gives name (Kafka's or the Java client's), text and retriable.
func (e *errorValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "name":
		return starlark.String(e.name), nil
	case "text":
		return starlark.String(e.text), nil
	case "retriable":
		return starlark.Bool(e.retriable), nil
	}
	return nil, noField("error", name, errorFields)
}

// errorOf makes an error a value; None for none.
func errorOf(err error) starlark.Value {
	if err == nil {
		return starlark.None
	}
	v := &errorValue{name: "Error", text: err.Error()}
	var own *programError
	var at *Error
	switch {
	case errors.As(err, &own):
		v.name, v.text = own.name, own.text
	case errors.As(err, &at):
		v.text = at.Msg
	default:
		v.name, v.retriable = client.ErrorName(err)
	}
	return v
}
