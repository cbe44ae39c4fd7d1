package tell

import (
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
	"rebalancelab/engine/wire"
)

var timerTexts = []string{"timer", "initial delay", "rebalance timer", "pending sync timer"}

func (t *Teller) group(l *view.Line, e trace.Event) {
	t.Learn(e)
	g := t.log.String(e.Name)
	switch e.Kind {
	case trace.GroupState:
		l.Text = "group " + g + " is " + trace.GroupStateNames[e.X] + ", " +
			t.counted(e.Name, "group epoch", e.Y)
		l.OK = e.X == trace.GroupStable
	case trace.GroupProtocol:
		l.Text = "group " + g + " uses " + t.log.String(e.Peer)
	case trace.GroupLeader:
		l.Text = "group " + g + ": leader is " + t.who(e.Peer)
		if e.Peer == 0 {
			l.Text = "group " + g + " has no leader"
		}
	case trace.GroupTimer:
		l.Text = timerTexts[e.X] + " of " + g + " runs until " + Clock(e.Y)
		if e.Y == 0 {
			l.Text = timerTexts[e.X] + " of " + g + " stops"
		}
	case trace.MemberPending:
		l.Text = "gives out member id " + Short(t.log.String(e.Peer)) + ", join again with it"
	case trace.MemberAdded:
		l.Text = t.who(e.Peer) + " is a member of " + g
	case trace.MemberTimeouts:
		l.Text = t.who(e.Peer) + " has a session timeout of " + Seconds(e.X) +
			" and a rebalance timeout of " + Seconds(e.Y) + " now"
	case trace.MemberJoining:
		l.Text = t.who(e.Peer) + " waits in JoinGroup"
	case trace.MemberSyncing:
		l.Text = t.who(e.Peer) + " waits in SyncGroup"
	case trace.MemberAnswered:
		l.Text = t.who(e.Peer) + " gets its " + wire.KeyName(int16(e.X)) + " answer"
	case trace.MemberSession:
		l.Text = "session of " + t.who(e.Peer) + " runs until " + Clock(e.X)
		if e.X == 0 {
			l.Text = "session timer of " + t.who(e.Peer) + " stops"
		}
	case trace.MemberRemoved:
		l.Text = t.who(e.Peer) + " removed from " + g + ": " + trace.RemovedByNames[e.X]
		if e.X == trace.RemovedBySession && e.Y > 0 {
			l.Text += ", last heard of at " + Clock(e.Y)
		}
		l.Bad = e.X != trace.RemovedByLeave
	case trace.PartitionAssigned:
		l.Text = t.part(e) + " assigned to " + t.who(e.Peer) + " in " +
			t.counted(trace.Ref(e.Y), "member epoch", e.X)
	case trace.GenerationStable:
		l.Text, l.OK = t.counted(e.Name, "group epoch", e.X)+" of "+g+" is complete", true
	case trace.OffsetCommitted:
		l.Text = "committed " + t.part(e) + " = " + num(e.X) + " for " + t.log.String(trace.Ref(e.Y))
		l.OK = true
	case trace.OffsetRemoved:
		l.Text = "offset of " + t.part(e) + " removed for " + t.log.String(trace.Ref(e.Y))
	case trace.CoordinatorLoaded:
		l.Text = "has read __consumer_offsets-" + num(int64(e.Part)) + ": " + many(e.X, "record")
	default:
		t.consumerGroup(l, e)
	}
}

// consumerGroup tells what only groups of the consumer protocol have (KIP-848).
func (t *Teller) consumerGroup(l *view.Line, e trace.Event) {
	who := t.who(e.Peer)
	switch e.Kind {
	case trace.MemberEpoch:
		l.Text = who + " is in member epoch " + num(e.X) + ", " + trace.MemberStateNames[e.Z]
		switch e.X {
		case -1:
			l.Text = who + " is on its way out of the group"
		case -2:
			l.Text = who + " has left for a while and keeps its partitions"
		}
	case trace.MemberTarget:
		l.Text = "target of " + who + " for group epoch " + num(e.X) + ": " + many(e.Y, "partition")
	case trace.TargetPartition:
		l.Text = t.part(e) + " is to be " + who + "'s in group epoch " + num(e.X)
	case trace.PartitionRevoking:
		l.Text = who + " is to give up " + t.part(e)
	case trace.PartitionReleased:
		l.Text = t.part(e) + " is free, " + who + " no longer has it"
	case trace.MemberRevocation:
		l.Text = who + " must have given up its partitions by " + Clock(e.X)
		if e.X == 0 {
			l.Text = "revocation timer of " + who + " stops"
		}
	}
}

