package belfry

import (
	"log"
	"sync"
)

const (
	// statusesMax is the number of waiting statuses at which the client stops reading.
	statusesMax = 1000
	// itemsPerTurn is the number of items of a subscription after which statuses and other subscriptions have a turn.
	itemsPerTurn = 256
)

// callbacks runs OnStatus and OnItem on one goroutine, one call at a time. Any goroutine, except for run.
type callbacks struct {
	client   *Client
	onStatus func(Status)

	lock     sync.Mutex
	statuses []Status
	subs     []*Subscription
	queued   map[*Subscription]bool
	full     bool // whether statuses reached their bound and did not fall to half of it since
	closed   bool
	notice   chan struct{} // holds one notice
}

func newCallbacks(client *Client, onStatus func(Status)) *callbacks {
	if onStatus == nil {
		onStatus = logProblem
	}
	return &callbacks{
		client: client, onStatus: onStatus, queued: map[*Subscription]bool{}, notice: make(chan struct{}, 1),
	}
}

// logProblem is OnStatus of a client without one: it logs what the program would otherwise not notice.
func logProblem(status Status) {
	switch status.(type) {
	case CallbackFailed, TokenFailed, Refused:
		log.Printf("belfry: %T%+v", status, status)
	}
}

func (c *callbacks) report(status Status) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if !c.closed {
		c.statuses = append(c.statuses, status)
		c.full = c.full || len(c.statuses) >= statusesMax
		c.notify()
	}
}

// touch makes the items of a subscription with OnItem be delivered.
func (c *callbacks) touch(sub *Subscription) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if !c.closed && sub.options.OnItem != nil && !c.queued[sub] {
		c.queued[sub] = true
		c.subs = append(c.subs, sub)
		c.notify()
	}
}

func (c *callbacks) notify() {
	select {
	case c.notice <- struct{}{}:
	default:
	}
}

func (c *callbacks) isFull() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.full
}

// close ends run after the statuses that wait.
func (c *callbacks) close() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.closed = true
	c.notify()
}

func (c *callbacks) run() {
	for c.turn() {
	}
	c.client.asking.Wait()
	c.client.tasks.Add(-1)
	close(c.client.done)
}

// turn runs or waits for the next callbacks; it returns false at the end.
func (c *callbacks) turn() bool {
	c.lock.Lock()
	statuses, closed := c.statuses, c.closed
	c.statuses = nil
	var sub *Subscription
	if len(c.subs) > 0 && !closed {
		sub = c.subs[0]
		c.subs = c.subs[1:]
		delete(c.queued, sub)
	}
	wasFull := c.full
	c.full = false
	c.lock.Unlock()
	for _, status := range statuses {
		c.deliver(status)
	}
	if wasFull {
		c.client.input(func() { c.client.engine.flow.setStatusesFull(false) })
	}
	switch {
	case sub != nil:
		c.drain(sub)
	case len(statuses) > 0:
	case closed:
		return false
	default:
		<-c.notice
	}
	return true
}

func (c *callbacks) deliver(status Status) {
	if value := panicOf(func() { c.onStatus(status) }); value != nil {
		failed := CallbackFailed{Callback: "OnStatus", Value: value}
		if again := panicOf(func() { c.onStatus(failed) }); again != nil {
			log.Printf("belfry: OnStatus panicked with %v, and with %v when the first panic was reported", value, again)
		}
	}
}

// drain passes the items of a buffer to OnItem, until the subscription is paused or has ended.
func (c *callbacks) drain(sub *Subscription) {
	for i := 0; i < itemsPerTurn && !sub.silenced.Load(); i++ {
		item, hasRoom := sub.buffer.take()
		if hasRoom {
			c.client.input(func() { c.client.engine.flow.hasRoom(sub) })
		}
		if item == nil {
			return
		}
		if value := panicOf(func() { sub.options.OnItem(item) }); value != nil {
			c.report(CallbackFailed{"OnItem", sub.subject, value})
		}
	}
	if !sub.silenced.Load() {
		c.touch(sub)
	}
}

// panicOf returns the value with which a call panicked, or nil.
func panicOf(call func()) (value any) {
	defer func() { value = recover() }()
	call()
	return nil
}
