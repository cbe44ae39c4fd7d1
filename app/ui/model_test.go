package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/app/course"
	"rebalancelab/engine/view"
)

func TestStageShowsWhoOwnsWhatAndWhatIsNotCommitted(t *testing.T) {
	v := SampleView()
	s := StageOf(&v, "C")
	require.Len(t, s.Brokers, 4)
	p2 := s.Brokers[1].Parts[0]
	require.Equal(t, "p2", p2.Label)
	require.Equal(t, Who{"B", 1}, p2.Owner)
	require.True(t, p2.Dead)
	require.True(t, p2.Behind)
	require.Equal(t, "125", p2.Committed)
	p4 := s.Brokers[2].Parts[0]
	require.False(t, p4.Behind, "a living owner will commit")
	require.Equal(t, []string{"controller"}, s.Brokers[0].Tags)
	require.Equal(t, "A waits for data, 400 ms", s.Brokers[0].Waits)
	require.True(t, s.Brokers[3].Down)
	require.True(t, s.Clients[2].Selected)
	require.False(t, s.Dense)
}

func TestAPartitionTellsOfItsOtherGroupsAndItsFollowers(t *testing.T) {
	v := SampleView()
	p := &v.Parts[0]
	p.Readers = append(p.Readers, view.Reader{Group: "analytics", Committed: 40, Position: -1})
	p.Replicas = []view.Replica{
		{Broker: "broker-1", InSync: true, LogEnd: 1284}, {Broker: "broker-2", InSync: true, LogEnd: 1284},
		{Broker: "broker-3", LogEnd: 1200},
	}
	row := StageOf(&v, "").Brokers[0].Parts[0]
	require.Equal(t, "1280", row.Committed, "the numbers are the first group's")
	require.Equal(t, []PartGroup{{"analytics", "40", "\u2013"}}, row.Others)
	require.Equal(t, []string{"broker-2: LEO 1284, ISR", "broker-3: LEO 1200"}, row.Copies)
}

func TestGroupCardFollowsTheState(t *testing.T) {
	v := SampleView()
	g := StageOf(&v, "").Groups[0]
	require.Equal(t, []StatePill{
		{"Stable", false, "ok"}, {"PreparingRebalance", true, "warn"},
		{"CompletingRebalance", false, "warn"},
	}, g.States)
	require.Equal(t, "52941000000,352941000000", g.Timer.Span)
	require.Equal(t, []StatePill{
		{"Empty", true, "idle"}, {"PreparingRebalance", false, "warn"},
		{"CompletingRebalance", false, "warn"},
	}, flow("Empty", "classic"))
	require.Equal(t, "Reconciling", flow("Reconciling", "consumer")[2].Name)
	require.Equal(t, "Assigning", flow("Stable", "consumer")[1].Name)
}

func TestMembersWithoutAProcessAreGhosts(t *testing.T) {
	v := SampleView()
	m := StageOf(&v, "").Groups[0].Members
	require.Equal(t, "in JoinGroup", m[0].Text)
	require.True(t, m[1].Ghost)
	require.Equal(t, "11441000000,56441000000", m[1].Bar.Span)
	require.Equal(t, "not yet rejoined", m[2].Text)
	require.Equal(t, "has an id, not joined", m[3].Text)
}

func TestMembersOfAConsumerGroupStandInEpochs(t *testing.T) {
	v := SampleView()
	g := &v.Groups[0]
	g.Type, g.State = "consumer", "Reconciling"
	g.Members[2].Epoch, g.Members[2].State, g.Members[2].Revoking = 7, "UNREVOKED_PARTITIONS", []string{"p2", "p3"}
	m := StageOf(&v, "").Groups[0].Members
	require.Equal(t, "epoch 7, gives up 2", m[2].Text)
	require.True(t, m[2].Wait)
}

func TestMemberOfAnEarlierLifeIsAGhostWhileItsSuccessorRuns(t *testing.T) {
	v := SampleView()
	old := view.Member{ID: "A-0", Client: "A", Deadline: 60e9}
	v.Groups[0].Members = append(v.Groups[0].Members, old)
	m := StageOf(&v, "").Groups[0].Members
	require.False(t, m[0].Ghost)
	require.True(t, m[4].Ghost)
}

func TestClientCardsSayWhatHappened(t *testing.T) {
	v := SampleView()
	c := StageOf(&v, "").Clients
	require.Equal(t, "poll \u00b7 line 9", c[0].Head)
	require.Equal(t, "kill -9 at 00:12.000", c[1].Head)
	require.True(t, c[1].Bad)
	require.Equal(t, "gone", c[1].Life)
	require.Equal(t, []string{"p2", "p3"}, c[1].Owns)
	require.Equal(t, []string{"187 done, not committed"}, c[1].Notes)
	require.Equal(t, "session", c[1].Bars[0].Label)
	require.Equal(t, "STABLE \u00b7 generation 3", c[2].State)
	require.Equal(t, []string{"12 buffered"}, c[2].Notes)
	require.Equal(t, "frozen until 01:03.341", c[3].Head)
	require.Equal(t, "not started", c[4].Head)
	require.Equal(t, "crashed at 00:20.000", c[5].Head)
	require.Contains(t, c[5].Notes, "Payment failed.")
	require.Equal(t, []string{"8151 sent", "8150 acked"}, c[6].Notes)
}

