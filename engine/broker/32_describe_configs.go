package broker

import (
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// DescribeConfigs, key 32, versions 1-4: the settings of topics and brokers that rule something
// here, with where each value comes from.
//
// Left out: authorization, synonyms, documentation, resources of other kinds.
func (b *Broker) describeConfigs(req *kmsg.DescribeConfigsRequest) *kmsg.DescribeConfigsResponse {
	r := kmsg.NewPtrDescribeConfigsResponse()
	for i := range req.Resources {
		q := &req.Resources[i]
		out := kmsg.NewDescribeConfigsResponseResource()
		out.ResourceType, out.ResourceName = q.ResourceType, q.ResourceName
		all, f := b.settingsOf(q.ResourceType, q.ResourceName)
		for _, d := range all {
			if q.ConfigNames == nil || slices.Contains(q.ConfigNames, d.key) {
				out.Configs = append(out.Configs, d.describe())
			}
		}
		out.ErrorCode, out.ErrorMessage = f.answer()
		r.Resources = append(r.Resources, out)
	}
	return r
}

func (d *described) describe() kmsg.DescribeConfigsResponseResourceConfig {
	o := kmsg.NewDescribeConfigsResponseResourceConfig()
	o.Name, o.Value, o.Source, o.ConfigType = d.key, &d.value, d.source, d.kind
	return o
}

// settingsOf are the settings of a resource.
func (b *Broker) settingsOf(kind kmsg.ConfigResourceType, name string) ([]described, *fault) {
	switch kind {
	case kmsg.ConfigResourceTypeTopic:
		t := b.cluster.byName[name]
		if t == nil {
			return nil, refuse(wire.UnknownTopicOrPartition, "there is no such topic")
		}
		return b.cluster.describeTopicConfig(t.entries), nil
	case kmsg.ConfigResourceTypeBroker:
		if f := b.brokerFault(name); f != nil {
			return nil, f
		}
		return b.cluster.describeBrokerConfig(), nil
	}
	return nil, refuse(wire.InvalidRequest, "resources of type %s have no settings here", kind)
}

// brokerFault: settings of a broker are asked of that broker; no name means those of all.
func (b *Broker) brokerFault(name string) *fault {
	if name == "" {
		return nil
	}
	id, err := strconv.ParseInt(name, 10, 32)
	if err != nil || b.cluster.node(int32(id)) == nil {
		return refuse(wire.InvalidRequest, "there is no broker %q", name)
	}
	if int32(id) != b.id {
		return refuse(wire.InvalidRequest, "broker %d was asked for the settings of broker %d", b.id, id)
	}
	return nil
}
