package belfry

import (
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"time"
)

// wakeUpPause is the maximum pause before the next attempt after the device slept.
const wakeUpPause = 200 * time.Millisecond

// network is what a connector and its engine want done. No call may call the engine before it returns.
type network interface {
	newPool(address serverAddress) pool
	askToken(reason TokenReason)
	report(status Status)
	// pauseReading stops or continues reading from all connections.
	pauseReading(paused bool)
}

// session is the user of the connection: it sends requests after the opening and receives the events.
type session interface {
	// wanted returns all subscriptions to request. Earlier confirmations are void.
	wanted() []wanted
	// sessionRequest returns what to request for the session of a new connection; nil for nothing.
	sessionRequest() *sessionRequest
	// isKept reports whether the server keeps the session of this connection after the connection is lost.
	isKept() bool
	event(event event)
	eventOf(subject string, event event)
	// up reports that the server has answered.
	up()
	// writable reports that the connection accepts publishes again.
	writable()
	// down reports that the connection ended, or that the attempt failed.
	down(end *ending)
	// stopped reports that the server refused the client permanently.
	stopped(refusal *RefusedError)
}

type phase uint8

const (
	phaseIdle phase = iota
	phaseConnecting
	phaseUp
	phaseWaiting
	phaseStopped
)

// connector keeps a client connected, without I/O: it chooses the server, the transport and the time of each attempt.
// Owner: the engine.
type connector struct {
	settings   *settings
	network    network
	session    session
	timers     *timers
	random     *rand.Rand
	tokens     tokens
	choice     serverChoice
	transports transportChoice
	silence    silence

	phase      phase
	link       link
	pool       pool
	messageMax int // maximum size of a message; 0 if unknown
	server     serverAddress
	attempt    int
	// plan is incremented with every attempt and end, so that answers to earlier questions have no effect.
	plan           int
	upSince        time.Duration
	deadline       time.Duration
	reconnectAfter *time.Duration // the time that a reconnect event asked for
	wait           *timer
	waitUntil      time.Duration
	judging        *timer
	readingPaused  bool
	reached        bool // whether a TCP connection of the current attempt was opened
}

func newConnector(settings *settings, network network, session session, timers *timers, random *rand.Rand) *connector {
	c := &connector{
		settings:   settings,
		network:    network,
		session:    session,
		timers:     timers,
		random:     random,
		tokens:     tokens{fixed: settings.Token},
		transports: transportChoice{transports: settings.Transports},
		silence:    silence{interval: settings.pingInterval()},
		server:     settings.addresses[0],
	}
	c.choice = serverChoice{settings.addresses, settings.reconnect.AvoidFailedFor, random, map[serverAddress]time.Duration{}}
	if settings.TokenSource != nil {
		c.tokens.ask = network.askToken
	}
	return c
}

func (c *connector) isUp() bool { return c.phase == phaseUp }

func (c *connector) transport() Transport { return c.transports.current() }

func (c *connector) start() {
	if c.phase == phaseIdle {
		c.connect()
	}
}

// stop closes the connection; nothing follows.
func (c *connector) stop() {
	c.phase = phaseStopped
	c.plan++
	if link := c.link; link != nil {
		c.link = nil
		link.finish()
	}
}

// Attempts

func (c *connector) connect() {
	c.phase = phaseConnecting
	c.plan++
	plan := c.plan
	c.server = c.choice.next(c.timers.now)
	c.reconnectAfter = nil
	c.reached = false
	c.network.report(Connecting{c.server.String(), c.transport(), c.attempt})
	c.deadline = c.timers.awake() + c.settings.ConnectTimeout
	c.judgeNext()
	c.tokens.request(TokenToConnect, func(token string, err error) { c.dial(plan, token, err) })
}

func (c *connector) dial(plan int, token string, err error) {
	if err != nil {
		c.network.report(TokenFailed{err})
	}
	if plan != c.plan {
		return
	}
	if err != nil {
		c.ended(&ending{cause: causeToken, sentence: "the token source failed: " + err.Error()})
		return
	}
	c.pool = c.network.newPool(c.server)
	state := linkState{owner: c, address: c.server, token: token}
	switch c.transport() {
	case HTTPStream:
		c.link = newStreamLink(state, c.settings)
	case LongPoll:
		c.link = newPollLink(state, c.settings)
	default:
		c.link = newWebSocketLink(state, c.settings)
	}
	c.link.open()
}

// greeted handles the server's answer to connect.
func (c *connector) greeted(greeting *connectedEvent) {
	c.pingInterval(greeting.ping)
	c.messageMax = greeting.messageMax
	if c.link != nil {
		c.link.setProven()
	}
	c.setUp(greeting.session, greeting.node)
}

