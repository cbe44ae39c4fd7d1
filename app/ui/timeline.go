package ui

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/engine/view"
)

// around is the height of what the timeline's canvas holds besides lanes and lag, in CSS pixels: the
// axis above and the strip of branches below (web/geometry.js). The heights of a lane and of the lag
// are --lane and --lag of the style, which depend on the room that there is.
const around = 20 + 16

// mostLanes are shown at once; more are reached by scrolling.
const mostLanes = 11

// LanesOf labels the lanes of a scene.
func LanesOf(s *view.Scene, names Names) []LaneLabel {
	var out []LaneLabel
	for _, l := range s.Lanes {
		label := LaneLabel{Name: l.Name, Color: -1}
		switch l.Kind {
		case view.LaneGroup:
			label.Group = true
		case view.LanePartition:
			label.Name = names.Part(l.Name)
		case view.LaneConsumer:
			label.Color = l.Color
		}
		out = append(out, label)
	}
	return out
}

// canvasHeight is a height of the timeline's canvas: of as many lanes as are shown at once.
func canvasHeight(lanes int) string {
	return "calc(" + Num(around) + "px + var(--lag) + " + Num(int64(min(lanes, mostLanes))) + " * var(--lane))"
}

// Timeline renders the lane labels and the canvas that the painter draws.
type Timeline struct {
	app.Compo
	V TimeView
}

// Render implements app.Composer.
func (l *Timeline) Render() app.UI {
	v := &l.V
	class := "time"
	if v.Locked {
		class = "time locked"
	}
	return el("section").Class(class).ID("panel-time").Aria("label", t("Timeline")).Body(
		el("div").Class("lanes").Body(
			el("div").Class("lanelist").Role("group").Aria("label", t("Lanes")).TabIndex(0).Body(
				app.Range(v.Lanes).Slice(func(i int) app.UI { return laneLabel(&v.Lanes[i]) })),
			div("lane lag", app.Text(t("lag")))),
		el("canvas").ID("timeline").Style("height", "%s", canvasHeight(len(v.Lanes))).TabIndex(0).
			Role("slider").Aria("label", t("Timeline: arrow keys move the cursor")).
			Aria("valuemin", 0).Aria("valuemax", v.EndMs).Aria("valuenow", v.AtMs).
			Aria("valuetext", v.At+" "+t("of")+" "+v.End),
		app.If(len(v.Events) > 1, func() app.UI { return branchChips(v.Events) }).
			Else(func() app.UI { return div("branches none").Hidden(true) }),
	)
}

func laneLabel(lane *LaneLabel) app.UI {
	class := "lane " + colorClass(lane.Color)
	if lane.Group {
		class = "lane coordinator"
	}
	return el("div").Class(class).Title("%s", lane.Name).Text(lane.Name)
}

func branchChips(list []Chip) app.UI {
	return el("div").Class("branches").Role("group").Aria("label", t("Branches")).Body(
		span("dim", t("Branches")),
		app.Range(list).Slice(func(i int) app.UI {
			return press().Class("chip").DataSet("act", "branch:"+list[i].ID).
				Aria("pressed", list[i].On).Text(list[i].Label)
		}))
}
