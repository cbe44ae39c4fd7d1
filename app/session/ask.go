package session

import (
	"errors"
	"fmt"

	"rebalancelab/engine/view"
)

// Engine answers questions of package view, one at a time and in order.
type Engine interface {
	// Call takes the Op byte followed by the question's struct. An error means that the engine itself
	// ended: its labs are gone.
	Call(question []byte) ([]byte, error)
}

// Problem is an error that the engine answered: the scenario, a command or a number is wrong.
type Problem struct{ view.Problem }

// Error implements error.
func (p *Problem) Error() string { return p.Text }

// ErrAnswer means that the engine speaks another ABI than this page.
var ErrAnswer = errors.New("the engine's answer cannot be read: page and engine are of different " +
	"versions; reload the page")

// Ask puts one question and reads the answer into a, which may be nil for an empty one.
func Ask(e Engine, op view.Op, q, a view.Coded) error {
	question := []byte{byte(op)}
	if q != nil {
		question = view.Encode(question, q)
	}
	answer, err := e.Call(question)
	switch {
	case err != nil:
		return err
	case len(answer) == 0:
		return ErrAnswer
	case answer[0] == view.AnswerError:
		p := &Problem{}
		if !view.Decode(answer[1:], &p.Problem) {
			return ErrAnswer
		}
		return p
	case a != nil && !view.Decode(answer[1:], a):
		return fmt.Errorf("call %d: %w", op, ErrAnswer)
	}
	return nil
}
