package verdict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/trace"
)

// Query is one question. Name is a name of [Table], which says which of the other fields it reads;
// a field that was not given is zero and means "any" or "the whole run".
type Query struct {
	Name string
	// Who is a process or a group, for queries that take either.
	Who   string
	Node  string
	Group string
	// Topic and Partition name a partition, or a whole topic when Partition is -1.
	Topic     string
	Partition int32
	// Neighbour says that Topic is a channel, a stream or a queue, which has no partitions.
	Neighbour bool
	// API is the name of a request without "Request": Fetch, JoinGroup.
	API string
	// APIs are such names, for request_sequence.
	APIs []string
	// Text is a name to look for, such as that of a callback or a store; Key is a store's key.
	Text string
	Key  string
	// Accepted restricts commits to accepted ones (Yes) or refused ones (No).
	Accepted Tri
	// Since is the start of the time asked about (since=, after=, from=), Until its end (to=,
	// before=), At one moment (at=).
	Since, Until, At Moment
	// Nth counts from 1; 0 means the last.
	Nth int
	// Plus is added to an answer that is a time, a duration or a number (in nanoseconds for the
	// first two).
	Plus int64
}

// Tri is a truth value that may be left open.
type Tri int8

const (
	Either Tri = iota
	Yes
	No
)

// Moment is a time in an argument: nothing, a time since the start, a word for the last such event
// of the process (or partition) at hand, or another query that answers with a time.
type Moment struct {
	Set    bool
	At     int64
	Symbol string
	Query  *Query
}

// AtTime is the moment ns nanoseconds after the start.
func AtTime(ns int64) Moment { return Moment{Set: true, At: ns} }

// AtSymbol is the moment that a word of [Symbols] stands for.
func AtSymbol(word string) Moment { return Moment{Set: true, Symbol: word} }

// AtQuery is the moment that q answers with.
func AtQuery(q Query) Moment { return Moment{Set: true, Query: &q} }

// Symbols are the words that stand for a moment, with their meaning.
var Symbols = []struct{ Word, Doc string }{
	{"kill", "the last kill -9 of the process"},
	{"stop", "its last clean stop"},
	{"crash", "the last time an error of the program ended it"},
	{"end", "the last time it ended in any way"},
	{"start", "its first start"},
	{"restart", "its last start after the first"},
	{"freeze", "the last time it was frozen"},
	{"thaw", "the last time it went on after that"},
	{"resume", "of a partition or topic: the end of its longest stall; of a process: as thaw"},
}

// IsSymbol says whether word stands for a moment.
func IsSymbol(word string) bool {
	for _, s := range Symbols {
		if s.Word == word {
			return true
		}
	}
	return false
}

// ParamType says what may be given for a parameter.
type ParamType uint8

const (
	// ParamNode is the name of a process.
	ParamNode ParamType = iota
	// ParamGroup is a group id.
	ParamGroup
	// ParamWho is the name of a process or a group id.
	ParamWho
	// ParamPartition is one partition, as order_events-0.
	ParamPartition
	// ParamTopic is a topic or one partition of it.
	ParamTopic
	// ParamTime is a time since the start ("20s"), a word of [Symbols], or a query for a time.
	ParamTime
	// ParamNumber is a whole number.
	ParamNumber
	// ParamBool is True or False.
	ParamBool
	// ParamText is free text.
	ParamText
	// ParamState is a state of a group by Kafka's name, as Stable.
	ParamState
	// ParamAPI is the name of a request, as Fetch.
	ParamAPI
	// ParamAPIs is a list of such names.
	ParamAPIs
	// ParamThing is a channel, a stream or a queue of a neighbour.
	ParamThing
)

// Param is one parameter of a query. Positional ones stand first, in this order; every parameter
// may also be given by name.
type Param struct {
	Name       string
	Type       ParamType
	Positional bool
	Optional   bool
}

// Signature is one line of [Table].
type Signature struct {
	Name string
	// Params are pointers so that the table is data: as values they were 57 KB of code in engine.wasm.
	Params []*Param
	// Result is the kind of the answer; an answer may also be [KindNone].
	Result Kind
	// Topics is the kind of the answer when a whole topic is asked for, if it differs.
	Topics Kind
	// Doc says in one sentence what is answered.
	Doc string
}

// Kind is the kind of the query's answer; [KindNone] for an unknown query.
func (q Query) Kind() Kind {
	sig, ok := Lookup(q.Name)
	if !ok {
		return KindNone
	}
	if sig.Topics != KindNone && !q.Neighbour && (q.Topic == "" || q.Partition < 0) {
		return sig.Topics
	}
	return sig.Result
}

// Lookup finds the signature of a query.
func Lookup(name string) (*Signature, bool) {
	for i := range Table {
		if Table[i].Name == name {
			return &Table[i], true
		}
	}
	return nil, false
}

// SplitPartition takes order_events-0 apart; ok is false when s does not end in a number. A caller
// that knows the topics asks first whether s as a whole is one.
func SplitPartition(s string) (topic string, part int32, ok bool) {
	i := strings.LastIndexByte(s, '-')
	if i <= 0 {
		return s, -1, false
	}
	n, err := strconv.ParseUint(s[i+1:], 10, 31)
	if err != nil {
		return s, -1, false
	}
	return s[:i], int32(n), true
}

// PartitionName is the text of a partition, or of a whole topic when part is -1.
func PartitionName(topic string, part int32) string {
	if part < 0 {
		return topic
	}
	return topic + "-" + strconv.Itoa(int(part))
}

