package verdict

import (
	"slices"
	"strconv"
	"strings"

	"rebalancelab/engine/trace"
)

// offsetsTopic is Kafka's own topic, which no report shows.
const offsetsTopic = "__consumer_offsets"

// Report is one run of a scenario, as `lab run --json` prints it. VirtualMs is in milliseconds;
// TraceHash is the hash in hexadecimal digits.
type Report struct {
	Variant      string                     `json:"variant"`
	Seed         uint64                     `json:"seed"`
	VirtualMs    int64                      `json:"virtual_ms"`
	Events       int                        `json:"events"`
	TraceHash    string                     `json:"trace_hash"`
	Expectations []Expectation              `json:"expectations"`
	Partitions   map[string]PartitionReport `json:"partitions"`
	Groups       map[string]GroupReport     `json:"groups"`
}

// Expectation is how one expect or goal of a scenario went.
type Expectation struct {
	Text string `json:"text"`
	OK   bool   `json:"ok"`
	Got  string `json:"got"`
	Want string `json:"want"`
	Line int    `json:"line"`
}

// PartitionReport is the log of one partition at the end of the run, in records and offsets.
type PartitionReport struct {
	Produced int64 `json:"produced"`
	HW       int64 `json:"hw"`
	LEO      int64 `json:"leo"`
}

// GroupReport is one group at the end of the run. Members holds the partitions of each process in
// the latest generation, by name.
type GroupReport struct {
	Protocol   string                   `json:"protocol"`
	Assignor   string                   `json:"assignor"`
	Generation int64                    `json:"generation"`
	Rebalances int64                    `json:"rebalances"`
	Members    map[string][]string      `json:"members"`
	Partitions map[string]ReadingReport `json:"partitions"`
}

// ReadingReport is how a group fared with one partition. Processed counts distinct records; spans
// are pairs of offsets, both included; Committed is null when nothing was committed.
type ReadingReport struct {
	Processed  int64      `json:"processed"`
	Duplicates [][2]int64 `json:"duplicates"`
	Lost       [][2]int64 `json:"lost"`
	Committed  *int64     `json:"committed"`
	StalledMs  int64      `json:"stalled_ms"`
}

// OK says whether every expectation holds.
func (r Report) OK() bool {
	for _, e := range r.Expectations {
		if !e.OK {
			return false
		}
	}
	return true
}

// Report is that of a run that has come to time end; the caller adds what the trace does not
// know: variant, seed and expectations.
func (f *Facts) Report(end int64) Report {
	r := Report{
		VirtualMs: end / milli, Events: f.log.Len(), TraceHash: hexHash(f.log.Hash()),
		Expectations: []Expectation{},
		Partitions:   map[string]PartitionReport{}, Groups: map[string]GroupReport{},
	}
	for _, g := range f.groupList {
		if g.ref != 0 {
			r.Groups[f.name(g.ref)] = f.groupReport(g, end)
		}
	}
	for _, t := range f.topicList {
		if f.name(t.ref) == offsetsTopic {
			continue
		}
		for _, p := range t.parts {
			if p == nil {
				continue
			}
			name := PartitionName(f.name(t.ref), p.part)
			r.Partitions[name] = PartitionReport{Produced: p.produced, HW: p.hw, LEO: p.leo}
			for _, rd := range p.readings {
				if rd.group.ref != 0 {
					r.Groups[f.name(rd.group.ref)].Partitions[name] = rd.report(f, end)
				}
			}
		}
	}
	return r
}

func (f *Facts) groupReport(g *group, end int64) GroupReport {
	r := GroupReport{
		Protocol: "classic", Generation: g.gen, Rebalances: int64(len(g.rebalances)),
		Members: map[string][]string{}, Partitions: map[string]ReadingReport{},
	}
	if n := len(g.protocols); n > 0 {
		r.Assignor = f.name(g.protocols[n-1].ref)
	}
	if slices.ContainsFunc(g.states, newProtocol) {
		r.Protocol = "consumer"
	}
	for _, e := range ByMember(f.planEntries(g, end)...).Map {
		r.Members[e.Name] = append([]string{}, e.Names...)
	}
	return r
}

// newProtocol: only groups of KIP-848 assign and reconcile.
func newProtocol(s groupState) bool {
	return s.state == trace.GroupAssigning || s.state == trace.GroupReconciling
}

func (rd *reading) report(f *Facts, end int64) ReadingReport {
	r := ReadingReport{
		Processed:  countSpans(normal(spansOf(rd.runs, 0))),
		Duplicates: pairs(rd.duplicates()), Lost: pairs(rd.lost(f)),
		StalledMs: rd.stall.total(0, end) / milli,
	}
	if offset, ok := rd.committed(); ok {
		r.Committed = &offset
	}
	return r
}

func pairs(spans []Span) [][2]int64 {
	list := [][2]int64{}
	for _, s := range spans {
		list = append(list, [2]int64{s.First, s.Last})
	}
	return list
}

func hexHash(h uint64) string {
	s := strconv.FormatUint(h, 16)
	return strings.Repeat("0", 16-len(s)) + s
}
