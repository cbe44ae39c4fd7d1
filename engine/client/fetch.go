package client

import (
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// fetching is the consumer's fetches and what they have brought.
type fetching struct {
	nodes     []*fetcher
	queue     []*answer // in order of arrival
	current   *answer   // being returned
	spare     []*answer
	checkedAt int               // the version of metadata that positions were compared with
	truncated *Error            // a position that no longer exists, for the next poll to throw
	base      kmsg.FetchRequest // what every request has in common
	part      kmsg.FetchRequestTopicPartition
}

// fetcher is the fetching from one broker: at most one request is under way (C13).
type fetcher struct {
	c       *Consumer
	node    int32
	link    *link
	peer    trace.Ref // the broker's name, once it was asked
	busy    bool
	blocked bool         // scratch of sendFetches
	next    []*partition // scratch of sendFetches
	session session
	box     *fetchBox // the request under way, or the one for the next
	done    func(kmsg.Response, error)
}

func (f *fetching) init(c *Consumer) {
	f.base = kmsg.NewFetchRequest()
	f.base.ReplicaID = -1
	f.base.MaxWaitMillis = int32(c.cfg.FetchMaxWait / time.Millisecond)
	f.base.MinBytes, f.base.MaxBytes = c.cfg.FetchMinBytes, c.cfg.FetchMaxBytes
	f.base.IsolationLevel, f.base.Rack = c.isolation(), c.cfg.ClientRack
	f.part = kmsg.NewFetchRequestTopicPartition()
	f.part.LogStartOffset = -1
	f.part.PartitionMaxBytes = c.cfg.MaxPartitionFetchBytes
}

func (c *Consumer) fetcher(node int32) *fetcher {
	for _, f := range c.fetch.nodes {
		if f.node == node {
			return f
		}
	}
	f := &fetcher{c: c, node: node, link: c.link(node, roleNode)}
	f.done = f.answered
	c.fetch.nodes = append(c.fetch.nodes, f)
	return f
}

// sendFetches sends a fetch to every broker that a fetchable partition is read from, that has none
// under way and no buffered data of this consumer (C13, C14). [AbstractFetch.prepareFetchRequests]
func (c *Consumer) sendFetches() {
	c.checkLeaders()
	for _, f := range c.fetch.nodes {
		f.blocked, f.next = f.busy, f.next[:0]
	}
	for _, p := range c.sub.parts {
		if !p.fetchable() || p.parting {
			continue
		}
		node := c.readFrom(p)
		if node < 0 {
			c.meta.want()
			continue
		}
		f := c.fetcher(node)
		if p.buffered > 0 {
			f.blocked = true
			continue
		}
		f.next = append(f.next, p)
	}
	for _, f := range c.fetch.nodes {
		if f.blocked || len(f.next) == 0 {
			continue
		}
		if f.link.resting() {
			c.wakeAt(f.link.retryAt)
			continue
		}
		f.busy = true
		c.metrics.Fetches++
		box := f.request()
		f.link.enqueue(flight{
			req: &box.req, frame: &box.frame, deadline: c.now().Add(c.opt.requestTimeout), done: f.done,
		})
	}
	if c.meta.wanted {
		c.meta.update()
	}
}

// answered takes a Fetch response. Errors of partitions are kept for the poll that comes to them.
func (f *fetcher) answered(resp kmsg.Response, err error) {
	f.busy = false
	if err != nil {
		f.session.forgetPreferred()
		f.box = nil
		f.session.renew()
		return
	}
	r := resp.(*kmsg.FetchResponse)
	if !f.session.answered(r) {
		return
	}
	for i := range r.Topics {
		t := &r.Topics[i]
		for j := range t.Partitions {
			q := &t.Partitions[j]
			part := f.session.find(r.Version, t, q.Partition)
			if part == nil || !part.p.assigned {
				continue
			}
			if q.ErrorCode == 0 {
				part.p.high = q.HighWatermark
			}
			f.c.redirected(part.p, q)
			if q.ErrorCode != 0 || len(q.RecordBatches) > 0 {
				f.c.buffer(part, q)
			}
		}
	}
}

// buffer puts one partition's part of a response in the queue.
func (c *Consumer) buffer(part *sessionPart, q *kmsg.FetchResponseTopicPartition) {
	var a *answer
	if n := len(c.fetch.spare); n > 0 {
		a = c.fetch.spare[n-1]
		c.fetch.spare = c.fetch.spare[:n-1]
	} else {
		a = new(answer)
	}
	*a = answer{
		p: part.p, offset: part.offset, next: part.offset, code: wire.Code(q.ErrorCode),
		rest: q.RecordBatches, records: a.records[:0],
	}
	part.p.buffered++
	c.fetch.queue = append(c.fetch.queue, a)
	if a.code != wire.None {
		return
	}
	next, n := span(q.RecordBatches, part.offset)
	c.env.Trace(trace.Event{
		Kind: trace.Fetched, Name: part.p.ref, Part: part.p.tp.Partition, X: next, Y: n,
	})
}

// span is the offset after the batches in b and how many of their records are not below offset.
func span(b []byte, offset int64) (next, n int64) {
	next = offset
	for {
		batch, rest, err := wire.NextBatch(b)
		if err != nil || batch == nil {
			return next, n
		}
		h, err := wire.ReadHeader(batch)
		if err != nil {
			return next, n
		}
		n += int64(h.Count) - max(0, min(offset-h.BaseOffset, int64(h.Count)))
		next = h.NextOffset()
		b = rest
	}
}
