package session

import "rebalancelab/engine/view"

// The questions below are about the branch shown.

// At is the view of a moment.
func (s *Session) At(ns int64) (view.View, error) {
	var v view.View
	err := Ask(s.engine, view.OpView, &view.At{Lab: s.lab(), Time: ns, Index: -1}, &v)
	return v, err
}

// AtIndex is the view after so many events.
func (s *Session) AtIndex(index int) (view.View, error) {
	var v view.View
	err := Ask(s.engine, view.OpView, &view.At{Lab: s.lab(), Index: index}, &v)
	return v, err
}

// Events are rows around an event index.
func (s *Session) Events(index, before, after int, f view.Filter) (view.Lines, error) {
	var out view.Lines
	q := view.Events{Lab: s.lab(), From: index, Before: before, After: after, Filter: f}
	err := Ask(s.engine, view.OpEvents, &q, &out)
	return out, err
}

// Messages is the conversation around an event index.
func (s *Session) Messages(index, before, after int, f view.Filter) (view.Messages, error) {
	var out view.Messages
	q := view.Events{Lab: s.lab(), From: index, Before: before, After: after, Filter: f}
	err := Ask(s.engine, view.OpMessages, &q, &out)
	return out, err
}

// Message is one message whole.
func (s *Session) Message(id int64) (view.Message, error) {
	var m view.Message
	err := Ask(s.engine, view.OpMessage, &view.MessageOf{Lab: s.lab(), ID: id}, &m)
	return m, err
}

// Step is where a step from an event index leads.
func (s *Session) Step(index int, back bool, kind int, f view.Filter) (view.Moment, error) {
	var m view.Moment
	q := view.Step{Lab: s.lab(), Index: index, Back: back, Kind: kind, Filter: f}
	err := Ask(s.engine, view.OpStep, &q, &m)
	return m, err
}

// Config lists the settings of a client, or of the brokers for an empty name.
func (s *Session) Config(node string) (view.Config, error) {
	var c view.Config
	err := Ask(s.engine, view.OpConfig, &view.ConfigOf{Lab: s.lab(), Node: node}, &c)
	return c, err
}

// Story tells what happened just before a moment.
func (s *Session) Story(ns int64) (view.Lines, error) {
	var out view.Lines
	err := Ask(s.engine, view.OpStory, &view.At{Lab: s.lab(), Time: ns, Index: -1}, &out)
	return out, err
}

// lab is the number of the lab shown; the engine answers for 0 that there is none.
func (s *Session) lab() int {
	if b := s.Shown(); b != nil {
		return b.Lab
	}
	return 0
}
