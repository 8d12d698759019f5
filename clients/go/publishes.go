package belfry

import (
	"context"
	"time"
)

// publishOverheadBytes is the approximate memory of a pending publish besides its message.
const publishOverheadBytes = 200

// Ack is the server's acknowledgement of a publish: its history has stored the message.
type Ack struct {
	Position Position
}

// Publishing is a publish that was sent or waits to be sent. Any goroutine.
type Publishing struct {
	command  publishCommand
	deadline time.Duration
	sent     bool // on the current connection
	again    bool // whether it waits to be repeated on the current connection
	done     chan struct{}
	ack      Ack
	err      *PublishError // nil after an acknowledgement
}

// Done returns a channel that is closed when the outcome is known.
func (p *Publishing) Done() <-chan struct{} { return p.done }

// Wait waits for the outcome. It returns a *PublishError if the publish was not acknowledged, and the error of ctx if ctx
// is done before; this does not undo the publish.
func (p *Publishing) Wait(ctx context.Context) (Ack, error) {
	select {
	case <-p.done:
	case <-ctx.Done():
		return Ack{}, ctx.Err()
	}
	if p.err != nil {
		return Ack{}, p.err
	}
	return p.ack, nil
}

func (p *Publishing) bytes() int {
	return len(p.command.data) + headersSize(p.command.headers) + len(p.command.subject) + publishOverheadBytes
}

// isRepeatable reports whether sending it again is safe, because the server detects the repeated msgId.
func (p *Publishing) isRepeatable() bool { return p.command.msgID != "" }

// fail completes a publish that is not pending.
func (p *Publishing) fail(err *PublishError) {
	p.err = err
	close(p.done)
}

// pendingPublishes bounds, orders and completes publishes. Owner: the engine.
type pendingPublishes struct {
	countMax int
	bytesMax int
	bytes    int
	byID     map[int64]*Publishing
	// order has the publishes by id, which is also the order of their deadlines; completed ones are skipped.
	order  []*Publishing
	unsent []*Publishing
	// room is closed when a publish completes, if somebody waits for room; nil otherwise.
	room chan struct{}
}

func newPendingPublishes(countMax, bytesMax int) *pendingPublishes {
	return &pendingPublishes{countMax: countMax, bytesMax: bytesMax, byID: map[int64]*Publishing{}}
}

// admits reports whether a publish fits within the bounds.
func (p *pendingPublishes) admits(bytes int) bool {
	return len(p.byID) < p.countMax && p.bytes+bytes <= p.bytesMax
}

// awaitRoom returns a channel that is closed when a publish completes; nil if there is room now.
func (p *pendingPublishes) awaitRoom() <-chan struct{} {
	if p.admits(publishOverheadBytes) {
		return nil
	}
	if p.room == nil {
		p.room = make(chan struct{})
	}
	return p.room
}

func (p *pendingPublishes) releaseRoom() {
	if p.room != nil {
		close(p.room)
		p.room = nil
	}
}

func (p *pendingPublishes) add(publish *Publishing) {
	p.byID[publish.command.id] = publish
	p.bytes += publish.bytes()
	p.order = append(p.order, publish)
	p.unsent = append(p.unsent, publish)
}

func (p *pendingPublishes) isPending(publish *Publishing) bool {
	return p.byID[publish.command.id] == publish
}

// send sends the unsent publishes in order, until the connection accepts no more.
func (p *pendingPublishes) send(accepts func(*Publishing) bool) {
	for len(p.unsent) > 0 {
		publish := p.unsent[0]
		if p.isPending(publish) {
			if !accepts(publish) {
				return
			}
			publish.sent = true
		}
		// A failing send may have queued everything anew.
		if len(p.unsent) > 0 && p.unsent[0] == publish {
			p.unsent[0] = nil
			p.unsent = p.unsent[1:]
		}
	}
}

func (p *pendingPublishes) acknowledged(id int64, at Position) {
	if publish := p.take(id); publish != nil {
		publish.ack = Ack{at}
		close(publish.done)
	}
}

// failed fails a publish; it returns false if it is no longer pending.
func (p *pendingPublishes) failed(id int64, err *PublishError) bool {
	publish := p.take(id)
	if publish != nil {
		publish.fail(err)
	}
	return publish != nil
}

func (p *pendingPublishes) take(id int64) *Publishing {
	publish := p.byID[id]
	if publish == nil {
		return nil
	}
	delete(p.byID, id)
	p.bytes -= publish.bytes()
	p.releaseRoom()
	p.trim()
	return publish
}

// trim removes the completed publishes at the head of order.
func (p *pendingPublishes) trim() {
	for len(p.order) > 0 && !p.isPending(p.order[0]) {
		p.order[0] = nil
		p.order = p.order[1:]
	}
}

// pending returns the pending publishes in their order.
func (p *pendingPublishes) pending() []*Publishing {
	var pending []*Publishing
	for _, publish := range p.order {
		if p.isPending(publish) {
			pending = append(pending, publish)
		}
	}
	p.order = append([]*Publishing(nil), pending...)
	return pending
}

// repeatLater marks a publish to be sent again; it returns false if it must not be repeated or is no longer pending.
func (p *pendingPublishes) repeatLater(id int64) bool {
	publish := p.byID[id]
	if publish == nil || !publish.isRepeatable() {
		return false
	}
	publish.again = true
	return true
}

// repeat queues the marked publishes before the unsent ones, in their order.
func (p *pendingPublishes) repeat() {
	var queue []*Publishing
	for _, publish := range p.pending() {
		if publish.again {
			publish.again = false
			queue = append(queue, publish)
		}
	}
	p.unsent = append(queue, p.unsent...)
}

// disconnected queues what may be sent on the next connection; it fails the rest, and returns the subjects of those.
func (p *pendingPublishes) disconnected() []string {
	p.unsent = nil
	var unknown []string
	for _, publish := range p.pending() {
		wasSent := publish.sent
		publish.sent, publish.again = false, false
		if publish.isRepeatable() || !wasSent {
			p.unsent = append(p.unsent, publish)
			continue
		}
		unknown = append(unknown, publish.command.subject)
		p.failed(publish.command.id, &PublishError{Outcome: UnknownOutcome, Reason: "the connection broke before the answer"})
	}
	return unknown
}

// nextDeadline returns the deadline of the oldest publish; any is false if there is none.
func (p *pendingPublishes) nextDeadline() (at time.Duration, any bool) {
	if len(p.order) == 0 {
		return 0, false
	}
	return p.order[0].deadline, true
}

func (p *pendingPublishes) failLate(now time.Duration) {
	for len(p.order) > 0 && p.order[0].deadline <= now {
		reason := "not acknowledged in time; the message may have been published"
		p.failed(p.order[0].command.id, &PublishError{Outcome: TimedOut, Reason: reason})
	}
}

func (p *pendingPublishes) failAll(code, reason string) {
	p.unsent = nil
	for _, publish := range p.pending() {
		p.failed(publish.command.id, &PublishError{Outcome: PublishClosed, Code: code, Reason: reason})
	}
	p.releaseRoom()
}
