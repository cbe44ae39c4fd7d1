package lessons

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"
)

//go:embed all:*
var files embed.FS

// Text is a text by language.
type Text map[string]string

// Lesson is one lesson as the page gets it.
type Lesson struct {
	ID       string   `json:"id"`
	Chapter  string   `json:"chapter"`
	Order    int      `json:"order"`
	Minutes  int      `json:"minutes"`
	Seed     uint64   `json:"seed"`
	Start    string   `json:"start"`
	Title    Text     `json:"title"`
	Summary  Text     `json:"summary"`
	Rows     []string `json:"rows"`
	Source   string   `json:"source"`
	Solution string   `json:"solution"`
	Hash     string   `json:"hash"`
	Panels   []Panel  `json:"panels"`
	Steps    []Step   `json:"steps"`
	Picture  string   `json:"picture"`
}

// Panel is the lesson's loop in another language, to read.
type Panel struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Step is one step of a lesson. Texts other than option words are HTML.
type Step struct {
	ID      string          `json:"id"`
	Title   Text            `json:"title"`
	HTML    Text            `json:"html"`
	Predict string          `json:"predict"`
	Order   []string        `json:"order"`
	Options map[string]Text `json:"options"`
	Why     Text            `json:"why"`
	Truth   Text            `json:"truth"`
	Goal    Text            `json:"goal"`
}

// Story is a scenario of the library.
type Story struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Sentences string   `json:"sentences"`
	Rows      []string `json:"rows"`
	Source    string   `json:"source"`
}

// Chapter is a group of lessons on the map of the course.
type Chapter struct {
	ID    string `json:"id"`
	Title Text   `json:"title"`
}

// Course is everything.
type Course struct {
	Chapters []Chapter `json:"chapters"`
	Lessons  []Lesson  `json:"lessons"`
	Library  []Story   `json:"library"`
}

// chapters of the course, in order; those without a lesson are not shown.
var chapters = []Chapter{
	{"poll", Text{"en": "Pull and poll"}},
	{"commit", Text{"en": "Commit"}},
	{"liveness", Text{"en": "Liveness"}},
	{"coordinator", Text{"en": "Coordinator"}},
	{"rebalance", Text{"en": "Rebalance"}},
	{"assignors", Text{"en": "Assignors"}},
	{"cooperative", Text{"en": "Cooperative"}},
	{"static", Text{"en": "Static"}},
	{"kip-848", Text{"en": "KIP-848"}},
	{"field", Text{"en": "From the field"}},
}

// Load reads and checks the whole course.
func Load() (*Course, error) { return load(files) }

func load(root fs.FS) (*Course, error) {
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, err
	}
	c := &Course{Chapters: chapters}
	for _, e := range entries {
		if _, err := fs.Stat(root, path.Join(e.Name(), "lesson.txt")); err != nil {
			continue
		}
		l, err := loadLesson(root, e.Name())
		if err != nil {
			return nil, err
		}
		c.Lessons = append(c.Lessons, *l)
	}
	place := map[string]int{}
	for i, ch := range chapters {
		place[ch.ID] = i
	}
	sort.SliceStable(c.Lessons, func(i, j int) bool {
		a, b := c.Lessons[i], c.Lessons[j]
		if a.Chapter != b.Chapter {
			return place[a.Chapter] < place[b.Chapter]
		}
		return a.Order < b.Order
	})
	c.Library, err = loadLibrary(root)
	return c, err
}

