package belfry

import (
	"errors"
	"testing"
	"time"
)

func newStreamRig(t *testing.T) *rig {
	return newRig(t, func(o *Options) { o.Transports = []Transport{HTTPStream} })
}

func (c *recordedCall) stream(lines string) {
	c.open()
	c.head(200, "Content-Type", "application/x-ndjson; charset=utf-8")
	c.data([]byte(lines))
}

const streamSubscribed = `{"op":"subscribed","subject":"/a","epoch":7,"seq":0,"recovery":"none"}` + "\n"

func streamMessage(seq string) string {
	return `{"op":"message","subject":"/a","data":"` + seq + `","epoch":7,"seq":` + seq + `,"time":1}` + "\n"
}

func TestLinesOfAStreamAreReadInPiecesOfAnySize(t *testing.T) {
	text := streamSubscribed + "\n" + streamMessage("1") + "\n\n" + streamMessage("2") + streamMessage("3")
	for size := 1; size <= len(text); size += 7 {
		r := newStreamRig(t)
		sub := r.subscribe("/a", SubscribeOptions{})
		r.start()
		r.call().stream("")
		for rest := []byte(text); len(rest) > 0; {
			piece := rest
			if size < len(piece) {
				piece = piece[:size]
			}
			r.call().data(append([]byte(nil), piece...))
			rest = rest[len(piece):]
		}
		requireEqual(t, r.texts(sub), "1 2 3")
	}
}

func TestAStreamRequestsSubjectsPositionsAndOptions(t *testing.T) {
	r := newStreamRig(t)
	r.subscribe("/a b", SubscribeOptions{From: &Position{7, 42}, Conflate: 300 * time.Millisecond})
	r.subscribe("/c+&", SubscribeOptions{History: 3, Conflate: 200 * time.Millisecond})
	r.subscribe("/p/*", SubscribeOptions{Conflate: time.Second})
	r.start()
	requireEqual(t, r.call().request.url, "http://server:8800/subscribe?subject=%2Fa%20b&subject=%2Fc%2B%26&"+
		"subject=%2Fp%2F%2A&from=7%3A42%2C&history=3&conflate=200")
	requireEqual(t, r.call().field("Accept"), "application/x-ndjson")
}

func TestAChangeOfSubscriptionsOpensAnotherStreamFromThePositions(t *testing.T) {
	r := newStreamRig(t)
	r.subscribe("/a", SubscribeOptions{})
	r.start()
	first := r.call()
	first.stream(streamSubscribed + streamMessage("1"))
	r.subscribe("/b", SubscribeOptions{})
	r.subscribe("/c", SubscribeOptions{})
	r.pass(changesWait)
	requireEqual(t, []any{first.cancelled, len(r.calls)}, []any{true, 2})
	requireEqual(t, r.call().request.url,
		"http://server:8800/subscribe?subject=%2Fa&subject=%2Fb&subject=%2Fc&from=7%3A1%2C%2C")
}

func TestAnInvalidLineEndsTheStream(t *testing.T) {
	r := newStreamRig(t)
	r.subscribe("/a", SubscribeOptions{})
	r.start()
	r.call().stream(streamSubscribed + "{\"op\":\n")
	requireEqual(t, statusesOf[Disconnected](r)[0].Code, "bad-frame")
}

func TestAStreamThatTheServerEndsHasTheCodeOfItsError(t *testing.T) {
	r := newStreamRig(t)
	r.subscribe("/a", SubscribeOptions{})
	r.start()
	r.call().stream(streamSubscribed + `{"op":"error","code":"token-expired","reason":"late"}` + "\n")
	r.call().end(nil)
	requireEqual(t, statusesOf[Disconnected](r)[0].Code, "token-expired")
}

func TestASilentStreamIsGivenUpAfterTwoIntervals(t *testing.T) {
	r := newStreamRig(t)
	r.subscribe("/a", SubscribeOptions{})
	r.start()
	r.call().stream(streamSubscribed)
	for i := 0; i < 4; i++ {
		r.pass(20 * time.Second)
		r.call().data([]byte("\n"))
	}
	requireEqual(t, len(statusesOf[Disconnected](r)), 0)
	r.pass(51 * time.Second)
	requireEqual(t, len(statusesOf[Disconnected](r)), 1)
}

func TestAnAnswerThatIsNoStreamIsRefused(t *testing.T) {
	r := newStreamRig(t)
	r.subscribe("/a", SubscribeOptions{})
	r.start()
	r.call().open()
	r.call().head(200, "Content-Type", "text/html")
	requireEqual(t, statusesOf[Disconnected](r)[0].Reason, "the answer is not an NDJSON stream")
}

func TestPublishesOverHTTPAreSentOneAfterTheOther(t *testing.T) {
	r := newStreamRig(t)
	r.start()
	r.find("/health/live").answer(200, `{"status":"ok"}`)
	first := r.publish("/a", PublishOptions{Retain: true})
	second := r.publish("/b", PublishOptions{})
	requireEqual(t, r.call().request.url, "http://server:8800/publish?subject=%2Fa&retain=true&msgId=m-1")
	r.call().answer(200, `{"subject":"/a","epoch":7,"seq":42}`)
	requireEqual(t, first.ack, Ack{Position{7, 42}})
	r.call().answer(403, `{"code":"publish-denied","reason":"no"}`)
	requireEqual(t, errors.Is(second.err, Code("publish-denied")), true)
	requireEqual(t, len(statusesOf[Disconnected](r)), 0)
}

