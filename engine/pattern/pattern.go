package pattern

import "fmt"

// Dialect is a syntax of regular expressions.
type Dialect uint8

const (
	Java Dialect = iota // java.util.regex
	RE2                 // github.com/google/re2: Java's without lookahead
)

// Pattern is a regular expression, ready to be matched. It never changes.
type Pattern struct {
	text string
	// programs are what lookaheads ask for, and last the pattern itself.
	programs []program
}

// Limits of what is read; beyond them a pattern is refused.
const (
	maxText  = 1000  // characters
	maxDepth = 50    // brackets within each other
	maxProg  = 5_000 // instructions: repetitions multiply them
	maxTimes = 1000  // n and m of {n,m}, as RE2 has it
)

// Parse reads a regular expression. Its error names the character, counted from 1, and what to
// write instead.
func Parse(text string, d Dialect) (*Pattern, error) {
	p := parser{text: []rune(text), dialect: d}
	if len(p.text) > maxText {
		return nil, fmt.Errorf("longer than %d characters", maxText)
	}
	n, err := p.alternatives(0)
	if err == nil && p.at < len(p.text) {
		err = p.errorf(p.at, "this bracket was never opened; write \\) for the character itself")
	}
	if err != nil {
		return nil, err
	}
	c := compiler{}
	c.program(n)
	if c.tooLarge() {
		return nil, fmt.Errorf("its repetitions make it larger than %d steps", maxProg)
	}
	return &Pattern{text: text, programs: c.done}, nil
}

// String is the pattern as it was written.
func (p *Pattern) String() string { return p.text }

// Matches says whether the whole of name matches, as Matcher.matches of Java does.
func (p *Pattern) Matches(name string) bool {
	return matches(p.programs, []rune(name))
}
