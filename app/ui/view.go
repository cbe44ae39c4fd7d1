package ui

// Screens of the page.
const (
	ScreenBoot    = "boot"
	ScreenHome    = "home"
	ScreenLibrary = "library"
	ScreenLab     = "lab"
	ScreenGallery = "gallery"
)

// PageView is everything that the page shows.
type PageView struct {
	Screen string
	Embed  bool
	Boot   BootView
	Home   HomeView

	Library LibraryView
	Lab     LabView
	Dialog  DialogView
	Notices []Notice
}

// BootView is shown until the course is there.
type BootView struct {
	Text   string
	Failed bool
}

// Notice is a message at the top of the page until it is dismissed.
type Notice struct {
	ID   string
	Text string
	Kind string // class: info, warn, bad
	Act  string // what its button does; empty: it has none
	Do   string // the button's label
}

// LabView is the lab's page.
type LabView struct {
	Head     HeadView
	Panel    string // the panel that narrow screens show
	Ready    bool   // a run is there
	Busy     string // what is under way; empty: nothing
	Percent  int    // of it
	Trap     TrapView
	Steps    StepsView
	Stage    StageView
	Code     CodeView
	Time     TimeView
	Look     InspectorView
	Controls ControlsView
	At, End  string // the moment and the end, as the clock shows them
}

// HeadView is the bar at the top.
type HeadView struct {
	Place string // "Commit, lesson 2 of 3"
	Title string
	Seed  string
	Langs []Tab
}

// TrapView is shown when the engine ended.
type TrapView struct {
	Text      string // empty: it did not
	Details   string
	Unstarted bool // it never started: the site or the network is at fault
}

// DialogView is a dialog over the page.
type DialogView struct {
	Kind string // help, share; empty: none
	Link string
	Note string
}

// TimeView is the timeline's labels and sizes.
type TimeView struct {
	Lanes  []LaneLabel
	At     string // empty while time runs: it is what is read out
	End    string
	AtMs   int64
	EndMs  int64
	Events []Chip // branches
	Locked bool   // the reader must predict first
}

// LaneLabel names a lane.
type LaneLabel struct {
	Name  string
	Color int
	Group bool
}

// Chip is something to choose, with whether it is chosen.
type Chip struct {
	ID, Label string
	On        bool
}
