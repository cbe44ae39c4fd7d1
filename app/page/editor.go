//go:build js

package page

import (
	"syscall/js"

	"rebalancelab/app/ui"
)

// openEditor loads the editor with the draft of what the panel shows.
func (p *page) openEditor() {
	name, text := wholeFile, p.edit.draft[wholeFile]
	if p.lesson != nil {
		e, ok := p.editable()
		if !ok {
			return
		}
		name, text = e.Name, e.Text
		if draft, ok := p.edit.draft[name]; ok {
			text = draft
		}
	}
	p.edit.open, p.panel = name, "code"
	opened := p.opened
	p.ctx.Dispatch(nil)
	p.afterRender(func() {
		promise := p.lab.Get("editor").Call("open", element("editor"), text, map[string]any{
			"firstLine": 1, "language": "starlark", "label": "Program " + name, "onChange": p.typing(),
		})
		go func() {
			handle, err := await(promise)
			p.show(func() {
				switch {
				case err != nil:
					p.edit.open = ""
					p.notice(ui.Notice{ID: "editor", Kind: "warn", Text: ui.Sentence(err.Error())})
				case opened != p.opened || p.edit.open != name:
					handle.Call("destroy")
				default:
					p.edit.handle = handle
					handle.Call("focus")
					p.showEditorProblem()
				}
			})
		}()
	})
}

// typing is what the editor calls after every change of the text.
func (p *page) typing() js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		typed := args[0].String()
		p.show(func() {
			if p.edit.open != "" {
				p.edit.draft[p.edit.open] = typed
				p.keepDraft()
			}
		})
		return nil
	})
}

func (p *page) closeEditor() {
	if p.edit.handle.Truthy() {
		p.edit.handle.Call("destroy")
	}
	p.edit.open, p.edit.handle = "", js.Undefined()
}

// showEditorProblem marks the problem in the editor, or takes the mark away.
func (p *page) showEditorProblem() {
	if p.edit.handle.Truthy() {
		p.edit.handle.Call("error", p.edit.problem.Line, p.edit.problem.Text)
	}
}

// litInEditor is the line of the editor that runs: 0 unless it holds what runs. An override's lines
// count from 1, as the editor's do; those of the shipped text from where it stands in the file.
func (p *page) litInEditor(line int) int {
	program := p.program()
	switch {
	case program == nil || line == 0:
		return 0
	case p.edit.open == wholeFile && !p.unrun():
		return line
	case p.edit.open == program.Function && !p.unrun():
		return line - program.FirstLine + 1
	}
	return 0
}
