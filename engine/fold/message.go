package fold

import (
	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// MessageEvent notes in row what e says of a message and returns true when there is no more to come:
// it arrived or was lost. index is the View.Index after e.
func MessageEvent(e trace.Event, row *view.MessageRow, log *trace.Log, index int) bool {
	switch e.Kind {
	case trace.MessageSent:
		_, _, response := trace.UnpackMessageInfo(e.Y)
		*row = view.MessageRow{
			ID: e.X, Index: index, SentAt: e.At, From: log.String(e.Node), To: log.String(e.Peer),
			Name: neighbour.MessageName(e.Part), Response: response, Error: log.String(e.Name),
		}
	case trace.MessageArrived:
		row.ArriveAt = e.At
		return true
	case trace.MessageLost:
		row.Lost = true
		return true
	}
	return false
}
