package belfry

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestAPublishWaitsForTheConnectionAndIsAcknowledged(t *testing.T) {
	r := newRig(t, nil)
	publishing := r.publish("/a", PublishOptions{})
	commands := r.connect()
	requireEqual(t, commands, []string{"publish /a msgId=m-1"})
	r.send(`{"op":"published","id":1,"epoch":7,"seq":42}`)
	requireEqual(t, []any{publishing.ack, publishing.err}, []any{Ack{Position{7, 42}}, (*PublishError)(nil)})
}

func TestUnansweredPublishesAreRepeatedInTheirOrder(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	for i := 0; i < 3; i++ {
		r.publish("/a", PublishOptions{})
	}
	r.send(`{"op":"published","id":2,"epoch":7,"seq":42}`)
	r.commands()
	requireEqual(t, r.reconnect(), []string{"publish /a msgId=m-1", "publish /a msgId=m-3"})
}

func TestAPublishThatMustNotBeRepeatedHasAnUnknownOutcome(t *testing.T) {
	r := newRig(t, nil)
	waiting := r.publish("/a", PublishOptions{Once: true})
	r.connect()
	sent := r.publish("/b", PublishOptions{Once: true})
	r.commands()
	requireEqual(t, r.reconnect(), []string(nil))
	requireEqual(t, []bool{errors.Is(waiting.err, UnknownOutcome), errors.Is(sent.err, UnknownOutcome)}, []bool{true, true})
	requireEqual(t, len(statusesOf[PublishUnknown](r)), 2)
}

func TestAPublishThatWasNotSentIsNotUnknown(t *testing.T) {
	r := newRig(t, nil)
	r.start()
	r.publish("/a", PublishOptions{Once: true})
	r.lose()
	r.pass(time.Second)
	requireEqual(t, r.greet(), []string{"publish /a"})
}

func TestARefusedPublishHasItsCode(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	publishing := r.publish("/a", PublishOptions{})
	r.send(`{"op":"error","id":1,"code":"publish-rate","reason":"many","subject":"/a","after":120}`)
	requireEqual(t, publishing.err, &PublishError{PublishRefused, "publish-rate", "many", 120 * time.Millisecond})
	requireEqual(t, errors.Is(publishing.err, Code("publish-rate")), true)
	requireEqual(t, errors.Is(publishing.err, PublishRefused), true)
	requireEqual(t, errors.Is(publishing.err, TimedOut), false)
}

func TestATransientRefusalIsRepeatedOnTheConnection(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	r.publish("/a", PublishOptions{})
	r.commands()
	r.send(`{"op":"error","id":1,"code":"cluster-full","reason":"full","subject":"/a"}`)
	r.pass(repeatPause)
	requireEqual(t, r.commands(), []string{"publish /a msgId=m-1"})
}

func TestALatePublishTimesOutAcrossConnections(t *testing.T) {
	r := newRig(t, nil)
	r.start()
	publishing := r.publish("/a", PublishOptions{})
	r.pass(31 * time.Second)
	requireEqual(t, errors.Is(publishing.err, TimedOut), true)
}

func TestPublishesOverTheBoundFailAtOnce(t *testing.T) {
	r := newRig(t, func(o *Options) { o.PendingPublishes = 2 })
	r.connect()
	r.publish("/a", PublishOptions{})
	r.publish("/a", PublishOptions{})
	over := r.publish("/a", PublishOptions{})
	requireEqual(t, errors.Is(over.err, TooManyPending), true)
	room := r.engine.publishes.awaitRoom()
	r.send(`{"op":"published","id":1,"epoch":7,"seq":1}`)
	<-room
	requireEqual(t, r.engine.publishes.awaitRoom() == nil, true)
}

func TestALargePublishIsNotSent(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	made := &Publishing{done: make(chan struct{})}
	made.command = publishCommand{subject: "/a", data: []byte(strings.Repeat("x", 65537))}
	r.input(func() { r.engine.publish(made, PublishOptions{}) })
	requireEqual(t, errors.Is(made.err, Code("message-too-large")), true)
	requireEqual(t, r.commands(), []string(nil))
}

func TestAWatchReportsTheLatestStateAfterEachConnection(t *testing.T) {
	r := newRig(t, nil)
	watch, _ := newWatch("/a")
	r.input(func() { _ = r.engine.watch(watch) })
	requireEqual(t, r.connect(), []string{"watch /a"})
	r.send(`{"op":"watched","id":-5,"subject":"/a","subscribers":false}`)
	requireEqual(t, r.reconnect(), []string{"watch /a"})
	r.send(`{"op":"watched","id":-5,"subject":"/a","subscribers":true}`)
	requireEqual(t, []any{watch.state, watch.changes}, []any{true, 2})
	r.send(`{"op":"error","id":-5,"code":"publish-denied","reason":"no","subject":"/a"}`)
	requireEqual(t, errors.Is(watch.err, Code("publish-denied")), true)
}
