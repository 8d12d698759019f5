package belfry

import (
	"context"
	"fmt"
	"sort"
	"sync"
)

// Watch reports whether a subject has subscribers. Only the latest state is kept. Any goroutine.
type Watch struct {
	client  *Client
	subject string

	lock    sync.Mutex
	state   bool
	changes int // number of changes of state, the first state included
	seen    int
	ended   bool
	err     error
	changed chan struct{} // closed and replaced with each change
	over    chan struct{} // closed at the end
}

func newWatch(subject string) (*Watch, error) {
	if problem := subjectProblem(subject, false); problem != "" {
		return nil, fmt.Errorf("belfry: %s: %q", problem, subject)
	}
	return &Watch{subject: subject, changed: make(chan struct{}), over: make(chan struct{})}, nil
}

// Subject returns the watched subject.
func (w *Watch) Subject() string { return w.subject }

// Next waits for the first state, and then for each change: whether the subject has subscribers. It returns io.EOF after
// Unwatch, ErrClosed if the client was closed, and a *SubscribeError if the server refuses.
func (w *Watch) Next(ctx context.Context) (bool, error) {
	for {
		w.lock.Lock()
		state, changed, ended, err := w.state, w.changed, w.ended, w.err
		news := w.seen != w.changes
		w.seen = w.changes
		w.lock.Unlock()
		if news {
			return state, nil
		}
		if ended {
			return false, endError(err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// Unwatch ends the reports. Further calls have no effect.
func (w *Watch) Unwatch() { w.client.input(func() { w.client.engine.unwatch(w) }) }

func (w *Watch) update(subscribers bool) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.changes == 0 || subscribers != w.state {
		w.state = subscribers
		w.changes++
		w.wake()
	}
}

func (w *Watch) end(err error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if !w.ended {
		w.ended, w.err = true, err
		w.wake()
		close(w.over)
	}
}

func (w *Watch) wake() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// watches are the watched subjects. Owner: the engine.
type watches map[string]*Watch

// remove removes a watch; it returns false if it was removed before.
func (w watches) remove(watch *Watch) bool {
	if w[watch.subject] != watch {
		return false
	}
	delete(w, watch.subject)
	return true
}

func (w watches) subjects() []string {
	subjects := make([]string, 0, len(w))
	for subject := range w {
		subjects = append(subjects, subject)
	}
	sort.Strings(subjects)
	return subjects
}

func (w watches) interest(subject string, subscribers bool) {
	if watch := w[subject]; watch != nil {
		watch.update(subscribers)
	}
}

func (w watches) refused(subject, code, reason string) {
	if watch := w[subject]; watch != nil {
		delete(w, subject)
		watch.end(&SubscribeError{subject, code, reason})
	}
}

func (w watches) endAll(err error) {
	for subject, watch := range w {
		delete(w, subject)
		watch.end(err)
	}
}