func (c *connector) pingInterval(interval time.Duration) {
	if interval > 0 {
		c.silence.interval = interval
		c.judgeNext()
	}
}

func (c *connector) setUp(session, node string) {
	if c.phase != phaseConnecting {
		return
	}
	c.phase = phaseUp
	c.upSince = c.timers.now
	c.choice.worked(c.server)
	c.network.report(Connected{c.server.String(), c.transport(), session, node})
	c.session.up()
	c.judgeNext()
}

// connectFailed handles an error that answers connect. A client that was refused for a rate or for its name ends the
// connection. It returns false if the error is another one, or the connection is open.
func (c *connector) connectFailed(failed *errorEvent) bool {
	end := connectRefused(failed, c.settings.ClientName != "")
	if end == nil || c.phase != phaseConnecting {
		return false
	}
	c.abandon(end)
	return true
}

// The owner of the link

// observedCall passes the events of a call of the current link on, and records the signs of life.
type observedCall struct {
	connector *connector
	link      link
	handler   callHandler
}

func (o *observedCall) isCurrent() bool { return o.connector.link == o.link }

func (o *observedCall) opened() {
	if c := o.connector; o.isCurrent() {
		c.reached = true
		c.silence.read(c.timers.awake())
		o.handler.opened()
		c.judgeNext()
	}
}

func (o *observedCall) head(status int, header http.Header) {
	if o.isCurrent() {
		o.connector.silence.read(o.connector.timers.awake())
		o.handler.head(status, header)
	}
}

func (o *observedCall) data(data []byte) {
	if o.isCurrent() {
		o.connector.silence.read(o.connector.timers.awake())
		o.handler.data(data)
	}
}

func (o *observedCall) ended(end *ending) {
	if o.isCurrent() {
		o.handler.ended(end)
	}
}

func (c *connector) request(request *httpRequest, handler callHandler) call {
	return c.pool.request(request, &observedCall{c, c.link, handler})
}

func (c *connector) closeConnections() { c.pool.close() }

func (c *connector) after(wait time.Duration, call func()) *timer { return c.timers.after(wait, call) }

func (c *connector) wanted() []wanted { return c.session.wanted() }

func (c *connector) sessionRequest() *sessionRequest { return c.session.sessionRequest() }

func (c *connector) linkOpen() { c.setUp("", "") }

func (c *connector) event(event event) { c.session.event(event) }

func (c *connector) eventOf(subject string, event event) { c.session.eventOf(subject, event) }

func (c *connector) linkWritable() { c.session.writable() }

func (c *connector) linkEnded(end *ending) { c.ended(end) }

// Ends and pauses

func (c *connector) ended(end *ending) {
	if c.phase != phaseConnecting && c.phase != phaseUp {
		return
	}
	wasUp := c.isUp()
	blocked := c.reached && c.link != nil && !c.link.isProven()
	c.phase = phaseWaiting
	c.link = nil
	c.messageMax = 0
	c.plan++
	c.silence.interval = c.settings.pingInterval()
	c.session.down(end)
	if blocked && c.transports.fallBack(end) {
		c.waitAfter(end, 0)
		return
	}
	if wasUp {
		c.transports.connectionEnded()
		if c.timers.now-c.upSince >= c.settings.reconnect.StableAfter {
			c.attempt = 0
		}
	}
	if end.isFinal() && !(c.tokens.renewable() && end.isAboutToken()) {
		c.refused(end)
	} else {
		c.connectLater(end)
	}
}

func (c *connector) refused(end *ending) {
	c.phase = phaseStopped
	c.network.report(Refused{c.server.String(), end.shownCode(), end.sentence})
	c.session.stopped(&RefusedError{end.shownCode(), end.sentence})
}

func (c *connector) connectLater(end *ending) {
	if end.isAboutToken() {
		c.tokens.refused = true
	}
	c.choice.avoid(c.server, c.timers.now, end.retryAfter)
	if c.reconnectAfter != nil {
		c.waitAfter(end, *c.reconnectAfter)
	} else {
		c.waitAfter(end, c.pauseAfter(end))
	}
}

func (c *connector) waitAfter(end *ending, pause time.Duration) {
	c.network.report(Disconnected{c.server.String(), end.shownCode(), end.sentence, pause})
	c.waitFor(pause)
	c.judgeNext()
}

func (c *connector) waitFor(pause time.Duration) {
	c.wait.stop()
	c.waitUntil = c.timers.now + pause
	c.wait = c.timers.after(pause, func() {
		c.wait = nil
		if c.phase == phaseWaiting {
			c.connect()
		}
	})
}