// Bind gives the query the argument v for parameter p. A time is a [KindDuration] or [KindTime]
// value, a [KindText] with a word of [Symbols], or a [KindQuery]; True and False are [KindBool]; a
// list is [KindNames] or [KindSequence]. A partition is split at its last dash.
func (q *Query) Bind(p Param, v Value) error {
	switch p.Type {
	case ParamTime:
		return q.bindTime(p, v)
	case ParamNumber:
		if v.Kind != KindNumber || v.N < 1 {
			return fmt.Errorf("%s = %s: must be a number from 1", p.Name, v)
		}
		q.Nth = int(v.N)
		return nil
	case ParamBool:
		if v.Kind != KindBool {
			return fmt.Errorf("%s = %s: must be True or False", p.Name, v)
		}
		q.Accepted = No
		if v.N != 0 {
			q.Accepted = Yes
		}
		return nil
	case ParamAPIs:
		if v.Kind != KindNames && v.Kind != KindSequence {
			return fmt.Errorf("%s = %s: must be a list of request names", p.Name, v)
		}
		for _, name := range v.Names {
			if _, ok := neighbour.MessageKey(name); !ok {
				return unknownAPI(name)
			}
		}
		q.APIs = v.Names
		return nil
	}
	if v.Kind != KindText {
		return fmt.Errorf("%s = %s: must be a text", p.Name, v)
	}
	return q.bindText(p, v.Text)
}

func (q *Query) bindText(p Param, s string) error {
	switch p.Type {
	case ParamNode:
		q.Node = s
	case ParamGroup:
		q.Group = s
	case ParamWho:
		q.Who = s
	case ParamAPI:
		if _, ok := neighbour.MessageKey(s); !ok {
			return unknownAPI(s)
		}
		q.API = s
	case ParamState:
		if !slices.Contains(trace.GroupStateNames, s) {
			return fmt.Errorf("a group has no state %q; its states are %s", s,
				strings.Join(trace.GroupStateNames, ", "))
		}
		q.Text = s
	case ParamTopic:
		q.Topic, q.Partition, _ = SplitPartition(s)
	case ParamThing:
		q.Topic, q.Partition = s, -1
	case ParamPartition:
		topic, part, ok := SplitPartition(s)
		if !ok {
			return fmt.Errorf("%q is no partition; write its number too, as %q", s, s+"-0")
		}
		q.Topic, q.Partition = topic, part
	default:
		if p.Name == "key" {
			q.Key = s
		} else {
			q.Text = s
		}
	}
	return nil
}

func (q *Query) bindTime(p Param, v Value) error {
	var m Moment
	switch v.Kind {
	case KindDuration, KindTime:
		m = AtTime(v.N)
	case KindQuery:
		m = AtQuery(*v.Query)
	case KindText:
		if !IsSymbol(v.Text) {
			return fmt.Errorf("%s = %q: no such moment; write a time as \"20s\" or one of %s",
				p.Name, v.Text, symbolList())
		}
		m = AtSymbol(v.Text)
	default:
		return fmt.Errorf("%s = %s: must be a time as \"20s\"", p.Name, v)
	}
	switch p.Name {
	case "to", "before":
		q.Until = m
	case "at":
		q.At = m
	default:
		q.Since = m
	}
	return nil
}

func symbolList() string {
	var words []string
	for _, s := range Symbols {
		words = append(words, s.Word)
	}
	return strings.Join(words, ", ")
}

// String is the query as it would be written in a scenario.
func (q Query) String() string {
	sig, ok := Lookup(q.Name)
	if !ok {
		return q.Name + "(?)"
	}
	var args []string
	for _, p := range sig.Params {
		if t := q.argText(*p); t != "" && p.Positional {
			args = append(args, t)
		} else if t != "" {
			args = append(args, p.Name+" = "+t)
		}
	}
	s := q.Name + "(" + strings.Join(args, ", ") + ")"
	if q.Plus == 0 {
		return s
	}
	plus := Value{Kind: KindDuration, N: q.Plus}
	if sig.Result == KindNumber {
		plus.Kind = KindNumber
	}
	if q.Plus < 0 {
		plus.N = -plus.N
		return s + " - " + plus.String()
	}
	return s + " + " + plus.String()
}

func (q Query) argText(p Param) string {
	switch p.Type {
	case ParamNode:
		return quoted(q.Node)
	case ParamGroup:
		return quoted(q.Group)
	case ParamWho:
		return quoted(q.Who)
	case ParamPartition, ParamTopic, ParamThing:
		if q.Topic == "" {
			return ""
		}
		return quoted(PartitionName(q.Topic, q.Partition))
	case ParamTime:
		return q.moment(p).String()
	case ParamNumber:
		if q.Nth == 0 {
			return ""
		}
		return strconv.Itoa(q.Nth)
	case ParamBool:
		return []string{"", "True", "False"}[q.Accepted]
	case ParamAPI:
		return quoted(q.API)
	case ParamAPIs:
		if len(q.APIs) == 0 {
			return ""
		}
		return Sequence(q.APIs...).String()
	}
	if p.Name == "key" {
		return quoted(q.Key)
	}
	return quoted(q.Text)
}

// moment is the field that a time parameter fills.
func (q Query) moment(p Param) Moment {
	switch p.Name {
	case "to", "before":
		return q.Until
	case "at":
		return q.At
	}
	return q.Since
}

// String is the moment as it would be written in a scenario.
func (m Moment) String() string {
	switch {
	case !m.Set:
		return ""
	case m.Query != nil:
		return m.Query.String()
	case m.Symbol != "":
		return quoted(m.Symbol)
	}
	if m.At%milli == 0 {
		return quoted(durationText(m.At, milli))
	}
	return quoted(durationText(m.At, nano))
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}
