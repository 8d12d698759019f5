package belfry

import (
	"math/rand"
	"sort"
	"strconv"
	"time"
)

const (
	// requestAgain is the minimum pause before a command is repeated; the server's command rate refills within a second.
	requestAgain = time.Second
	// repeatPause is the pause before a publish is repeated on the same connection; a node needs about this time to
	// restart its producer.
	repeatPause = 500 * time.Millisecond
)

// engine is one client without I/O: answers and clock in; requests, statuses and items out. Owner: the holder of the
// client's lock. Each input begins with enter, and ends with left.
type engine struct {
	settings      *settings
	network       network
	timers        timers
	subscriptions *subscriptions
	flow          flow
	continuation  continuation
	watches       watches
	byServer      byServer
	publishes     *pendingPublishes
	connector     *connector
	refusal       *RefusedError // the reason for which the server refused the client permanently
	closed        bool

	publishIDs      int64
	msgIDPrefix     string
	late            *timer // judges late publishes
	repeating       bool
	transportProven bool
	// listed is whether the link has the list of subscriptions; later ones are requested one by one.
	listed bool
}

func newEngine(settings *settings, network network, random *rand.Rand, msgIDPrefix string) *engine {
	e := &engine{
		settings:      settings,
		network:       network,
		timers:        timers{clock: settings.Clock, now: settings.Clock()},
		subscriptions: newSubscriptions(network.report, settings.RecoveredSubjects),
		continuation:  continuation{isWanted: settings.KeepSession, served: map[string]*Subscription{}},
		watches:       watches{},
		byServer:      byServer{},
		publishes:     newPendingPublishes(settings.PendingPublishes, settings.PendingBytes),
		msgIDPrefix:   msgIDPrefix,
	}
	e.flow = flow{engine: e, full: map[*Subscription]bool{}}
	e.connector = newConnector(settings, network, e, &e.timers, random)
	return e
}

// enter begins an input: it reads the clock, and handles the end of a sleep.
func (e *engine) enter() {
	if e.timers.enter() {
		e.connector.wokeUp()
		e.judgePublishes()
	}
}

// left ends an input: it stops the flow to full buffers. It returns the subscriptions that received items or ended.
func (e *engine) left() []*Subscription {
	if len(e.subscriptions.touched) == 0 {
		return nil
	}
	touched := make([]*Subscription, 0, len(e.subscriptions.touched))
	for sub := range e.subscriptions.touched {
		touched = append(touched, sub)
		delete(e.subscriptions.touched, sub)
		e.flow.delivered(sub)
	}
	return touched
}

// wake runs the timers that are due.
func (e *engine) wake() { e.timers.run() }

// The session of the connector

func (e *engine) wanted() []wanted {
	e.listed = true
	e.subscriptions.haveOnePosition = e.connector.transport() == HTTPStream
	requests := e.subscriptions.wanted()
	e.continuation.subscribesAgain(requests)
	return requests
}

func (e *engine) sessionRequest() *sessionRequest {
	return e.continuation.request(e.timers.now, e.subscriptions.all())
}

func (e *engine) isKept() bool { return e.continuation.session != "" }

func (e *engine) up() {
	for _, subject := range e.watches.subjects() {
		e.requestWatch(subject)
	}
	e.sendPublishes()
}

func (e *engine) writable() { e.sendPublishes() }

func (e *engine) down(end *ending) {
	e.continuation.lost(e.timers.now, end.code)
	e.listed = false
	e.transportProven = false
	e.byServer = byServer{}
	e.subscriptions.endsSent, e.subscriptions.endsAnswered = 0, 0
	e.subscriptions.deltas = deltaBases{}
	for _, sub := range e.subscriptions.all() {
		sub.unrequest()
	}
	for _, subject := range e.publishes.disconnected() {
		e.report(PublishUnknown{subject})
	}
}

func (e *engine) stopped(refusal *RefusedError) {
	e.refusal = refusal
	e.endAll(refusal, refusal.Code, "the server refused this client")
}

