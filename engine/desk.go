package engine

import (
	"encoding/binary"
	"errors"
	"fmt"

	"rebalancelab/engine/script"
	"rebalancelab/engine/view"
)

// MaxQuestion bounds the bytes of one question to a [Desk].
const MaxQuestion = 32 << 20

// maxLabs bounds the labs that a desk keeps.
const maxLabs = 64

// Desk answers the calls of a host: one byte of what is asked, then a struct of package view. It
// keeps the labs that were loaded, by number.
type Desk struct {
	labs   map[int]*Lab
	next   int
	paints []int32
}

// NewDesk returns a desk without labs.
func NewDesk() *Desk { return &Desk{labs: map[int]*Lab{}} }

// Answer answers one question. It never fails: an error is an answer. A broken invariant panics.
func (d *Desk) Answer(question []byte) []byte {
	if len(question) == 0 {
		return Refusal("an empty question")
	}
	answer, err := d.answer(view.Op(question[0]), question[1:])
	if err != nil {
		return problem(err)
	}
	return answer
}

// Refusal is an answer that says what is wrong.
func Refusal(text string) []byte { return problem(errors.New(text)) }

func problem(err error) []byte {
	p := view.Problem{Text: err.Error()}
	var at *script.Error
	if errors.As(err, &at) {
		p.File, p.Line, p.Col = at.File, at.Line, at.Col
	}
	return view.Encode([]byte{view.AnswerError}, &p)
}

// ok is an answer with a struct, or with nothing.
func ok(v view.Coded) ([]byte, error) {
	if v == nil {
		return []byte{view.AnswerOK}, nil
	}
	return view.Encode([]byte{view.AnswerOK}, v), nil
}

// read decodes the struct of a question.
func read(b []byte, v view.Coded) error {
	if !view.Decode(b, v) {
		return fmt.Errorf("the question is not a %T of ABI %d", v, view.ABI)
	}
	return nil
}

func (d *Desk) lab(n int) (*Lab, error) {
	l := d.labs[n]
	if l == nil {
		return nil, fmt.Errorf("no lab %d is loaded", n)
	}
	return l, nil
}

// answer is one switch: every call that a host can make, in the order of view.Op.
func (d *Desk) answer(op view.Op, b []byte) ([]byte, error) {
	switch op {
	case view.OpInfo:
		return ok(&view.Info{ABI: view.ABI, Engine: Version})
	case view.OpLoad:
		return d.load(b)
	case view.OpRun:
		return d.run(b)
	case view.OpView, view.OpPaint, view.OpStory:
		return d.look(op, b)
	case view.OpEvents, view.OpMessages:
		return d.list(op, b)
	case view.OpStep:
		var q view.Step
		if err := read(b, &q); err != nil {
			return nil, err
		}
		l, err := d.lab(q.Lab)
		if err != nil {
			return nil, err
		}
		m := l.Step(q)
		return ok(&m)
	case view.OpMessage:
		return d.message(b)
	case view.OpTimeline:
		var q view.Span
		if err := read(b, &q); err != nil {
			return nil, err
		}
		l, err := d.lab(q.Lab)
		if err != nil {
			return nil, err
		}
		return block(l.Timeline(q)), nil
	case view.OpVerdict, view.OpFree, view.OpScene:
		return d.whole(op, b)
	case view.OpConfig:
		var q view.ConfigOf
		if err := read(b, &q); err != nil {
			return nil, err
		}
		l, err := d.lab(q.Lab)
		if err != nil {
			return nil, err
		}
		c := l.Config(q.Node)
		return ok(&c)
	}
	return nil, fmt.Errorf("no such call %d in ABI %d", op, view.ABI)
}

func (d *Desk) load(b []byte) ([]byte, error) {
	var q view.Load
	if err := read(b, &q); err != nil {
		return nil, err
	}
	if len(d.labs) >= maxLabs {
		return nil, fmt.Errorf("%d labs are loaded; free one first", maxLabs)
	}
	l, err := Load(Options{
		File: q.File, Source: q.Source, Seed: q.Seed, Variant: q.Variant, Overrides: q.Overrides,
		Commands: q.Commands, CheckIndex: q.CheckIndex, CheckHash: q.CheckHash, Hops: q.Hops,
	})
	if err != nil {
		return nil, err
	}
	d.next++
	d.labs[d.next] = l
	a := l.Loaded()
	a.Lab = d.next
	return ok(&a)
}

func (d *Desk) run(b []byte) ([]byte, error) {
	var q view.Run
	if err := read(b, &q); err != nil {
		return nil, err
	}
	l, err := d.lab(q.Lab)
	if err != nil {
		return nil, err
	}
	if _, err := l.Advance(q.Events); err != nil {
		return nil, err
	}
	return ok(&view.Progress{
		Done: l.done, At: l.reached(), Events: l.log.Len(), Bytes: l.log.Bytes(), Hash: l.log.Hash(),
	})
}

func (d *Desk) look(op view.Op, b []byte) ([]byte, error) {
	var q view.At
	if err := read(b, &q); err != nil {
		return nil, err
	}
	l, err := d.lab(q.Lab)
	if err != nil {
		return nil, err
	}
	switch op {
	case view.OpPaint:
		d.paints = l.Paint(d.paints[:0], q)
		return block(d.paints), nil
	case view.OpStory:
		s := l.Story(q)
		return ok(&s)
	}
	v := l.View(q)
	return ok(&v)
}

func (d *Desk) list(op view.Op, b []byte) ([]byte, error) {
	var q view.Events
	if err := read(b, &q); err != nil {
		return nil, err
	}
	l, err := d.lab(q.Lab)
	if err != nil {
		return nil, err
	}
	if op == view.OpMessages {
		m := l.Messages(q)
		return ok(&m)
	}
	rows := l.Events(q)
	return ok(&rows)
}

func (d *Desk) message(b []byte) ([]byte, error) {
	var q view.MessageOf
	if err := read(b, &q); err != nil {
		return nil, err
	}
	l, err := d.lab(q.Lab)
	if err != nil {
		return nil, err
	}
	m, err := l.Message(q.ID)
	if err != nil {
		return nil, err
	}
	return ok(&m)
}

func (d *Desk) whole(op view.Op, b []byte) ([]byte, error) {
	var q view.LabOf
	if err := read(b, &q); err != nil {
		return nil, err
	}
	l, err := d.lab(q.Lab)
	if err != nil {
		return nil, err
	}
	switch op {
	case view.OpFree:
		l.Close()
		delete(d.labs, q.Lab)
		return ok(nil)
	case view.OpScene:
		s := l.Scene()
		return ok(&s)
	}
	v := l.Verdict()
	return ok(&v)
}

// block is the answer that carries plain int32 numbers. Three bytes of padding follow the first, so
// that the numbers stand at a multiple of four.
func block(numbers []int32) []byte {
	out := make([]byte, 4, 4+4*len(numbers))
	out[0] = view.AnswerOK
	for _, n := range numbers {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	return out
}
