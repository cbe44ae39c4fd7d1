package view

// Classes of events, as bits of a filter.
const (
	ClassState       = 1 << iota // group state, generation, member joined or removed, ownership
	ClassCommit                  // commits and what came of them
	ClassError                   // errors, crashes, refusals
	ClassFault                   // kill, freeze, cut, hold: what a command did
	ClassMessage                 // requests and answers
	ClassBeat                    // heartbeats and their answers
	ClassFetch                   // fetches and their answers, deliveries
	ClassWork                    // work on records
	ClassCall                    // blocking calls of programs
	ClassLog                     // appends, high watermark, log lines of clients
	ClassTimer                   // timers
	ClassInternal                // partitions of __consumer_offsets: the brokers' own topic
	ClassReplication             // what brokers say to each other, and copy
)

// ClassNotable is the default filter of the event list: what a person would tell.
const ClassNotable = ClassState | ClassCommit | ClassError | ClassFault

// Filter chooses rows: those of one of the classes that concern Node (empty: everybody).
type Filter struct {
	Classes int
	Node    string
	Text    string // only rows that contain it
}

// Code implements [Coded].
func (f *Filter) Code(c *Coder) {
	c.Int(&f.Classes)
	c.String(&f.Node)
	c.String(&f.Text)
}

// Events asks for rows: up to Before rows at or before event From-1 and up to After rows from event
// From on.
type Events struct {
	Lab    int
	From   int // an event index, as in View.Index
	Before int
	After  int
	Filter Filter
}

// Code implements [Coded].
func (e *Events) Code(c *Coder) {
	c.Int(&e.Lab)
	c.Int(&e.From)
	c.Int(&e.Before)
	c.Int(&e.After)
	e.Filter.Code(c)
}

// Line is one row of the event list: one event as a sentence.
type Line struct {
	Index   int // View.Index just after the event
	At      int64
	Class   int
	Who     string // process it happened to: its name stands in colour
	Text    string // the sentence without Who
	Message int64  // number of the message it is about; 0: none
	Bad     bool   // an error or a loss
	OK      bool   // a success worth a tick mark
}

// Code implements [Coded].
func (l *Line) Code(c *Coder) {
	c.Int(&l.Index)
	c.Int64(&l.At)
	c.Int(&l.Class)
	c.String(&l.Who)
	c.String(&l.Text)
	c.Int64(&l.Message)
	c.Bool(&l.Bad)
	c.Bool(&l.OK)
}

// Lines answers Events.
type Lines struct {
	Rows []Line
	More bool // there are more after the last
}

// Code implements [Coded].
func (l *Lines) Code(c *Coder) {
	structs(c, &l.Rows)
	c.Bool(&l.More)
}

// Kinds of step.
const (
	StepRow       = iota // the next row under Filter (with Node set: its next blocking call)
	StepNotable          // the next state change, error, commit or kill
	StepRebalance        // the next time a group leaves Stable or Empty
)

// Step asks where a step from moment Index leads.
type Step struct {
	Lab    int
	Index  int
	Back   bool
	Kind   int
	Filter Filter
}

// Code implements [Coded].
func (s *Step) Code(c *Coder) {
	c.Int(&s.Lab)
	c.Int(&s.Index)
	c.Bool(&s.Back)
	c.Int(&s.Kind)
	s.Filter.Code(c)
}

// Moment is where a step leads; Found is false when there is no such event.
type Moment struct {
	Found bool
	At    int64
	Index int
}

// Code implements [Coded].
func (m *Moment) Code(c *Coder) {
	c.Bool(&m.Found)
	c.Int64(&m.At)
	c.Int(&m.Index)
}

// MessageOf names a message.
type MessageOf struct {
	Lab int
	ID  int64
}

// Code implements [Coded].
func (m *MessageOf) Code(c *Coder) {
	c.Int(&m.Lab)
	c.Int64(&m.ID)
}

// Message is one message whole: made anew by running the lab again up to it.
type Message struct {
	ID       int64
	Name     string
	Version  int
	Response bool
	From     string
	To       string
	Corr     int64
	SentAt   int64
	ArriveAt int64
	Fields   []Field
	Bytes    []byte
	Error    string
	ErrorIs  string // what the error means
	Other    int64  // its answer, or the request it answers; 0: none (yet)
	Held     bool   // it is still held where the run ends
	Lost     bool
	SentIdx  int // View.Index just after it was sent
}

