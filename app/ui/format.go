package ui

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Clock is a moment as mm:ss.mmm.
func Clock(ns int64) string {
	ms := max(ns, 0) / int64(time.Millisecond)
	return pad(ms/60_000, 2) + ":" + pad(ms/1000%60, 2) + "." + pad(ms%1000, 3)
}

// Left is what is left of a time, in seconds with one decimal: "44.9 s".
func Left(ns int64) string {
	tenths := max(ns, 0) / int64(100*time.Millisecond)
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + " s"
}

// Millis is a length of time as the page writes short ones: "850 ms", "12.5 s".
func Millis(ms int64) string {
	if ms < 1000 {
		return strconv.FormatInt(ms, 10) + " ms"
	}
	return Left(ms * int64(time.Millisecond))
}

// Speeds are the choices of how fast time runs, slowest first.
var Speeds = []float64{0.001, 0.01, 0.1, 0.25, 0.5, 1, 2, 4, 10, 30, 100}

// Speed is a speed as the page writes it: "0.25x".
func Speed(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) + "\u00d7" }

// Sentence makes an error text one for readers: a capital first, a full stop last.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return ""
	}
	if first, _, _ := strings.Cut(text, " "); !strings.Contains(strings.TrimSuffix(first, "."), ".") {
		text = string(unicode.ToUpper(r)) + text[n:] // a file's name stays as it is
	}
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// Offset is an offset; one that is not known is a dash.
func Offset(n int64) string {
	if n < 0 {
		return "\u2013"
	}
	return Num(n)
}

// Num is a bare number.
func Num(n int64) string { return strconv.FormatInt(n, 10) }

// Hex is bytes as a dump: offset, sixteen bytes, and what is printable of them.
func Hex(b []byte) string {
	const width = 16
	const digits = "0123456789abcdef"
	var out strings.Builder
	for from := 0; from < len(b); from += width {
		line := b[from:min(from+width, len(b))]
		out.WriteString(padHex(from))
		out.WriteString("  ")
		for i := range width {
			if i < len(line) {
				out.WriteByte(digits[line[i]>>4])
				out.WriteByte(digits[line[i]&15])
				out.WriteByte(' ')
			} else {
				out.WriteString("   ")
			}
		}
		out.WriteByte(' ')
		for _, c := range line {
			if c < 32 || c > 126 {
				c = '.'
			}
			out.WriteByte(c)
		}
		out.WriteByte('\n')
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func padHex(n int) string {
	s := strconv.FormatInt(int64(n), 16)
	return strings.Repeat("0", max(4-len(s), 0)) + s
}

func pad(n int64, width int) string {
	s := Num(n)
	return strings.Repeat("0", max(width-len(s), 0)) + s
}
