package belfry

import (
	"testing"
	"time"
)

func TestMessagesArriveOnceAndInOrder(t *testing.T) {
	r := newRig(t, nil)
	sub := r.subscribe("/a", SubscribeOptions{})
	r.connect()
	r.subscribed("/a", 0, "none")
	for _, seq := range []int{1, 2, 2, 1, 3} {
		r.message("/a", seq, "")
	}
	requireEqual(t, r.texts(sub), "1 2 3")
}

func TestAMissingMessageIsAGapInItsPlace(t *testing.T) {
	r := newRig(t, nil)
	sub := r.subscribe("/a", SubscribeOptions{})
	r.connect()
	r.subscribed("/a", 3, "none")
	r.message("/a", 4, "")
	r.message("/a", 7, "")
	r.message("/a", 20, `,"prev":7`)
	items := r.take(sub)
	requireEqual(t, items[1], Item(&Gap{"/a", &Position{7, 4}, &Position{7, 6}, NotRecovered}))
	requireEqual(t, len(items), 4)
}

func TestASubjectResumesAfterItsLastMessage(t *testing.T) {
	r := newRig(t, nil)
	sub := r.subscribe("/a", SubscribeOptions{History: 5})
	r.connect()
	r.subscribed("/a", 3, "none")
	r.message("/a", 3, `,"type":"history"`)
	r.message("/a", 4, "")
	requireEqual(t, r.reconnect(), []string{"subscribe /a from=7:4"})
	r.subscribed("/a", 6, "complete")
	r.message("/a", 5, `,"type":"recovered"`)
	r.message("/a", 6, `,"type":"recovered"`)
	r.message("/a", 7, "")
	requireEqual(t, r.texts(sub), "3 4 5 6 7")
}

func TestHistoryIsRequestedAgainIfItDidNotArrive(t *testing.T) {
	r := newRig(t, nil)
	r.subscribe("/a", SubscribeOptions{History: 5})
	r.connect()
	r.subscribed("/a", 3, "none")
	requireEqual(t, r.reconnect(), []string{"subscribe /a history=5"})
}

func TestAnotherEpochIsAGap(t *testing.T) {
	r := newRig(t, nil)
	sub := r.subscribe("/a", SubscribeOptions{})
	r.connect()
	r.subscribed("/a", 1, "none")
	r.reconnect()
	r.send(`{"op":"subscribed","subject":"/a","epoch":8,"seq":0,"recovery":"gap"}`)
	r.send(`{"op":"gap","subject":"/a","from":"7:1","to":"8:0","reason":"epoch-changed"}`)
	r.send(`{"op":"message","subject":"/a","data":"new","epoch":8,"seq":1,"time":1}`)
	requireEqual(t, r.texts(sub), "[epoch-changed] new")
}

func TestAPatternRecoversItsSubjectsAndAnnouncesTheRest(t *testing.T) {
	r := newRig(t, nil)
	sub := r.subscribe("/a/*", SubscribeOptions{})
	r.connect()
	r.send(`{"op":"subscribed","subject":"/a/*","recovery":"none"}`)
	r.message("/a/x", 1, "")
	requireEqual(t, r.reconnect(), []string{"subscribe /a/x from=7:1", "subscribe /a/*"})
	r.subscribed("/a/x", 2, "complete")
	r.message("/a/x", 2, `,"type":"recovered"`)
	r.send(`{"op":"subscribed","subject":"/a/*","recovery":"none"}`)
	requireEqual(t, r.texts(sub), "1 2 [not-recovered]")
	requireEqual(t, r.commands(), []string{"unsubscribe /a/x"})
}

func TestAMessageOfTwoSubscriptionsArrivesAtBoth(t *testing.T) {
	r := newRig(t, nil)
	plain := r.subscribe("/a/x", SubscribeOptions{})
	pattern := r.subscribe("/a/**", SubscribeOptions{})
	r.connect()
	r.subscribed("/a/x", 0, "none")
	r.send(`{"op":"subscribed","subject":"/a/**","recovery":"none"}`)
	r.message("/a/x", 1, "")
	requireEqual(t, []string{r.texts(plain), r.texts(pattern)}, []string{"1", "1"})
}

