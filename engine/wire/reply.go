package wire

import "github.com/twmb/franz-go/pkg/kmsg"

// ErrorReply answers request f with an error: at the top level where the response has such a field,
// else on every partition, topic or member that the request names.
func ErrorReply(f *Frame, code Code) *Frame {
	resp := f.Req.ResponseKind()
	c := int16(code)
	switch r := resp.(type) {
	case *kmsg.ProduceResponse:
		refuseProduce(f.Req.(*kmsg.ProduceRequest), r, c)
	case *kmsg.FetchResponse:
		refuseFetch(f.Req.(*kmsg.FetchRequest), r, c)
	case *kmsg.ListOffsetsResponse:
		refuseListOffsets(f.Req.(*kmsg.ListOffsetsRequest), r, c)
	case *kmsg.OffsetCommitResponse:
		refuseCommit(f.Req.(*kmsg.OffsetCommitRequest), r, c)
	case *kmsg.OffsetFetchResponse:
		r.ErrorCode = c
		for _, g := range f.Req.(*kmsg.OffsetFetchRequest).Groups {
			o := kmsg.NewOffsetFetchResponseGroup()
			o.Group, o.ErrorCode = g.Group, c
			r.Groups = append(r.Groups, o)
		}
	case *kmsg.FindCoordinatorResponse:
		r.ErrorCode, r.NodeID = c, -1
		for _, k := range f.Req.(*kmsg.FindCoordinatorRequest).CoordinatorKeys {
			o := kmsg.NewFindCoordinatorResponseCoordinator()
			o.Key, o.ErrorCode, o.NodeID = k, c, -1
			r.Coordinators = append(r.Coordinators, o)
		}
	case *kmsg.JoinGroupResponse:
		r.ErrorCode, r.Generation, r.MemberID = c, -1, f.Req.(*kmsg.JoinGroupRequest).MemberID
	case *kmsg.SyncGroupResponse:
		r.ErrorCode = c
	case *kmsg.HeartbeatResponse:
		r.ErrorCode = c
	case *kmsg.LeaveGroupResponse:
		r.ErrorCode = c
	case *kmsg.ConsumerGroupHeartbeatResponse:
		r.ErrorCode = c
	case *kmsg.InitProducerIDResponse:
		r.ErrorCode, r.ProducerID, r.ProducerEpoch = c, -1, -1
	case *kmsg.ApiVersionsResponse:
		r.ErrorCode = c
	case *kmsg.MetadataResponse:
		for _, t := range f.Req.(*kmsg.MetadataRequest).Topics {
			o := kmsg.NewMetadataResponseTopic()
			o.Topic, o.TopicID, o.ErrorCode = t.Topic, t.TopicID, c
			r.Topics = append(r.Topics, o)
		}
	default:
		refuseAdmin(f, resp, c)
	}
	return f.Reply(resp)
}

func refuseProduce(q *kmsg.ProduceRequest, r *kmsg.ProduceResponse, code int16) {
	for _, t := range q.Topics {
		o := kmsg.NewProduceResponseTopic()
		o.Topic, o.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			e := kmsg.NewProduceResponseTopicPartition()
			e.Partition, e.ErrorCode, e.BaseOffset = p.Partition, code, -1
			o.Partitions = append(o.Partitions, e)
		}
		r.Topics = append(r.Topics, o)
	}
}

// refuseFetch puts an error of the session at the top level, every other on the partitions.
func refuseFetch(q *kmsg.FetchRequest, r *kmsg.FetchResponse, code int16) {
	switch Code(code) {
	case FetchSessionIDNotFound, InvalidFetchSessionEpoch, FetchSessionTopicIDError:
		r.ErrorCode = code // about the session: no partition is named (E15)
		return
	}
	for _, t := range q.Topics {
		o := kmsg.NewFetchResponseTopic()
		o.Topic, o.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			e := kmsg.NewFetchResponseTopicPartition()
			e.Partition, e.ErrorCode, e.HighWatermark = p.Partition, code, -1
			e.RecordBatches = []byte{} // a broker never sends null
			o.Partitions = append(o.Partitions, e)
		}
		r.Topics = append(r.Topics, o)
	}
}

func refuseListOffsets(q *kmsg.ListOffsetsRequest, r *kmsg.ListOffsetsResponse, code int16) {
	for _, t := range q.Topics {
		o := kmsg.NewListOffsetsResponseTopic()
		o.Topic = t.Topic
		for _, p := range t.Partitions {
			e := kmsg.NewListOffsetsResponseTopicPartition()
			e.Partition, e.ErrorCode = p.Partition, code
			o.Partitions = append(o.Partitions, e)
		}
		r.Topics = append(r.Topics, o)
	}
}

func refuseCommit(q *kmsg.OffsetCommitRequest, r *kmsg.OffsetCommitResponse, code int16) {
	for _, t := range q.Topics {
		o := kmsg.NewOffsetCommitResponseTopic()
		o.Topic, o.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			e := kmsg.NewOffsetCommitResponseTopicPartition()
			e.Partition, e.ErrorCode = p.Partition, code
			o.Partitions = append(o.Partitions, e)
		}
		r.Topics = append(r.Topics, o)
	}
}
