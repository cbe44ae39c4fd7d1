package wire

import "github.com/twmb/franz-go/pkg/kmsg"

// clusterError is [ErrorCode] for what brokers, controllers and administrators say.
func clusterError(f *Frame) int16 {
	switch r := f.Resp.(type) {
	case *kmsg.DeleteRecordsResponse:
		return firstError(r.Topics, func(t *kmsg.DeleteRecordsResponseTopic) int16 {
			return firstError(t.Partitions,
				func(p *kmsg.DeleteRecordsResponseTopicPartition) int16 { return p.ErrorCode })
		})
	case *kmsg.ElectLeadersResponse:
		if r.ErrorCode != 0 {
			return r.ErrorCode
		}
		return firstError(r.Topics, func(t *kmsg.ElectLeadersResponseTopic) int16 {
			return firstError(t.Partitions,
				func(p *kmsg.ElectLeadersResponseTopicPartition) int16 { return p.ErrorCode })
		})
	case *kmsg.VoteResponse:
		return r.ErrorCode
	case *kmsg.BeginQuorumEpochResponse:
		return r.ErrorCode
	case *kmsg.AlterPartitionResponse:
		if r.ErrorCode != 0 {
			return r.ErrorCode
		}
		return firstError(r.Topics, func(t *kmsg.AlterPartitionResponseTopic) int16 {
			return firstError(t.Partitions,
				func(p *kmsg.AlterPartitionResponseTopicPartition) int16 { return p.ErrorCode })
		})
	case *kmsg.BrokerRegistrationResponse:
		return r.ErrorCode
	case *kmsg.BrokerHeartbeatResponse:
		return r.ErrorCode
	}
	return 0
}

// refuseCluster is [ErrorReply] for what brokers, controllers and administrators ask.
func refuseCluster(f *Frame, resp kmsg.Response, c int16) {
	switch r := resp.(type) {
	case *kmsg.DeleteRecordsResponse:
		for _, t := range f.Req.(*kmsg.DeleteRecordsRequest).Topics {
			o := kmsg.NewDeleteRecordsResponseTopic()
			o.Topic = t.Topic
			for _, p := range t.Partitions {
				e := kmsg.NewDeleteRecordsResponseTopicPartition()
				e.Partition, e.LowWatermark, e.ErrorCode = p.Partition, -1, c
				o.Partitions = append(o.Partitions, e)
			}
			r.Topics = append(r.Topics, o)
		}
	default:
		refuseWhole(resp, c)
	}
}

// refuseWhole: responses with one code for everything.
func refuseWhole(resp kmsg.Response, c int16) {
	switch r := resp.(type) {
	case *kmsg.ElectLeadersResponse:
		r.ErrorCode = c
	case *kmsg.VoteResponse:
		r.ErrorCode = c
	case *kmsg.BeginQuorumEpochResponse:
		r.ErrorCode = c
	case *kmsg.AlterPartitionResponse:
		r.ErrorCode = c
	case *kmsg.BrokerRegistrationResponse:
		r.ErrorCode = c
	case *kmsg.BrokerHeartbeatResponse:
		r.ErrorCode = c
	}
}