var commitKinds = []string{"commit_sync", "commit_async", "auto-commit"}

var positionWhy = []string{
	"", " (committed offset)", " (auto.offset.reset)", " (seek)",
}

var unownedTexts = []string{"gives up ", "lost ", "gives up ", "no longer owns "}

func (t *Teller) client(l *view.Line, e trace.Event) {
	t.Learn(e)
	name := t.log.String(e.Name)
	switch e.Kind {
	case trace.CallStarted:
		l.Text = name + "()"
		if e.X > 0 {
			l.Text += " at line " + num(e.X)
		}
	case trace.CallEnded:
		l.Text = name + "() returns"
		if name == "poll" {
			l.Text += " " + many(e.X, "record")
		}
		if e.Peer != 0 {
			l.Text, l.Bad = name+"() fails: "+t.log.String(e.Peer), true
		}
	case trace.ConsumerState:
		l.Text = "is " + trace.ConsumerStateNames[e.X]
		switch {
		case e.Y > 0 && (t.modern[e.Name] || e.X > trace.ConsumerStable):
			l.Text += " in member epoch " + num(e.Y)
		case e.Y >= 0 && e.X == trace.ConsumerStable:
			l.Text += " in generation " + num(e.Y)
		}
	case trace.MemberID:
		l.Text = "has member id " + Short(name)
		if e.Name == 0 {
			l.Text = "has no member id any more"
		}
	case trace.Positioned:
		l.Text = "position " + t.part(e) + " = " + num(e.X) + positionWhy[e.Y]
	case trace.Fetched:
		l.Text = "buffers " + span(e.X-e.Y, e.Y) + " of " + t.part(e)
	case trace.Delivered:
		l.Text = "poll returns " + t.part(e) + " " + span(e.X, e.Y)
	case trace.Owned:
		l.Text = "owns " + t.part(e)
	case trace.Unowned:
		l.Text = unownedTexts[e.X] + t.part(e)
	case trace.CallbackStarted:
		l.Text = name + " runs for " + many(e.X, "partition")
	case trace.CallbackEnded:
		l.Text = name + " is done"
	case trace.CommitSent:
		l.Text = commitKinds[e.Z] + " " + t.part(e) + " = " + num(e.X)
	case trace.CommitDone:
		l.Text, l.OK = commitKinds[e.Z]+" accepted", true
		if e.Name != 0 {
			l.Text, l.OK, l.Bad = commitKinds[e.Z]+" refused: "+name, false, true
		}
	case trace.CommitRefused:
		l.Text, l.Bad = "commit fails without being sent: "+name, true
	case trace.PollTimer:
		l.Text = "poll timer runs until " + Clock(e.X)
		if e.X == 0 {
			l.Text = "poll timer stops"
		}
	case trace.HeartbeatTimer:
		l.Text = "next heartbeat at " + Clock(e.X)
		if e.X == 0 {
			l.Text = "heartbeats stop"
		}
	case trace.PollExpired:
		l.Text, l.Bad = "max.poll.interval is over: leaves the group by itself", true
	default:
		t.work(l, e)
	}
}

func (t *Teller) work(l *view.Line, e trace.Event) {
	name := t.log.String(e.Name)
	switch e.Kind {
	case trace.WorkStarted:
		l.Text = "processing " + t.part(e) + " #" + num(e.X)
	case trace.WorkEnded:
		l.Text = "finished " + t.part(e) + " #" + num(e.X)
	case trace.WorkFailed:
		l.Text, l.Bad = "failed on "+t.part(e)+" #"+num(e.X), true
	case trace.LogLine:
		l.Text, l.Bad = "logs: "+name, e.X == 2
	case trace.StoreSet:
		l.Text = "store " + name + ": " + t.log.String(e.Peer)
	case trace.ProducerSent:
		l.Text = "sends " + many(e.Y, "record") + " to " + t.part(e)
	case trace.ProducerAcked:
		l.Text = t.part(e) + " " + span(e.X, e.Y) + " acknowledged"
	case trace.ProducerFailed:
		l.Text, l.Bad = "gives up "+many(e.Y, "record")+": "+t.log.String(e.Peer), true
	case trace.ProgramEnded:
		l.Text = "program returns"
		if e.Name != 0 {
			l.Text, l.Bad = "program fails: "+name, true
		}
	case trace.FetchAsked:
		l.Text = "asks " + t.log.String(e.Peer) + " for " + t.part(e) + " from " + num(e.X)
	case trace.Paused:
		l.Text = "pauses " + t.part(e)
	case trace.Resumed:
		l.Text = "resumes " + t.part(e)
	}
}
