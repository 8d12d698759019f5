package belfry

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	newSession = `{"op":"connect","id":-1,"session":""}`
	from6      = `"from":"7:6"`
	kept       = `,"keep":60000`
	resumed    = `,"keep":60000,"resumed":true`
)

func continuing(session string, positions ...string) string {
	return `{"op":"connect","id":-1,"session":"` + session + `","positions":["` + strings.Join(positions, `","`) + `"]}`
}

func keepSession(o *Options) { o.KeepSession = true }

func (r *rig) connected(session, more string) {
	r.send(`{"op":"connected","id":-1,"session":"` + session + `","node":"n","ping":25000,"maxMessage":65536` + more + `}`)
}

func (r *rig) unsubscribed(subject string) {
	r.send(`{"op":"unsubscribed","id":-3,"subject":"` + subject + `"}`)
}

// newKept connects with subscriptions, each of which gets its message 6, and the session s1.
func newKept(t *testing.T, subjects ...string) (*rig, []*Subscription) {
	t.Helper()
	r := newRig(t, keepSession)
	var subs []*Subscription
	for _, subject := range subjects {
		subs = append(subs, r.subscribe(subject, SubscribeOptions{}))
	}
	r.start()
	r.call().upgrade()
	requireEqual(t, r.texted()[0], newSession)
	r.connected("s1", kept)
	for _, subject := range subjects {
		r.subscribed(subject, 5, "none")
		r.message(subject, 6, "")
	}
	return r, subs
}

// attempt waits for the next connection, and returns its commands before connected.
func (r *rig) attempt() []string {
	r.t.Helper()
	r.awaitAttempt()
	r.call().upgrade()
	return r.texted()
}

func (r *rig) loseAndAttempt() []string {
	r.t.Helper()
	r.lose()
	return r.attempt()
}

func (r *rig) pauseAndResume(sub *Subscription) {
	r.input(func() { r.engine.flow.hold(sub, holdPaused) })
	r.input(func() { r.engine.flow.release(sub, holdPaused) })
}

func (r *rig) unsubscribe(sub *Subscription) { r.input(func() { r.engine.unsubscribe(sub) }) }

func TestWithoutTheOptionNoSessionIsRequested(t *testing.T) {
	r := newRig(t, nil)
	r.start()
	r.call().upgrade()
	requireEqual(t, r.texted(), []string{`{"op":"connect","id":-1}`})
}

func TestPositionsThatExceedACommandBeginANewSession(t *testing.T) {
	r, _ := newKept(t, "/a", "/b")
	r.engine.continuation.positionsBytesMax = 80
	requireEqual(t, r.loseAndAttempt()[0], newSession)
}

func TestASessionContinuesWithOneCommand(t *testing.T) {
	r, subs := newKept(t, "/a", "/b")
	requireEqual(t, r.loseAndAttempt(), []string{continuing("s1", "/a", "7:6", "/b", "7:6")})
	r.connected("s2", resumed)
	requireEqual(t, r.commands(), []string(nil))
	r.message("/a", 6, "")
	r.message("/a", 7, `,"type":"recovered"`)
	r.message("/a", 8, "")
	r.send(`{"op":"gap","subject":"/b","from":"7:6","to":"7:9","reason":"history-gone"}`)
	r.message("/b", 10, `,"type":"recovered"`)
	requireEqual(t, r.texts(subs[0]), "6 7 8")
	requireEqual(t, r.texts(subs[1]), "6 [history-gone] 10")
	requireEqual(t, len(statusesOf[Subscribed](r)), 2)
	requireEqual(t, r.loseAndAttempt(), []string{continuing("s2", "/a", "7:8", "/b", "7:10")})
}

func TestASessionThatTheServerDoesNotHaveIsSubscribedAgain(t *testing.T) {
	r, subs := newKept(t, "/a")
	requireEqual(t, r.loseAndAttempt(), []string{continuing("s1", "/a", "7:6")})
	r.connected("s2", kept)
	requireEqual(t, r.commands(), []string{"subscribe /a from=7:6"})
	r.subscribed("/a", 7, "complete")
	r.message("/a", 7, `,"type":"recovered"`)
	requireEqual(t, r.texts(subs[0]), "6 7")
	requireEqual(t, r.loseAndAttempt(), []string{continuing("s2", "/a", "7:7")})
}

func TestChangesWhileOfflineNeedANewSession(t *testing.T) {
	for name, change := range map[string]func(*rig, *Subscription){
		"subscribed":   func(r *rig, _ *Subscription) { r.subscribe("/b", SubscribeOptions{From: &Position{7, 1}}) },
		"pattern":      func(r *rig, _ *Subscription) { r.subscribe("/p/*", SubscribeOptions{}) },
		"unsubscribed": func(r *rig, sub *Subscription) { r.unsubscribe(sub) },
		"paused":       func(r *rig, sub *Subscription) { r.input(func() { r.engine.flow.hold(sub, holdPaused) }) },
		"replaced": func(r *rig, sub *Subscription) {
			r.unsubscribe(sub)
			r.subscribe("/a", SubscribeOptions{From: &Position{7, 6}, Conflate: time.Second})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, subs := newKept(t, "/a", "/c")
			r.lose()
			change(r, subs[0])
			commands := r.attempt()
			requireEqual(t, commands[0], newSession)
			requireEqual(t, strings.Contains(strings.Join(commands, ""), `"subject":"/c",`+from6), true)
		})
	}
}

