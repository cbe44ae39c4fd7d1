package ui

import "strings"

// keywords of Starlark and of the languages of code panels.
var keywords = wordSet(`and break case catch chan class const continue def default defer do elif
	else extends false final finally for from func go if implements import in interface lambda load map
	new nil None null not or package pass private public return select static struct super switch
	this throw throws true True False try type var void while with`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// Highlight gives each line of a program as HTML: escaped, with keywords (k), texts (s), numbers
// (n), called names (f) and comments (c) in <b class> elements. slashes says that // begins a
// comment; else # does.
func Highlight(text string, slashes bool) []string {
	var out []string
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		out = append(out, highlightLine(strings.TrimRight(line, "\r"), slashes))
	}
	return out
}

func highlightLine(line string, slashes bool) string {
	var b strings.Builder
	for line != "" {
		class, n := token(line, slashes)
		writeToken(&b, class, line[:n])
		line = line[n:]
	}
	return b.String()
}

func writeToken(b *strings.Builder, class, text string) {
	if class != "" {
		b.WriteString(`<b class="` + class + `">`)
	}
	b.WriteString(escape(text))
	if class != "" {
		b.WriteString("</b>")
	}
}

// token finds the class and the length of what line begins with.
func token(line string, slashes bool) (class string, n int) {
	c := line[0]
	switch {
	case c == '#' && !slashes, slashes && strings.HasPrefix(line, "//"):
		return "c", len(line)
	case c == '"' || c == '\'' || c == '`':
		return "s", textLength(line)
	case isDigit(c):
		return "n", spanOf(line, func(c byte) bool { return isDigit(c) || isLetter(c) || c == '.' })
	case isLetter(c):
		n = spanOf(line, func(c byte) bool { return isLetter(c) || isDigit(c) })
		switch {
		case keywords[line[:n]]:
			return "k", n
		case strings.HasPrefix(line[n:], "("):
			return "f", n
		}
		return "", n
	}
	return "", spanOf(line, func(c byte) bool {
		return !isLetter(c) && !isDigit(c) && !strings.ContainsRune("#\"'`/", rune(c))
	})
}

// textLength is the length of the text literal at the start of line, or of the rest of the line
// when it does not end there.
func textLength(line string) int {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case line[0]:
			return i + 1
		}
	}
	return len(line)
}

// spanOf counts the bytes at the start of line that fit; at least one.
func spanOf(line string, fits func(byte) bool) int {
	n := 1
	for n < len(line) && fits(line[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;")

func escape(text string) string { return escaper.Replace(text) }
