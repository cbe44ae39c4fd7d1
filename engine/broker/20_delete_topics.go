package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// DeleteTopics, key 20, versions 1-6 (6 names topics by name or id).
//
// A topic of the same name may be created at once; it has another id.
//
// Left out: authorization, delete.topic.enable.
func (b *Broker) deleteTopics(req *kmsg.DeleteTopicsRequest) *kmsg.DeleteTopicsResponse {
	r := kmsg.NewPtrDeleteTopicsResponse()
	asked := req.Topics
	if req.Version < 6 {
		asked = nil
		for _, name := range req.TopicNames {
			asked = append(asked, kmsg.DeleteTopicsRequestTopic{Topic: &name})
		}
	}
	for i := range asked {
		q := &asked[i]
		out := kmsg.NewDeleteTopicsResponseTopic()
		out.Topic, out.TopicID = q.Topic, q.TopicID
		t, f := b.topicToDelete(asked, i)
		if !b.decides() {
			f = refuse(wire.NotController, "broker %d is not the controller", b.id)
		}
		if f == nil {
			out.Topic, out.TopicID = &t.Name, t.ID
			if err := b.cluster.DeleteTopic(t.Name); err != nil {
				panic("broker: " + err.Error())
			}
		}
		out.ErrorCode, out.ErrorMessage = f.answer()
		r.Topics = append(r.Topics, out)
	}
	return r
}

func (b *Broker) topicToDelete(asked []kmsg.DeleteTopicsRequestTopic, i int) (*Topic, *fault) {
	q := &asked[i]
	none := [16]byte{}
	switch {
	case q.Topic == nil && q.TopicID == none:
		return nil, refuse(wire.InvalidRequest, "neither a name nor an id is given")
	case q.Topic != nil && q.TopicID != none:
		return nil, refuse(wire.InvalidRequest, "both a name and an id are given")
	}
	name := ""
	if q.Topic != nil {
		name = *q.Topic
	}
	same := func(t *kmsg.DeleteTopicsRequestTopic) string {
		if t.Topic != nil {
			return "name " + *t.Topic
		}
		return "id " + string(t.TopicID[:])
	}
	if askedTwice(asked, same, i) {
		return nil, refuse(wire.InvalidRequest, "topic %q is named twice", name)
	}
	t, code := b.topicOf(name, q.TopicID, q.Topic == nil)
	if code != wire.None {
		return nil, refuse(code, "there is no such topic")
	}
	return t, nil
}
