package script

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/assign"
)

const someUUID = "-00000000-0000-4000-8000-000000000000"

// answers are the bodies of an assignor and what comes of them for A, which owns orders-0, B, which
// owns orders-1, and the static C in a rack, which reads payments only.
var answers = []struct{ body, wantErr string }{
	{`return {"A": partitions[:2], "B": [partitions[2]], "c": ["payments-0"]}`, ""},
	{`return {"C": []}`, `assignor "own": s.star:1:1: no such member "C"; did you mean c? There are A, B, c`},
	{`return {"A": ["orders-9"]}`, `no such partition "orders-9"; did you mean orders-2?`},
	{`return {"A": partitions[:3], "B": [partitions[0]]}`, `"orders-0" is given to two members, A and B; give it to one`},
	{`return {"A": ["orders-0", "orders-0"]}`, `"orders-0" is given to two members, A and A`},
	{`return {"A": partitions}`, `"payments-0" is given to A, which has not subscribed to payments; look at members["A"].topics`},
	{`return {"A": partitions[:2], "c": ["payments-0"]}`, `nobody gets "orders-2"; give every partition to a member`},
	{`return {"A": ["orders"]}`, `"orders"`},
	{`return partitions`, `it must give a dict such as {"A": ["orders-0"]}`},
	{`return {"A": 1 // 0}`, `s.star:2:20: floored division by zero`},
	{`return members["A"].racks`, `a member has no racks; did you mean rack?`},
	{"while True: pass", `1000000 steps to assign the partitions`},
}

// ask loads a scenario with that assignor and asks it.
func ask(t *testing.T, params, body, more string) (*App, []assign.MemberAssignment) {
	sc := mustLoad(t, "def own("+params+"):\n    "+body+"\nassignor(\"own\", own"+more+")\n"+ground+
		"consumer(\"C\", run = loop, partition_assignment_strategy = [\"own\"])\n", LoadOptions{})
	app, err := NewApp(sc.Consumers[2], AppOptions{Scenario: sc})
	require.NoError(t, err)
	orders := func(p int32) []assign.TopicPartition { return []assign.TopicPartition{{Topic: "orders", Partition: p}} }
	result := app.cfg.Assignors[0].Assign([]assign.Member{
		{ID: "A" + someUUID, Topics: []string{"orders"}, Owned: orders(0), Generation: 4},
		{ID: "B" + someUUID, Topics: []string{"orders"}, Owned: orders(1), Generation: 4},
		{ID: "x" + someUUID, InstanceID: "c", Topics: []string{"payments"}, Rack: "r1", Generation: -1},
	}, []assign.Topic{{Name: "orders", Partitions: 3}, {Name: "payments", Partitions: 1}, {Name: "unread", Partitions: 1}})
	app.Kill()
	return app, result
}

func TestAnAssignorOfTheScenario(t *testing.T) { // S71
	for _, a := range answers {
		app, got := ask(t, "members, partitions", a.body, "")
		if a.wantErr != "" {
			require.ErrorContains(t, app.faulty, a.wantErr)
			require.Nil(t, got, "nobody gets an assignment from a broken assignor")
			continue
		}
		require.NoError(t, app.faulty)
		require.Equal(t, []assign.TopicPartition{{Topic: "orders"}, {Topic: "orders", Partition: 1}}, got[0].Partitions)
		require.Equal(t, []assign.TopicPartition{{Topic: "orders", Partition: 2}}, got[1].Partitions)
		require.Equal(t, "B"+someUUID, got[1].ID)
	}
}

func TestWhatAnAssignorOfTheScenarioSees(t *testing.T) { // S71
	for _, sees := range []string{
		`list(members) == ["A", "B", "c"]`, `topics == {"orders": 3, "payments": 1, "unread": 1}`,
		`members["A"].topics == ["orders"]`, `members["A"].owned == ["orders-0"]`,
		`members["A"].id == "A` + someUUID + `"`, `members["A"].generation == 4`,
		`members["A"].rack == None`, `members["A"].instance_id == None`,
		`members["c"].rack == "r1"`, `members["c"].instance_id == "c"`, `members["c"].owned == []`,
		`partitions == ["orders-0", "orders-1", "orders-2", "payments-0", "unread-0"]`,
	} {
		app, _ := ask(t, "members, partitions, topics", "return {str("+sees+"): []}", "")
		require.ErrorContains(t, app.faulty, `no such member "True"`, sees)
	}
}

func TestACooperativeAssignorOfTheScenario(t *testing.T) { // D4, D15
	for _, a := range []struct{ body, wantErr string }{
		{`return {"A": ["orders-0"], "B": ["orders-1", "orders-2"], "c": ["payments-0"]}`, ""},
		{`return {"B": ["orders-1", "orders-2"], "c": ["payments-0"]}`, ""}, // A is to give up orders-0
		{`return {"B": ["orders-0", "orders-1", "orders-2"], "c": ["payments-0"]}`,
			`"orders-0" is given to B while A still owns it; a cooperative assignor must leave it out for one round`},
		{`return {"B": ["orders-1"], "c": ["payments-0"]}`, `nobody gets "orders-2"`},
	} {
		app, got := ask(t, "members, partitions", a.body, ", cooperative = True")
		require.True(t, assign.Cooperative(app.cfg.Assignors[0]))
		if a.wantErr != "" {
			require.ErrorContains(t, app.faulty, a.wantErr)
			continue
		}
		require.NoError(t, app.faulty)
		require.Len(t, got, 3)
	}
	app, _ := ask(t, "members, partitions", "return {}", "")
	require.False(t, assign.Cooperative(app.cfg.Assignors[0]))
}

func TestMembersWithTheSameNameKeepTheirIDs(t *testing.T) {
	id := "-00000000-0000-4000-8000-00000000000"
	want := []string{"A" + id + "1", "A" + id + "2", "pod", "x"}
	require.Equal(t, want, shortNames([]assign.Member{
		{ID: "A" + id + "1"}, {ID: "A" + id + "2"}, {ID: "B" + id + "3", InstanceID: "pod"}, {ID: "x"},
	}))
}
