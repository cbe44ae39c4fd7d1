package course

import (
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
}

// Parse reads the bundle.
func Parse(bundle []byte) (*Course, error) {
	c := &Course{}
	if err := json.Unmarshal(bundle, c); err != nil {
		return nil, fmt.Errorf("the lessons could not be read: %w", err)
	}
	return c, nil
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
	for i := range c.Library {
		if c.Library[i].ID == id {
			return &c.Library[i]
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
