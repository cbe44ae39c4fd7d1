package course

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Text is a text by language.
type Text map[string]string

// In is the text in a language, or in English where that is missing.
func (t Text) In(lang string) string {
	if s, ok := t[lang]; ok {
		return s
	}
	return t["en"]
}

// Chapter is a group of lessons.
type Chapter struct {
	ID    string `json:"id"`
	Title Text   `json:"title"`
}

// Panel is a lesson's loop in another language, to read.
type Panel struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Step is one step of a lesson. HTML, Why, Truth and Goal are HTML that was sanitised when the
// bundle was made; words of options are plain.
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

// Lesson is one lesson.
type Lesson struct {
	ID       string   `json:"id"`
	Chapter  string   `json:"chapter"`
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

// Story is a scenario of the library.
type Story struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Sentences string   `json:"sentences"`
	Rows      []string `json:"rows"`
	Source    string   `json:"source"`
}

// Course is the whole bundle. Lessons stand in the order of the course.
type Course struct {
	Chapters []Chapter `json:"chapters"`
	Lessons  []Lesson  `json:"lessons"`
	Library  []Story   `json:"library"`

	library []byte // JSON of Library while nobody has asked for it
}

// libraryKey begins the library in the bundle, as its last member. Nothing else looks like it: in
// texts, quotes stand behind a backslash.
var libraryKey = []byte(`,"library":`)

// Parse reads the bundle but for the library. That is nine tenths of it, and a lesson needs none of
// it: reading it would only put off the first lesson.
func Parse(bundle []byte) (*Course, error) {
	head, library, found := bytes.Cut(bytes.TrimSpace(bundle), libraryKey)
	if found {
		head = append(bytes.Clone(head), '}')
	}
	c := &Course{library: bytes.TrimSuffix(library, []byte("}"))}
	if err := json.Unmarshal(head, c); err != nil {
		return nil, fmt.Errorf("the lessons could not be read: %w", err)
	}
	return c, nil
}

// Stories are the scenarios of the library. They are read when somebody asks for the first time; a
// bundle that cannot be read is a fault of the build.
func (c *Course) Stories() []Story {
	if c.library != nil {
		if err := json.Unmarshal(c.library, &c.Library); err != nil {
			panic("the library of the bundle is not JSON: " + err.Error())
		}
		c.library = nil
	}
	return c.Library
}

// Lesson finds a lesson and its place in the course, counted from 0; -1 when there is none.
func (c *Course) Lesson(id string) (*Lesson, int) {
	for i := range c.Lessons {
		if c.Lessons[i].ID == id {
			return &c.Lessons[i], i
		}
	}
	return nil, -1
}

// Story finds a scenario of the library; nil when there is none.
func (c *Course) Story(id string) *Story {
	if id == "" {
		return nil
	}
	stories := c.Stories()
	for i := range stories {
		if stories[i].ID == id {
			return &stories[i]
		}
	}
	return nil
}

// ChapterTitle is the title of a chapter in a language.
func (c *Course) ChapterTitle(id, lang string) string {
	for _, ch := range c.Chapters {
		if ch.ID == id {
			return ch.Title.In(lang)
		}
	}
	return id
}
