package ui

import (
	"strconv"
	"strings"

	"rebalancelab/engine/view"
)

// MenuOf lists actions that make sense at a moment, in the words of the scenario language: those on
// the selected client, then those on brokers and groups. program is the function that a further
// consumer would run.
func MenuOf(v *view.View, client, program string) []MenuItem {
	var out []MenuItem
	add := func(label, act string) { out = append(out, MenuItem{Label: label, Act: act}) }
	group := ""
	for _, c := range v.Clients {
		if c.Name == client {
			group = c.Group
			add(t("restart")+" "+client+", "+t("down 5 s"), "restart("+quote(client)+`, down_for = "5s")`)
			if !c.Producer {
				add(t("handlers of")+" "+client+" "+t("10 times slower for 20 s"),
					"slow_handler("+quote(client)+`, factor = 10, lasting = "20s")`)
			}
		}
	}
	if group == "" && len(v.Groups) > 0 {
		group = v.Groups[0].Name
	}
	if group != "" && program != "" {
		name := quote(freeName(v))
		add(t("add a consumer"), "add_consumer("+name+", group = "+quote(group)+", run = "+program+")")
	}
	for _, g := range v.Groups {
		if client != "" {
			add(t("cut")+" "+client+" "+t("off its coordinator for 20 s"),
				"partition(["+quote(client)+"], ["+quote(g.Coordinator)+`], heal_after = "20s")`)
		}
		add(t("move the coordinator of")+" "+g.Name, "move_coordinator("+quote(g.Name)+")")
	}
	add(t("heal all links"), "heal()")
	for _, b := range v.Brokers {
		id := strings.TrimPrefix(b.Name, "broker-")
		if b.Up {
			add(t("kill")+" "+b.Name, "kill_broker("+id+")")
		} else {
			add(t("start")+" "+b.Name, "start_broker("+id+")")
		}
	}
	return out
}

// freeName is a name that no client has: the next letter, or a number after the last.
func freeName(v *view.View) string {
	used := map[string]bool{}
	for _, c := range v.Clients {
		used[c.Name] = true
	}
	for c := 'A'; c <= 'Z'; c++ {
		if !used[string(c)] {
			return string(c)
		}
	}
	return "extra-" + strconv.Itoa(len(v.Clients))
}

func quote(name string) string { return strconv.Quote(name) }

// SettingText makes what a person types into a value of the scenario language: texts and durations
// get their quotes.
func SettingText(typed string) string {
	typed = strings.TrimSpace(typed)
	switch typed {
	case "", "True", "False", "None":
		return typed
	case "true", "false":
		return strings.ToUpper(typed[:1]) + typed[1:]
	}
	if strings.ContainsAny(typed[:1], "\"'[({") {
		return typed
	}
	if _, err := strconv.ParseInt(typed, 10, 64); err == nil {
		return typed
	}
	return quote(typed)
}
