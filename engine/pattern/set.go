package pattern

// set is a set of characters.
type set struct {
	ranges  []rune // first and last, in pairs
	negated bool
	fold    bool  // letters of both cases, in ASCII as Java has it
	not     []set // sets whose complement belongs to it: \D within [...]
}

var (
	digit = set{ranges: []rune{'0', '9'}}
	word  = set{ranges: []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}}
	space = set{ranges: []rune{'\t', '\r', ' ', ' '}}
)

// classes are the sets that a letter after a backslash means; its capital means the complement.
var classes = map[rune]set{'d': digit, 'w': word, 's': space}

func (s *set) has(ch rune) bool {
	found := s.plain(ch)
	if s.fold && !found {
		found = s.plain(otherCase(ch))
	}
	for i := range s.not {
		found = found || !s.not[i].has(ch)
	}
	return found != s.negated
}

func (s *set) plain(ch rune) bool {
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i] <= ch && ch <= s.ranges[i+1] {
			return true
		}
	}
	return false
}

func otherCase(ch rune) rune {
	switch {
	case 'a' <= ch && ch <= 'z':
		return ch - 'a' + 'A'
	case 'A' <= ch && ch <= 'Z':
		return ch - 'A' + 'a'
	}
	return ch
}

// controls are characters written by a letter after a backslash.
var controls = map[rune]rune{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f', 'a': '\a'}

// escape reads what follows a backslash outside of a class.
func (p *parser) escape(start int) (*node, error) {
	switch {
	case p.take("A"):
		return &node{kind: kindBegin}, nil
	case p.take("z"), p.dialect == Java && p.take("Z"):
		return &node{kind: kindEnd}, nil
	case p.take("Q"):
		return p.quoted(), nil
	}
	n := &node{kind: kindSet, set: set{fold: p.fold}}
	return n, p.escaped(start, &n.set)
}

// quoted reads up to \E: every character stands for itself.
func (p *parser) quoted() *node {
	cat := &node{kind: kindCat}
	for p.more() && !p.take(`\E`) {
		cat.subs = append(cat.subs, p.single(p.text[p.at]))
		p.at++
	}
	return cat
}

// escaped adds to s what a backslash and the next characters mean.
func (p *parser) escaped(start int, s *set) error {
	if !p.more() {
		return p.errorf(start, "nothing follows the backslash; write \\\\ for the character itself")
	}
	ch := p.text[p.at]
	p.at++
	if c, ok := classes[ch]; ok {
		s.ranges = append(s.ranges, c.ranges...)
		return nil
	}
	if c, ok := classes[otherCase(ch)]; ok {
		s.not = append(s.not, c)
		return nil
	}
	if c, ok := controls[ch]; ok {
		s.ranges = append(s.ranges, c, c)
		return nil
	}
	if ch == 'x' {
		return p.hex(start, s)
	}
	if word.plain(ch) && ch != '_' {
		return p.errorf(start, "\\%c is not known here", ch)
	}
	s.ranges = append(s.ranges, ch, ch)
	return nil
}

func (p *parser) hex(start int, s *set) error {
	var n rune
	for range 2 {
		d := -1
		if p.more() {
			d = hexDigit(p.text[p.at])
		}
		if d < 0 {
			return p.errorf(start, "two hexadecimal digits must follow \\x")
		}
		n = n<<4 | rune(d)
		p.at++
	}
	s.ranges = append(s.ranges, n, n)
	return nil
}

func hexDigit(ch rune) int {
	switch {
	case '0' <= ch && ch <= '9':
		return int(ch - '0')
	case 'a' <= ch && ch <= 'f':
		return int(ch-'a') + 10
	case 'A' <= ch && ch <= 'F':
		return int(ch-'A') + 10
	}
	return -1
}

// class reads [...]; the opening bracket is read.
func (p *parser) class(start int) (*node, error) {
	n := &node{kind: kindSet, set: set{fold: p.fold}}
	n.set.negated = p.take("^")
	for first := p.at; ; {
		switch {
		case !p.more():
			return nil, p.errorf(start, "this bracket is never closed; write \\[ for the character itself")
		case p.at > first && p.take("]"):
			return n, nil
		case p.text[p.at] == ']':
			return nil, p.errorf(start, "nothing stands in the brackets; write \\] for the character itself")
		}
		if err := p.classItem(&n.set); err != nil {
			return nil, err
		}
	}
}

// classItem reads one character, one range or one escape.
func (p *parser) classItem(s *set) error {
	start := p.at
	if p.text[p.at] == '[' || p.take("&&") {
		return p.errorf(start, "classes within classes are not known here; write \\[ or \\& for the "+
			"character itself")
	}
	first, single, err := p.classCharacter(s)
	if err != nil || !single {
		return err
	}
	last := first
	if len(p.text)-p.at >= 2 && p.text[p.at] == '-' && p.text[p.at+1] != ']' {
		p.at++
		if last, single, err = p.classCharacter(s); err != nil {
			return err
		}
		if !single || last < first {
			return p.errorf(start, "a range must go upwards, as a-z; write \\- for the character itself")
		}
	}
	s.ranges = append(s.ranges, first, last)
	return nil
}

// classCharacter reads one character, or adds what an escape means to s; single says that it was
// one character.
func (p *parser) classCharacter(s *set) (ch rune, single bool, err error) {
	start := p.at
	ch = p.text[p.at]
	p.at++
	if ch != '\\' {
		return ch, true, nil
	}
	var e set
	if err := p.escaped(start, &e); err != nil {
		return 0, false, err
	}
	if len(e.ranges) == 2 && e.ranges[0] == e.ranges[1] {
		return e.ranges[0], true, nil
	}
	s.ranges, s.not = append(s.ranges, e.ranges...), append(s.not, e.not...)
	return 0, false, nil
}
