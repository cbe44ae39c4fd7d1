package clients

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/broker"
)

func TestAGroupSharesATopicAndLosesNothing(t *testing.T) {
	each(t, func(l *lab, lib library) {
		const topic, group, n = "orders", "shop", 120
		l.topic(topic, 6)
		book := newLedger()
		join := func(name string) member {
			return lib.join(l, membership{
				name: name, group: group, topic: topic,
				got: func(v string) { book.note(name, v) },
			})
		}
		var all []string
		produce := func(prefix string) { // and wait until it is worked off
			v := values(prefix, n)
			all = append(all, v...)
			lib.produce(l, topic, "none", v)
			l.committed(group, len(all))
			book.requireOnce(l.t, all)
		}

		a := join("a")
		l.settled(group, 6)
		groups, err := l.admin.ListGroupsByType(l.ctx(), []string{lib.groupType})
		require.NoError(l.t, err)
		require.Equal(l.t, []string{group}, groups.Groups())
		produce("alone")

		b := join("b")
		l.settled(group, 3, 3)
		produce("together")
		l.until(func() bool { return book.by("a") > n && book.by("b") > 0 },
			func() string { return "both have a share" })

		b.kill()
		l.settled(group, 6) // the session runs out
		produce("after a death")

		c := join("c")
		l.settled(group, 3, 3)
		a.leave()
		l.settled(group, 6) // at once
		produce("after a leave")
		c.leave()
		l.until(func() bool { return l.empty(group) },
			func() string { return "the group is not empty" })
		book.requireOnce(l.t, all)
	})
}

// empty says whether a group has no members left, of whatever protocol it is.
func (l *lab) empty(group string) bool {
	all, err := l.admin.ListGroups(l.ctx())
	return err == nil && all[group].State == "Empty"
}

func TestAGroupSurvivesAMoveOfItsCoordinator(t *testing.T) {
	each(t, func(l *lab, lib library) {
		const topic, group, n = "orders", "shop", 60
		l.topic(topic, 4)
		book := newLedger()
		for _, name := range []string{"a", "b"} {
			lib.join(l, membership{
				name: name, group: group, topic: topic,
				got: func(v string) { book.note(name, v) },
			})
		}
		l.settled(group, 2, 2)
		var all []string
		for _, prefix := range []string{"first", "second", "third"} {
			v := values(prefix, n)
			all = append(all, v...)
			lib.produce(l, topic, "none", v)
			var err error
			l.server.Do(func(c *broker.Cluster) { err = c.MoveCoordinator(group, 0) })
			require.NoError(l.t, err)
			l.until(func() bool { return book.len() == len(all) },
				func() string { return "records are missing" })
		}
		l.settled(group, 2, 2)
		l.committed(group, len(all))
	})
}

func TestAGroupThatStartsAnewGoesOnWhereItStopped(t *testing.T) {
	each(t, func(l *lab, lib library) {
		l.topic("t", 3)
		var all []string
		book := newLedger()
		for _, prefix := range []string{"first", "second"} {
			v := values(prefix, 30)
			all = append(all, v...)
			lib.produce(l, "t", "none", v)
			m := lib.join(l, membership{
				name: prefix, group: "g", topic: "t", got: func(v string) { book.note(prefix, v) },
			})
			l.until(func() bool { return book.len() == len(all) },
				func() string { return "records are missing" })
			m.leave() // commits
			l.committed("g", len(all))
		}
		book.requireOnce(l.t, all)
	})
}
