package belfry

import (
	"strconv"
	"testing"
)

const (
	toPattern = "/a/*"
	firstAt   = `,"at":"AQAA"`
	laterAt   = `,"at":"AQAB"`
	recovered = `,"type":"recovered"`
)

func (r *rig) patternSubscribed(pattern, recovery, more string) {
	r.send(`{"op":"subscribed","subject":"` + pattern + `","recovery":"` + recovery + `"` + more + `}`)
}

func (r *rig) positionReached(at string) { r.send(`{"op":"position","at":"` + at + `"}`) }

// newPattern returns a pattern with the position AQAA, which received the message 5 of /a/b.
func newPattern(t *testing.T) (*rig, *Subscription) {
	t.Helper()
	r := newRig(t, nil)
	sub := r.subscribe(toPattern, SubscribeOptions{})
	r.connect()
	r.patternSubscribed(toPattern, "none", firstAt)
	r.message("/a/b", 5, "")
	requireEqual(t, r.texts(sub), "5")
	return r, sub
}

func TestThePositionOfAPatternIsReplacedByEachLaterOne(t *testing.T) {
	r, sub := newPattern(t)
	requireEqual(t, sub.Position(), "AQAA")
	requireEqual(t, r.reconnect(), []string{"subscribe /a/* from=AQAA"})
	r.positionReached("AQAC") // before the confirmation
	r.patternSubscribed(toPattern, "complete", firstAt)
	r.positionReached("AQAB")
	requireEqual(t, r.texts(sub), "")
	requireEqual(t, sub.Position(), "AQAB")
	requireEqual(t, r.reconnect(), []string{"subscribe /a/* from=AQAB"})
}

func TestALostRecoveryContinuesFromItsProgress(t *testing.T) {
	r, sub := newPattern(t)
	r.reconnect()
	r.message("/a/b", 6, recovered)
	r.send(`{"op":"position","subject":"/a/*","at":"AQAC"}`)
	r.message("/a/b", 7, recovered)
	requireEqual(t, r.texts(sub), "6 7")
	requireEqual(t, r.reconnect(), []string{"subscribe /a/* from=AQAC"})
	r.message("/a/b", 7, recovered)
	r.message("/a/b", 8, recovered)
	r.patternSubscribed(toPattern, "complete", laterAt)
	requireEqual(t, r.texts(sub), "8")
	r.subscribe("/*/b", SubscribeOptions{})
	r.reconnect()
	r.send(`{"op":"position","subject":"/a/*","at":"AQAC"}`)
	requireEqual(t, sub.Position(), "AQAB") // another pattern may have received some of the messages
}

func TestRecoveredDuplicatesOfAPatternAreDropped(t *testing.T) {
	r, sub := newPattern(t)
	r.message("/a/b", 6, "")
	r.reconnect()
	for seq := 5; seq <= 7; seq++ {
		r.message("/a/b", seq, recovered)
	}
	r.message("/a/new", 1, recovered)
	r.patternSubscribed(toPattern, "complete", laterAt)
	r.message("/a/b", 8, "")
	requireEqual(t, r.texts(sub), "6 7 1 8")
	confirmations := statusesOf[Subscribed](r)
	requireEqual(t, confirmations[1], Subscribed{Subject: toPattern, Recovery: RecoveryComplete})
}

func TestAGapOfAPatternHasNoPositions(t *testing.T) {
	r, sub := newPattern(t)
	r.reconnect()
	r.send(`{"op":"gap","subject":"/a/*","to":"0:0","reason":"history-gone"}`)
	r.message("/a/b", 5, recovered)
	r.message("/a/b", 9, recovered)
	r.patternSubscribed(toPattern, "gap", laterAt)
	r.message("/a/b", 10, "")
	items := r.take(sub)
	requireEqual(t, len(items), 3)
	requireEqual(t, items[0], Item(&Gap{Subject: toPattern, Reason: "history-gone"}))
	requireEqual(t, items[2].(*Message).Position, Position{7, 10})
}

func TestRecoveredMessagesOfAnAnnouncedGapAreDropped(t *testing.T) {
	r, sub := newPattern(t)
	r.send(`{"op":"gap","subject":"/a/b","from":"7:5","to":"7:8","reason":"slow-consumer"}`)
	r.reconnect()
	for seq := 5; seq <= 9; seq++ {
		r.message("/a/b", seq, recovered)
	}
	r.patternSubscribed(toPattern, "complete", laterAt)
	requireEqual(t, r.texts(sub), "[slow-consumer] 9")
}

