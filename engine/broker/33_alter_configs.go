package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// AlterConfigs, key 33, versions 0-2: all settings of a topic anew; those that are not named go back
// to their defaults. IncrementalAlterConfigs has replaced it.
//
// Left out: authorization, brokers.
func (b *Broker) alterConfigs(req *kmsg.AlterConfigsRequest) *kmsg.AlterConfigsResponse {
	r := kmsg.NewPtrAlterConfigsResponse()
	for i := range req.Resources {
		q := &req.Resources[i]
		out := kmsg.NewAlterConfigsResponseResource()
		out.ResourceType, out.ResourceName = q.ResourceType, q.ResourceName
		f := b.replaceConfig(q, req.ValidateOnly)
		out.ErrorCode, out.ErrorMessage = f.answer()
		r.Resources = append(r.Resources, out)
	}
	return r
}

func (b *Broker) replaceConfig(q *kmsg.AlterConfigsRequestResource, only bool) *fault {
	if q.ResourceType != kmsg.ConfigResourceTypeTopic {
		return refuse(wire.InvalidRequest, "settings of a %s are altered one by one", q.ResourceType)
	}
	t := b.cluster.byName[q.ResourceName]
	if t == nil {
		return refuse(wire.UnknownTopicOrPartition, "there is no such topic")
	}
	var entries []Entry
	for _, e := range q.Configs {
		if e.Value == nil {
			return refuse(wire.InvalidConfig, "%s has no value", e.Name)
		}
		entries = append(entries, Entry{e.Name, *e.Value})
	}
	return b.cluster.reconfigure(t, entries, only)
}
