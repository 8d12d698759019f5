package belfry

import (
	"strings"
	"testing"
	"time"
)

const (
	toStream = "http://server:8800/subscribe?"
	toPoll   = "http://server:8800/poll?"
)

// target returns the query of the latest request, decoded.
func (r *rig) target() string {
	r.t.Helper()
	return strings.NewReplacer("%2F", "/", "%2A", "*", "%3A", ":", "%2C", ",").Replace(r.call().request.url)
}

func (r *rig) line(text string) { r.call().data([]byte(text + "\n")) }

// stream answers the latest request with the head of a stream, and confirms the subjects. The last pattern has the position
// of all of them.
func (r *rig) stream(recovery, at string, subjects ...string) {
	r.call().open()
	r.call().head(200, "Content-Type", ndjson)
	r.confirmed(recovery, at, subjects...)
}

func (r *rig) confirmed(recovery, at string, subjects ...string) {
	for i, subject := range subjects {
		more := `,"epoch":7,"seq":3`
		if isPattern(subject) {
			more = ""
			if i == len(subjects)-1 && at != "" {
				more = `,"at":"` + at + `"`
			}
		}
		r.line(`{"op":"subscribed","subject":"` + subject + `","recovery":"` + recovery + `"` + more + `}`)
	}
}

func recoveredText(subject, seq string) string {
	return `{"op":"message","subject":"` + subject + `","data":"` + seq + `","epoch":7,"seq":` + seq + `,"time":1,"type":"recovered"}`
}

func newStreamingRig(t *testing.T, subjects ...string) (*rig, []*Subscription) {
	t.Helper()
	r := newStreamRig(t)
	var subs []*Subscription
	for _, subject := range subjects {
		subs = append(subs, r.subscribe(subject, SubscribeOptions{}))
	}
	r.start()
	r.stream("none", "AQAA", subjects...)
	return r, subs
}

func (r *rig) loseStream() {
	r.t.Helper()
	r.lose()
	r.awaitAttempt()
}

func TestAStreamResumesAllPatternsFromTheirPosition(t *testing.T) {
	r, subs := newStreamingRig(t, "/n", "/a/*", "/b/*")
	r.line(recoveredText("/a/x", "4"))
	r.line(`{"op":"position","at":"AQAB"}`)
	r.loseStream()
	requireEqual(t, r.target(), toStream+"subject=/n&subject=/a/*&subject=/b/*&from=7:3,AQAB")
	r.stream("complete", "", "/n")
	r.line(recoveredText("/a/x", "4"))
	r.line(recoveredText("/a/new", "1"))
	r.confirmed("complete", "AQAC", "/a/*", "/b/*")
	requireEqual(t, []string{r.texts(subs[1]), r.texts(subs[2])}, []string{"4 1", ""})
	requireEqual(t, len(statusesOf[GapFound](r)), 0)
	requireEqual(t, []string{subs[1].Position(), subs[2].Position()}, []string{"AQAC", "AQAC"})
}

func TestAStreamOfPatternsAloneResumesFromTheirPosition(t *testing.T) {
	r, _ := newStreamingRig(t, "/a/*")
	r.loseStream()
	requireEqual(t, r.target(), toStream+"subject=/a/*&from=AQAA")
}

func TestASubjectWithoutAPositionIsNothingBetweenCommas(t *testing.T) {
	r, _ := newStreamingRig(t, "/a/*")
	r.subscribe("/n", SubscribeOptions{})
	r.subscribe("/m", SubscribeOptions{})
	r.pass(20 * time.Millisecond)
	requireEqual(t, r.target(), toStream+"subject=/n&subject=/m&subject=/a/*&from=,,AQAA")
}

func TestAStreamThatEndsDuringTheRecoveryResumesFromTheSamePosition(t *testing.T) {
	r, _ := newStreamingRig(t, "/a/*", "/b/*")
	r.loseStream()
	r.stream("complete", "", "/a/*")
	r.loseStream()
	requireEqual(t, strings.HasSuffix(r.target(), "&from=AQAA"), true)
}

