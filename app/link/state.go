package link

import "rebalancelab/engine/view"

// maxItems bounds the overrides and the commands of one link.
const maxItems = 1000

// Code implements [view.Coded].
func (s *State) Code(c *view.Coder) {
	c.String(&s.Engine)
	c.String(&s.Hash)
	c.Uint64(&s.Seed)
	c.String(&s.Variant)
	c.String(&s.Source)
	overrides, commands := len(s.Overrides), len(s.Commands)
	c.Int(&overrides)
	s.Overrides = sized(s.Overrides, overrides)
	for i := range s.Overrides {
		s.Overrides[i].Code(c)
	}
	c.Int(&commands)
	s.Commands = sized(s.Commands, commands)
	for i := range s.Commands {
		s.Commands[i].Code(c)
	}
	c.Int(&s.Step)
	c.Int64(&s.At)
	c.Int(&s.Index)
	c.Uint64(&s.Trace)
}

// sized is list itself while writing; while reading, room for what was announced, with one item too
// many standing for a number that no link has.
func sized[T any](list []T, n int) []T {
	if n == len(list) {
		return list
	}
	if n < 0 || n > maxItems {
		n = maxItems + 1
	}
	return make([]T, n)
}

func (s *State) tooMany() bool {
	return len(s.Overrides) > maxItems || len(s.Commands) > maxItems
}
