package script

import (
	"sort"
	"strings"

	"go.starlark.net/starlark"
)

// Override replaces an editable function or setting.
type Override struct {
	Name    string
	Setting bool
	// Text is the new source of the function, or the setting's value as in the scenario language.
	Text string
	// File and FirstLine say where Text comes from, for errors; empty: Name, from line 1.
	File      string
	FirstLine int
}

// Editable is a function or a setting that a learner may replace.
type Editable struct {
	Name    string
	Setting bool
	// Text is the present source of the function (the override's, if there is one), or the present
	// value of the setting. FirstLine is the line of the trace that the first line of Text has.
	Text      string
	FirstLine int
	// Default is Kafka's own value of a setting.
	Default string
}

// editableFunction and editableSetting are what editable() named.
type editableFunction struct{ name string }

type editableSetting struct {
	name  string
	place Place
}

// editableStatement: editable(loop, settings = ["enable_auto_commit"]).
func editableStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	for _, v := range a.others() {
		fn, ok := v.(*starlark.Function)
		if !ok {
			a.fail("%s is no function", brief(v))
			break
		}
		src, ok := l.code.funcs[fn.Name()]
		if !ok || int(fn.Position().Line) != src.firstLine {
			a.fail("%s is no function of the file's top level: write it as def name(c)", fn.Name())
			break
		}
		l.editables = append(l.editables, editableFunction{fn.Name()})
	}
	v, ok := a.named("settings")
	if !ok {
		return starlark.None, nil
	}
	for _, name := range a.asTexts("settings", v) {
		_, consumer := lookupSetting(ConsumerSettings, name)
		_, producer := lookupSetting(ProducerSettings, name)
		if !consumer && !producer {
			a.fail("no such setting %s%s", name, suggest(name, settingNames(ConsumerSettings)))
		}
		l.editSets = append(l.editSets, editableSetting{name, at})
	}
	return starlark.None, nil
}

// notEditable is the name of an override of a function that the file does not leave to the learner.
func (l *loader) notEditable() string {
	for i := range l.opt.Overrides {
		o := &l.opt.Overrides[i]
		if !o.Setting && !l.editableName(o.Name) {
			return o.Name
		}
	}
	return ""
}

func (l *loader) editableName(name string) bool {
	for _, e := range l.editables {
		if e.name == name {
			return true
		}
	}
	return false
}

// finishEditables checks the overrides and lists what may be edited, with its present text.
func (l *loader) finishEditables() error {
	if name := l.notEditable(); name != "" {
		return errorAt(Place{File: l.code.funcs[name].file, Line: l.code.funcs[name].firstLine},
			"%s cannot be changed here%s", name, l.whatIsEditable())
	}
	for _, e := range l.editables {
		f := l.code.funcs[e.name]
		l.sc.Editables = append(l.sc.Editables, Editable{
			Name: e.name, Text: f.text, FirstLine: f.firstLine,
		})
	}
	if err := l.checkSettingOverrides(); err != nil {
		return err
	}
	for _, e := range l.editSets {
		l.sc.Editables = append(l.sc.Editables, l.editableSetting(e.name))
	}
	return nil
}

func (l *loader) whatIsEditable() string {
	var names []string
	for _, e := range l.editables {
		names = append(names, e.name)
	}
	for _, e := range l.editSets {
		names = append(names, e.name)
	}
	if len(names) == 0 {
		return "; this scenario leaves nothing to change"
	}
	return "; only these can: " + joinNames(names)
}

// checkSettingOverrides reads the learner's values.
func (l *loader) checkSettingOverrides() error {
	var names []string
	for name := range l.code.settings {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		o := l.code.settings[name]
		editable := false
		for _, e := range l.editSets {
			editable = editable || e.name == name
		}
		if !editable {
			return errorAt(o.place(), "the setting %s cannot be changed here%s", name, l.whatIsEditable())
		}
		for _, table := range [][]SettingDef{ConsumerSettings, ProducerSettings} {
			if _, ok := lookupSetting(table, name); !ok {
				continue
			}
			if _, err := o.setting(table); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *Override) place() Place {
	p := Place{File: o.File, Line: max(1, o.FirstLine)}
	if p.File == "" {
		p.File = o.Name
	}
	return p
}

// setting reads the value of an overridden setting.
func (o *Override) setting(table []SettingDef) (Setting, error) {
	def, _ := lookupSetting(table, o.Name)
	if err := guardSource(o.place().File, o.Text); err != nil {
		return Setting{}, err
	}
	expr, err := fileOptions.ParseExpr(o.place().File, strings.TrimSpace(o.Text), 0)
	if err != nil {
		return Setting{}, errorAt(o.place(), "%s = %s: write a value such as %s", o.Name, o.Text, def.example())
	}
	t := &starlark.Thread{Name: "setting"}
	t.SetMaxExecutionSteps(1000)
	v, err := starlark.EvalExprOptions(fileOptions, t, rewrite(expr), limited())
	if err == nil {
		var s Setting
		if s, err = def.value(v); err == nil {
			s.Place = o.place()
			return s, nil
		}
	}
	return Setting{}, errorAt(o.place(), "%s = %s: %v", o.Name, o.Text, err)
}

// example is a value that a setting may have.
func (d *SettingDef) example() string {
	if d.Default != "" {
		return d.Default
	}
	return `"text"`
}

// override replaces or adds the learner's settings of a consumer (run not nil) or a producer.
func (l *loader) override(run starlark.Callable, settings *[]Setting) {
	table := ProducerSettings
	if run != nil {
		table = ConsumerSettings
	}
	for _, e := range l.editSets {
		o, ok := l.code.settings[e.name]
		if _, known := lookupSetting(table, e.name); !ok || !known {
			continue
		}
		s, err := o.setting(table)
		if err != nil {
			panic("script: a setting that was checked is wrong: " + err.Error())
		}
		*settings = append(withoutSetting(*settings, e.name), s)
	}
}

func withoutSetting(all []Setting, name string) []Setting {
	var rest []Setting
	for _, s := range all {
		if s.Name != name {
			rest = append(rest, s)
		}
	}
	return rest
}

// editableSetting is a setting with its present value: the learner's, the file's or Kafka's.
func (l *loader) editableSetting(name string) Editable {
	def, ok := lookupSetting(ConsumerSettings, name)
	if !ok {
		def, _ = lookupSetting(ProducerSettings, name)
	}
	e := Editable{Name: name, Setting: true, Text: def.Default, Default: def.Default}
	if o, ok := l.code.settings[name]; ok {
		e.Text = strings.TrimSpace(o.Text)
		return e
	}
	for _, c := range l.sc.Consumers {
		for _, s := range c.Settings {
			if s.Name == name {
				e.Text = s.String()
				return e
			}
		}
	}
	for _, p := range l.sc.Producers {
		for _, s := range p.Settings {
			if s.Name == name {
				e.Text = s.String()
				return e
			}
		}
	}
	return e
}