func TestPatternsOfDifferentPositionsAreRecoveredByTheirSubjects(t *testing.T) {
	r, subs := newStreamingRig(t, "/a/*")
	r.line(recoveredText("/a/x", "4"))
	r.subscribe("/b/*", SubscribeOptions{})
	r.pass(20 * time.Millisecond)
	requireEqual(t, r.target(), toStream+"subject=/a/x&subject=/a/*&subject=/b/*&from=7:4")
	r.stream("none", "AQAB", "/a/x", "/a/*", "/b/*")
	requireEqual(t, r.texts(subs[0]), "4 [not-recovered]")
	r.loseStream()
	requireEqual(t, strings.HasSuffix(r.target(), "subject=/a/*&subject=/b/*&from=AQAB"), true)
}

func TestAStreamBeginsAtThePositionOfTheProgram(t *testing.T) {
	r := newStreamRig(t)
	r.subscribe("/a/*", SubscribeOptions{FromPattern: "AQAA"})
	r.start()
	requireEqual(t, r.target(), toStream+"subject=/a/*&from=AQAA")
}

func newPollingRig(t *testing.T, subjects ...string) (*rig, []*Subscription) {
	t.Helper()
	r := newPollRig(t)
	var subs []*Subscription
	for _, subject := range subjects {
		subs = append(subs, r.subscribe(subject, SubscribeOptions{}))
	}
	r.start()
	return r, subs
}

func TestPollsOfAPatternContinueFromItsPosition(t *testing.T) {
	r, subs := newPollingRig(t, "/a/*")
	requireEqual(t, r.target(), toPoll+"subject=/a/*&wait=100ms")
	r.call().answer(200, `{"at":"AQAA","messages":[`+recoveredText("/a/x", "1")+`]}`)
	requireEqual(t, r.target(), toPoll+"subject=/a/*&wait=20000ms&from=AQAA")
	r.call().answer(200, `{"at":"AQAB","messages":[`+recoveredText("/a/x", "1")+","+recoveredText("/a/new", "1")+`]}`)
	requireEqual(t, r.target(), toPoll+"subject=/a/*&wait=20000ms&from=AQAB")
	requireEqual(t, r.texts(subs[0]), "1 1")
	requireEqual(t, subs[0].progress.at.String(), "AQAB")
	r.loseStream()
	requireEqual(t, r.target(), toPoll+"subject=/a/*&wait=100ms&from=AQAB")
	r.call().answer(200, `{"at":"AQAC","messages":[`+recoveredText("/a/new", "2")+`]}`)
	requireEqual(t, r.texts(subs[0]), "2")
	requireEqual(t, statusesOf[Subscribed](r)[1].Recovery, RecoveryComplete)
	requireEqual(t, len(statusesOf[GapFound](r)), 0)
}

func TestAGapThatAPollBeginsWithIsTheResultOfTheRecovery(t *testing.T) {
	r := newPollRig(t)
	sub := r.subscribe("/a/*", SubscribeOptions{FromPattern: "AQAA"})
	r.start()
	r.call().answer(200, `{"at":"AQAB","messages":[{"op":"gap","subject":"/a/*","to":"0:0","reason":"epoch-changed"}]}`)
	requireEqual(t, r.texts(sub), "[epoch-changed]")
	requireEqual(t, statusesOf[Subscribed](r)[0].Recovery, RecoveryGap)
}

func TestMessagesOfAPollBelongToItsPattern(t *testing.T) {
	r, subs := newPollingRig(t, "/a/*", "/**")
	for _, pattern := range []string{"%2Fa%2F%2A", "%2F%2A%2A"} {
		r.find("subject="+pattern+"&").answer(200, `{"at":"AQAA","messages":[]}`)
	}
	r.find("subject=%2F%2A%2A&").answer(200, `{"at":"AQAB","messages":[`+recoveredText("/a/x", "5")+`]}`)
	requireEqual(t, []string{r.texts(subs[0]), r.texts(subs[1])}, []string{"", "5"})
	r.find("subject=%2Fa%2F%2A&").answer(200,
		`{"at":"AQAB","messages":[`+recoveredText("/a/x", "4")+","+recoveredText("/a/x", "5")+`]}`)
	requireEqual(t, r.texts(subs[0]), "4 5")
	requireEqual(t, len(statusesOf[GapFound](r)), 0)
}

func TestAnAnswerWithAnInvalidPatternPositionEndsTheConnection(t *testing.T) {
	for _, at := range []string{`"7:1"`, `"A"`, `5`, `""`} {
		r, _ := newPollingRig(t, "/a/*")
		r.call().answer(200, `{"at":`+at+`,"messages":[]}`)
		requireEqual(t, statusesOf[Disconnected](r)[0].Code, "bad-frame")
	}
}
