package script

import (
	"strings"

	"go.starlark.net/starlark"
)

// maxCommand bounds the text of a command.
const maxCommand = 4096

// ParseCommand reads one act as a person types it, in the words of at(): kill("A"), freeze("B",
// "12s"), hold(17), start_broker(2). The action's trigger is [TriggerNow].
func ParseCommand(s *Scenario, text string) (Action, error) {
	place := Place{File: "command", Line: 1}
	if len(text) > maxCommand {
		return Action{}, errorAt(place, "the command is too long")
	}
	if err := guardSource(place.File, text); err != nil {
		return Action{}, err
	}
	expr, err := fileOptions.ParseExpr(place.File, strings.TrimSpace(text), 0)
	if err != nil {
		return Action{}, errorAt(place, "%q is no action such as kill(\"A\")", text)
	}
	f := *s.code.finder
	l := &loader{sc: s, code: s.code, find: &f}
	names := l.commandNames()
	t := &starlark.Thread{Name: "command"}
	t.SetMaxExecutionSteps(1000)
	v, err := starlark.EvalExprOptions(fileOptions, t, rewrite(expr), names)
	if err != nil {
		return Action{}, commandError(err, names)
	}
	if err := isAct("command", v); err != nil {
		return Action{}, errorAt(place, "%q is no action such as kill(\"A\")", text)
	}
	steps, _, err := f.steps([]starlark.Value{v}, 0)
	if err == nil {
		err = checkMessages(Trigger{}, steps)
	}
	if err != nil {
		return Action{}, toError(err, place.File)
	}
	s.code.finder.declared = f.declared
	return Action{Steps: steps, Text: text, Place: place}, nil
}

// commandNames are the acts, and the file's own functions for add_consumer().
func (l *loader) commandNames() starlark.StringDict {
	d := limited()
	for name, v := range l.code.globals {
		d[name] = v
	}
	for name, fn := range acts {
		d[name] = l.builtin(name, fn)
	}
	return d
}

// commandError names the acts when a word is unknown.
func commandError(err error, names starlark.StringDict) *Error {
	e := toError(err, "command")
	if name, ok := strings.CutPrefix(e.Msg, "no such name "); ok {
		name, _, _ = strings.Cut(name, ";")
		var known []string
		for _, n := range names.Keys() {
			if _, ok := acts[n]; ok {
				known = append(known, n)
			}
		}
		e.Msg = "no such action " + name + suggest(name, known)
	}
	return e
}