func (e *engine) event(event event) {
	if message, is := event.(*Message); is {
		if err := e.subscriptions.message(message); err != nil {
			e.connector.link.fail(badEvent(err))
			return
		}
		if !e.transportProven {
			e.transportProven = true
			e.connector.transports.messageArrived()
		}
	} else {
		e.otherEvent(event)
	}
	if len(e.subscriptions.finished) > 0 {
		done := e.subscriptions.takeFinished()
		if len(done) > 0 && e.connector.link != nil {
			e.continuation.asked(done...)
			e.connector.link.endBridges(done)
		}
	}
}

func (e *engine) eventOf(subject string, event event) {
	e.subscriptions.only = subject
	e.event(event)
	e.subscriptions.only = ""
}

func (e *engine) otherEvent(event event) {
	switch each := event.(type) {
	case *connectedEvent:
		e.connected(each)
	case *subscribedEvent:
		e.subscribed(each)
	case *positionEvent:
		e.subscriptions.position(each)
	case *unsubscribedEvent:
		e.continuation.unsubscribed(each)
		delete(e.byServer, each.subject)
		if each.reason != "" {
			e.refused(each.subject, each.reason, "the server ended the subscription")
		} else {
			e.subscriptions.endAnswered(each.subject)
		}
	case *publishedEvent:
		e.publishes.acknowledged(each.id, each.at)
	case *gapEvent:
		e.subscriptions.gap(each)
	case *errorEvent:
		e.failed(each)
	case *reconnectEvent:
		e.connector.reconnectAsked(each.after, each.reason)
	case *interestEvent:
		e.watches.interest(each.subject, each.subscribers)
	case *unwatchedEvent:
		if each.reason != "" {
			e.watches.refused(each.subject, each.reason, "the new token does not allow it")
		}
	case *tokenToExpireEvent:
		e.connector.tokenToExpire(each.after)
	case *staleEvent:
		e.report(Stale{each.stale})
	}
}

func (e *engine) connected(greeting *connectedEvent) {
	e.continuation.connected(greeting)
	if link := e.connector.link; link != nil && !e.listed {
		// The link asked to continue a session.
		if greeting.resumed {
			e.continueSession(link)
		} else {
			link.subscribe(e.wanted())
		}
	}
	e.connector.greeted(greeting)
}

// continueSession takes over the subjects of the session, and requests the patterns, and what the program changed since
// the link asked.
func (e *engine) continueSession(link link) {
	e.listed = true
	var ended []string
	for subject, sub := range e.continuation.served {
		if e.subscriptions.find(subject) == sub && sub.holds == 0 {
			sub.requested, sub.confirmed = true, true
		} else {
			ended = append(ended, subject)
		}
	}
	if len(ended) > 0 {
		sort.Strings(ended)
		e.unsubscribeAt(link, ended)
	}
	for _, sub := range e.subscriptions.all() {
		if !sub.pattern && !sub.requested && sub.holds == 0 {
			e.request(sub)
		}
	}
	if patterns := e.subscriptions.wantedPatterns(); len(patterns) > 0 {
		e.continuation.requested(patterns)
		link.subscribe(patterns)
	}
}

func (e *engine) failed(failed *errorEvent) {
	if failed.id == connectID && e.connector.connectFailed(failed) {
		return
	}
	if (failed.id == subscribeID || failed.id == unsubscribeID) && failed.subject != "" {
		e.continuation.answered(failed.subject)
	}
	if failed.id == unsubscribeID {
		e.subscriptions.endAnswered(failed.subject)
	}
	if isTransient(failed.code) && e.publishes.repeatLater(failed.id) {
		e.repeatPublishesLater()
		return
	}
	refused := &PublishError{PublishRefused, failed.code, failed.reason, failed.after}
	if e.publishes.failed(failed.id, refused) {
		return
	}
	// A positive id is that of a publish that is no longer pending; its subject may be subscribed, too.
	if failed.subject == "" || failed.id > 0 {
		e.report(CommandFailed{failed.code, failed.reason})
		return
	}
	e.subjectFailed(failed)
}

