package link

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"rebalancelab/engine/view"
)

// Version of the fragment's form. A link names it first, so that a later form can be told apart.
const Version = "1"

// Sandbox stands for a lesson where the whole scenario is the reader's.
const Sandbox = "sandbox"

// Library stands for a lesson where the list of all scenarios is shown.
const Library = "library"

// MaxInflated bounds the state when inflated, in bytes.
const MaxInflated = 256 << 10

// State is what a link holds besides the lesson's id.
type State struct {
	Engine    string // version of the engine that made it
	Hash      string // content hash of the lesson
	Seed      uint64
	Variant   string
	Source    string // the whole scenario, of a sandbox only
	Overrides []view.Override
	Commands  []view.Command
	Step      int
	At        int64  // the moment shown, ns
	Index     int    // events up to it
	Trace     uint64 // hash of the trace at Index: the run is the same one if it is equal
}

// Head is a fragment taken apart.
type Head struct {
	Lesson string
	body   string
}

var (
	errCut = errors.New("this link is incomplete: part of it was probably cut off when it was " +
		"copied; the lesson starts fresh")
	errBroken = errors.New("this link is damaged and cannot be read; the lesson starts fresh")
	errLong   = errors.New("this link holds more than a lab can use (256 KiB); the lesson starts " +
		"fresh")
)

// Encode is the fragment, without #, of a state. text is the lesson's scenario.
func Encode(lesson string, s State, text string) string {
	body := view.Encode(nil, &s)
	body = binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(body))
	var b bytes.Buffer
	w, err := flate.NewWriterDict(&b, flate.BestCompression, dictionary(text))
	if err != nil {
		panic("link: " + err.Error()) // the level is a constant
	}
	w.Write(body)
	w.Close()
	return Plain(lesson) + "/" + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// Plain is the fragment of a lesson opened fresh.
func Plain(lesson string) string { return Version + "/" + lesson }

// Parse takes a fragment, without #, apart. An empty one gives an empty Head.
func Parse(fragment string) (Head, error) {
	if fragment == "" {
		return Head{}, nil
	}
	version, rest, ok := strings.Cut(fragment, "/")
	if !ok || rest == "" {
		return Head{}, fmt.Errorf("this is not a link of Rebalance Lab: #%.40s", fragment)
	}
	lesson, body, _ := strings.Cut(rest, "/")
	h := Head{Lesson: lesson, body: body}
	if version != Version {
		return Head{Lesson: lesson}, fmt.Errorf("this link was made by another version of "+
			"Rebalance Lab (link version %.10s, this page reads %s); the lesson starts fresh",
			version, Version)
	}
	return h, nil
}

// Fresh says whether the link only names a lesson.
func (h Head) Fresh() bool { return h.body == "" }

// Open reads the state. text is the scenario of the lesson that Head names.
func (h Head) Open(text string) (State, error) {
	var s State
	packed, err := base64.RawURLEncoding.DecodeString(h.body)
	if err != nil {
		var at base64.CorruptInputError
		if errors.As(err, &at) && int(at) >= len(h.body)-1 {
			return s, errCut
		}
		return s, errBroken
	}
	r := flate.NewReaderDict(bytes.NewReader(packed), dictionary(text))
	body, err := io.ReadAll(io.LimitReader(r, MaxInflated+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return s, errCut
	case err != nil:
		return s, errBroken
	case len(body) > MaxInflated:
		return s, errLong
	case len(body) < 4:
		return s, errBroken
	}
	end := len(body) - 4
	if crc32.ChecksumIEEE(body[:end]) != binary.LittleEndian.Uint32(body[end:]) {
		return s, errBroken
	}
	if !view.Decode(body[:end], &s) || s.tooMany() {
		return State{}, errBroken
	}
	return s, nil
}

// dictionary is the end of the text: deflate looks back 32 KiB.
func dictionary(text string) []byte {
	const window = 32 << 10
	return []byte(text[max(len(text)-window, 0):])
}
