package belfry

import (
	"container/list"
	"context"
	"io"
	"sync/atomic"
)

// hold is a set of reasons for which a subscription is not requested from the server.
type hold uint8

const (
	holdPaused hold = 1 << iota
	holdFull
)

func (h hold) String() string {
	if h == holdFull {
		return "full"
	}
	return "paused"
}

// Confirmation is the server's answer to a subscription.
type Confirmation struct {
	Recovery Recovery
	Position *Position // the position of the subject; nil for a pattern, see Subscription.Position
}

// Subscription is a subscription to a subject or pattern. Its methods may be called by any goroutine.
type Subscription struct {
	client  *Client
	subject string
	key     string // of an inbox; empty otherwise
	options SubscribeOptions
	pattern bool
	buffer  *itemBuffer
	// silenced is whether OnItem receives nothing, because of Pause or Unsubscribe.
	silenced     atomic.Bool
	ready        chan struct{} // closed with the first confirmation
	ended        chan struct{} // closed at the end
	confirmation Confirmation  // written before ready is closed

	// Owner of the rest: the engine.
	order         int
	holds         hold
	requested     bool // on the current connection
	confirmed     bool // on the current connection
	everConfirmed bool
	tracker       *tracker
	trackers      *trackerTable // of the subjects of a pattern
	progress      patternProgress
}

func newSubscription(subject string, options SubscribeOptions, followedMax int) (*Subscription, error) {
	if err := options.check(subject); err != nil {
		return nil, err
	}
	from := options.patternFrom()
	return &Subscription{
		subject:  subject,
		options:  options,
		pattern:  isPattern(subject),
		buffer:   newItemBuffer(options.BufferedMessages, options.BufferedBytes, from),
		ready:    make(chan struct{}),
		ended:    make(chan struct{}),
		tracker:  newTracker(options.Conflate > 0, options.From),
		trackers: newTrackerTable(followedMax),
		progress: newPatternProgress(from),
	}, nil
}

// Subject returns the subject or pattern.
func (s *Subscription) Subject() string { return s.subject }

// Position returns the position of a pattern, a text for SubscribeOptions.FromPattern: the program received every item up
// to it, and asked for the next one or returned from OnItem. It is up to some seconds behind the latest message. It is
// empty for a plain subject, before the first confirmation, while known subjects are recovered one by one, and if the
// server stores no messages.
func (s *Subscription) Position() string { return s.buffer.position().String() }

// Ready waits for the first confirmation. It returns a *SubscribeError if the server refuses the subscription.
func (s *Subscription) Ready(ctx context.Context) (Confirmation, error) {
	select {
	case <-s.ready:
		return s.confirmation, nil
	case <-s.ended:
	case <-ctx.Done():
		return Confirmation{}, ctx.Err()
	}
	select {
	case <-s.ready:
		return s.confirmation, nil
	default:
		_, err := s.buffer.ending()
		return Confirmation{}, endError(err)
	}
}

func endError(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}

// Next returns the next message or gap: a *Message or a *Gap. It waits until there is one or ctx is done. After the items
// in the buffer it returns io.EOF if the subscription was ended by Unsubscribe or by its context, ErrClosed if the client
// was closed, and a *SubscribeError or *RefusedError if the server ended it.
func (s *Subscription) Next(ctx context.Context) (Item, error) {
	for {
		item, hasRoom := s.buffer.take()
		if hasRoom {
			s.client.input(func() { s.client.engine.flow.hasRoom(s) })
		}
		if item != nil {
			return item, nil
		}
		if ended, err := s.buffer.ending(); ended {
			return nil, endError(err)
		}
		if err := s.await(ctx); err != nil {
			return nil, err
		}
	}
}

func (s *Subscription) await(ctx context.Context) error {
	if !s.buffer.await() {
		return nil
	}
	defer s.buffer.awaited()
	select {
	case <-s.buffer.notice:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Pause stops the flow: the client unsubscribes and keeps the position. Items that have arrived can still be taken by
// Next; OnItem receives nothing after the call in progress.
func (s *Subscription) Pause() {
	s.silenced.Store(true)
	s.client.input(func() { s.client.engine.flow.hold(s, holdPaused) })
}

// Resume continues from the position. Messages that the server no longer has are announced by a gap.
func (s *Subscription) Resume() {
	s.silenced.Store(false)
	s.client.input(func() { s.client.engine.flow.release(s, holdPaused) })
	s.client.callbacks.touch(s)
}

// Unsubscribe ends the subscription. Next returns the items that have arrived, and then io.EOF; OnItem receives nothing
// after the call in progress. Further calls have no effect.
func (s *Subscription) Unsubscribe() {
	s.silenced.Store(true)
	s.client.input(func() { s.client.engine.unsubscribe(s) })
}

// takes reports whether messages belong to this subscription. Messages of a plain subject before its confirmation
// belong to an earlier subscription.
func (s *Subscription) takes() bool {
	if s.pattern {
		return s.requested
	}
	return s.confirmed
}

// unrequest records that the subscription is not requested on the current connection.
func (s *Subscription) unrequest() { s.requested, s.confirmed = false, false }

func (s *Subscription) trackerOf(subject string) *tracker {
	if !s.pattern {
		return s.tracker
	}
	return s.trackers.of(subject, s.options.Conflate > 0)
}

// wanted returns what to request, after so many ended patterns of the connection.
func (s *Subscription) wanted(endsSent int) wanted {
	want := wanted{subject: s.subject, key: s.key, conflate: s.options.Conflate}
	if s.pattern {
		want.from = s.progress.at
		s.progress.requested(endsSent)
	} else {
		want.after = s.tracker.resumeFrom()
		want.deltas = s.options.Deltas
	}
	if want.after == nil {
		want.history = s.options.History
	}
	return want
}

// confirm records a confirmation.
func (s *Subscription) confirm(recovery Recovery, at *Position) {
	if !s.everConfirmed {
		s.confirmation = Confirmation{recovery, at}
		close(s.ready)
	}
	s.confirmed, s.everConfirmed = true, true
}

// finish ends the subscription after the items in the buffer; err is nil for a regular end.
func (s *Subscription) finish(err error) {
	s.buffer.end(err)
	close(s.ended)
}

// trackerTable has the trackers of a pattern by subject, and forgets the least recently used ones beyond a bound.
type trackerTable struct {
	max       int
	bySubject map[string]*list.Element
	recent    list.List // of *subjectTracker, the most recently used first
}

type subjectTracker struct {
	subject string
	tracker *tracker
}

func newTrackerTable(max int) *trackerTable {
	return &trackerTable{max: max, bySubject: map[string]*list.Element{}}
}

func (t *trackerTable) of(subject string, conflating bool) *tracker {
	if element, found := t.bySubject[subject]; found {
		t.recent.MoveToFront(element)
		return element.Value.(*subjectTracker).tracker
	}
	added := &subjectTracker{subject, newTracker(conflating, nil)}
	t.bySubject[subject] = t.recent.PushFront(added)
	if t.recent.Len() > t.max {
		oldest := t.recent.Remove(t.recent.Back()).(*subjectTracker)
		delete(t.bySubject, oldest.subject)
	}
	return added.tracker
}

func (t *trackerTable) isEmpty() bool { return len(t.bySubject) == 0 }

// each calls visit for each subject, the most recently used first.
func (t *trackerTable) each(visit func(subject string, tracker *tracker)) {
	for element := t.recent.Front(); element != nil; element = element.Next() {
		found := element.Value.(*subjectTracker)
		visit(found.subject, found.tracker)
	}
}
