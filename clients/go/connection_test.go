package belfry

import (
	"context"
	"errors"
	"math/rand"
	"testing"
	"time"
)

func TestTheFirstAttemptRequestsEverythingThatWasSubscribed(t *testing.T) {
	r := newRig(t, nil)
	r.subscribe("/a", SubscribeOptions{})
	r.subscribe("/b/*", SubscribeOptions{})
	r.subscribe("/c", SubscribeOptions{From: &Position{7, 42}})
	r.subscribe("/d", SubscribeOptions{History: 3})
	requireEqual(t, r.connect(), []string{
		"subscribe /a", "subscribe /c from=7:42", "subscribe /d history=3", "subscribe /b/*",
	})
	requireEqual(t, statusesOf[Connected](r), []Connected{{"ws://server:8800", WebSocket, "s", "n"}})
}

func TestTheHandshakeCarriesTokenAndSubprotocol(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Token = "secret" })
	r.start()
	requireEqual(t, r.call().request.url, "http://server:8800/")
	requireEqual(t, r.call().field("Authorization"), "Bearer secret")
	requireEqual(t, r.call().field("Sec-WebSocket-Protocol"), "belfry.json.v1")
}

func TestAWrongHandshakeIsRefused(t *testing.T) {
	r := newRig(t, nil)
	r.start()
	r.call().open()
	r.call().head(101, "Upgrade", "websocket", "Connection", "Upgrade", "Sec-WebSocket-Accept", "wrong")
	requireEqual(t, len(statusesOf[Connected](r)), 0)
	requireEqual(t, statusesOf[Disconnected](r)[0].Reason, "the server's Sec-WebSocket-Accept is wrong")
}

func TestThePingIntervalIsRequestedOnlyIfItIsSet(t *testing.T) {
	for interval, expected := range map[time.Duration]string{
		0: `{"op":"connect","id":-1}`, 2 * time.Second: `{"op":"connect","id":-1,"ping":2000}`,
	} {
		r := newRig(t, func(o *Options) { o.PingInterval = interval })
		r.start()
		r.call().upgrade()
		requireEqual(t, string(takeFrames(t, r.call())[0].payload), expected)
	}
}

func TestAServerThatDoesNotKnowThePingIntervalIsAskedWithoutIt(t *testing.T) {
	r := newRig(t, func(o *Options) { o.PingInterval = time.Second })
	r.start()
	r.call().upgrade()
	takeFrames(t, r.call())
	r.send(`{"op":"error","id":-1,"code":"bad-frame","reason":"a flag"}`)
	requireEqual(t, string(takeFrames(t, r.call())[0].payload), `{"op":"connect","id":-1}`)
	requireEqual(t, len(statusesOf[CommandFailed](r)), 0)
}

func TestTheServersPingIntervalApplies(t *testing.T) {
	r := newRig(t, func(o *Options) { o.PingInterval = time.Second })
	r.connect()
	r.pass(24 * time.Second)
	requireEqual(t, len(takeFrames(t, r.call())), 0)
	r.pass(2 * time.Second)
	requireEqual(t, string(takeFrames(t, r.call())[0].payload), `{"op":"ping","id":-4}`)
}

func TestASilentServerIsAskedAndThenGivenUp(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	r.pass(34 * time.Second)
	requireEqual(t, len(statusesOf[Disconnected](r)), 0)
	r.pass(2 * time.Second)
	requireEqual(t, statusesOf[Disconnected](r)[0].Code, "timed-out")
	requireEqual(t, r.calls[0].cancelled, true)
}

func TestAnAnsweredPingKeepsTheConnection(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	for i := 0; i < 10; i++ {
		r.pass(26 * time.Second)
		r.send(`{"op":"pong","id":-4}`)
	}
	requireEqual(t, len(statusesOf[Disconnected](r)), 0)
}

func TestAfterASleepTheConnectionIsProbedAndKept(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	publishing := r.publish("/a", PublishOptions{})
	r.commands()
	r.sleep(time.Hour)
	requireEqual(t, string(takeFrames(t, r.call())[0].payload), `{"op":"ping","id":-4}`)
	r.send(`{"op":"pong","id":-4}`)
	r.send(`{"op":"published","id":1,"epoch":7,"seq":1}`)
	r.pass(20 * time.Second)
	requireEqual(t, len(statusesOf[Disconnected](r)), 0)
	requireEqual(t, publishing.ack, Ack{Position{7, 1}})
}

func TestAfterASleepADeadConnectionIsReplacedWithinSeconds(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	r.sleep(time.Hour)
	r.pass(3 * time.Second)
	requireEqual(t, len(statusesOf[Disconnected](r)), 1)
}

