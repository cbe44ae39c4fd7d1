package neighbour

import "rebalancelab/engine/wire"

// Op is a kind of message. Its number stands where Kafka's messages have their api key, far above
// those.
type Op int32

// The commands of Redis, the methods of AMQP 0-9-1, and what TCP says beneath them.
const (
	OpSubscribe Op = 1000 + iota
	OpPublish
	OpMessage // pushed to a subscriber
	OpXAdd
	OpXGroupCreate
	OpXReadGroup
	OpXAck
	OpXPending
	OpXClaim
	OpXAutoClaim
	OpBasicPublish
	OpBasicQos
	OpBasicConsume
	OpBasicDeliver
	OpBasicAck
	OpBasicNack
	// OpWindow: the receiver's program has read, so its socket has room for N bytes more.
	OpWindow
)

var opNames = []string{
	"SUBSCRIBE", "PUBLISH", "message", "XADD", "XGROUP CREATE", "XREADGROUP", "XACK", "XPENDING", "XCLAIM",
	"XAUTOCLAIM", "basic.publish", "basic.qos", "basic.consume", "basic.deliver", "basic.ack", "basic.nack",
	"TCP window",
}

// MessageNames are the names of all messages: Kafka's requests and what neighbours are sent.
func MessageNames() []string {
	var names []string
	for _, r := range wire.Supported() {
		names = append(names, r.Name)
	}
	return append(names, opNames...)
}

// MessageKey is the number of the message called name, as the trace has it.
func MessageKey(name string) (int32, bool) {
	for key := range int32(OpSubscribe) + int32(len(opNames)) {
		if MessageName(key) == name {
			return key, true
		}
	}
	return 0, false
}

// MessageName is the name of a message by the number that the trace has of it: a request of Kafka or a
// message of a neighbour.
func MessageName(api int32) string {
	if i := int(api - int32(OpSubscribe)); i >= 0 && i < len(opNames) {
		return opNames[i]
	}
	return wire.KeyName(int16(api))
}

// Publishes says whether such a message brings a record to a neighbour.
func (o Op) Publishes() bool {
	switch o {
	case OpPublish, OpXAdd, OpBasicPublish:
		return true
	}
	return false
}