func TestARefusedSubscriptionEndsWithItsCode(t *testing.T) {
	r := newRig(t, nil)
	sub := r.subscribe("/a", SubscribeOptions{})
	r.connect()
	r.send(`{"op":"error","id":-2,"code":"subscribe-denied","reason":"no","subject":"/a"}`)
	_, err := sub.buffer.ending()
	requireEqual(t, err, error(&SubscribeError{"/a", "subscribe-denied", "no"}))
	requireEqual(t, r.reconnect(), []string(nil))
}

func TestARateLimitRepeatsTheSubscriptionLater(t *testing.T) {
	r := newRig(t, nil)
	r.subscribe("/a", SubscribeOptions{})
	r.connect()
	r.send(`{"op":"error","id":-2,"code":"command-rate","reason":"many","subject":"/a","after":120}`)
	r.pass(900 * time.Millisecond)
	requireEqual(t, r.commands(), []string(nil))
	r.pass(200 * time.Millisecond)
	requireEqual(t, r.commands(), []string{"subscribe /a"})
}

func TestAPausedSubscriptionContinuesFromItsPosition(t *testing.T) {
	r := newRig(t, nil)
	sub := r.subscribe("/a", SubscribeOptions{})
	r.connect()
	r.subscribed("/a", 0, "none")
	r.message("/a", 1, "")
	r.input(func() { r.engine.flow.hold(sub, holdPaused) })
	r.message("/a", 2, "")
	requireEqual(t, r.commands(), []string{"unsubscribe /a"})
	requireEqual(t, r.reconnect(), []string(nil))
	r.input(func() { r.engine.flow.release(sub, holdPaused) })
	requireEqual(t, r.commands(), []string{"subscribe /a from=7:1"})
	requireEqual(t, r.texts(sub), "1")
}

// newFullBuffer returns a subscription whose buffer is full.
func newFullBuffer(t *testing.T) (*rig, *Subscription) {
	r := newRig(t, nil)
	sub := r.subscribe("/a", SubscribeOptions{BufferedMessages: 2})
	r.connect()
	r.subscribed("/a", 0, "none")
	r.message("/a", 1, "")
	r.message("/a", 2, "")
	return r, sub
}

func TestAFullBufferStopsReadingAndThenItsSubscription(t *testing.T) {
	r, sub := newFullBuffer(t)
	requireEqual(t, r.paused, []bool{true})
	r.pass(patience)
	requireEqual(t, r.paused, []bool{true, false})
	requireEqual(t, r.commands(), []string{"unsubscribe /a"})
	requireEqual(t, r.texts(sub), "1 2")
	requireEqual(t, r.commands(), []string{"subscribe /a from=7:2"})
}

func TestALateReportOfRoomDoesNotRefillAFullBuffer(t *testing.T) {
	r, sub := newFullBuffer(t)
	_, hasRoom := sub.buffer.take()
	requireEqual(t, hasRoom, true)
	r.message("/a", 3, "")
	r.pass(patience)
	r.input(func() { r.engine.flow.hasRoom(sub) })
	requireEqual(t, r.commands(), []string{"unsubscribe /a"})
	requireEqual(t, r.texts(sub), "2 3")
	requireEqual(t, r.commands(), []string{"subscribe /a from=7:3"})
}

func TestAProgramThatCatchesUpKeepsItsSubscription(t *testing.T) {
	r, sub := newFullBuffer(t)
	requireEqual(t, r.texts(sub), "1 2")
	r.pass(time.Second)
	requireEqual(t, r.paused, []bool{true, false})
	requireEqual(t, r.commands(), []string(nil))
}

func TestAClientThatDoesNotReadDoesNotJudgeTheServer(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	r.input(func() { r.engine.flow.setStatusesFull(true) })
	r.pass(time.Hour)
	requireEqual(t, len(statusesOf[Disconnected](r)), 0)
	r.input(func() { r.engine.flow.setStatusesFull(false) })
	r.pass(40 * time.Second)
	requireEqual(t, len(statusesOf[Disconnected](r)) > 0, true)
}

func TestTheLeastRecentSubjectOfAPatternIsForgotten(t *testing.T) {
	table := newTrackerTable(2)
	first := table.of("/a", false)
	table.of("/b", false)
	requireEqual(t, table.of("/a", false) == first, true)
	table.of("/c", false)
	var known []string
	table.each(func(subject string, _ *tracker) { known = append(known, subject) })
	requireEqual(t, known, []string{"/c", "/a"})
}