func TestAPauseThatEndedWhileOfflineChangesNothing(t *testing.T) {
	r, subs := newKept(t, "/a")
	r.lose()
	r.pauseAndResume(subs[0])
	requireEqual(t, r.attempt(), []string{continuing("s1", "/a", "7:6")})
}

func TestCommandsWithoutAnAnswerNeedANewSession(t *testing.T) {
	for name, change := range map[string]func(*rig, *Subscription){
		"subscribed":         func(r *rig, _ *Subscription) { r.subscribe("/b", SubscribeOptions{}) },
		"unsubscribed":       func(r *rig, sub *Subscription) { r.unsubscribe(sub) },
		"paused and resumed": func(r *rig, sub *Subscription) { r.pauseAndResume(sub) },
		"answered once": func(r *rig, sub *Subscription) {
			r.pauseAndResume(sub)
			r.unsubscribed("/a")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, subs := newKept(t, "/a", "/c")
			change(r, subs[0])
			requireEqual(t, r.loseAndAttempt()[0], newSession)
		})
	}
}

func TestAnsweredCommandsKeepTheSession(t *testing.T) {
	r, subs := newKept(t, "/a", "/b", "/c")
	r.pauseAndResume(subs[0])
	r.unsubscribe(subs[1])
	r.subscribe("/d", SubscribeOptions{})
	r.unsubscribed("/a")
	r.subscribed("/a", 6, "complete")
	r.unsubscribed("/b")
	r.send(`{"op":"error","id":-2,"code":"subscribe-denied","reason":"no","subject":"/d"}`)
	requireEqual(t, r.loseAndAttempt(), []string{continuing("s1", "/a", "7:6", "/c", "7:6")})
}

func TestASubscriptionThatTheServerEndedIsNotContinued(t *testing.T) {
	r, _ := newKept(t, "/a", "/b")
	r.send(`{"op":"unsubscribed","subject":"/a","reason":"subscribe-denied"}`)
	requireEqual(t, r.loseAndAttempt(), []string{continuing("s1", "/b", "7:6")})
}

func TestSubscriptionsWithoutAPositionNeedANewSession(t *testing.T) {
	r, _ := newKept(t, "/a")
	r.subscribe("/h", SubscribeOptions{History: 3})
	r.subscribed("/h", 5, "none")
	requireEqual(t, r.loseAndAttempt()[0], newSession)
	r, _ = newKept(t, "/a")
	r.subscribe("/p/*", SubscribeOptions{})
	r.send(`{"op":"subscribed","subject":"/p/*","recovery":"none"}`)
	requireEqual(t, r.loseAndAttempt()[0], newSession)
}

func TestPatternsAreRequestedAgainFromTheirPositions(t *testing.T) {
	r, subs := newKept(t, "/a/b", "/c")
	pattern := r.subscribe("/a/*", SubscribeOptions{})
	r.patternSubscribed("/a/*", "none", firstAt)
	paused := r.subscribe("/p/*", SubscribeOptions{})
	r.patternSubscribed("/p/*", "none", firstAt)
	r.input(func() { r.engine.flow.hold(paused, holdPaused) })
	requireEqual(t, r.loseAndAttempt(), []string{continuing("s1", "/a/b", "7:6", "/c", "7:6")})
	r.connected("s2", resumed)
	requireEqual(t, r.commands(), []string{"subscribe /a/* from=AQAA"})
	r.message("/a/b", 7, `,"type":"recovered"`)
	r.message("/a/new", 1, `,"type":"recovered"`)
	r.patternSubscribed("/a/*", "complete", laterAt)
	r.message("/a/b", 8, "")
	requireEqual(t, r.texts(subs[0]), "6 7 8")
	requireEqual(t, r.texts(pattern), "7 1 8")
	for _, session := range []string{"s2", "s3"} {
		// At the second time the pattern is not confirmed yet.
		requireEqual(t, r.loseAndAttempt(), []string{continuing(session, "/a/b", "7:8", "/c", "7:6")})
		r.connected("s3", resumed)
		requireEqual(t, r.commands(), []string{"subscribe /a/* from=AQAB"})
	}
	r.loseAndAttempt()
	r.connected("s4", kept)
	requireEqual(t, r.commands(), []string{"subscribe /a/b from=7:8", "subscribe /c from=7:6", "subscribe /a/* from=AQAB"})
}

func TestAtMost1000SubjectsAreContinued(t *testing.T) {
	for count, continues := range map[int]bool{1000: true, 1001: false} {
		var subjects []string
		for i := 0; i < count; i++ {
			subjects = append(subjects, fmt.Sprint("/s/", i))
		}
		r, _ := newKept(t, subjects...)
		requireEqual(t, r.loseAndAttempt()[0] != newSession, continues)
	}
}

