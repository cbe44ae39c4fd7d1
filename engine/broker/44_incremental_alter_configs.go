package broker

import (
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// IncrementalAlterConfigs, key 44, versions 0-1: single settings of a topic, or of all brokers.
//
// Left out: authorization; settings of one broker alone, since all brokers share theirs; taking back
// a setting of the brokers.
func (b *Broker) incrementalAlterConfigs(
	req *kmsg.IncrementalAlterConfigsRequest,
) *kmsg.IncrementalAlterConfigsResponse {
	r := kmsg.NewPtrIncrementalAlterConfigsResponse()
	for i := range req.Resources {
		q := &req.Resources[i]
		out := kmsg.NewIncrementalAlterConfigsResponseResource()
		out.ResourceType, out.ResourceName = q.ResourceType, q.ResourceName
		f := b.alter(q, req.ValidateOnly)
		out.ErrorCode, out.ErrorMessage = f.answer()
		r.Resources = append(r.Resources, out)
	}
	return r
}

func (b *Broker) alter(q *kmsg.IncrementalAlterConfigsRequestResource, only bool) *fault {
	switch {
	case q.ResourceType == kmsg.ConfigResourceTypeBroker && q.ResourceName == "":
		return b.alterBrokers(q, only)
	case q.ResourceType != kmsg.ConfigResourceTypeTopic:
		return refuse(wire.InvalidRequest, "only topics and all brokers together can be altered")
	}
	t := b.cluster.byName[q.ResourceName]
	if t == nil {
		return refuse(wire.UnknownTopicOrPartition, "there is no such topic")
	}
	entries := slices.Clone(t.entries)
	for _, e := range q.Configs {
		var f *fault
		if entries, f = b.cluster.altered(entries, e); f != nil {
			return f
		}
	}
	return b.cluster.reconfigure(t, entries, only)
}

// altered applies one operation to the settings of a topic.
func (c *Cluster) altered(
	entries []Entry, e kmsg.IncrementalAlterConfigsRequestResourceConfig,
) ([]Entry, *fault) {
	old := ""
	for _, d := range c.describeTopicConfig(entries) {
		if d.key == e.Name {
			old = d.value
		}
	}
	kept := slices.DeleteFunc(entries, func(o Entry) bool { return o.Key == e.Name })
	if e.Op == kmsg.IncrementalAlterConfigOpDelete {
		return kept, nil
	}
	if e.Value == nil {
		return nil, refuse(wire.InvalidConfig, "%s has no value", e.Name)
	}
	value := *e.Value
	if e.Op != kmsg.IncrementalAlterConfigOpSet {
		if e.Name != "cleanup.policy" { // the only list among the settings
			return nil, refuse(wire.InvalidConfig, "%s is not a list", e.Name)
		}
		value = alterList(old, value, e.Op == kmsg.IncrementalAlterConfigOpAppend)
	}
	return append(kept, Entry{e.Name, value}), nil
}

// alterList adds words to a list with commas, or takes them out.
func alterList(old, change string, add bool) string {
	changed := strings.Split(change, ",")
	list := slices.DeleteFunc(strings.Split(old, ","), func(s string) bool {
		return s == "" || slices.Contains(changed, s)
	})
	if add {
		list = append(list, changed...)
	}
	return strings.Join(list, ",")
}

// reconfigure gives a topic the settings, or only says whether it could.
func (c *Cluster) reconfigure(t *Topic, entries []Entry, only bool) *fault {
	cfg := c.cfg.topic
	for _, e := range entries {
		if err := cfg.apply(e); err != nil {
			return refuse(wire.InvalidConfig, "%v", err)
		}
	}
	if only {
		return nil
	}
	if err := c.configure(t, entries); err != nil {
		panic("broker: settings that were checked do not apply: " + err.Error())
	}
	return nil
}

// dynamic are the settings that Kafka's brokers take while they run, of those that are known here.
var dynamic = []string{
	"log.retention.ms", "log.segment.bytes", "message.max.bytes", "min.insync.replicas",
}

func (b *Broker) alterBrokers(q *kmsg.IncrementalAlterConfigsRequestResource, only bool) *fault {
	cfg := b.cluster.cfg
	for _, e := range q.Configs {
		if !slices.Contains(dynamic, e.Name) {
			return refuse(wire.InvalidConfig, "%s cannot be changed while brokers run", e.Name)
		}
		if e.Op != kmsg.IncrementalAlterConfigOpSet || e.Value == nil {
			return refuse(wire.InvalidConfig, "%s: settings of the brokers can only be set", e.Name)
		}
		if err := cfg.apply(Entry{e.Name, *e.Value}); err != nil {
			return refuse(wire.InvalidConfig, "%v", err)
		}
	}
	for _, e := range q.Configs {
		if only {
			break
		}
		if err := b.cluster.SetConfig("", e.Name, *e.Value); err != nil {
			return refuse(wire.InvalidConfig, "%v", err)
		}
	}
	return nil
}
