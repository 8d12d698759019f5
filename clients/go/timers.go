package belfry

import (
	"container/heap"
	"sync"
	"time"
)

// sleptAfter is the lateness of a timer that means that the device slept, or that the program did not run.
const sleptAfter = 5 * time.Second

// systemClock returns a clock that also passes while the device sleeps. The monotonic time of Go may stand still
// meanwhile; the wall clock does not. A step of the wall clock by the operator has the effect of a short sleep: the
// connection is probed.
func systemClock() func() time.Duration {
	var lock sync.Mutex
	start := time.Now()
	last := start
	var slept time.Duration
	return func() time.Duration {
		lock.Lock()
		defer lock.Unlock()
		now := time.Now()
		// Round removes the monotonic reading, so that Sub compares the wall clocks.
		if lead := now.Round(0).Sub(last.Round(0)) - now.Sub(last); lead > sleptAfter {
			slept += lead
		}
		last = now
		return now.Sub(start) + slept
	}
}

// timer is one call at a later time; stop prevents it.
type timer struct {
	at    time.Duration
	order int
	call  func()
}

func (t *timer) stop() {
	if t != nil {
		t.call = nil
	}
}

// timerHeap is a heap of timers by time; timers of one time keep their order.
type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || (h[i].at == h[j].at && h[i].order < h[j].order)
}

func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *timerHeap) Push(x any) { *h = append(*h, x.(*timer)) }

func (h *timerHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return last
}

// timers are calls at later times, and the clock. Owner: the engine.
//
// now is the clock's time at the latest input. awake is now without the time for which the device slept: what is late
// only because the device slept is not late.
type timers struct {
	clock func() time.Duration
	heap  timerHeap
	order int
	slept time.Duration
	now   time.Duration
}

func (t *timers) awake() time.Duration { return t.now - t.slept }

// enter reads the clock; it reports whether the device slept since the last input.
func (t *timers) enter() bool {
	t.now = t.clock()
	due, any := t.due()
	if !any || t.now-due <= sleptAfter {
		return false
	}
	t.slept += t.now - due
	return true
}

func (t *timers) after(wait time.Duration, call func()) *timer {
	t.order++
	added := &timer{t.now + wait, t.order, call}
	heap.Push(&t.heap, added)
	return added
}

// atAwake schedules a call at a time of awake.
func (t *timers) atAwake(at time.Duration, call func()) *timer { return t.after(at-t.awake(), call) }

// due returns the clock's time of the next call; any is false if there is none.
func (t *timers) due() (at time.Duration, any bool) {
	for len(t.heap) > 0 && t.heap[0].call == nil {
		heap.Pop(&t.heap)
	}
	if len(t.heap) == 0 {
		return 0, false
	}
	return t.heap[0].at, true
}

func (t *timers) count() int {
	count := 0
	for _, each := range t.heap {
		if each.call != nil {
			count++
		}
	}
	return count
}

// run runs the calls that are due. Calls that are added meanwhile run the next time.
func (t *timers) run() {
	var due []*timer
	for len(t.heap) > 0 && t.heap[0].at <= t.now {
		due = append(due, heap.Pop(&t.heap).(*timer))
	}
	for _, each := range due {
		if call := each.call; call != nil {
			each.call = nil
			call()
		}
	}
}

func (t *timers) clear() {
	for _, each := range t.heap {
		each.stop()
	}
	t.heap = nil
}
