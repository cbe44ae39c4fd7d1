package pattern

import (
	"fmt"
	"strings"
)

// kind is what a node of a parsed pattern means.
type kind uint8

const (
	kindEmpty    kind = iota
	kindSet           // one character
	kindCat           // one after the other
	kindAlt           // one of them
	kindRepeat        // subs[0], least to most times
	kindBegin         // of the name
	kindEnd           // of the name
	kindAhead         // subs[0] must follow
	kindNotAhead      // subs[0] must not follow
)

// node is a part of a parsed pattern.
type node struct {
	kind        kind
	set         set
	subs        []*node
	least, most int // most is -1 for no end
}

// parser reads a pattern from left to right.
type parser struct {
	text    []rune
	at      int
	dialect Dialect
	fold    bool // (?i) is on
}

func (p *parser) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("character %d: %s", at+1, fmt.Sprintf(format, args...))
}

func (p *parser) more() bool { return p.at < len(p.text) }

// take goes past s if it stands here.
func (p *parser) take(s string) bool {
	if len(p.text)-p.at < len(s) || string(p.text[p.at:p.at+len(s)]) != s {
		return false
	}
	p.at += len(s)
	return true
}

// alternatives reads up to the end or to the bracket that closes.
func (p *parser) alternatives(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, p.errorf(p.at, "more than %d brackets within each other", maxDepth)
	}
	alt := &node{kind: kindAlt}
	fold := p.fold
	for {
		n, err := p.sequence(depth)
		if err != nil {
			return nil, err
		}
		alt.subs = append(alt.subs, n)
		if !p.take("|") {
			break
		}
	}
	p.fold = fold // a flag holds to the end of its group
	if len(alt.subs) == 1 {
		return alt.subs[0], nil
	}
	return alt, nil
}

func (p *parser) sequence(depth int) (*node, error) {
	cat := &node{kind: kindCat}
	for p.more() && p.text[p.at] != '|' && p.text[p.at] != ')' {
		n, err := p.atom(depth)
		if err == nil {
			n, err = p.repeated(n)
		}
		if err != nil {
			return nil, err
		}
		cat.subs = append(cat.subs, n)
	}
	return cat, nil
}

// atom reads what a repetition may follow.
func (p *parser) atom(depth int) (*node, error) {
	start := p.at
	ch := p.text[p.at]
	p.at++
	switch ch {
	case '.':
		return &node{kind: kindSet, set: set{negated: true, ranges: []rune{'\n', '\n', '\r', '\r'}}}, nil
	case '^':
		return &node{kind: kindBegin}, nil
	case '$':
		return &node{kind: kindEnd}, nil
	case '*', '+', '?', '{':
		return nil, p.errorf(start, "nothing stands before %c to be repeated; write .%c for any "+
			"characters, or \\%c for the character itself", ch, '*', ch)
	case '[':
		return p.class(start)
	case '(':
		return p.group(start, depth)
	case '\\':
		return p.escape(start)
	}
	return p.single(ch), nil
}

func (p *parser) single(ch rune) *node {
	return &node{kind: kindSet, set: set{ranges: []rune{ch, ch}, fold: p.fold}}
}

// group reads what stands in round brackets; the opening one is read.
func (p *parser) group(start, depth int) (*node, error) {
	around := kindEmpty
	fold := p.fold
	switch {
	case !p.take("?"):
	case p.take(":"):
	case p.take("i:"):
		p.fold = true
	case p.take("i)"):
		p.fold = true
		return &node{kind: kindEmpty}, nil
	case p.dialect == Java && p.take("="):
		around = kindAhead
	case p.dialect == Java && p.take("!"):
		around = kindNotAhead
	case p.name():
	default:
		return nil, p.unknownGroup(start)
	}
	n, err := p.alternatives(depth + 1)
	if err != nil {
		return nil, err
	}
	p.fold = fold
	if !p.take(")") {
		return nil, p.errorf(start, "this bracket is never closed; write \\( for the character itself")
	}
	if around != kindEmpty {
		return &node{kind: around, subs: []*node{n}}, nil
	}
	return n, nil
}

// name goes past the name of a group: (?<name>...), or RE2's (?P<name>...).
func (p *parser) name() bool {
	back := p.at
	if p.dialect == RE2 {
		p.take("P")
	}
	if p.take("<") {
		for first := p.at; p.more() && isWord(p.text[p.at]); {
			p.at++
			if p.at > first && p.take(">") {
				return true
			}
		}
	}
	p.at = back
	return false
}

func isWord(ch rune) bool { return word.has(ch) }

func (p *parser) unknownGroup(start int) error {
	rest := string(p.text[p.at:min(p.at+2, len(p.text))])
	switch {
	case strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "!"):
		return p.errorf(start, "RE2 has no lookahead (?%s; list what is meant instead", rest[:1])
	case rest == "<=" || rest == "<!":
		return p.errorf(start, "lookbehind (?%s is not known here; list what is meant instead", rest)
	}
	return p.errorf(start, "(?%s is not known here; there are (?:...), (?i) and, in Java, (?=...) "+
		"and (?!...)", rest)
}

// repeated reads *, +, ?, {n}, {n,} or {n,m} after n. A following ? asks for the shortest match,
// which is all the same here.
func (p *parser) repeated(n *node) (*node, error) {
	start := p.at
	r := &node{kind: kindRepeat, subs: []*node{n}, most: -1}
	switch {
	case p.take("*"):
	case p.take("+"):
		r.least = 1
	case p.take("?"):
		r.most = 1
	case p.take("{"):
		if err := p.times(start, r); err != nil {
			return nil, err
		}
	default:
		return n, nil
	}
	p.take("?")
	if p.more() && p.text[p.at] == '+' {
		return nil, p.errorf(p.at, "possessive repetition is not known here; leave the + out")
	}
	return r, nil
}

func (p *parser) times(start int, r *node) error {
	var ok bool
	if r.least, ok = p.number(); !ok {
		return p.badTimes(start)
	}
	r.most = r.least
	if p.take(",") {
		if r.most, ok = p.number(); !ok {
			r.most = -1
		}
	}
	if !p.take("}") || r.least > maxTimes || r.most > maxTimes || r.most >= 0 && r.most < r.least {
		return p.badTimes(start)
	}
	return nil
}

func (p *parser) badTimes(start int) error {
	return p.errorf(start, "a repetition is written {2}, {2,} or {2,5}, up to %d; write \\{ for the "+
		"character itself", maxTimes)
}

func (p *parser) number() (n int, ok bool) {
	for p.more() && p.text[p.at] >= '0' && p.text[p.at] <= '9' && n <= maxTimes {
		n, ok = n*10+int(p.text[p.at]-'0'), true
		p.at++
	}
	return n, ok
}