func TestAPublishOverHTTPIsRepeatedAfterADisconnect(t *testing.T) {
	r := newStreamRig(t)
	r.start()
	r.find("/health/live").answer(200, `{}`)
	publishing := r.publish("/a", PublishOptions{})
	r.find("/publish").end(lost())
	r.pass(time.Second)
	r.find("/health/live").answer(200, `{}`)
	r.find("/publish").answer(200, `{"epoch":7,"seq":1}`)
	requireEqual(t, publishing.ack, Ack{Position{7, 1}})
}

func TestAPublishThatIsNotAnsweredEndsTheLink(t *testing.T) {
	r := newStreamRig(t)
	r.start()
	r.find("/health/live").answer(200, `{}`)
	publishing := r.publish("/a", PublishOptions{})
	r.find("/publish").open()
	r.pass(31 * time.Second)
	requireEqual(t, errors.Is(publishing.err, TimedOut), true)
	requireEqual(t, []any{r.find("/publish").cancelled, len(statusesOf[Disconnected](r)) > 0}, []any{true, true})
}

func TestATransportThatIsBlockedIsReplacedByTheNext(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Transports = nil })
	sub := r.subscribe("/a", SubscribeOptions{})
	r.start()
	r.call().answer(403, "<html>no upgrades</html>")
	r.pass(0)
	r.find("/subscribe").open()
	r.pass(11 * time.Second)
	r.pass(0)
	r.find("/poll").answer(200, `{"subject":"/a","epoch":7,"seq":3,"messages":[]}`)
	r.find("/history").answer(200, `{"subject":"/a","messages":[]}`)
	r.find("/poll").answer(200, `{"subject":"/a","epoch":7,"seq":4,"messages":[`+streamMessage("4")+`]}`)
	requireEqual(t, r.texts(sub), "4")
	requireEqual(t, len(statusesOf[Disconnected](r)), 2)
	r.find("/poll").end(lost())
	r.pass(time.Second)
	requireEqual(t, r.call().request.url, "http://server:8800/history?subject=%2Fa&from=7%3A4")
}

func TestARefusalOfTheServerDoesNotChangeTheTransport(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Transports = nil })
	r.start()
	r.call().answer(503, `{"code":"overloaded"}`)
	r.pass(time.Minute)
	requireEqual(t, r.call().field("Upgrade"), "websocket")
}

func newPollRig(t *testing.T) *rig {
	return newRig(t, func(o *Options) { o.Transports = []Transport{LongPoll} })
}

func TestAPollContinuesFromItsPosition(t *testing.T) {
	r := newPollRig(t)
	sub := r.subscribe("/a", SubscribeOptions{From: &Position{7, 1}})
	r.start()
	r.find("/history").answer(200, `{"messages":[`+streamMessage("2")+`,`+streamMessage("3")+`]}`)
	requireEqual(t, r.call().request.url, "http://server:8800/poll?subject=%2Fa&wait=20000ms&from=7%3A3")
	r.call().answer(200, `{"subject":"/a","epoch":7,"seq":4,"messages":[`+streamMessage("4")+`]}`)
	requireEqual(t, r.texts(sub), "2 3 4")
	requireEqual(t, statusesOf[Subscribed](r)[0].Recovery, RecoveryComplete)
}

func TestAPollBeginsWithTheRequestedHistory(t *testing.T) {
	r := newPollRig(t)
	sub := r.subscribe("/a", SubscribeOptions{History: 2})
	r.start()
	r.find("/poll").answer(200, `{"subject":"/a","epoch":7,"seq":3,"messages":[`+streamMessage("3")+`]}`)
	requireEqual(t, r.call().request.url, "http://server:8800/history?subject=%2Fa&count=2")
	r.call().answer(200, `{"messages":[`+streamMessage("2")+`,`+streamMessage("3")+`]}`)
	requireEqual(t, r.call().request.url, "http://server:8800/poll?subject=%2Fa&wait=20000ms&from=7%3A3")
	requireEqual(t, r.texts(sub), "2 3")
}

func TestAPatternIsAnnouncedAsAGapAfterEachPoll(t *testing.T) {
	r := newPollRig(t)
	sub := r.subscribe("/*", SubscribeOptions{})
	r.start()
	r.find("/poll").answer(200, `{"messages":[]}`)
	r.find("/poll").answer(200, `{"messages":[`+streamMessage("1")+`]}`)
	requireEqual(t, r.texts(sub), "1 [not-recovered]")
}

func TestARefusedSubjectEndsItsPollOnly(t *testing.T) {
	r := newPollRig(t)
	refused := r.subscribe("/a", SubscribeOptions{})
	r.subscribe("/b", SubscribeOptions{})
	r.start()
	r.find("%2Fa").answer(403, `{"code":"subscribe-denied","reason":"no"}`)
	_, err := refused.buffer.ending()
	requireEqual(t, errors.Is(err, Code("subscribe-denied")), true)
	requireEqual(t, []any{r.find("%2Fb").cancelled, len(statusesOf[Disconnected](r))}, []any{false, 0})
}
