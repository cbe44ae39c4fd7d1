package ui

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/engine/view"
)

// Sizes of the timeline's canvas in CSS pixels; the painter reads --lane and --lag from the style
// and knows the other two (web/geometry.js).
const (
	axisHeight   = 20
	laneHeight   = 15
	lagHeight    = 52
	branchHeight = 16
)

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

// TimelineHeight is the height of the canvas for so many lanes, and of all of it.
func TimelineHeight(lanes int) (shown, whole int) {
	height := func(n int) int { return axisHeight + n*laneHeight + lagHeight + branchHeight }
	return height(min(lanes, mostLanes)), height(lanes)
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
		el("canvas").ID("timeline").Style("height", "%s", Num(int64(v.Shown))+"px").TabIndex(0).
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
