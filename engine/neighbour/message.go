package neighbour

import (
	"strconv"
	"time"
)

// Message is what travels between a neighbour and its clients. Which fields are read depends on Op.
type Message struct {
	Op       Op
	Corr     int32
	Response bool
	// Err is the error of an answer, as Redis begins it: BUSYGROUP, NOGROUP.
	Err string
	// Name is a channel, a stream or a queue; Group and Who are a consumer group and a consumer in it.
	Name, Group, Who string
	Records          []*Record
	// Numbers are the records that a command is about.
	Numbers []int64
	// N is a count, a prefetch, a delivery tag or a number of bytes.
	N int64
	// Wait is BLOCK of XREADGROUP (negative: not at all), or the least idle time.
	Wait time.Duration
	// Flag is multiple of an acknowledgement, auto_ack of basic.consume, or "from the beginning" of
	// XGROUP CREATE and XREADGROUP.
	Flag    bool
	Requeue bool
}

// Record is one message of a channel or queue, or one entry of a stream.
type Record struct {
	// Number counts from 0 in its channel, stream or queue, as an offset does.
	Number     int64
	Key, Value string
	// ID is a stream entry's id; Tag a delivery tag of AMQP, from 1 in each connection.
	ID  string
	Tag int64
	// Deliveries counts how often it was given out, this time included; Owner and Idle say who has had
	// it for how long, in an answer to XPENDING.
	Deliveries int64
	Owner      string
	Idle       time.Duration
}

// size is what a pushed message takes on the wire: an array of three bulk strings.
func (r *Record) size(channel string) int64 {
	return int64(len("*3\r\n$7\r\nmessage\r\n") + bulk(len(channel)) + bulk(len(r.Value)))
}

// bulk is the size of a bulk string of n bytes.
func bulk(n int) int { return len("$\r\n\r\n") + len(strconv.Itoa(n)) + n }

// names says whether the command is about record number.
func (m *Message) names(number int64) bool {
	for _, n := range m.Numbers {
		if n == number {
			return true
		}
	}
	return false
}

// Text is the message in one line: its kind, who and what it is about.
func (m *Message) Text() string {
	text := MessageName(int32(m.Op))
	for _, word := range [...]string{m.Name, m.Group, m.Who, m.Err} {
		if word != "" {
			text += " " + word
		}
	}
	for _, n := range m.Numbers {
		text += " #" + strconv.FormatInt(n, 10)
	}
	for _, r := range m.Records {
		text += " #" + strconv.FormatInt(r.Number, 10)
	}
	if m.N != 0 {
		text += " " + strconv.FormatInt(m.N, 10)
	}
	return text
}