func TestAMissingRecoveredMessageIsAGap(t *testing.T) {
	r, sub := newPattern(t)
	r.reconnect()
	r.message("/a/b", 7, recovered)
	requireEqual(t, r.texts(sub), "[not-recovered] 7")
}

func TestAServerWithoutPositionsOfPatternsLeadsToBridges(t *testing.T) {
	r, sub := newPattern(t)
	r.reconnect()
	r.send(`{"op":"error","id":-2,"code":"wildcard-not-allowed","reason":"no positions","subject":"/a/*"}`)
	requireEqual(t, r.commands(), []string{"subscribe /a/b from=7:5", "subscribe /a/*"})
	r.patternSubscribed(toPattern, "none", "")
	requireEqual(t, r.texts(sub), "[not-recovered]")
	requireEqual(t, sub.Position(), "")
	requireEqual(t, r.reconnect(), []string{"subscribe /a/b from=7:5", "subscribe /a/*"})
}

func TestAPositionOfAPatternCountsOnlyAfterItsBridges(t *testing.T) {
	r, sub := newPattern(t)
	r.reconnect()
	r.send(`{"op":"error","id":-2,"code":"wildcard-not-allowed","reason":"no positions","subject":"/a/*"}`)
	bridged := func() { r.send(`{"op":"subscribed","subject":"/a/b","epoch":7,"seq":7,"recovery":"complete"}`) }
	bridged()
	r.patternSubscribed(toPattern, "none", firstAt)
	r.message("/a/b", 6, recovered)
	r.positionReached("AQAB")
	requireEqual(t, r.texts(sub), "[not-recovered] 6")
	requireEqual(t, sub.Position(), "") // a message of the bridge is missing
	requireEqual(t, r.reconnect(), []string{"subscribe /a/b from=7:6", "subscribe /a/*"})
	bridged()
	r.patternSubscribed(toPattern, "none", firstAt)
	r.message("/a/b", 7, recovered)
	requireEqual(t, r.texts(sub), "[not-recovered] 7")
	requireEqual(t, sub.Position(), "AQAA")
	requireEqual(t, r.reconnect(), []string{"subscribe /a/* from=AQAA"})
}

func TestAPatternBeginsAtThePositionOfTheProgram(t *testing.T) {
	r := newRig(t, nil)
	sub := r.subscribe(toPattern, SubscribeOptions{FromPattern: "AQAA"})
	requireEqual(t, sub.Position(), "AQAA")
	requireEqual(t, r.connect(), []string{"subscribe /a/* from=AQAA"})
	r.message("/a/b", 7, `,"type":"snapshot","retained":true`) // caused by another subscription
	r.message("/a/b", 6, recovered)
	r.message("/a/b", 7, recovered)
	r.patternSubscribed(toPattern, "complete", laterAt)
	requireEqual(t, r.texts(sub), "6 7")
	requireEqual(t, sub.Position(), "AQAB")
}

func TestAPositionOfTheProgramThatIsNotUsedIsAGap(t *testing.T) {
	r := newRig(t, nil)
	sub := r.subscribe(toPattern, SubscribeOptions{FromPattern: "AQAA"})
	r.connect()
	r.patternSubscribed(toPattern, "none", "")
	requireEqual(t, r.texts(sub), "[not-recovered]")
}

func TestPatternsThatOverlapReceiveEachMessageOnce(t *testing.T) {
	r, narrow := newPattern(t)
	wide := r.subscribe("/**", SubscribeOptions{})
	r.patternSubscribed("/**", "none", firstAt)
	r.message("/a/b", 6, "")
	requireEqual(t, r.texts(narrow)+" "+r.texts(wide), "6 6")
	requireEqual(t, r.reconnect(), []string{"subscribe /a/* from=AQAA", "subscribe /** from=AQAA"})
	r.message("/a/b", 6, recovered)
	r.message("/a/b", 7, recovered)
	r.patternSubscribed(toPattern, "complete", laterAt)
	r.message("/a/b", 8, "")
	r.message("/a/new", 1, "")
	r.message("/a/b", 7, recovered)
	r.message("/c", 100, recovered)
	r.patternSubscribed("/**", "complete", laterAt)
	requireEqual(t, r.texts(narrow), "7 8 1")
	requireEqual(t, r.texts(wide), "7 8 1 100")
}