func TestASleepDuringAPauseEndsThePause(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Reconnect = &ReconnectPolicy{FirstPause: time.Minute, LongestPause: time.Minute} })
	r.start()
	r.call().end(lost())
	requireEqual(t, statusesOf[Disconnected](r)[0].RetryIn > 2*time.Second, true)
	r.sleep(time.Hour)
	requireEqual(t, len(r.calls), 2)
}

func TestAnAttemptThatIsNotAnsweredEnds(t *testing.T) {
	r := newRig(t, nil)
	r.start()
	r.pass(9 * time.Second)
	requireEqual(t, len(statusesOf[Disconnected](r)), 0)
	r.pass(2 * time.Second)
	requireEqual(t, statusesOf[Disconnected](r)[0].Code, "timed-out")
}

func TestCloseCodesLeadToTheDocumentedReaction(t *testing.T) {
	for code, final := range map[int]bool{
		1000: false, 1001: false, 1002: true, 1003: true, 1007: true, 1008: true, 1009: true, 1011: false, 1013: false,
		4008: false, 4012: false, 4014: true,
	} {
		r := newRig(t, nil)
		r.connect()
		r.close(code, "some-code: text")
		requireEqual(t, len(statusesOf[Refused](r)) == 1, final)
		requireEqual(t, len(statusesOf[Disconnected](r)) == 1, !final)
		if final {
			requireEqual(t, errors.Is(r.engine.mustBeOpen(), Code("some-code")), true)
		}
	}
}

func TestARetryAfterIsAddedToARandomPause(t *testing.T) {
	r := newRig(t, nil)
	r.start()
	r.call().answer(503, `{"code":"overloaded","reason":"later"}`, "Retry-After", "7")
	status := statusesOf[Disconnected](r)[0]
	requireEqual(t, status.Code, "overloaded")
	if status.RetryIn <= 7*time.Second || status.RetryIn > 8*time.Second {
		t.Fatal(status.RetryIn)
	}
}

func TestAConnectRefusedForARateEndsTheAttemptAtOnce(t *testing.T) {
	for _, code := range []string{"command-rate", "token-rate"} {
		r := newRig(t, nil)
		r.start()
		r.call().upgrade()
		r.send(`{"op":"error","id":-1,"code":"` + code + `","reason":"many","after":3000}`)
		status := statusesOf[Disconnected](r)[0]
		requireEqual(t, status.Code, code)
		if status.RetryIn <= 3*time.Second || status.RetryIn > 4*time.Second {
			t.Fatal(status.RetryIn)
		}
		r.awaitAttempt()
		r.greet()
		requireEqual(t, len(statusesOf[Connected](r)), 1)
	}
}

func TestAConnectRefusedForARateOnAnOpenConnectionIsAStatus(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	r.send(`{"op":"error","id":-1,"code":"token-rate","reason":"many","after":3000}`)
	requireEqual(t, statusesOf[CommandFailed](r), []CommandFailed{{"token-rate", "many"}})
	requireEqual(t, len(statusesOf[Disconnected](r)), 0)
}

func TestAServerThatIsNotReadyIsReplacedAtOnce(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Servers = Servers("ws://one", "ws://two") })
	r.start()
	first := r.call().address
	r.call().answer(503, `{"code":"not-ready"}`, "Retry-After", "600")
	r.pass(time.Second)
	requireEqual(t, len(r.calls), 2)
	requireEqual(t, r.call().address == first, false)
}

func TestAReconnectEventSetsThePause(t *testing.T) {
	r := newRig(t, nil)
	r.connect()
	r.send(`{"op":"reconnect","after":650,"reason":"drain"}`)
	r.close(1001, "drain")
	requireEqual(t, statusesOf[Disconnected](r)[0].RetryIn, 650*time.Millisecond)
}

func TestPausesGrowToTheirBoundAndAreRandom(t *testing.T) {
	policy := DefaultReconnect()
	random := rand.New(rand.NewSource(1))
	for attempt, bound := range []time.Duration{
		500 * time.Millisecond, 500 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second,
		4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second,
	} {
		requireEqual(t, policy.bound(attempt), bound)
		low, high := bound, time.Duration(0)
		for i := 0; i < 1000; i++ {
			pause := policy.pause(attempt, random)
			if pause < low {
				low = pause
			}
			if pause > high {
				high = pause
			}
		}
		if low > bound/20 || high < bound*19/20 || high > bound {
			t.Fatalf("the pauses of attempt %d are from %v to %v", attempt, low, high)
		}
	}
	requireEqual(t, policy.bound(1<<30), 30*time.Second)
}

