package script

import "strings"

// Bounds on a source text. They are checked before it is parsed: the parser and the compiler work
// recursively, and a stack that overflows cannot be caught.
const (
	maxSource   = 256 << 10 // bytes
	maxNesting  = 100       // brackets within brackets
	maxIndent   = 60        // blocks within blocks
	maxChain    = 5000      // operators, dots and calls in one statement
	maxElif     = 1000      // elif branches in a file
	tooComplex  = "; nobody could read that: use variables or helper functions"
	sourceLimit = "the text has %d bytes, more than the limit of %d (256 KiB); is it the right file?"
)

// guardSource refuses a text that is too long or too deeply nested to be parsed safely.
func guardSource(file, text string) error {
	if len(text) > maxSource {
		return errorAt(Place{File: file}, sourceLimit, len(text), maxSource)
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		line := 1 + strings.Count(text[:i], "\n")
		return errorAt(Place{File: file, Line: line}, "there is a zero byte in the text; is it a text file?")
	}
	g := guard{file: file, text: text, line: 1, lineStart: true}
	return g.run()
}

// guard is a rough scanner: it knows strings, comments, brackets and lines, nothing more.
type guard struct {
	file, text string
	line       int
	depth      int // brackets open
	chain      int // operators in the present statement
	elif       int
	indents    []int
	lineStart  bool
}

func (g *guard) run() error {
	for i := 0; i < len(g.text); {
		if g.lineStart && g.depth == 0 {
			g.indent(i)
		}
		g.lineStart = false
		n := g.token(i)
		if err := g.check(); err != nil {
			return err
		}
		i += n
	}
	return nil
}

func (g *guard) check() error {
	place := Place{File: g.file, Line: g.line}
	switch {
	case g.depth > maxNesting:
		return errorAt(place, "more than %d brackets are open at once"+tooComplex, maxNesting)
	case len(g.indents) > maxIndent:
		return errorAt(place, "more than %d blocks are nested"+tooComplex, maxIndent)
	case g.chain > maxChain:
		return errorAt(place, "one statement has more than %d operators"+tooComplex, maxChain)
	case g.elif > maxElif:
		return errorAt(place, "more than %d elif branches"+tooComplex, maxElif)
	}
	return nil
}

// indent notes how far the line that starts at i is indented.
func (g *guard) indent(i int) {
	col := 0
	for i+col < len(g.text) && (g.text[i+col] == ' ' || g.text[i+col] == '\t') {
		col++
	}
	if i+col == len(g.text) || g.text[i+col] == '\n' || g.text[i+col] == '#' {
		return
	}
	for len(g.indents) > 0 && g.indents[len(g.indents)-1] >= col {
		g.indents = g.indents[:len(g.indents)-1]
	}
	if col > 0 {
		g.indents = append(g.indents, col)
	}
	g.chain = 0
}

// token handles what starts at i and says how long it is.
func (g *guard) token(i int) int {
	c := g.text[i]
	switch {
	case c == '\n':
		g.line++
		g.lineStart = true
		return 1
	case c == '#':
		return lineLength(g.text[i:])
	case c == '"' || c == '\'':
		n := stringLength(g.text[i:])
		g.line += strings.Count(g.text[i:i+n], "\n")
		return n
	case c == '(' || c == '[' || c == '{':
		g.depth++
		g.chain++
		return 1
	case c == ')' || c == ']' || c == '}':
		g.depth = max(0, g.depth-1)
		return 1
	case letter(c):
		return g.word(i)
	case strings.IndexByte("+-*/%~.<>=!|&^", c) >= 0:
		g.chain++
	}
	return 1
}

func letter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		c >= '0' && c <= '9' || c >= 0x80
}

func (g *guard) word(i int) int {
	n := 1
	for i+n < len(g.text) && letter(g.text[i+n]) {
		n++
	}
	switch g.text[i : i+n] {
	case "not", "lambda", "if", "else", "and", "or", "in", "for":
		g.chain++
	case "elif":
		g.elif++
	}
	return n
}

func lineLength(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

// stringLength is the length of the string literal that s starts with; an open one ends with its
// line, or with the text when it has three quotes.
func stringLength(s string) int {
	quote := s[:1]
	if strings.HasPrefix(s, quote+quote+quote) {
		quote = s[:3]
	}
	for i := len(quote); i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '\n' && len(quote) == 1:
			return i
		case strings.HasPrefix(s[i:], quote):
			return i + len(quote)
		}
	}
	return len(s)
}
