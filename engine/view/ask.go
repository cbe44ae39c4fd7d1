package view

// Op is the first byte of a call to the engine: what is asked.
type Op byte

// The questions. Each is answered by one byte (AnswerOK or AnswerError) and the struct named here;
// an error's struct is [Problem]. The bytes are part of the ABI: append only.
const (
	OpInfo     Op = iota + 1 // nothing -> Info
	OpLoad                   // Load -> Loaded
	OpRun                    // Run -> Progress
	OpView                   // At -> View
	OpPaint                  // At -> paint block (see paint.go), no struct
	OpEvents                 // Events -> Lines
	OpStep                   // Step -> Moment
	OpMessage                // MessageOf -> Message
	OpTimeline               // Span -> timeline block (see paint.go), no struct
	OpVerdict                // LabOf -> Verdict
	OpFree                   // LabOf -> nothing
	OpConfig                 // ConfigOf -> Config
	OpStory                  // At -> Lines: what happened just before a moment, as sentences
	OpMessages               // Events -> Messages: the conversation as rows
	OpScene                  // LabOf -> Scene: names of what paint blocks number
)

// First byte of an answer.
const (
	AnswerOK    = 0
	AnswerError = 1
)

// ABI is the version of the calls below and of the exports that carry them. A host refuses an
// engine with another one.
const ABI = 1

// Problem is an answer that says what is wrong.
type Problem struct {
	Text  string // one clear message: file, line, value and cure
	File  string
	Line  int
	Col   int
	Fatal bool // the lab (or, after a panic, the instance) must not be used again
}

// Code implements [Coded].
func (p *Problem) Code(c *Coder) {
	c.String(&p.Text)
	c.String(&p.File)
	c.Int(&p.Line)
	c.Int(&p.Col)
	c.Bool(&p.Fatal)
}

// Info says which engine this is.
type Info struct {
	ABI    int
	Engine string // version text of the engine: links name it
}

// Code implements [Coded].
func (i *Info) Code(c *Coder) {
	c.Int(&i.ABI)
	c.String(&i.Engine)
}

// Command is an act at a moment: "kill('A')" at 12 s.
type Command struct {
	At   int64
	Text string
}

// Code implements [Coded].
func (k *Command) Code(c *Coder) {
	c.Int64(&k.At)
	c.String(&k.Text)
}

// Override replaces an editable function (Text is its new source) or setting (Text is its value as
// in the scenario language) of a lesson.
type Override struct {
	Name    string
	Setting bool
	Text    string
}

// Code implements [Coded].
func (o *Override) Code(c *Coder) {
	c.String(&o.Name)
	c.Bool(&o.Setting)
	c.String(&o.Text)
}

// Load asks for a new lab. The engine runs it ahead by Run calls.
type Load struct {
	File      string // name shown in errors
	Source    string
	Seed      uint64
	Variant   string // empty: the first
	Overrides []Override
	Commands  []Command
	// Check, if CheckIndex > 0, is the hash that the trace must have after that many events: a fork is the same run up to there.
	CheckIndex int
	CheckHash  uint64
	// Hops makes every message be encoded and decoded on its way.
	Hops bool
}

// Code implements [Coded].
func (l *Load) Code(c *Coder) {
	c.String(&l.File)
	c.String(&l.Source)
	c.Uint64(&l.Seed)
	c.String(&l.Variant)
	structs(c, &l.Overrides)
	structs(c, &l.Commands)
	c.Int(&l.CheckIndex)
	c.Uint64(&l.CheckHash)
	c.Bool(&l.Hops)
}

// Loaded describes the new lab.
type Loaded struct {
	Lab      int
	Horizon  int64
	Rows     []string
	Variants []string
	Variant  string
	Editable []Editable
	Predict  []Prediction
	Goals    []Line // texts of goals, Line.At unused
	Clients  []string
	Topics   []string
	Commands []Command // what the scenario does, for the timeline
	// Program is the text whose lines the trace names.
	Programs []Program
}

// Code implements [Coded].
func (l *Loaded) Code(c *Coder) {
	c.Int(&l.Lab)
	c.Int64(&l.Horizon)
	c.Strings(&l.Rows)
	c.Strings(&l.Variants)
	c.String(&l.Variant)
	structs(c, &l.Editable)
	structs(c, &l.Predict)
	structs(c, &l.Goals)
	c.Strings(&l.Clients)
	c.Strings(&l.Topics)
	structs(c, &l.Commands)
	structs(c, &l.Programs)
}

// Program is the source text that a client runs; Client lines of a view count from FirstLine.
type Program struct {
	Client    string
	Function  string
	Text      string
	FirstLine int
}

// Code implements [Coded].
func (p *Program) Code(c *Coder) {
	c.String(&p.Client)
	c.String(&p.Function)
	c.String(&p.Text)
	c.Int(&p.FirstLine)
}

// Editable is a function or setting that a lesson leaves to the learner.
type Editable struct {
	Name      string
	Setting   bool
	Text      string // present source or value
	FirstLine int
	// Default is Kafka's own value of a setting, shown beside it.
	Default string
}

// Code implements [Coded].
func (e *Editable) Code(c *Coder) {
	c.String(&e.Name)
	c.Bool(&e.Setting)
	c.String(&e.Text)
	c.Int(&e.FirstLine)
	c.String(&e.Default)
}

// Prediction is a question with options by key; the words stand in the lesson's text.
type Prediction struct {
	Key     string
	Options []string
	// Right is the option that held on the run; empty until it is run.
	Right string
	// Why lists what was measured for each option, in order of Options.
	Why []string
}

// Code implements [Coded].
func (p *Prediction) Code(c *Coder) {
	c.String(&p.Key)
	c.Strings(&p.Options)
	c.String(&p.Right)
	c.Strings(&p.Why)
}

// LabOf names a lab.
type LabOf struct{ Lab int }

// Code implements [Coded].
func (l *LabOf) Code(c *Coder) { c.Int(&l.Lab) }

// Run asks to go on by at most Events events.
type Run struct{ Lab, Events int }

// Code implements [Coded].
func (r *Run) Code(c *Coder) {
	c.Int(&r.Lab)
	c.Int(&r.Events)
}

// Progress says how far a lab has run.
type Progress struct {
	Done   bool
	At     int64
	Events int
	Bytes  int64 // memory that its trace takes
	Hash   uint64
}

// Code implements [Coded].
func (p *Progress) Code(c *Coder) {
	c.Bool(&p.Done)
	c.Int64(&p.At)
	c.Int(&p.Events)
	c.Int64(&p.Bytes)
	c.Uint64(&p.Hash)
}

// At names a moment of a lab: after Index events when Index >= 0, else at time Time.
type At struct {
	Lab   int
	Time  int64
	Index int
}

// Code implements [Coded].
func (a *At) Code(c *Coder) {
	c.Int(&a.Lab)
	c.Int64(&a.Time)
	c.Int(&a.Index)
}