func TestASessionIsForgottenAfterItsTime(t *testing.T) {
	for wait, continues := range map[time.Duration]bool{59 * time.Second: true, 61 * time.Second: false} {
		r, _ := newKept(t, "/a")
		r.lose()
		r.now += wait
		requireEqual(t, r.attempt()[0] != newSession, continues)
	}
}

func TestFailedAttemptsDoNotForgetTheSession(t *testing.T) {
	r, _ := newKept(t, "/a")
	r.lose()
	r.awaitAttempt()
	r.lose()
	other := r.subscribe("/b", SubscribeOptions{})
	requireEqual(t, r.attempt()[0], newSession)
	r.unsubscribe(other)
	for i := 0; i < 2; i++ {
		requireEqual(t, r.loseAndAttempt(), []string{continuing("s1", "/a", "7:6")})
	}
	r.lose()
	r.now += 61 * time.Second
	requireEqual(t, r.attempt()[0], newSession)
}

func TestARenewedTokenKeepsTheSession(t *testing.T) {
	r, _ := newKept(t, "/a")
	r.connected("s9", kept)
	requireEqual(t, r.commands(), []string(nil))
	requireEqual(t, r.loseAndAttempt(), []string{continuing("s9", "/a", "7:6")})
	r, _ = newKept(t, "/a")
	r.connected("s9", "")
	requireEqual(t, r.loseAndAttempt()[0], newSession)
}

func TestASessionThatAnotherConnectionTookIsForgotten(t *testing.T) {
	r, _ := newKept(t, "/a")
	r.close(4013, "session-taken: another connection continues the session")
	requireEqual(t, r.attempt(), []string{newSession, `{"op":"subscribe","id":-2,"subject":"/a",` + from6 + `}`})
}

func TestChangesBeforeTheAnswerAreRequestedAfterIt(t *testing.T) {
	requested := []string{"subscribe /c from=7:6", "subscribe /d"}
	for answer, expected := range map[string][]string{
		resumed: append([]string{"unsubscribe /a /b /c"}, requested...), kept: requested,
	} {
		r, subs := newKept(t, "/a", "/b", "/c")
		r.loseAndAttempt()
		r.unsubscribe(subs[0])
		r.input(func() { r.engine.flow.hold(subs[1], holdPaused) })
		r.unsubscribe(subs[2])
		r.subscribe("/c", SubscribeOptions{From: &Position{7, 6}})
		r.subscribe("/d", SubscribeOptions{})
		requireEqual(t, r.commands(), []string(nil))
		r.connected("s2", answer)
		requireEqual(t, r.commands(), expected)
	}
}

func TestPublishesWaitForTheAnswerAndAreRepeated(t *testing.T) {
	r, _ := newKept(t, "/a")
	r.publish("/a", PublishOptions{})
	r.texted()
	requireEqual(t, r.loseAndAttempt(), []string{continuing("s1", "/a", "7:6")})
	r.connected("s2", resumed)
	requireEqual(t, r.commands(), []string{"publish /a msgId=m-1"})
}

func TestAServerWithoutKeptSessionsIsConnected(t *testing.T) {
	r, _ := newKept(t, "/a")
	r.loseAndAttempt()
	r.send(`{"op":"error","id":-1,"code":"bad-frame","reason":"a flag is unknown"}`)
	requireEqual(t, r.texted(), []string{`{"op":"connect","id":-1}`})
	r.connected("s2", "")
	requireEqual(t, r.commands(), []string{"subscribe /a from=7:6"})
	requireEqual(t, len(statusesOf[CommandFailed](r)), 0)
}

func TestHTTPIgnoresKeptSessions(t *testing.T) {
	r := newRig(t, func(o *Options) { o.KeepSession, o.Transports = true, []Transport{HTTPStream} })
	r.subscribe("/a", SubscribeOptions{})
	r.start()
	requireEqual(t, r.call().request.url, "http://server:8800/subscribe?subject=%2Fa")
}

// silence lets the server be silent until the client gives the connection up; it returns the opcodes that the client sent.
func (r *rig) silence() []byte {
	r.t.Helper()
	silent := r.call()
	r.pass(34 * time.Second)
	silent.written = nil
	r.pass(2 * time.Second)
	requireEqual(r.t, statusesOf[Disconnected](r)[0].Code, "timed-out")
	opcodes := []byte{}
	for _, each := range takeFrames(r.t, silent) {
		opcodes = append(opcodes, each.opcode)
	}
	return opcodes
}

func TestASilentConnectionEndsWithoutACloseFrameIfTheSessionIsKept(t *testing.T) {
	r, _ := newKept(t, "/a")
	requireEqual(t, r.silence(), []byte{})
	if len(r.calls) == 1 {
		r.awaitAttempt()
	}
	r.call().upgrade()
	requireEqual(t, r.texted(), []string{continuing("s1", "/a", "7:6")})
}

func TestASilentConnectionWithoutAKeptSessionIsClosed(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	requireEqual(t, r.silence(), []byte{opClose})
}
