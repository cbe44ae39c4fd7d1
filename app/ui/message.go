package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/engine/view"
)

// MessageOf makes a message's panel. now is the moment shown: a message can be held or dropped
// while it is on its way.
func MessageOf(m *view.Message, now int64, names Names) MessageView {
	id := Num(m.ID)
	v := MessageView{
		ID: id, From: names.Who(m.From), To: names.Who(m.To), Answer: m.Response,
		Title: m.Name + " v" + strconv.Itoa(m.Version), Sent: Clock(m.SentAt),
		SentAct: "index:" + strconv.Itoa(m.SentIdx), Error: m.Error, ErrorIs: m.ErrorIs,
		Bytes: Hex(m.Bytes), Held: m.Held,
	}
	if m.Response {
		v.Title += " " + t("answer")
	}
	switch {
	case m.Lost:
		v.Arrives = t("lost")
	case m.ArriveAt > 0:
		v.Arrives = Clock(m.ArriveAt)
	default:
		v.Arrives = t("not yet")
	}
	v.Flying = now >= m.SentAt && (m.ArriveAt == 0 || now < m.ArriveAt) && !m.Lost
	if m.Other != 0 {
		v.Other = Num(m.Other)
	}
	v.Fields = append(v.Fields, FieldRow{Name: "correlation id", Value: Num(m.Corr)})
	for _, f := range m.Fields {
		v.Fields = append(v.Fields, FieldRow{Depth: f.Depth, Name: f.Name, Value: f.Value})
	}
	return v
}

func (p *Inspector) message() app.UI {
	m := &p.V.Message
	if m.Loading {
		return el("section").Class("message").Aria("label", t("Message")).Body(
			el("p").Class("hint").Role("status").Text(t("Making the message again...")))
	}
	return el("section").Class("message").Aria("label", t("Message")).TabIndex(0).Body(
		div("cardhead", el("h2").Text(m.Title),
			iconButton("small quiet", "message:", "cross", "", t("Close"))),
		div("route", who(m.From), span("arrow", ""), who(m.To),
			press().Class("link").DataSet("act", m.SentAct).
				Title("%s", t("Go to the moment it was sent")).Text(m.Sent),
			span("dim", t("arrives")), span("num", m.Arrives)),
		app.If(m.Error != "", func() app.UI {
			return el("p").Class("fault").Body(el("code").Text(m.Error), app.Text(" "+m.ErrorIs))
		}),
		messageTools(m),
		el("dl").Class("fields").Body(app.Range(m.Fields).Slice(func(i int) app.UI {
			f := &m.Fields[i]
			return el("div").Class("row2").Style("--depth", "%s", strconv.Itoa(f.Depth)).Body(
				el("dt").Text(f.Name), el("dd").Body(el("code").Text(f.Value)))
		})),
		el("details").Body(
			el("summary").Text(t("Bytes on the wire")),
			el("pre").Class("bytes").TabIndex(0).Text(m.Bytes)),
	)
}

func messageTools(m *MessageView) app.UI {
	other := t("Go to its answer")
	if m.Answer {
		other = t("Go to its request")
	}
	return div("row",
		app.If(m.Other != "", func() app.UI { return button("small", "message:"+m.Other, other) }),
		app.If(m.Flying && !m.Held, func() app.UI {
			return button("small", "do:hold("+m.ID+")", t("Hold"))
		}),
		app.If(m.Flying && m.Held, func() app.UI {
			return button("small", "do:release("+m.ID+")", t("Release"))
		}),
		app.If(m.Flying, func() app.UI { return button("small danger", "do:drop("+m.ID+")", t("Drop")) }),
	)
}
