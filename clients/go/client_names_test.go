package belfry

import (
	"strings"
	"testing"
	"time"
)

func named(o *Options) { o.ClientName = "desk-7" }

func (r *rig) refuseConnect(code string) {
	r.send(`{"op":"error","id":-1,"code":"` + code + `","reason":"no names here"}`)
}

func TestEachConnectionSendsTheNameOfTheClient(t *testing.T) {
	r := newRig(t, named)
	r.start()
	for i := 0; i < 2; i++ {
		r.call().upgrade()
		requireEqual(t, r.texted(), []string{`{"op":"connect","id":-1,"client":"desk-7"}`})
		r.send(connectedText)
		r.lose()
		r.awaitAttempt()
	}
}

func TestAKeptSessionIsContinuedWithTheNameOfTheClient(t *testing.T) {
	r := newRig(t, func(o *Options) { o.ClientName, o.KeepSession = "desk-7", true })
	r.subscribe("/a", SubscribeOptions{})
	r.start()
	r.call().upgrade()
	r.connected("s1", kept)
	r.subscribed("/a", 6, "none")
	requireEqual(t, r.loseAndAttempt(), []string{
		`{"op":"connect","id":-1,"session":"s1","positions":["/a","7:6"],"client":"desk-7"}`,
	})
}

func TestAnotherClientThatTakesTheNameEndsTheClient(t *testing.T) {
	r := newRig(t, named)
	r.connect()
	r.close(4014, "client-taken: another connection has taken the name")
	requireEqual(t, statusesOf[Refused](r)[0].Code, "client-taken")
	r.pass(time.Hour)
	requireEqual(t, len(r.calls), 1)
}

func TestAServerWithoutNamesEndsTheClient(t *testing.T) {
	r := newRig(t, named)
	r.start()
	r.call().upgrade()
	r.refuseConnect("unsupported")
	requireEqual(t, statusesOf[Refused](r)[0].Code, "unsupported")
	requireEqual(t, len(statusesOf[Connected](r)), 0)
	r.pass(time.Hour)
	requireEqual(t, len(r.calls), 1)
}

func TestAServerWithoutRoomForTheNameIsTriedAgain(t *testing.T) {
	r := newRig(t, named)
	r.start()
	r.call().upgrade()
	r.refuseConnect("client-names-full")
	requireEqual(t, statusesOf[Disconnected](r)[0].Code, "client-names-full")
	r.awaitAttempt()
	r.greet()
	requireEqual(t, len(statusesOf[Connected](r)), 1)
}

func TestWithoutANameAnErrorOfConnectIsAStatus(t *testing.T) {
	r := newRig(t, nil)
	r.start()
	r.call().upgrade()
	r.refuseConnect("unsupported")
	requireEqual(t, statusesOf[CommandFailed](r), []CommandFailed{{"unsupported", "no names here"}})
	requireEqual(t, len(statusesOf[Refused](r)), 0)
}

func TestARefusalOfTheNameAfterConnectedIsAStatus(t *testing.T) {
	r := newRig(t, named)
	r.connect()
	r.refuseConnect("unsupported")
	requireEqual(t, len(statusesOf[Refused](r)), 0)
}

func TestTheNameIsNotOmittedForAServerThatDoesNotKnowIt(t *testing.T) {
	r := newRig(t, named)
	r.start()
	r.call().upgrade()
	r.texted()
	r.refuseConnect("bad-frame")
	requireEqual(t, len(r.texted()), 0)
}

func TestMalformedClientNamesAreRejected(t *testing.T) {
	for _, name := range []string{"a b", "a/b", "gr\u00fc\u00df", strings.Repeat("n", 65), "a\n"} {
		_, err := settingsOf(Options{Servers: Servers("ws://server"), ClientName: name})
		if err == nil || !strings.Contains(err.Error(), "ClientName") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestAClientNameNeedsAWebSocket(t *testing.T) {
	options := Options{Servers: Servers("ws://server"), ClientName: "A-z.0_9" + strings.Repeat("n", 57)}
	checked, err := settingsOf(options)
	if err != nil {
		t.Fatal(err)
	}
	requireEqual(t, checked.Transports, []Transport{WebSocket})
	options.Transports = []Transport{LongPoll, WebSocket}
	if _, err = settingsOf(options); err != nil {
		t.Error(err)
	}
	options.Transports = []Transport{HTTPStream}
	if _, err = settingsOf(options); err == nil {
		t.Error("a name without a WebSocket is accepted")
	}
}

func TestOverHTTPNoClientNameIsSent(t *testing.T) {
	r := newRig(t, func(o *Options) { o.ClientName, o.Transports = "desk-7", []Transport{HTTPStream, WebSocket} })
	r.subscribe("/a", SubscribeOptions{})
	r.start()
	requireEqual(t, strings.Contains(r.call().request.url, "desk-7"), false)
}
