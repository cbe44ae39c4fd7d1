// Package lessons owns the course: a folder a lesson with its texts, its scenario and its solution,
// the library of stories that are not lessons, and the table from rows of the material to the
// scenario that proves each.
//
// It loads and checks these files and makes the one bundle that the page reads; it runs nothing and
// knows nothing of the engine. Markdown becomes HTML here, at build time, so that the page carries
// no Markdown parser.
//
// A lesson's folder holds:
//
//	lesson.txt      chapter, order, minutes, seed, start (name: value lines)
//	en.md           the text in English; ru.md and zh.md beside it carry the same steps
//	scenario.star   the shipped scenario
//	solution.star   only the learner's overrides: functions, and settings as NAME = VALUE
//	panels/*.txt    the same loop in other languages: first line is the tab's title
//	picture.svg     the still picture of the card
//
// A story of the library is one scenario file, library/NAME.star: its first line is "# Title", the
// comment lines under it are two sentences for the page, then comes rows("S08", ...). rows.tsv lists
// which scenarios prove which row of the material.
//
// In a text, "# " is the title, the first paragraph the summary, each "## " a step; inside a step
// "### Predict KEY" is followed by a list "- option: words", "### Why" by what is shown after the
// run, "### Textbook" by the box "the textbook says / the broker does", "### Goal" by the goal.
// Links "[00:12.000](t:12s)" move the time cursor.
package lessons
