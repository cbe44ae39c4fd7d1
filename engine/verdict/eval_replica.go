package verdict

import (
	"strings"

	"rebalancelab/engine/trace"
)

// replication answers questions about the copies of partitions.
func (a *ask) replication() (Value, error) {
	parts, err := a.partitions()
	if err != nil {
		return Value{}, err
	}
	switch a.q.Name {
	case "leader_changes":
		return Number(a.count(func(e trace.Event) bool {
			return e.Kind == trace.LeaderElected && e.Y > 0 && among(parts, &e)
		})), nil
	case "truncated":
		n := int64(0)
		a.f.scan(a.from, a.to, func(e trace.Event) bool {
			if e.Kind == trace.Truncated && e.X < e.Y && among(parts, &e) {
				n += e.Y - e.X
			}
			return true
		})
		return Number(n), nil
	}
	p := a.partitionAt(parts[0])
	switch {
	case a.q.Name == "isr":
		return a.inSync(p), nil
	case len(p.leaders) == 0:
		return None("no leader yet"), nil
	case a.q.Name == "leader_epoch":
		return Number(p.leaders[len(p.leaders)-1].epoch), nil
	case p.leader == 0 || p.leaders[len(p.leaders)-1].broker == 0:
		return None("no leader"), nil
	}
	return Text(a.f.name(p.leader)), nil
}

func among(parts []*partition, e *trace.Event) bool {
	for _, p := range parts {
		if p.topic == e.Name && p.part == e.Part {
			return true
		}
	}
	return false
}

// partitionAt is the partition as it was at the query's moment.
func (a *ask) partitionAt(p *partition) *partition {
	if a.at >= a.end {
		return p
	}
	then := &partition{topic: p.topic, part: p.part}
	a.f.scan(0, a.at, func(e trace.Event) bool {
		if e.Name == p.topic && e.Part == p.part {
			switch e.Kind {
			case trace.Appended, trace.HighWatermark, trace.LeaderElected, trace.ReplicasPlaced,
				trace.ISRChanged, trace.Replicated, trace.FollowerWatermark, trace.Truncated:
				then.observeLog(&e)
			}
		}
		return true
	})
	return then
}

// inSync are the brokers in sync; of a partition with one replica it is the leader.
func (a *ask) inSync(p *partition) Value {
	if p.placed == 0 {
		if p.leader == 0 {
			return Names()
		}
		return Names(a.f.name(p.leader))
	}
	var names []string
	for _, id := range strings.Split(a.f.name(p.isr), ",") {
		names = append(names, "broker-"+id)
	}
	return Names(names...)
}