func (e *engine) subjectFailed(failed *errorEvent) {
	switch subject := failed.subject; {
	case failed.id != watchID && e.subscriptions.isBridge(subject):
		e.subscriptions.refused(subject, failed.code, failed.reason)
	case failed.code == "command-rate":
		e.requestLater(subject, failed.id, failed.after)
	case failed.id == watchID:
		e.watches.refused(subject, failed.code, failed.reason)
	case failed.code == "already-subscribed" && e.subscriptions.find(subject) != nil:
		e.begunTwice(e.subscriptions.find(subject))
	case isOfSubscription(failed.code):
		if again := e.subscriptions.positionRefused(subject, failed.code); again != nil {
			e.request(again)
			return
		}
		e.refused(subject, failed.code, failed.reason)
	case failed.code != "not-subscribed":
		// A subscription that ended before its confirmation is answered with not-subscribed.
		e.report(CommandFailed{failed.code, failed.reason})
	}
}

func (e *engine) refused(subject, code, reason string) {
	sub := e.subscriptions.find(subject)
	e.subscriptions.refused(subject, code, reason)
	if sub != nil {
		e.flow.forget(sub)
	}
}

func (e *engine) report(status Status) { e.network.report(status) }

// Subscriptions

// mustBeOpen returns the error of calls to a client that was closed or refused.
func (e *engine) mustBeOpen() error {
	switch {
	case e.refusal != nil:
		return e.refusal
	case e.closed:
		return ErrClosed
	}
	return nil
}

func (e *engine) subscribe(sub *Subscription) error {
	if err := e.mustBeOpen(); err != nil {
		return err
	}
	if e.subscriptions.find(sub.subject) != nil {
		return alreadySubscribed(sub.subject)
	}
	e.subscriptions.add(sub)
	e.request(sub)
	return nil
}

func alreadySubscribed(subject string) error {
	return &SubscribeError{subject, "already-subscribed", "the client already has this subscription"}
}

func (e *engine) request(sub *Subscription) {
	link := e.connector.link
	if link == nil || !e.listed {
		return
	}
	e.replaceByServer(link, sub.subject)
	if e.subscriptions.dropBridge(sub.subject) {
		e.unsubscribeAt(link, []string{sub.subject})
	}
	requests := e.requestsFor(sub)
	e.continuation.requested(requests)
	link.subscribe(requests)
}

func (e *engine) unsubscribeAt(link link, subjects []string) {
	e.continuation.asked(subjects...)
	if e.connector.transport() == WebSocket {
		e.subscriptions.endSent(subjects)
	}
	link.unsubscribe(subjects)
}

func (e *engine) unrequest(sub *Subscription) {
	requested := sub.requested
	sub.unrequest()
	if requested && e.connector.link != nil {
		e.unsubscribeAt(e.connector.link, []string{sub.subject})
	}
}

func (e *engine) unsubscribe(sub *Subscription) {
	if e.subscriptions.end(sub, nil) {
		e.unrequest(sub)
		e.flow.forget(sub)
		e.report(Unsubscribed{sub.subject})
	}
}

// requestLater repeats a command, or its end, after the server refused it with a rate limit.
func (e *engine) requestLater(subject string, id int64, after time.Duration) {
	if after < requestAgain {
		after = requestAgain
	}
	link := e.connector.link
	e.timers.after(after, func() {
		switch {
		case e.connector.link != link || link == nil:
		case id == watchID:
			e.watchAgain(subject)
		default:
			e.requestAgain(subject)
		}
	})
}

func (e *engine) requestAgain(subject string) {
	sub := e.subscriptions.find(subject)
	switch {
	case sub == nil || sub.holds != 0:
		e.unsubscribeAt(e.connector.link, []string{subject})
	case !sub.confirmed:
		e.request(sub)
	}
}

func (e *engine) watchAgain(subject string) {
	if e.watches[subject] != nil {
		e.requestWatch(subject)
	} else {
		e.connector.link.unwatch(subject)
	}
}

func (e *engine) pauseReading(paused bool) {
	e.network.pauseReading(paused)
	e.connector.pauseReading(paused)
}

// Watches

