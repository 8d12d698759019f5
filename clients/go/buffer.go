package belfry

import "sync"

// itemOverheadBytes is the approximate memory of an item besides its data.
const itemOverheadBytes = 200

// itemBuffer is the bounded buffer between the engine and the program. Any goroutine. The bound is soft: the engine
// stops the flow when it is reached.
type itemBuffer struct {
	countMax int
	bytesMax int

	lock    sync.Mutex
	items   []Item // a ring
	first   int
	count   int
	bytes   int
	waiting int           // goroutines that wait for a notice
	notice  chan struct{} // holds one notice
	ended   bool
	err     error // after the end: the reason; nil for a regular end

	taken   uint64         // number of items taken so far
	marks   []positionMark // positions of a pattern between the items, the oldest first
	reached patternPosition

	// wantsRoom is whether the engine waits until half of the buffer was taken.
	wantsRoom bool
}

// positionMark is a position that is reached when so many items were taken and the program asks for the next one.
type positionMark struct {
	after uint64
	at    patternPosition
}

// newItemBuffer returns a buffer; start is the position of a pattern that the program gave.
func newItemBuffer(countMax, bytesMax int, start patternPosition) *itemBuffer {
	return &itemBuffer{countMax: countMax, bytesMax: bytesMax, notice: make(chan struct{}, 1), reached: start}
}

// putPosition records a position of a pattern behind the items so far.
func (b *itemBuffer) putPosition(at patternPosition) {
	b.lock.Lock()
	defer b.lock.Unlock()
	after := b.taken + uint64(b.count)
	if last := len(b.marks) - 1; last >= 0 && b.marks[last].after == after {
		b.marks[last].at = at
	} else {
		b.marks = append(b.marks, positionMark{after, at})
	}
	b.notify()
}

// position returns the position up to which the program has handled everything.
func (b *itemBuffer) position() patternPosition {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.reached
}

// passMarks is called when the program asks for the next item, so it has handled the ones before.
func (b *itemBuffer) passMarks() {
	for len(b.marks) > 0 && b.marks[0].after <= b.taken {
		b.reached = b.marks[0].at
		b.marks = b.marks[1:]
	}
}

func (b *itemBuffer) put(item Item) {
	b.lock.Lock()
	if b.count == len(b.items) {
		b.grow()
	}
	b.items[(b.first+b.count)%len(b.items)] = item
	b.count++
	b.bytes += itemOverheadBytes + item.dataBytes()
	b.notify()
	b.lock.Unlock()
}

func (b *itemBuffer) grow() {
	grown := make([]Item, 2*len(b.items)+16)
	for i := 0; i < b.count; i++ {
		grown[i] = b.items[(b.first+i)%len(b.items)]
	}
	b.items, b.first = grown, 0
}

// notify wakes one goroutine that waits, which then wakes the next one if more is left.
func (b *itemBuffer) notify() {
	if b.waiting > 0 {
		select {
		case b.notice <- struct{}{}:
		default:
		}
	}
}

// take returns the oldest item, or nil if there is none. hasRoom is true once, when the engine waits for room and half
// of the buffer was taken.
func (b *itemBuffer) take() (item Item, hasRoom bool) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.passMarks()
	if b.count > 0 {
		item = b.items[b.first]
		b.items[b.first] = nil
		b.first = (b.first + 1) % len(b.items)
		b.count--
		b.taken++
		b.bytes -= itemOverheadBytes + item.dataBytes()
	}
	if b.count > 0 || b.ended {
		b.notify()
	}
	hasRoom = b.wantsRoom && b.halfEmpty()
	if hasRoom {
		b.wantsRoom = false
	}
	return item, hasRoom
}

// end ends the buffer after the items in it.
func (b *itemBuffer) end(err error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.ended, b.err = true, err
	b.notify()
}

// ending returns whether the buffer has ended and is empty, with the reason.
func (b *itemBuffer) ending() (ended bool, err error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.ended && b.count == 0, b.err
}

// await registers a goroutine that waits for a notice; the result is false if it need not wait.
func (b *itemBuffer) await() bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.passMarks()
	if b.count > 0 || b.ended {
		return false
	}
	b.waiting++
	return true
}

// awaited ends await.
func (b *itemBuffer) awaited() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.waiting--
	if b.count > 0 || b.ended {
		b.notify()
	}
}

// requestRoom makes take report the next time that half of the buffer was taken; false if the buffer is not full.
func (b *itemBuffer) requestRoom() bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.wantsRoom || (b.count < b.countMax && b.bytes < b.bytesMax) {
		return false
	}
	b.wantsRoom = true
	return true
}

func (b *itemBuffer) isRoomRequested() bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.wantsRoom
}

// keepRequest makes take report room again; false if half of the buffer is empty already.
func (b *itemBuffer) keepRequest() bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.halfEmpty() {
		return false
	}
	b.wantsRoom = true
	return true
}

func (b *itemBuffer) halfEmpty() bool { return b.count*2 <= b.countMax && b.bytes*2 <= b.bytesMax }
