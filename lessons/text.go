package lessons

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
)

// timeLink is a link that moves the cursor: t:12s or event:... in its address.
var timeLink = regexp.MustCompile(`<a href="(t|event):([^"]*)">`)

// html renders Markdown. Raw HTML in a text is left out by the renderer, so that the page may insert
// the result as it is.
func html(markdown string) (string, error) {
	var b bytes.Buffer
	if err := goldmark.Convert([]byte(markdown), &b); err != nil {
		return "", err
	}
	s := timeLink.ReplaceAllString(b.String(), `<a href="#" data-$1="$2">`)
	return strings.TrimSpace(s), nil
}

// section is a heading of depth 1 to 3 with what stands under it.
type section struct {
	depth int
	title string
	body  string
	line  int
}

func sections(text string) []section {
	var out []section
	var body []string
	fence := false
	flush := func() {
		if len(out) > 0 {
			out[len(out)-1].body = strings.TrimSpace(strings.Join(body, "\n"))
		}
		body = nil
	}
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			fence = !fence
		}
		depth := len(line) - len(strings.TrimLeft(line, "#"))
		if !fence && depth >= 1 && depth <= 3 && strings.HasPrefix(line[depth:], " ") {
			flush()
			out = append(out, section{depth: depth, title: strings.TrimSpace(line[depth:]), line: i + 1})
			continue
		}
		body = append(body, line)
	}
	flush()
	return out
}

// readText reads one language of the lesson.
func (l *Lesson) readText(lang, name, text string) error {
	step := -1
	for _, s := range sections(text) {
		var err error
		switch s.depth {
		case 1:
			l.Title[lang], l.Summary[lang] = s.title, s.body
		case 2:
			step++
			err = l.readStep(lang, step, s)
		case 3:
			if step < 0 {
				return fmt.Errorf("%s:%d: %q stands before the first step", name, s.line, s.title)
			}
			err = l.Steps[step].readPart(lang, s)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, s.line, err)
		}
	}
	if l.Title[lang] == "" || step < 0 {
		return fmt.Errorf("%s: a lesson needs a title and a step", name)
	}
	if lang != "en" && step+1 != len(l.Steps) {
		return fmt.Errorf("%s: %d steps, en.md has %d", name, step+1, len(l.Steps))
	}
	return nil
}

func (l *Lesson) readStep(lang string, n int, s section) error {
	if n == len(l.Steps) {
		if lang != "en" {
			return fmt.Errorf("step %q is not in en.md", s.title)
		}
		l.Steps = append(l.Steps, Step{
			ID: fmt.Sprintf("step-%d", n+1), Title: Text{}, HTML: Text{}, Options: map[string]Text{},
			Why: Text{}, Truth: Text{}, Goal: Text{},
		})
	}
	l.Steps[n].Title[lang] = s.title
	var err error
	l.Steps[n].HTML[lang], err = html(s.body)
	return err
}

func (p *Step) readPart(lang string, s section) error {
	word, rest, _ := strings.Cut(s.title, " ")
	var err error
	switch word {
	case "Predict":
		return p.readOptions(lang, strings.TrimSpace(rest), s.body)
	case "Why":
		p.Why[lang], err = html(s.body)
	case "Textbook":
		p.Truth[lang], err = html(s.body)
	case "Goal":
		p.Goal[lang], err = html(s.body)
	default:
		err = fmt.Errorf("no such part %q: Predict, Why, Textbook or Goal", word)
	}
	return err
}

func (p *Step) readOptions(lang, key, body string) error {
	if key == "" {
		return fmt.Errorf("### Predict needs the key of the prediction")
	}
	p.Predict = key
	for _, line := range strings.Split(body, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		option, words, ok := strings.Cut(strings.TrimPrefix(line, "- "), ":")
		if !ok || !strings.HasPrefix(line, "- ") {
			return fmt.Errorf("%q is not - option: words", line)
		}
		if p.Options[option] == nil {
			p.Options[option] = Text{}
			p.Order = append(p.Order, option)
		}
		p.Options[option][lang] = strings.TrimSpace(words)
	}
	return nil
}

// Bundle is the course as the one JSON file that the page loads.
func Bundle() ([]byte, error) {
	c, err := Load()
	if err != nil {
		return nil, err
	}
	return json.Marshal(c)
}
