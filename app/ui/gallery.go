package ui

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/engine/view"
)

// Gallery is every component in sample states, for those who work on them.
func Gallery() PageView {
	return PageView{
		Screen: ScreenGallery,
		Notices: []Notice{
			{ID: "a", Kind: "info", Text: "A newer build of the lab is ready.", Act: "update",
				Do: "Update now"},
			{ID: "b", Kind: "warn", Text: "This link is incomplete; the lesson starts fresh."},
		},
	}
}

func gallery() app.UI {
	v := SampleView()
	stage := StageOf(&v, "A")
	return el("main").Class("gallery").ID("main").Body(
		el("h1").Text("Gallery"),
		exhibit("Stage", div("shelf tall", StageSection(&stage, true))),
		exhibit("Stage before a run", div("shelf", StageSection(&StageView{}, false))),
		exhibit("Steps", div("shelf columns", &Steps{V: sampleQuestion(false)},
			&Steps{V: sampleQuestion(true)}, &Steps{V: sampleGoal()})),
		exhibit("Code", div("shelf", &CodePanel{V: sampleCode()})),
		exhibit("Inspector", div("shelf columns", sampleInspector("events"), sampleInspector("messages"),
			sampleInspector("config"), sampleInspector("log"))),
		exhibit("Controls", div("shelf",
			controls(&ControlsView{
				Ready: true, Playing: true, Speed: 4, Client: Who{"A", 0}, Alive: true,
				Menu: MenuOf(&v, "A", "loop"),
			}, Clock(v.At), Clock(120e9)),
			controls(&ControlsView{Speed: 0.25, Client: Who{"B", 1}}, Clock(0), Clock(0)))),
		exhibit("Engine ended", div("shelf tall", trap(&TrapView{
			Text:    "broken invariant at 12.5s (seed 7, event 9123): p0 has two owners",
			Details: "goroutine 1",
		}))),
	)
}

func exhibit(title string, body app.UI) app.UI {
	return el("section").Aria("label", title).Body(el("h2").Text(title), body)
}

func sampleQuestion(revealed bool) StepsView {
	return StepsView{
		Done: []bool{true, revealed, false}, Index: 1, Title: "Who reads p2 and p3 now?",
		HTML: `<p>Consumer <strong>B</strong> was killed at <a href="#" data-t="12s">00:12.000</a>.</p>`,
		Predict: PredictView{
			Key: "removed", Locked: revealed, Revealed: revealed, Right: revealed, Chosen: true,
			Options: []OptionView{
				{Key: "at_once", Words: "B is removed at once, its socket closed", Measured: "44.996 s"},
				{Key: "session", Words: "45 s after its last heartbeat", Chosen: true, Right: revealed,
					Measured: "45.000 s"},
			},
		},
		Why: ifThen(revealed, "<p>The session timer starts at the last heartbeat.</p>"),
		Truth: ifThen(revealed, "<p>\"The coordinator tells the others.\" It never sends anything "+
			"unasked.</p>"),
	}
}

func ifThen(ok bool, text string) string {
	if ok {
		return text
	}
	return ""
}

func sampleGoal() StepsView {
	return StepsView{
		Done: []bool{true, true, false}, Index: 2, Title: "Lose nothing",
		HTML: "<p>Change the loop.</p>", Goal: "<p>No record is lost.</p>",
		Checks: []CheckView{
			{Kind: "goal", Text: `lost("order_events-0") = []`, Got: "[20..22]", Want: "[]"},
			{Kind: "par", Text: "changed lines at most 2", Got: "1 changed line", OK: true},
		},
		Results: []ResultRow{{
			Part: "p0", Processed: "5", Duplicates: Offset(-1), Lost: "20..22", Committed: "23",
			Stalled: "45.0 s", Bad: true,
		}},
		Next: "A consumer dies", NextAct: "open:a-consumer-dies",
	}
}

func sampleCode() CodeView {
	return CodeView{
		Tabs: TabsOf("program", "program", "loop", "java", "Java"), Name: "Program of A",
		First: 5, Lit: 8,
		Lines: Highlight("def loop(c):\n    while True:\n        # wait\n"+
			"        batch = c.poll(\"500ms\")\n        c.commit_sync()\n", false),
		Marks: []LineMark{{8, Who{"A", 0}}, {9, Who{"C", 2}}}, CanEdit: true, Changed: true, Unrun: true,
		Settings: []SettingView{{"enable_auto_commit", "False", "True", true}},
		Wrong:    9, Problem: Trouble{Place: "loop:9", Text: "No such method commit_sink; did you mean commit_sync?"},
	}
}

func sampleInspector(tab string) app.UI {
	v := SampleView()
	names := NamesOf(&v)
	i := InspectorView{
		Tab: tab, Tabs: TabsOf(tab, "events", "Events", "messages", "Messages", "config", "Config",
			"log", "Log as text"), Chips: ChipsOf(tab, view.ClassNotable), OnlyWho: Who{"A", 0},
	}
	rows := []view.Line{
		{Index: 9000, At: 54e9, Who: "broker-2", Text: "B removed: session expired", Bad: true},
		{Index: 9100, At: 543e8, Who: "A", Text: "commit_sync accepted", OK: true},
		{Index: 9200, At: 56e9, Who: "C", Text: "is PREPARING_REBALANCE"},
	}
	i.Events, i.Story = EventsOf(rows, v.Index, 60e9, names), EventsOf(rows, v.Index, 60e9, names)
	i.Talk = TalkOf([]view.MessageRow{
		{ID: 418, SentAt: 5433e7, ArriveAt: 55e9, From: "A", To: "broker-2", Name: "JoinGroup"},
		{ID: 417, SentAt: 543e8, ArriveAt: 5431e7, From: "broker-2", To: "A", Name: "Heartbeat",
			Response: true, Error: "REBALANCE_IN_PROGRESS"},
	}, v.At, 418, names)
	i.Of, i.Config = "A", ConfigOf([]view.Setting{
		{Name: "max.poll.records", Value: "500", Default: "500"},
		{Name: "session.timeout.ms", Value: "10000", Default: "45000", Changed: true},
	})
	if tab == "messages" {
		i.Message = MessageOf(&view.Message{
			ID: 418, Name: "JoinGroup", Version: 9, From: "A", To: "broker-2", Corr: 418, SentAt: 5433e7,
			ArriveAt: 55e9, Other: 420, Bytes: []byte{0, 11, 0, 9, 0, 0, 1, 162},
			Fields: []view.Field{
				{Name: "groupId", Value: "seller_read_db"}, {Depth: 1, Name: "name", Value: "range"},
			},
		}, v.At, names)
	}
	return &Inspector{V: i}
}
