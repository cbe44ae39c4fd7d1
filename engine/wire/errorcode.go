package wire

import "github.com/twmb/franz-go/pkg/kmsg"

// ErrorCode is the first error in a response, for labels: the top-level one, else that of the first
// topic, partition, group or member that has one. It is 0 for requests and for success.
func ErrorCode(f *Frame) int16 {
	switch r := f.Resp.(type) {
	case *kmsg.JoinGroupResponse:
		return r.ErrorCode
	case *kmsg.SyncGroupResponse:
		return r.ErrorCode
	case *kmsg.HeartbeatResponse:
		return r.ErrorCode
	case *kmsg.ApiVersionsResponse:
		return r.ErrorCode
	case *kmsg.InitProducerIDResponse:
		return r.ErrorCode
	case *kmsg.ListGroupsResponse:
		return r.ErrorCode
	case *kmsg.LeaveGroupResponse:
		return leaveError(r)
	case *kmsg.ProduceResponse:
		return produceError(r)
	case *kmsg.FetchResponse:
		return fetchError(r)
	case *kmsg.ListOffsetsResponse:
		return listOffsetsError(r)
	case *kmsg.MetadataResponse:
		return metadataError(r)
	case *kmsg.OffsetCommitResponse:
		return commitError(r)
	case *kmsg.OffsetFetchResponse:
		return offsetFetchError(r)
	case *kmsg.FindCoordinatorResponse:
		return findCoordinatorError(r)
	case *kmsg.OffsetForLeaderEpochResponse:
		return epochError(r)
	case *kmsg.DescribeGroupsResponse:
		return describeError(r)
	case *kmsg.DeleteGroupsResponse:
		return deleteError(r)
	case *kmsg.ConsumerGroupHeartbeatResponse:
		return r.ErrorCode
	case *kmsg.ConsumerGroupDescribeResponse:
		return consumerDescribeError(r)
	}
	return adminError(f)
}

func leaveError(r *kmsg.LeaveGroupResponse) int16 {
	if r.ErrorCode != 0 {
		return r.ErrorCode
	}
	for i := range r.Members {
		if code := r.Members[i].ErrorCode; code != 0 {
			return code
		}
	}
	return 0
}

func produceError(r *kmsg.ProduceResponse) int16 {
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			if code := r.Topics[i].Partitions[j].ErrorCode; code != 0 {
				return code
			}
		}
	}
	return 0
}

func fetchError(r *kmsg.FetchResponse) int16 {
	if r.ErrorCode != 0 {
		return r.ErrorCode
	}
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			if code := r.Topics[i].Partitions[j].ErrorCode; code != 0 {
				return code
			}
		}
	}
	return 0
}

func listOffsetsError(r *kmsg.ListOffsetsResponse) int16 {
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			if code := r.Topics[i].Partitions[j].ErrorCode; code != 0 {
				return code
			}
		}
	}
	return 0
}

func metadataError(r *kmsg.MetadataResponse) int16 {
	if r.ErrorCode != 0 {
		return r.ErrorCode
	}
	for i := range r.Topics {
		if code := r.Topics[i].ErrorCode; code != 0 {
			return code
		}
		for j := range r.Topics[i].Partitions {
			if code := r.Topics[i].Partitions[j].ErrorCode; code != 0 {
				return code
			}
		}
	}
	return 0
}

func commitError(r *kmsg.OffsetCommitResponse) int16 {
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			if code := r.Topics[i].Partitions[j].ErrorCode; code != 0 {
				return code
			}
		}
	}
	return 0
}

func offsetFetchError(r *kmsg.OffsetFetchResponse) int16 {
	if r.ErrorCode != 0 {
		return r.ErrorCode
	}
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			if code := r.Topics[i].Partitions[j].ErrorCode; code != 0 {
				return code
			}
		}
	}
	for i := range r.Groups {
		if code := offsetFetchGroupError(&r.Groups[i]); code != 0 {
			return code
		}
	}
	return 0
}

func offsetFetchGroupError(g *kmsg.OffsetFetchResponseGroup) int16 {
	if g.ErrorCode != 0 {
		return g.ErrorCode
	}
	for i := range g.Topics {
		for j := range g.Topics[i].Partitions {
			if code := g.Topics[i].Partitions[j].ErrorCode; code != 0 {
				return code
			}
		}
	}
	return 0
}

func findCoordinatorError(r *kmsg.FindCoordinatorResponse) int16 {
	if r.ErrorCode != 0 {
		return r.ErrorCode
	}
	for i := range r.Coordinators {
		if code := r.Coordinators[i].ErrorCode; code != 0 {
			return code
		}
	}
	return 0
}

func epochError(r *kmsg.OffsetForLeaderEpochResponse) int16 {
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			if code := r.Topics[i].Partitions[j].ErrorCode; code != 0 {
				return code
			}
		}
	}
	return 0
}

func describeError(r *kmsg.DescribeGroupsResponse) int16 {
	for i := range r.Groups {
		if code := r.Groups[i].ErrorCode; code != 0 {
			return code
		}
	}
	return 0
}

func deleteError(r *kmsg.DeleteGroupsResponse) int16 {
	for i := range r.Groups {
		if code := r.Groups[i].ErrorCode; code != 0 {
			return code
		}
	}
	return 0
}

func consumerDescribeError(r *kmsg.ConsumerGroupDescribeResponse) int16 {
	for i := range r.Groups {
		if code := r.Groups[i].ErrorCode; code != 0 {
			return code
		}
	}
	return 0
}
