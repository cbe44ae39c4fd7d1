package storage

// EpochStart is the first offset that the leader of an epoch wrote.
type EpochStart struct {
	Epoch int32
	Start int64
}

// AssignEpoch notes that the given epoch starts at offset start; a known or older epoch changes
// nothing. A new leader calls it with its log's end (E23).
func (l *Log) AssignEpoch(epoch int32, start int64) {
	n := len(l.epochs)
	if n > 0 && epoch <= l.epochs[n-1].Epoch || epoch < 0 {
		return
	}
	// An epoch under which nothing was written gives way.
	for n > 0 && l.epochs[n-1].Start >= start {
		n--
	}
	l.epochs = append(l.epochs[:n], EpochStart{epoch, start})
}

// LatestEpoch is the newest epoch in the log, -1 in an empty one.
func (l *Log) LatestEpoch() int32 {
	if n := len(l.epochs); n > 0 {
		return l.epochs[n-1].Epoch
	}
	return -1
}

// EndOffsetFor returns the largest epoch <= the requested one and its end offset, which is where
// the next epoch starts; -1, -1 when the requested epoch is newer than all known ones (E12). A
// requested epoch older than all known ones ends where the first of them starts.
func (l *Log) EndOffsetFor(epoch int32) (int32, int64) {
	if epoch < 0 || epoch > l.LatestEpoch() {
		return -1, -1
	}
	if epoch == l.LatestEpoch() {
		return epoch, l.end
	}
	i := len(l.epochs) - 1
	for i > 0 && l.epochs[i-1].Epoch > epoch {
		i--
	}
	if i == 0 {
		return epoch, l.epochs[0].Start
	}
	return l.epochs[i-1].Epoch, l.epochs[i].Start
}

// truncateEpochs forgets the epochs that start at or after the log's new end.
func (l *Log) truncateEpochs(end int64) {
	n := len(l.epochs)
	for n > 0 && l.epochs[n-1].Start >= end {
		n--
	}
	l.epochs = l.epochs[:n]
}

// trimEpochs forgets the epochs that ended before the log's new start; the one that the start lies
// in now begins there.
func (l *Log) trimEpochs(start int64) {
	i := 0
	for i+1 < len(l.epochs) && l.epochs[i+1].Start <= start {
		i++
	}
	l.epochs = l.epochs[i:]
	if len(l.epochs) > 0 && l.epochs[0].Start < start {
		l.epochs[0].Start = start
	}
}
