package group

import "rebalancelab/engine/trace"

// openConsumer lets a group that was read from the log go on: every member's session starts full,
// and so does the time of those that have partitions to give up.
func (g *group) openConsumer() {
	cg := g.consumer
	g.state, g.generation = cg.state(), cg.epoch
	g.emitState()
	g.offsets.tellLoaded(g)
	if len(cg.order) == 0 {
		return
	}
	g.tellLoaded()
	for _, m := range cg.members() {
		g.armConsumer(m, g.c.cfg.consumerSession(g.id), 0)
		g.watchRevocation(m)
	}
	if g.state == trace.GroupStable {
		g.emit(trace.Event{Kind: trace.GenerationStable, X: int64(cg.epoch)})
	}
}

// closeConsumer ends this broker's part in the group.
func (g *group) closeConsumer() {
	for _, m := range g.consumer.members() {
		g.consumer.timersOf(m.id).why = trace.RemovedByUnload
		g.tellRemoved(m)
	}
}