func TestPartitionsOfAnEarlierLifeAreNotOwned(t *testing.T) {
	v := SampleView()
	v.Clients[1].Life = "running"
	require.Empty(t, StageOf(&v, "").Clients[1].Owns)
}

func TestPartitionsWithoutALeaderHaveACardOfTheirOwn(t *testing.T) {
	v := SampleView()
	v.Parts[0].Leader = ""
	cards := StageOf(&v, "").Brokers
	require.Equal(t, "no leader", cards[4].Name)
	require.Len(t, cards[4].Parts, 1)
}

func TestNamesAreLongWhereThereAreTwoTopics(t *testing.T) {
	v := SampleView()
	v.Parts = append(v.Parts, view.Partition{Topic: "payments"})
	require.Equal(t, "payments-0", NamesOf(&v).Part("payments-0"))
	require.Equal(t, Who{"orders", -1}, NamesOf(&v).Who("orders"))
}

func TestEventsBeyondWhatWasSeenAreNotShown(t *testing.T) {
	rows := []view.Line{
		{Index: 5, At: 10, Text: "one"}, {Index: 9, At: 20, Text: "two"},
		{Index: 12, At: 30, Text: "three"},
	}
	got := EventsOf(rows, 6, 20, Names{})
	require.Len(t, got, 2)
	require.True(t, got[0].Now)
	require.False(t, got[0].Next)
	require.True(t, got[1].Next)
	require.Equal(t, "index:9", got[1].Act)
}

func TestMessageCanBeHeldOnlyOnItsWay(t *testing.T) {
	m := view.Message{ID: 7, SentAt: 10, ArriveAt: 20}
	require.False(t, MessageOf(&m, 9, Names{}).Flying)
	require.True(t, MessageOf(&m, 10, Names{}).Flying)
	require.False(t, MessageOf(&m, 20, Names{}).Flying)
	m.ArriveAt, m.Lost = 0, true
	require.False(t, MessageOf(&m, 15, Names{}).Flying)
	require.Equal(t, "lost", MessageOf(&m, 15, Names{}).Arrives)
}

func TestTalkSaysWhatBecameOfAMessage(t *testing.T) {
	rows := []view.MessageRow{{ID: 1, SentAt: 5, ArriveAt: 9}, {ID: 2, SentAt: 6, Lost: true}}
	got := TalkOf(rows, 7, 2, Names{})
	require.Equal(t, "on its way", got[0].State)
	require.Equal(t, "lost", got[1].State)
	require.True(t, got[1].On)
	require.Empty(t, TalkOf(rows, 9, 0, Names{})[0].State)
}

func TestChangedSettingsComeFirst(t *testing.T) {
	got := ConfigOf([]view.Setting{{Name: "a"}, {Name: "b", Changed: true}, {Name: "c"}})
	require.Equal(t, "b", got[0].Name)
	require.Equal(t, "a", got[1].Name)
}

func TestMenuSpeaksTheScenarioLanguage(t *testing.T) {
	v := SampleView()
	acts := map[string]bool{}
	for _, m := range MenuOf(&v, "A", "loop") {
		acts[m.Act] = true
	}
	for _, want := range []string{
		`restart("A", down_for = "5s")`, `partition(["A"], ["broker-2"], heal_after = "20s")`,
		`add_consumer("G", group = "seller_read_db", run = loop)`, `kill_broker(1)`, `start_broker(4)`,
		`heal()`,
	} {
		require.True(t, acts[want], want)
	}
}

func TestHomeFindsLessonsByAllWordsAndCountsWhatIsDone(t *testing.T) {
	c := &course.Course{
		Chapters: []course.Chapter{
			{ID: "commit", Title: course.Text{"en": "Commit"}},
			{ID: "static", Title: course.Text{"en": "Static"}},
		},
		Lessons: []course.Lesson{
			{ID: "a", Chapter: "commit", Title: course.Text{"en": "Commit before"}, Rows: []string{"S57"}},
			{ID: "b", Chapter: "commit", Title: course.Text{"en": "Auto-commit"}},
		},
	}
	state := func(id string) string { return map[string]string{"a": "par", "b": "started"}[id] }
	h := HomeOf(c, "", state)
	require.Len(t, h.Chapters, 1, "a chapter without lessons is not shown")
	require.Equal(t, 1, h.Done)
	require.Equal(t, "#1/b", h.Resume)
	require.Len(t, HomeOf(c, "s57 before", state).Chapters[0].Lessons, 1)
	require.Empty(t, HomeOf(c, "cooperative", state).Chapters)
}

func TestResultsShowWhatWasLost(t *testing.T) {
	v := view.Verdict{Groups: []view.GroupResult{{Parts: []view.PartResult{
		{Part: "t-0", Processed: 5, Lost: "[20..22]", Duplicates: "[]", StalledMs: 45_000, Committed: 23},
	}}}}
	got := ResultsOf(&v, Names{oneTopic: "t"})
	require.Equal(t, ResultRow{
		Part: "p0", Processed: "5", Duplicates: "\u2013", Lost: "[20..22]", Committed: "23",
		Stalled: "45.0 s", Bad: true,
	}, got[0])
}
