package group

import (
	"slices"
	"strings"

	"rebalancelab/engine/pattern"
	"rebalancelab/engine/wire"
)

// resolvedRegex is a regular expression with the topics that it matched at some version of the
// metadata (F16).
type resolvedRegex struct {
	regex       string
	topics      []string
	version, at int64 // at is in milliseconds
}

// regexRefreshMin is the least time between two look-ups of a group.
const regexRefreshMin = 10_000 // milliseconds

// regexRefresh remembers what was known before a request, which decides whether all expressions of
// the group are looked up again.
type regexRefresh struct {
	needed bool
	lastAt int64
	some   bool // lastAt is known
}

// matches are the topics of an expression, as far as they were looked up.
func matches(regexes []resolvedRegex, regex string) []string {
	for _, r := range regexes {
		if r.regex == regex {
			return r.topics
		}
	}
	return nil
}

func (cg *consumerGroup) resolve(r resolvedRegex) {
	i, found := slices.BinarySearchFunc(cg.regexes, r.regex, func(o resolvedRegex, s string) int {
		return strings.Compare(o.regex, s)
	})
	if found {
		cg.regexes[i] = r
		return
	}
	cg.regexes = slices.Insert(cg.regexes, i, r)
}

func (cg *consumerGroup) resolved(regex string) bool {
	return slices.ContainsFunc(cg.regexes, func(r resolvedRegex) bool { return r.regex == regex })
}

// subscribers counts the members with an expression.
func (cg *consumerGroup) subscribers(regex string) int {
	n := 0
	for _, m := range cg.byID {
		if m.regex == regex {
			n++
		}
	}
	return n
}

// subscribedRegexes are the members' expressions, each once.
func (cg *consumerGroup) subscribedRegexes() []string {
	var list []string
	for _, id := range cg.order {
		if r := cg.byID[id].regex; r != "" && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	slices.Sort(list)
	return list
}

// updateRegex takes in the member's expression. An expression that nobody had is looked up in the
// background: until then it matches nothing, and the epoch grows only when its topics are known
// (F16). [GroupMetadataManager.maybeUpdateRegularExpressions]
func (u *subscriptionUpdate) updateRegex() wire.Code {
	if len(u.cg.regexes) > 0 {
		u.refresh.some, u.refresh.lastAt = true, u.cg.regexes[0].at
	}
	old, regex := u.old.regex, u.member.regex
	if old == regex {
		return wire.None
	}
	u.changed = true
	if old != "" && u.cg.subscribers(old) == 1 {
		u.ch.add(wire.ConsumerEntry{Type: wire.RegexRecord, Regex: old})
	}
	switch {
	case regex == "":
		u.bump = true
	case u.cg.subscribers(regex) > 0:
		u.bump = u.bump || u.cg.resolved(regex)
	default:
		if _, err := pattern.Parse(regex, pattern.RE2); err != nil {
			return wire.InvalidRegularExpression
		}
		u.refresh.needed = true
	}
	return wire.None
}

// refreshRegexes looks the group's expressions up, if there is a reason to and the last look-up is
// not too young: an expression is new, topics have come, or ten minutes are over.
func (u *subscriptionUpdate) refreshRegexes(g *group) {
	cg := g.consumer
	regexes := cg.subscribedRegexes()
	now := cg.c.env.Now().Millis()
	r := u.refresh
	if len(regexes) == 0 || cg.resolving || r.some && now <= r.lastAt+regexRefreshMin {
		return
	}
	version, created := cg.c.topics.Versions()
	interval := cg.c.cfg.Consumer.RegexRefreshInterval.Milliseconds()
	last := int64(0)
	if len(cg.regexes) > 0 {
		last = cg.regexes[0].version
	}
	if !r.needed && len(regexes) == len(cg.regexes) && last >= created && now <= r.lastAt+interval {
		return
	}
	cg.resolving = true
	names := cg.c.topics.TopicNames()
	cg.c.env.After(0, func() {
		cg.resolving = false
		if g.consumer == cg && !g.shard.gone {
			g.takeRegexes(lookUp(regexes, names, version, now))
		}
	})
}

// lookUp matches whole topic names, in RE2's syntax.
func lookUp(regexes, names []string, version, at int64) []resolvedRegex {
	var out []resolvedRegex
	for _, regex := range regexes {
		r := resolvedRegex{regex: regex, version: version, at: at, topics: []string{}}
		// It was checked when it came; one that cannot be read matches nothing.
		if p, err := pattern.Parse(regex, pattern.RE2); err == nil {
			for _, name := range names {
				if p.Matches(name) {
					r.topics = append(r.topics, name)
				}
			}
		}
		out = append(out, r)
	}
	return out
}

// takeRegexes writes what was found; other topics than before count the epoch up.
func (g *group) takeRegexes(found []resolvedRegex) {
	cg := g.consumer
	ch := &change{c: g.c, shard: g.shard, id: g.id}
	all := slices.Clone(cg.regexes)
	bump := false
	for _, r := range found {
		if cg.subscribers(r.regex) == 0 {
			continue
		}
		bump = bump || !slices.Equal(matches(cg.regexes, r.regex), r.topics)
		all = slices.DeleteFunc(all, func(o resolvedRegex) bool { return o.regex == r.regex })
		all = append(all, r)
		ch.add(wire.ConsumerEntry{Type: wire.RegexRecord, Regex: r.regex, Value: &wire.RegexValue{
			Topics: r.topics, Version: r.version, Timestamp: r.at,
		}})
	}
	hash := metadataHash(g.c.topics, cg.subscribedTopics(cg.members(), all))
	if bump || hash != cg.hash {
		version, _ := g.c.topics.Versions()
		ch.epoch(cg.epoch+1, hash)
		ch.do(func() { cg.seen = version })
	}
	ch.commit(func(wire.Code) {})
}
