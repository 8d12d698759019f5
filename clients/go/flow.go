package belfry

import "time"

// patience is the time for which a full buffer may stop the whole connection.
const patience = 100 * time.Millisecond

// flow stops and restarts the flow of messages to single subscriptions. Owner: the engine.
//
// When a buffer is full, the client first stops reading: a program that is only a moment behind catches up without a
// further command. If the buffer is still full after patience, the subscription is unsubscribed, its position is
// remembered, and the others continue. It is requested again, from its position, when half of the buffer was taken.
type flow struct {
	engine       *engine
	full         map[*Subscription]bool
	waiting      *timer // runs while reading is stopped for full buffers
	statusesFull bool   // whether reading is stopped because OnStatus is behind
	paused       bool
}

// delivered is called after items were added to a subscription's buffer.
func (f *flow) delivered(sub *Subscription) {
	if f.engine.subscriptions.find(sub.subject) != sub || !sub.buffer.requestRoom() || sub.holds&holdFull != 0 {
		return
	}
	f.full[sub] = true
	if f.waiting == nil {
		f.waiting = f.engine.timers.after(patience, f.patienceOver)
		f.updateReading()
	}
}

func (f *flow) patienceOver() {
	full := f.full
	f.full = map[*Subscription]bool{}
	f.readAgain()
	for sub := range full {
		if sub.buffer.keepRequest() {
			f.hold(sub, holdFull)
		}
	}
}

func (f *flow) readAgain() {
	f.waiting.stop()
	f.waiting = nil
	f.updateReading()
}

// setStatusesFull stops reading while too many statuses wait for OnStatus.
func (f *flow) setStatusesFull(full bool) {
	f.statusesFull = full
	f.updateReading()
}

func (f *flow) updateReading() {
	if paused := f.waiting != nil || f.statusesFull; paused != f.paused {
		f.paused = paused
		f.engine.pauseReading(paused)
	}
}

// hasRoom is called when half of a full buffer was taken. The buffer may be full again, because the program's goroutine
// reports late; then the room is reported once more.
func (f *flow) hasRoom(sub *Subscription) {
	if sub.buffer.isRoomRequested() {
		return
	}
	f.forget(sub)
	f.release(sub, holdFull)
}

// forget is called when a subscription has ended, or is no longer full.
func (f *flow) forget(sub *Subscription) {
	delete(f.full, sub)
	if len(f.full) == 0 && f.waiting != nil {
		f.readAgain()
	}
}

func (f *flow) hold(sub *Subscription, reason hold) {
	active := sub.holds == 0
	sub.holds |= reason
	if active && f.engine.subscriptions.find(sub.subject) == sub {
		f.engine.report(Paused{sub.subject, reason.String()})
		sub.progress.suspended()
		f.engine.unrequest(sub)
	}
}

func (f *flow) release(sub *Subscription, reason hold) {
	if sub.holds&reason == 0 {
		return
	}
	sub.holds &^= reason
	if sub.holds == 0 && f.engine.subscriptions.find(sub.subject) == sub {
		f.engine.report(Resumed{sub.subject})
		f.engine.request(sub)
	}
}
