package group

import (
	"bytes"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// member is one member of a group.
type member struct {
	id, instance     string // instance is empty for a dynamic member
	ref              trace.Ref
	client           Client
	rebalanceTimeout time.Duration
	sessionTimeout   time.Duration
	protocols        []kmsg.JoinGroupRequestProtocol
	assignment       []byte
	fresh            bool // its first Join is not answered yet (A60)
	toSync           bool // the generation began and it has not sent Sync (A41)

	join func(*kmsg.JoinGroupResponse) // its parked Join
	sync func(*kmsg.SyncGroupResponse) // its parked Sync

	heard    sim.Time // what last re-armed the session
	deadline sim.Time
	timer    *sim.Timer
	timerAt  sim.Time
}

// pendingID is a member id that was given out but has not joined yet (KIP-394).
type pendingID struct {
	id    string
	timer *sim.Timer
}

func (m *member) static() bool { return m.instance != "" }

func (m *member) instanceID() *string {
	if m.instance == "" {
		return nil
	}
	return &m.instance
}

// matches compares protocol lists in order with their raw metadata (A30).
func (m *member) matches(protocols []kmsg.JoinGroupRequestProtocol) bool {
	if len(m.protocols) != len(protocols) {
		return false
	}
	for i := range protocols {
		if m.protocols[i].Name != protocols[i].Name ||
			!bytes.Equal(m.protocols[i].Metadata, protocols[i].Metadata) {
			return false
		}
	}
	return true
}

func (m *member) metadata(protocol string) []byte {
	for i := range m.protocols {
		if m.protocols[i].Name == protocol {
			return m.protocols[i].Metadata
		}
	}
	return nil
}

func (m *member) supports(protocol string) bool {
	for i := range m.protocols {
		if m.protocols[i].Name == protocol {
			return true
		}
	}
	return false
}

// alive says whether a session that ran out has no effect: a member that waits for an answer counts
// as alive, except in its very first Join (A60, A61).
func (m *member) alive() bool { return !m.fresh && (m.join != nil || m.sync != nil) }