// Code implements [Coded].
func (m *Message) Code(c *Coder) {
	c.Int64(&m.ID)
	c.String(&m.Name)
	c.Int(&m.Version)
	c.Bool(&m.Response)
	c.String(&m.From)
	c.String(&m.To)
	c.Int64(&m.Corr)
	c.Int64(&m.SentAt)
	c.Int64(&m.ArriveAt)
	structs(c, &m.Fields)
	c.Bytes(&m.Bytes)
	c.String(&m.Error)
	c.String(&m.ErrorIs)
	c.Int64(&m.Other)
	c.Bool(&m.Held)
	c.Bool(&m.Lost)
	c.Int(&m.SentIdx)
}

// Field is one field of a message, indented by Depth.
type Field struct {
	Depth int
	Name  string
	Value string
}

// Code implements [Coded].
func (f *Field) Code(c *Coder) {
	c.Int(&f.Depth)
	c.String(&f.Name)
	c.String(&f.Value)
}

// Span asks for the timeline between two times, drawn on Columns columns.
type Span struct {
	Lab     int
	From    int64
	To      int64
	Columns int
}

// Code implements [Coded].
func (s *Span) Code(c *Coder) {
	c.Int(&s.Lab)
	c.Int64(&s.From)
	c.Int64(&s.To)
	c.Int(&s.Columns)
}

// Check is an expectation, a goal or a par with what was found.
type Check struct {
	Kind string // expect, goal, par
	Text string
	OK   bool
	Got  string
	Want string
	Line int
}

// Code implements [Coded].
func (k *Check) Code(c *Coder) {
	c.String(&k.Kind)
	c.String(&k.Text)
	c.Bool(&k.OK)
	c.String(&k.Got)
	c.String(&k.Want)
	c.Int(&k.Line)
}

// Verdict is what the checkers say of a whole run.
type Verdict struct {
	Checks  []Check
	Predict []Prediction
	Groups  []GroupResult
	Error   string // the run ended early
}

// Code implements [Coded].
func (v *Verdict) Code(c *Coder) {
	structs(c, &v.Checks)
	structs(c, &v.Predict)
	structs(c, &v.Groups)
	c.String(&v.Error)
}

// GroupResult sums up one group.
type GroupResult struct {
	Group      string
	Generation int64
	Rebalances int64
	Parts      []PartResult
	Zombies    []string
}

// Code implements [Coded].
func (g *GroupResult) Code(c *Coder) {
	c.String(&g.Group)
	c.Int64(&g.Generation)
	c.Int64(&g.Rebalances)
	structs(c, &g.Parts)
	c.Strings(&g.Zombies)
}

// PartResult sums up one partition of a group.
type PartResult struct {
	Part       string
	Processed  int64
	Duplicates string
	Lost       string
	Committed  int64
	StalledMs  int64
	Lag        int64
}

// Code implements [Coded].
func (p *PartResult) Code(c *Coder) {
	c.String(&p.Part)
	c.Int64(&p.Processed)
	c.String(&p.Duplicates)
	c.String(&p.Lost)
	c.Int64(&p.Committed)
	c.Int64(&p.StalledMs)
	c.Int64(&p.Lag)
}

// ConfigOf asks for the settings of a client, or of the brokers when Node is empty.
type ConfigOf struct {
	Lab  int
	Node string
}

// Code implements [Coded].
func (k *ConfigOf) Code(c *Coder) {
	c.Int(&k.Lab)
	c.String(&k.Node)
}

// Config lists settings.
type Config struct{ Rows []Setting }

// Code implements [Coded].
func (k *Config) Code(c *Coder) { structs(c, &k.Rows) }

// Setting is one setting with its value and Kafka's default.
type Setting struct {
	Name    string
	Value   string
	Default string
	Changed bool
}

// Code implements [Coded].
func (s *Setting) Code(c *Coder) {
	c.String(&s.Name)
	c.String(&s.Value)
	c.String(&s.Default)
	c.Bool(&s.Changed)
}

// MessageRow is one row of the conversation.
type MessageRow struct {
	ID       int64
	Index    int
	SentAt   int64
	ArriveAt int64 // 0: not (yet)
	From     string
	To       string
	Name     string
	Response bool
	Error    string
	Lost     bool
}

// Code implements [Coded].
func (m *MessageRow) Code(c *Coder) {
	c.Int64(&m.ID)
	c.Int(&m.Index)
	c.Int64(&m.SentAt)
	c.Int64(&m.ArriveAt)
	c.String(&m.From)
	c.String(&m.To)
	c.String(&m.Name)
	c.Bool(&m.Response)
	c.String(&m.Error)
	c.Bool(&m.Lost)
}

// Messages answers OpMessages.
type Messages struct{ Rows []MessageRow }

// Code implements [Coded].
func (m *Messages) Code(c *Coder) { structs(c, &m.Rows) }
