package belfry

const noSeq = -1

// missing is a range of missing messages that precedes the message or the answer just handled.
type missing struct {
	after      *Position
	to         Position
	otherEpoch bool
}

// tracker tracks the positions of one subject for one subscription; it drops duplicates and detects gaps.
//
// Two numbers suffice. Proven: up to this seq every message was delivered or announced as missing. Seen: the highest seq
// delivered; it is lower than proven after a gap, and while history is still to arrive.
type tracker struct {
	conflating    bool // whether live messages may skip others without a gap
	epoch         int64
	proven        int64
	seen          int64
	first         int64 // the lowest seq delivered in this epoch
	historyComing bool
}

// newTracker returns a tracker without a position, or at one up to which everything was delivered.
func newTracker(conflating bool, start *Position) *tracker {
	t := &tracker{conflating: conflating, epoch: noSeq, proven: noSeq, seen: noSeq, first: noSeq}
	if start != nil {
		t.epoch, t.proven, t.seen = start.Epoch, start.Seq, start.Seq
	}
	return t
}

// message records a message. fresh is false for one that was delivered before; before is what is missing before it.
func (t *tracker) message(m *Message) (fresh bool, before *missing) {
	seq := m.Position.Seq
	if m.Position.Epoch == t.epoch {
		if seq <= t.seen {
			return false, nil
		}
		if m.Type == Live && m.previous <= t.proven && seq > t.proven {
			t.historyComing = false
			t.proven = seq
			t.seen = seq
			return true, nil
		}
	}
	if m.Type == Snapshot {
		t.snapshot(m)
		return true, nil
	}
	reached := t.reached(m.Position)
	if reached && !t.historyComing {
		// It was announced as missing. A pattern that is resumed from an older position is sent it again.
		return false, nil
	}
	t.historyComing = t.historyComing && reached
	return true, t.unusual(m)
}

func (t *tracker) unusual(m *Message) (before *missing) {
	sameEpoch := m.Position.Epoch == t.epoch
	skipping := t.conflating && m.Type == Live
	whole := t.proven == noSeq || (sameEpoch && (skipping || m.previous <= t.proven))
	if !whole {
		to := Position{m.Position.Epoch, m.previous}
		if to.Seq < 0 {
			to.Seq = 0
		}
		before = &missing{&Position{t.epoch, t.proven}, to, !sameEpoch}
	}
	if !sameEpoch || m.Position.Seq > t.proven {
		t.proven = m.Position.Seq
	}
	if !sameEpoch || t.first == noSeq {
		t.first = m.Position.Seq
	}
	t.seen = m.Position.Seq
	t.epoch = m.Position.Epoch
	return before
}

// snapshot records a message outside the order, so that it is not delivered twice; it proves nothing.
func (t *tracker) snapshot(m *Message) {
	if t.proven == noSeq || m.Position.Epoch == t.epoch {
		t.epoch = m.Position.Epoch
		t.seen = m.Position.Seq
	}
}

// subscribed handles the confirmation of a plain subject; it returns the messages that are missing before it.
func (t *tracker) subscribed(at Position, recovery Recovery, historyAsked bool) *missing {
	if recovery != RecoveryNone {
		return nil
	}
	known := t.proven != noSeq
	t.historyComing = historyAsked && at.Seq > 0
	if known && at.Epoch == t.epoch {
		return nil
	}
	after := Position{t.epoch, t.proven}
	if at.Epoch != t.epoch {
		t.seen = noSeq
	}
	t.epoch = at.Epoch
	t.proven = at.Seq
	if !known {
		return nil
	}
	return &missing{&after, at, after.Epoch != at.Epoch}
}

// gap handles an announced gap. It returns false for a range already delivered, unless the log was truncated since.
func (t *tracker) gap(to Position, truncated bool) bool {
	if to.Epoch == t.epoch && to.Seq <= t.proven {
		return truncated
	}
	if to.Epoch != t.epoch {
		t.seen = noSeq
	}
	t.epoch = to.Epoch
	t.proven = to.Seq
	return true
}

// resumeFrom returns the position to resume after; nil if unknown, or if the history must be requested again.
func (t *tracker) resumeFrom() *Position {
	if t.proven == noSeq || (t.historyComing && t.seen == noSeq) {
		return nil
	}
	if t.historyComing && t.seen < t.proven {
		return &Position{t.epoch, t.seen}
	}
	return &Position{t.epoch, t.proven}
}

// forgive forgets up to which seq nothing is missing, because the server announced a gap of unknown subjects. Messages that
// were delivered are still dropped.
func (t *tracker) forgive() { t.proven = noSeq }

// isBeforeFirst reports whether a message is older than all that were delivered, and not a duplicate of one.
func (t *tracker) isBeforeFirst(m *Message) bool {
	return m.Position.Epoch == t.epoch && t.first != noSeq && m.Position.Seq < t.first
}

// reached reports whether everything up to a position was delivered or announced as missing.
func (t *tracker) reached(at Position) bool { return t.epoch == at.Epoch && t.proven >= at.Seq }