func TestAMessageOfANewSubjectIsDeliveredBeforeAllLanesConfirmed(t *testing.T) {
	r, sub := newPattern(t)
	r.reconnect()
	r.message("/a/new", 1, "")
	r.patternSubscribed(toPattern, "complete", laterAt)
	r.message("/a/new", 2, "")
	requireEqual(t, r.texts(sub), "1 2")
}

func TestThePatternThatLacksMostIsRequestedFirst(t *testing.T) {
	r, sub := newPattern(t)
	r.subscribe("/c/*", SubscribeOptions{})
	r.commands()
	r.subscribe("/**", SubscribeOptions{FromPattern: "AQAB"})
	requireEqual(t, r.commands(),
		[]string{"unsubscribe /a/*", "subscribe /** from=AQAB", "subscribe /a/* from=AQAA"})
	r.message("/a/b", 9, "") // sent before the server ended the pattern
	r.unsubscribed(toPattern)
	for seq := 4; seq <= 6; seq++ {
		r.message("/a/b", seq, recovered)
	}
	requireEqual(t, r.texts(sub), "6")
	requireEqual(t, r.reconnect(),
		[]string{"subscribe /** from=AQAB", "subscribe /a/* from=AQAA", "subscribe /c/*"})
}

func TestMessagesThatFollowNewerOnesOfAnotherPatternAreAGap(t *testing.T) {
	r := newRig(t, nil)
	later := r.subscribe("/a/*", SubscribeOptions{FromPattern: "AQAB"})
	earlier := r.subscribe("/**", SubscribeOptions{FromPattern: "AQAA"})
	r.connect()
	r.message("/a/b", 8, recovered)
	r.patternSubscribed(toPattern, "complete", laterAt)
	for seq := 6; seq <= 8; seq++ {
		r.message("/a/b", seq, recovered)
	}
	requireEqual(t, r.texts(later), "8")
	requireEqual(t, r.texts(earlier), "8 [not-recovered]")
}

func TestPatternsOverlapIfASubjectMatchesBoth(t *testing.T) {
	for other, expected := range map[string]bool{
		"/**": true, "/a/*": true, "/*/b": true, "/a/**": true, "/a/b/**": false, "/*/*/c": false, "/b/*": false,
	} {
		requireEqual(t, overlap("/a/*", other), expected)
		requireEqual(t, overlap(other, "/a/*"), expected)
	}
}

func TestAPausedPatternContinuesFromItsPosition(t *testing.T) {
	r, sub := newPattern(t)
	r.commands()
	r.input(func() { r.engine.flow.hold(sub, holdPaused) })
	r.positionReached("AQAB")
	r.input(func() { r.engine.flow.release(sub, holdPaused) })
	requireEqual(t, r.commands(), []string{"unsubscribe /a/*", "subscribe /a/* from=AQAA"})
	r.message("/a/b", 8, recovered) // sent before the server ended the pattern
	r.unsubscribed(toPattern)
	r.message("/a/b", 5, recovered)
	r.message("/a/b", 6, recovered)
	r.patternSubscribed(toPattern, "complete", laterAt)
	requireEqual(t, r.texts(sub), "6")
}

func TestThePositionFollowsTheItemsThatTheProgramTook(t *testing.T) {
	r, sub := newPattern(t)
	for seq := 6; seq <= 9; seq++ {
		r.message("/a/b", seq, "")
		r.positionReached("AQA" + strconv.Itoa(seq-6))
	}
	r.positionReached("AQAw")
	for _, expected := range []string{"AQAA", "AQA0", "AQA1", "AQA2", "AQAw", "AQAw"} {
		_, _ = sub.buffer.take()
		requireEqual(t, sub.Position(), expected)
	}
}

func TestAnEndedPatternHasNoPosition(t *testing.T) {
	r, sub := newPattern(t)
	r.unsubscribe(sub)
	r.subscribe(toPattern, SubscribeOptions{})
	requireEqual(t, r.reconnect(), []string{"subscribe /a/*"})
}

func TestAPositionOfTheWrongKindIsAnError(t *testing.T) {
	for _, each := range []struct {
		subject string
		options SubscribeOptions
	}{
		{toPattern, SubscribeOptions{FromPattern: "7:42"}},
		{toPattern, SubscribeOptions{FromPattern: "AQAA="}},
		{toPattern, SubscribeOptions{From: &Position{7, 42}}},
		{"/a", SubscribeOptions{FromPattern: "AQAA"}},
	} {
		if _, err := newSubscription(each.subject, each.options, 100); err == nil {
			t.Errorf("%s with %v was accepted", each.subject, each.options)
		}
	}
}