func loadLesson(root fs.FS, dir string) (*Lesson, error) {
	l := &Lesson{ID: dir, Title: Text{}, Summary: Text{}, Seed: 1}
	if err := l.readMeta(root); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name string
		into *string
	}{{"scenario.star", &l.Source}, {"solution.star", &l.Solution}, {"picture.svg", &l.Picture}} {
		b, err := fs.ReadFile(root, path.Join(dir, f.name))
		if err != nil {
			return nil, err
		}
		*f.into = string(b)
	}
	l.Rows = rowsOf(l.Source)
	sum := sha256.Sum256([]byte(l.Source))
	l.Hash = hex.EncodeToString(sum[:8])
	for _, lang := range []string{"en", "ru", "zh"} {
		b, err := fs.ReadFile(root, path.Join(dir, lang+".md"))
		if err != nil && lang == "en" {
			return nil, err
		} else if err != nil {
			continue
		}
		if err := l.readText(lang, dir+"/"+lang+".md", string(b)); err != nil {
			return nil, err
		}
	}
	return l, l.readPanels(root)
}

// readMeta reads lesson.txt.
func (l *Lesson) readMeta(root fs.FS) error {
	name := path.Join(l.ID, "lesson.txt")
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		n, _ := strconv.Atoi(value)
		switch {
		case !ok:
			return fmt.Errorf("%s:%d: %q is not name: value", name, i+1, line)
		case key == "chapter":
			l.Chapter = value
		case key == "order":
			l.Order = n
		case key == "minutes":
			l.Minutes = n
		case key == "seed":
			l.Seed = uint64(n)
		case key == "start":
			l.Start = value
		default:
			return fmt.Errorf("%s:%d: no such name %q", name, i+1, key)
		}
	}
	for _, ch := range chapters {
		if ch.ID == l.Chapter {
			return nil
		}
	}
	return fmt.Errorf("%s: no such chapter %q", name, l.Chapter)
}

func (l *Lesson) readPanels(root fs.FS) error {
	names, err := fs.Glob(root, path.Join(l.ID, "panels", "*.txt"))
	if err != nil {
		return err
	}
	for _, name := range names {
		b, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		title, text, ok := strings.Cut(string(b), "\n")
		if !ok {
			return fmt.Errorf("%s: the first line is the title, the rest the text", name)
		}
		id := strings.TrimSuffix(path.Base(name), ".txt")
		l.Panels = append(l.Panels, Panel{ID: id, Title: title, Text: text})
	}
	return nil
}

func loadLibrary(root fs.FS) ([]Story, error) {
	names, err := fs.Glob(root, "library/*.star")
	if err != nil {
		return nil, err
	}
	var out []Story
	for _, name := range names {
		b, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, err
		}
		s := Story{ID: strings.TrimSuffix(path.Base(name), ".star"), Source: string(b)}
		s.Rows = rowsOf(s.Source)
		s.Title, s.Sentences = headOf(s.Source)
		if s.Title == "" {
			return nil, fmt.Errorf("%s:1: a story begins with # Title and then # sentences", name)
		}
		out = append(out, s)
	}
	return out, nil
}

// headOf takes the title and the sentences from the comment at the top of a story.
func headOf(source string) (title, sentences string) {
	var rest []string
	for _, line := range strings.Split(source, "\n") {
		text, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		text = strings.TrimSpace(text)
		if title == "" {
			title = text
		} else if text != "" {
			rest = append(rest, text)
		}
	}
	return title, strings.Join(rest, " ")
}

// rowsOf reads the rows("S08", ...) line of a scenario without running it.
func rowsOf(source string) []string {
	var out []string
	for _, line := range strings.Split(source, "\n") {
		args, ok := strings.CutPrefix(line, "rows(")
		if !ok {
			continue
		}
		for _, a := range strings.Split(strings.TrimRight(args, ") \t"), ",") {
			if a = strings.Trim(a, " \t\""); a != "" {
				out = append(out, a)
			}
		}
	}
	return out
}

// Files lists every scenario of the course: path inside the lessons folder and text.
func Files() (map[string]string, error) {
	out := map[string]string{}
	for _, pattern := range []string{"*/scenario.star", "library/*.star"} {
		names, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			b, err := fs.ReadFile(files, name)
			if err != nil {
				return nil, err
			}
			out[name] = string(b)
		}
	}
	return out, nil
}