func (c *connector) pauseAfter(end *ending) time.Duration {
	policy := &c.settings.reconnect
	asked := end.retryAfter
	if end.concernsServerOnly() && c.choice.hasOther(c.timers.now) {
		asked = 0
	}
	// A refused token needs time to be replaced, and a server that asks clients to wait is overloaded: neither is retried
	// as quickly as a lost connection.
	slow := end.isAboutToken() || end.cause == causeToken || asked > 0
	counted := c.attempt
	if slow && counted < policy.QuickAttempts {
		counted = policy.QuickAttempts
	}
	c.attempt = counted + 1
	pause := policy.pause(counted, c.random)
	if end.isAboutToken() && pause < policy.FirstPause {
		pause = policy.FirstPause
	}
	// Clients that were refused together got the same time to wait; the random pause of each begins after it.
	return asked + pause
}

func (c *connector) reconnectAsked(after time.Duration, reason string) {
	c.reconnectAfter = &after
	c.network.report(ReconnectAsked{after, reason})
}

// Silence

// wokeUp handles the end of the device's sleep: it probes a connection that may have died instead of judging it.
func (c *connector) wokeUp() {
	if c.isUp() && c.link != nil {
		c.silence.asked(c.timers.awake(), true)
		c.link.probe()
	} else if c.phase == phaseWaiting {
		pause := time.Duration(c.random.Float64() * float64(wakeUpPause))
		if c.waitUntil > c.timers.now+pause {
			c.waitFor(pause)
		}
	}
	c.judgeNext()
}

// pauseReading records that the client does not read, so that it cannot judge the server's silence.
func (c *connector) pauseReading(paused bool) {
	c.readingPaused = paused
	c.silence.read(c.timers.awake())
	c.judgeNext()
}

func (c *connector) isJudged() bool {
	return c.isUp() && c.link != nil && c.link.expectsReads() && !c.readingPaused
}

// judgeNext schedules the next check at the earliest time at which something can be late.
func (c *connector) judgeNext() {
	c.judging.stop()
	c.judging = nil
	switch {
	case c.phase == phaseConnecting:
		c.judging = c.timers.atAwake(c.deadline, c.judge)
	case c.isJudged():
		c.judging = c.timers.atAwake(c.silence.nextCheck(c.link.canPing()), c.judge)
	}
}

func (c *connector) judge() {
	c.judging = nil
	awake := c.timers.awake()
	if c.phase == phaseConnecting && awake >= c.deadline {
		sentence := fmt.Sprintf("%v did not answer within %v", c.server, c.settings.ConnectTimeout)
		c.abandon(&ending{cause: causeTimedOut, sentence: sentence})
	} else if c.isJudged() {
		c.judgeSilence(awake)
	}
	c.judgeNext()
}

func (c *connector) judgeSilence(awake time.Duration) {
	canPing := c.link.canPing()
	if c.silence.isDead(awake, canPing) {
		if c.session.isKept() {
			c.link.keepSession()
		}
		silent := (awake - c.silence.lastRead).Round(100 * time.Millisecond)
		c.abandon(&ending{cause: causeTimedOut, sentence: fmt.Sprintf("the server sent nothing for %v", silent)})
	} else if canPing && c.silence.wantsPing(awake) {
		c.silence.asked(awake, false)
		c.link.ping()
	}
}

// abandon gives up the connection, or the attempt to connect.
func (c *connector) abandon(end *ending) {
	if c.link != nil {
		c.link.fail(end)
	} else {
		c.ended(end)
	}
}

// Tokens

func (c *connector) tokenToExpire(after time.Duration) {
	c.network.report(TokenToExpire{after})
	if c.tokens.renewable() {
		c.renew(c.plan, 0)
	}
}

func (c *connector) renew(plan, attempt int) {
	if plan == c.plan {
		c.tokens.request(TokenExpiring, func(token string, err error) { c.renewed(plan, attempt, token, err) })
	}
}

func (c *connector) renewed(plan, attempt int, token string, err error) {
	if err == nil && token == "" {
		err = errors.New("belfry: the token source returned no token in place of the one that expires")
	}
	if err != nil {
		c.network.report(TokenFailed{err})
	}
	if plan != c.plan || c.link == nil {
		return
	}
	if err == nil {
		c.link.renew(token)
		return
	}
	pause := c.settings.reconnect.pause(c.settings.reconnect.QuickAttempts+attempt, c.random)
	c.timers.after(pause, func() { c.renew(plan, attempt+1) })
}