func (e *engine) watch(watch *Watch) error {
	if err := e.mustBeOpen(); err != nil {
		return err
	}
	if e.watches[watch.subject] != nil {
		return alreadySubscribed(watch.subject)
	}
	e.watches[watch.subject] = watch
	if e.connector.isUp() {
		e.requestWatch(watch.subject)
	}
	return nil
}

func (e *engine) requestWatch(subject string) {
	if link := e.connector.link; link != nil && !link.watch(subject) {
		reason := "the transport " + string(e.connector.transport()) + " has no notices of interest"
		e.watches.refused(subject, "unsupported", reason)
	}
}

func (e *engine) unwatch(watch *Watch) {
	if e.watches.remove(watch) {
		if e.connector.isUp() && e.connector.link != nil {
			e.connector.link.unwatch(watch.subject)
		}
		watch.end(nil)
	}
}

// Publishes

// publish queues a publish, or completes it with an error.
func (e *engine) publish(publish *Publishing, options PublishOptions) {
	e.publishIDs++
	publish.command.id = e.publishIDs
	publish.command.retain = options.Retain
	publish.command.msgID = options.MsgID
	publish.command.headers = options.Headers
	publish.command.ttl = options.TTL
	if options.NoEcho {
		publish.command.origin = e.subscriptions.origin.use()
	}
	if options.MsgID == "" && !options.Once {
		publish.command.msgID = e.msgIDPrefix + strconv.FormatInt(e.publishIDs, 36)
	}
	switch {
	case e.closed:
		publish.fail(&PublishError{Outcome: PublishClosed, Reason: "the client was closed"})
		return
	case e.refusal != nil:
		publish.fail(&PublishError{Outcome: PublishClosed, Code: e.refusal.Code, Reason: e.refusal.Reason})
		return
	case !e.publishes.admits(publish.bytes()):
		reason := "too many publishes, or bytes, wait for their answers"
		publish.fail(&PublishError{Outcome: TooManyPending, Reason: reason})
		return
	}
	publish.deadline = e.timers.awake() + e.settings.PublishTimeout
	e.publishes.add(publish)
	e.sendPublishes()
	if e.late == nil {
		e.judgePublishes()
	}
}

// judgePublishes fails late publishes, and schedules the next check.
func (e *engine) judgePublishes() {
	e.late.stop()
	e.late = nil
	e.publishes.failLate(e.timers.awake())
	if deadline, any := e.publishes.nextDeadline(); any {
		e.late = e.timers.atAwake(deadline, e.judgePublishes)
	}
}

// sendPublishes sends what waits. It waits for the event connected, which has the maximum message size.
func (e *engine) sendPublishes() {
	if e.connector.isUp() {
		e.publishes.send(e.send)
	}
}

func (e *engine) send(publish *Publishing) bool {
	size, largest := len(publish.command.data)+headersSize(publish.command.headers), e.connector.messageMax
	if largest > 0 && size > largest {
		// The server would end the connection, and the message would be sent again on the next one.
		reason := strconv.Itoa(size) + " bytes exceed the server's limit of " + strconv.Itoa(largest) + " bytes"
		e.publishes.failed(publish.command.id, &PublishError{Outcome: PublishRefused, Code: "message-too-large", Reason: reason})
		return true
	}
	return e.connector.link != nil && e.connector.link.publish(&publish.command)
}

// repeatPublishesLater schedules one repetition for all publishes that the cluster behind the server could not take.
func (e *engine) repeatPublishesLater() {
	if e.repeating {
		return
	}
	e.repeating = true
	e.timers.after(repeatPause, func() {
		e.repeating = false
		e.publishes.repeat()
		e.sendPublishes()
	})
}

// The end

// close closes the client; further calls have no effect.
func (e *engine) close() {
	if e.closed {
		return
	}
	e.closed = true
	e.connector.stop()
	e.endAll(ErrClosed, "", "the client was closed")
	e.report(Closed{})
}

func (e *engine) endAll(err error, code, reason string) {
	e.timers.clear()
	e.publishes.failAll(code, reason)
	for _, sub := range e.subscriptions.all() {
		e.subscriptions.end(sub, err)
	}
	e.watches.endAll(err)
}
