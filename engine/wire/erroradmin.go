package wire

import "github.com/twmb/franz-go/pkg/kmsg"

// adminError is [ErrorCode] for what administrators ask.
func adminError(f *Frame) int16 {
	switch r := f.Resp.(type) {
	case *kmsg.CreateTopicsResponse:
		return firstError(r.Topics, func(t *kmsg.CreateTopicsResponseTopic) int16 { return t.ErrorCode })
	case *kmsg.DeleteTopicsResponse:
		return firstError(r.Topics, func(t *kmsg.DeleteTopicsResponseTopic) int16 { return t.ErrorCode })
	case *kmsg.CreatePartitionsResponse:
		return firstError(r.Topics,
			func(t *kmsg.CreatePartitionsResponseTopic) int16 { return t.ErrorCode })
	case *kmsg.DescribeTopicPartitionsResponse:
		return firstError(r.Topics,
			func(t *kmsg.DescribeTopicPartitionsResponseTopic) int16 { return t.ErrorCode })
	case *kmsg.DescribeConfigsResponse:
		return firstError(r.Resources,
			func(t *kmsg.DescribeConfigsResponseResource) int16 { return t.ErrorCode })
	case *kmsg.AlterConfigsResponse:
		return firstError(r.Resources,
			func(t *kmsg.AlterConfigsResponseResource) int16 { return t.ErrorCode })
	case *kmsg.IncrementalAlterConfigsResponse:
		return firstError(r.Resources,
			func(t *kmsg.IncrementalAlterConfigsResponseResource) int16 { return t.ErrorCode })
	case *kmsg.DescribeClusterResponse:
		return r.ErrorCode
	case *kmsg.OffsetDeleteResponse:
		if r.ErrorCode != 0 {
			return r.ErrorCode
		}
		return firstError(r.Topics, func(t *kmsg.OffsetDeleteResponseTopic) int16 {
			return firstError(t.Partitions,
				func(p *kmsg.OffsetDeleteResponseTopicPartition) int16 { return p.ErrorCode })
		})
	}
	return clusterError(f)
}

// firstError is the first code of a list that is not 0.
func firstError[T any](list []T, code func(*T) int16) int16 {
	for i := range list {
		if c := code(&list[i]); c != 0 {
			return c
		}
	}
	return 0
}

// refuseAdmin is [ErrorReply] for what administrators ask.
func refuseAdmin(f *Frame, resp kmsg.Response, c int16) {
	switch r := resp.(type) {
	case *kmsg.CreateTopicsResponse:
		for _, t := range f.Req.(*kmsg.CreateTopicsRequest).Topics {
			o := kmsg.NewCreateTopicsResponseTopic()
			o.Topic, o.ErrorCode = t.Topic, c
			r.Topics = append(r.Topics, o)
		}
	case *kmsg.DeleteTopicsResponse:
		for _, t := range f.Req.(*kmsg.DeleteTopicsRequest).Topics {
			o := kmsg.NewDeleteTopicsResponseTopic()
			o.Topic, o.TopicID, o.ErrorCode = t.Topic, t.TopicID, c
			r.Topics = append(r.Topics, o)
		}
	case *kmsg.CreatePartitionsResponse:
		for _, t := range f.Req.(*kmsg.CreatePartitionsRequest).Topics {
			o := kmsg.NewCreatePartitionsResponseTopic()
			o.Topic, o.ErrorCode = t.Topic, c
			r.Topics = append(r.Topics, o)
		}
	case *kmsg.DescribeTopicPartitionsResponse:
		for _, t := range f.Req.(*kmsg.DescribeTopicPartitionsRequest).Topics {
			o := kmsg.NewDescribeTopicPartitionsResponseTopic()
			o.Topic, o.ErrorCode = &t.Topic, c
			r.Topics = append(r.Topics, o)
		}
	case *kmsg.DescribeClusterResponse:
		r.ErrorCode = c
	case *kmsg.OffsetDeleteResponse:
		r.ErrorCode = c
	default:
		refuseConfigs(f, resp, c)
	}
}

func refuseConfigs(f *Frame, resp kmsg.Response, c int16) {
	switch r := resp.(type) {
	case *kmsg.DescribeConfigsResponse:
		for _, q := range f.Req.(*kmsg.DescribeConfigsRequest).Resources {
			o := kmsg.NewDescribeConfigsResponseResource()
			o.ResourceType, o.ResourceName, o.ErrorCode = q.ResourceType, q.ResourceName, c
			r.Resources = append(r.Resources, o)
		}
	case *kmsg.AlterConfigsResponse:
		for _, q := range f.Req.(*kmsg.AlterConfigsRequest).Resources {
			o := kmsg.NewAlterConfigsResponseResource()
			o.ResourceType, o.ResourceName, o.ErrorCode = q.ResourceType, q.ResourceName, c
			r.Resources = append(r.Resources, o)
		}
	case *kmsg.IncrementalAlterConfigsResponse:
		for _, q := range f.Req.(*kmsg.IncrementalAlterConfigsRequest).Resources {
			o := kmsg.NewIncrementalAlterConfigsResponseResource()
			o.ResourceType, o.ResourceName, o.ErrorCode = q.ResourceType, q.ResourceName, c
			r.Resources = append(r.Resources, o)
		}
	default:
		refuseCluster(f, resp, c)
	}
}
