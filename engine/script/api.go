package script

// Source is the text of a scenario and the name that errors call it.
type Source struct {
	File string
	Text string
}

// LoadOptions choose what is loaded.
type LoadOptions struct {
	// Variant is the name of a variant; empty: the first.
	Variant string
	// Overrides are the learner's changes.
	Overrides []Override
}