func TestServersAreChosenByWeightAndAvoidedAfterAFailure(t *testing.T) {
	one, two := serverAddress{host: "one", weight: 1}, serverAddress{host: "two", weight: 3}
	random := rand.New(rand.NewSource(1))
	choice := serverChoice{[]serverAddress{one, two}, 30 * time.Second, random, map[serverAddress]time.Duration{}}
	chosen := map[string]int{}
	for i := 0; i < 4000; i++ {
		chosen[choice.next(0).host]++
	}
	if chosen["one"] < 850 || chosen["one"] > 1150 {
		t.Fatal(chosen)
	}
	choice.avoid(two, 0, 0)
	requireEqual(t, []any{choice.next(time.Second), choice.hasOther(time.Second)}, []any{one, true})
	choice.avoid(one, time.Second, 0)
	requireEqual(t, []any{choice.next(2 * time.Second), choice.hasOther(2 * time.Second)}, []any{two, false})
	requireEqual(t, choice.next(30*time.Second), two)
}

func TestARefusedFixedTokenIsFinal(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Token = "wrong" })
	sub := r.subscribe("/a", SubscribeOptions{})
	r.start()
	r.call().answer(401, `{"code":"unauthorized","reason":"no"}`)
	requireEqual(t, statusesOf[Refused](r)[0].Code, "unauthorized")
	ended, err := sub.buffer.ending()
	requireEqual(t, []bool{ended, errors.Is(err, Code("unauthorized"))}, []bool{true, true})
	requireEqual(t, r.engine.timers.count(), 0)
}

func withSource(o *Options) {
	o.TokenSource = func(_ context.Context, _ TokenReason) (string, error) { panic("the rig answers") }
}

func (r *rig) giveToken(token string, err error) {
	r.input(func() { r.engine.connector.tokens.answered(token, err) })
}

func TestATokenIsRequestedBeforeEachConnection(t *testing.T) {
	r := newRig(t, withSource)
	r.start()
	requireEqual(t, []any{r.asked, len(r.calls)}, []any{[]TokenReason{TokenToConnect}, 0})
	r.giveToken("one", nil)
	requireEqual(t, r.call().field("Authorization"), "Bearer one")
	r.call().answer(401, `{"code":"unauthorized"}`)
	requireEqual(t, statusesOf[Disconnected](r)[0].RetryIn >= time.Second, true)
	r.pass(5 * time.Second)
	requireEqual(t, r.asked, []TokenReason{TokenToConnect, TokenRefused})
}

func TestAnExpiringTokenIsReplacedOnTheConnection(t *testing.T) {
	r := newRig(t, withSource)
	r.start()
	r.giveToken("one", nil)
	r.greet()
	r.send(`{"op":"token-to-expire","after":60000}`)
	r.send(`{"op":"token-to-expire","after":50000}`)
	requireEqual(t, r.asked, []TokenReason{TokenToConnect, TokenExpiring})
	r.giveToken("", errors.New("no token today"))
	requireEqual(t, statusesOf[TokenFailed](r)[0].Err.Error(), "no token today")
	r.pass(3 * time.Second)
	requireEqual(t, len(r.asked), 3)
	takeFrames(t, r.call())
	r.giveToken("two", nil)
	requireEqual(t, string(takeFrames(t, r.call())[0].payload), `{"op":"connect","id":-1,"token":"two"}`)
}

func TestAnInvalidTokenIsAFailureOfTheSource(t *testing.T) {
	r := newRig(t, withSource)
	r.start()
	r.giveToken("two words\r\n", nil)
	requireEqual(t, len(statusesOf[TokenFailed](r)), 1)
	requireEqual(t, statusesOf[Disconnected](r)[0].Code, "token-failed")
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	r := newRig(t, nil)
	sub := r.subscribe("/a", SubscribeOptions{})
	watch, _ := newWatch("/w")
	r.input(func() { _ = r.engine.watch(watch) })
	publishing := r.publish("/a", PublishOptions{})
	r.connect()
	takeFrames(t, r.call())
	r.input(r.engine.close)
	requireEqual(t, takeFrames(t, r.call()), []frame{{opClose, []byte{3, 232}}})
	requireEqual(t, r.call().cancelled, true)
	requireEqual(t, r.engine.timers.count(), 0)
	requireEqual(t, errors.Is(publishing.err, ErrClosed), true)
	ended, err := sub.buffer.ending()
	requireEqual(t, []any{ended, err, watch.err}, []any{true, ErrClosed, ErrClosed})
	requireEqual(t, r.statuses[len(r.statuses)-1], Closed{})
	requireEqual(t, r.engine.mustBeOpen(), ErrClosed)
}
