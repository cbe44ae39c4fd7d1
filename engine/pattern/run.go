package pattern

// op is what an instruction does.
type op uint8

const (
	opSet      op = iota // one character of set, then the next instruction
	opSplit              // x or y
	opJump               // x
	opBegin              // only at the beginning
	opEnd                // only at the end
	opAhead              // ahead must match from here
	opNotAhead           // ahead must not match from here
	opMatch
)

// inst is one instruction of a program.
type inst struct {
	op   op
	set  set
	x, y int
}

// program is a compiled pattern, or what a lookahead asks for.
type program []inst

// compiler turns a parsed pattern into programs. What a lookahead asks for comes before the program
// that it stands in.
type compiler struct {
	done []program
	prog program // in the making
	size int     // of all
}

func (c *compiler) tooLarge() bool { return c.size > maxProg }

// program compiles n and says where it stands.
func (c *compiler) program(n *node) int {
	outer := c.prog
	c.prog = nil
	c.emit(n)
	c.add(inst{op: opMatch})
	c.done = append(c.done, c.prog)
	c.prog = outer
	return len(c.done) - 1
}

func (c *compiler) add(i inst) int {
	c.size++
	c.prog = append(c.prog, i)
	return len(c.prog) - 1
}

func (c *compiler) emit(n *node) {
	if c.tooLarge() {
		return
	}
	switch n.kind {
	case kindSet:
		c.add(inst{op: opSet, set: n.set})
	case kindCat:
		for _, sub := range n.subs {
			c.emit(sub)
		}
	case kindAlt:
		c.emitAlt(n.subs)
	case kindRepeat:
		c.emitRepeat(n)
	case kindBegin:
		c.add(inst{op: opBegin})
	case kindEnd:
		c.add(inst{op: opEnd})
	case kindAhead:
		c.add(inst{op: opAhead, x: c.program(n.subs[0])})
	case kindNotAhead:
		c.add(inst{op: opNotAhead, x: c.program(n.subs[0])})
	}
}

func (c *compiler) emitAlt(subs []*node) {
	var ends []int
	for _, sub := range subs[:len(subs)-1] {
		split := c.add(inst{op: opSplit})
		c.prog[split].x = split + 1
		c.emit(sub)
		ends = append(ends, c.add(inst{op: opJump}))
		c.prog[split].y = len(c.prog)
	}
	c.emit(subs[len(subs)-1])
	for _, end := range ends {
		c.prog[end].x = len(c.prog)
	}
}

func (c *compiler) emitRepeat(n *node) {
	for range n.least {
		c.emit(n.subs[0])
	}
	if n.most < 0 {
		split := c.add(inst{op: opSplit})
		c.prog[split].x = split + 1
		c.emit(n.subs[0])
		c.add(inst{op: opJump, x: split})
		c.prog[split].y = len(c.prog)
		return
	}
	var splits []int
	for range n.most - n.least {
		split := c.add(inst{op: opSplit})
		c.prog[split].x = split + 1
		splits = append(splits, split)
		c.emit(n.subs[0])
	}
	for _, split := range splits {
		c.prog[split].y = len(c.prog)
	}
}

// matches goes through name from its end and notes for each program from which instructions the
// rest of name matches: for a lookahead any part of the rest, for the pattern itself the whole.
func matches(programs []program, name []rune) bool {
	here, after := noMatches(programs), noMatches(programs)
	for at := len(name); at >= 0; at-- {
		here, after = after, here
		for i, p := range programs {
			clear(here[i])
			for p.improve(here, after, i, name, at) {
			}
		}
	}
	return here[len(programs)-1][0]
}

func noMatches(programs []program) [][]bool {
	all := make([][]bool, len(programs))
	for i, p := range programs {
		all[i] = make([]bool, len(p))
	}
	return all
}

// improve goes once through program number own, backwards, and says whether it has learnt that one
// more instruction matches; loops need several turns.
func (p program) improve(here, after [][]bool, own int, name []rune, at int) (learnt bool) {
	ok := here[own]
	for pc := len(p) - 1; pc >= 0; pc-- {
		if ok[pc] {
			continue
		}
		switch i := &p[pc]; i.op {
		case opMatch:
			ok[pc] = at == len(name) || own < len(here)-1
		case opSet:
			ok[pc] = at < len(name) && i.set.has(name[at]) && after[own][pc+1]
		case opSplit:
			ok[pc] = ok[i.x] || ok[i.y]
		case opJump:
			ok[pc] = ok[i.x]
		case opBegin:
			ok[pc] = at == 0 && ok[pc+1]
		case opEnd:
			ok[pc] = at == len(name) && ok[pc+1]
		case opAhead:
			ok[pc] = here[i.x][0] && ok[pc+1]
		case opNotAhead:
			ok[pc] = !here[i.x][0] && ok[pc+1]
		}
		learnt = learnt || ok[pc]
	}
	return learnt
}
