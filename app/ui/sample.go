package ui

import "rebalancelab/engine/view"

// SampleView is a moment made by hand: B was killed, its session has just run out, A has joined
// again and C does not know yet. The gallery and tests show it.
func SampleView() view.View {
	const now = 54_341_000_000
	v := view.View{
		At: now, Index: 9123, Hash: 1,
		Brokers: []view.Broker{
			{Name: "broker-1", Up: true, Controller: true, Waiting: []view.Waiting{
				{Client: "A", Since: now - 1e8, Deadline: now + 4e8}}},
			{Name: "broker-2", Up: true, Coordinates: []string{"seller_read_db"}},
			{Name: "broker-3", Frozen: true, Up: true},
			{Name: "broker-4"},
		},
		Groups: []view.Group{sampleGroup(now)},
		Neighbours: []view.Neighbour{
			{Name: "ticks", Kind: "Redis Pub/Sub channel", Server: "redis", Published: 40000,
				Limit: 32 << 20, Client: "A", Live: true, Buffered: 12 << 20, Messages: 12288},
			{Name: "jobs", Kind: "RabbitMQ queue", Server: "rabbitmq", Published: 600, Settled: 590,
				Client: "B", Pending: 5},
		},
		Stores: []view.Store{{Name: "orders", Effects: 22, Last: []string{"19=paid", "18=paid"}}},
	}
	owners := []string{"A", "A", "B", "B", "C", "C"}
	positions := []int64{1280, 1279, 219, 218, 1277, 1276}
	committed := []int64{1280, 1279, 125, 125, 1250, 1250}
	for i, owner := range owners {
		v.Parts = append(v.Parts, view.Partition{
			Topic: "order_events", Number: int32(i), Leader: v.Brokers[i/2].Name, HighWater: 1284,
			LogEnd: 1284, Readers: []view.Reader{{
				Group: "seller_read_db", Committed: committed[i], Owner: owner, OwnerDead: owner == "B",
				Position: positions[i], Fetched: positions[i] + 4, Work: -1,
			}},
		})
	}
	v.Clients = sampleClients(now)
	return v
}

func sampleGroup(now int64) view.Group {
	return view.Group{
		Name: "seller_read_db", Coordinator: "broker-2", OffsetsPart: 7, State: "PreparingRebalance",
		StateSince: now - 3e8, Generation: 3, Protocol: "range", Leader: "A", Timer: "rebalance",
		TimerFrom: now - 14e8, TimerDeadline: now + 2986e8, Rebalances: 2,
		Members: []view.Member{
			{ID: "A-1", Client: "A", Waits: "JoinGroup"},
			{ID: "B-1", Client: "B", Session: 45e9, Deadline: now + 21e8},
			{ID: "C-1", Client: "C", Session: 45e9, Deadline: now + 42e9},
			{ID: "D-1", Client: "D", Pending: true},
		},
	}
}

func sampleClients(now int64) []view.Client {
	running := view.Client{
		Group: "seller_read_db", Life: "running", State: "STABLE", Generation: 3, PollLength: 300e9,
		PollTo: now + 299e9, BeatAt: now + 12e8, BeatLength: 3e9, SessionLen: 45e9,
		SessionTo: now + 449e8,
	}
	a, b, c, d := running, running, running, running
	a.Name, a.MemberID, a.State, a.Call, a.Line = "A", "A-1", "PREPARING_REBALANCE", "poll", 9
	b.Name, b.Color, b.Life, b.LifeAt, b.MemberID = "B", 1, "killed", 12e9, "B-1"
	b.Owned, b.Undone = []string{"order_events-2", "order_events-3"}, 187
	c.Name, c.Color, c.Call, c.Line, c.MemberID = "C", 2, "process", 8, "C-1"
	c.Owned, c.Buffered = []string{"order_events-4", "order_events-5"}, 12
	d.Name, d.Color, d.Life, d.Thaws, d.MemberID = "D", 3, "frozen", now+9e9, "D-1"
	e := view.Client{Name: "E", Color: 4, Life: "waiting"}
	f := view.Client{Name: "F", Color: 5, Life: "crashed", LifeAt: 20e9, LifeText: "payment failed"}
	orders := view.Client{
		Name: "orders", Producer: true, Color: -1, Life: "running", Sent: 8151, Acked: 8150,
	}
	return []view.Client{a, b, c, d, e, f, orders}
}
