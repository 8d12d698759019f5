package belfry

import "sort"

const routesMax = 100_000

// subscriptions are all subscriptions of a client; it dispatches messages and gaps to them. Owner: the engine.
//
// A pattern with a position is resumed from it. The position is some seconds behind, so the server sends messages again;
// the trackers of the pattern drop them.
//
// A pattern without a position cannot be resumed, but the subjects received through it can be resumed one by one. These
// subjects are subscribed first, each from its position, and then the pattern. Such a temporary subscription is called a
// bridge. It ends when the missed messages have arrived and the pattern is confirmed; until then the pattern has no
// position, so that the bridges are requested again if the connection is lost. Messages published on subjects that this
// client never received remain unknown, and are announced as one gap of the pattern.
type subscriptions struct {
	report     func(Status)
	bridgesMax int
	origin     origin
	plain      map[string]*Subscription
	patterns   map[string]*Subscription
	added      int
	// bridges has the position that each bridge must reach; nil until the bridge is confirmed.
	bridges  map[string]*Position
	finished []string // bridges that have ended
	routes   map[string][]*Subscription
	// endsSent and endsAnswered are the numbers of patterns ended on this connection, and of the answers.
	endsSent, endsAnswered int
	// haveOnePosition is whether the patterns of the link have one position for all, as in a stream over HTTP.
	haveOnePosition bool
	// only is the subscription that the session of the present event serves; empty if it serves all.
	only string
	// deltas has the messages from which the next deltas are made.
	deltas deltaBases
	// touched has the subscriptions that received items or ended since the engine last cleared it.
	touched map[*Subscription]bool
}

func newSubscriptions(report func(Status), bridgesMax int) *subscriptions {
	return &subscriptions{
		report:     report,
		bridgesMax: bridgesMax,
		plain:      map[string]*Subscription{},
		patterns:   map[string]*Subscription{},
		bridges:    map[string]*Position{},
		routes:     map[string][]*Subscription{},
		deltas:     deltaBases{},
		touched:    map[*Subscription]bool{},
	}
}

// all returns the subscriptions in the order in which they were added, the plain ones first.
func (s *subscriptions) all() []*Subscription {
	all := make([]*Subscription, 0, len(s.plain)+len(s.patterns))
	for _, among := range []map[string]*Subscription{s.plain, s.patterns} {
		start := len(all)
		for _, each := range among {
			all = append(all, each)
		}
		some := all[start:]
		sort.Slice(some, func(i, j int) bool { return some[i].order < some[j].order })
	}
	return all
}

func (s *subscriptions) find(subject string) *Subscription {
	if found := s.plain[subject]; found != nil {
		return found
	}
	return s.patterns[subject]
}

func (s *subscriptions) among(sub *Subscription) map[string]*Subscription {
	if sub.pattern {
		return s.patterns
	}
	return s.plain
}

func (s *subscriptions) add(sub *Subscription) {
	s.added++
	sub.order = s.added
	s.among(sub)[sub.subject] = sub
	s.forgetRoutes()
}

func (s *subscriptions) forgetRoutes() { s.routes = map[string][]*Subscription{} }

// end removes and ends a subscription; it returns false if it was removed before.
func (s *subscriptions) end(sub *Subscription, err error) bool {
	among := s.among(sub)
	if among[sub.subject] != sub {
		return false
	}
	delete(among, sub.subject)
	s.forgetRoutes()
	sub.finish(err)
	s.touched[sub] = true
	return true
}

// wanted returns what a new connection must request, in this order. Earlier confirmations are void.
func (s *subscriptions) wanted() []wanted {
	s.bridges = map[string]*Position{}
	s.finished = nil
	var plain []wanted
	for _, sub := range s.all() {
		if sub.pattern {
			continue
		}
		sub.unrequest()
		if sub.holds == 0 {
			plain = append(plain, sub.wanted(0))
			sub.requested = true
		}
	}
	return append(plain, s.wantedPatterns()...)
}

// wantedPatterns returns the patterns that a connection must request after all subjects, in this order, and their bridges.
func (s *subscriptions) wantedPatterns() []wanted {
	var bridges, patterns []wanted
	if s.haveOnePosition {
		s.forgetDifferentPositions()
	}
	all := s.all()
	sort.SliceStable(all, func(i, j int) bool { return all[i].progress.rank() < all[j].progress.rank() })
	for _, sub := range all {
		if !sub.pattern {
			continue
		}
		sub.unrequest()
		if sub.holds == 0 {
			bridges = append(bridges, s.newBridges(sub)...)
			patterns = append(patterns, sub.wanted(0))
			sub.requested = true
		}
	}
	return append(bridges, patterns...)
}

// request returns what the current connection must request for one more subscription.
func (s *subscriptions) request(sub *Subscription) []wanted {
	var requests []wanted
	if sub.pattern {
		requests = s.newBridges(sub)
	}
	sub.requested = true
	return append(requests, sub.wanted(s.endsSent))
}

func (s *subscriptions) newBridges(pattern *Subscription) []wanted {
	var requests []wanted
	if pattern.progress.at != "" {
		return nil
	}
	pattern.trackers.each(func(subject string, tracker *tracker) {
		after := tracker.resumeFrom()
		if after == nil || s.plain[subject] != nil || s.isBridge(subject) || len(s.bridges) >= s.bridgesMax {
			return
		}
		s.bridges[subject] = nil
		requests = append(requests, wanted{subject: subject, after: after, temporary: true})
	})
	return requests
}

// message dispatches a message; it returns an error for a delta that does not fit.
func (s *subscriptions) message(message *Message) error {
	plain := s.plain[message.Subject]
	if err := s.deltas.resolve(message, plain != nil && plain.options.Deltas); err != nil {
		return err
	}
	delivered := false
	for _, sub := range s.route(message.Subject) {
		if s.isElsewhere(sub) || !sub.takes() || sub.progress.endsBefore > s.endsAnswered || (sub.pattern && (!s.isForPattern(message) || sub.progress.isEarly(message))) {
			continue
		}
		tracker := sub.trackerOf(message.Subject)
		fresh, before := tracker.message(message)
		if !fresh {
			if sub.progress.isMissing(message.Type) && tracker.isBeforeFirst(message) {
				sub.progress.gapFound = true
				s.deliverGap(sub, &Gap{Subject: sub.subject, Reason: NotRecovered})
			}
			continue
		}
		if before != nil {
			s.missing(sub, message.Subject, before)
		}
		if s.origin.isEcho(message) {
			continue // the position has moved on, so the message does not return after a lost connection
		}
		own := message
		if delivered {
			copied := *message
			own = &copied
		}
		delivered = true
		s.deliver(sub, own)
	}
	if len(s.bridges) > 0 {
		s.checkBridge(message.Subject)
	}
	return nil
}

func (s *subscriptions) deliver(sub *Subscription, item Item) {
	sub.buffer.put(item)
	if !s.touched[sub] {
		s.touched[sub] = true
	}
}

func (s *subscriptions) route(subject string) []*Subscription {
	if known, found := s.routes[subject]; found {
		return known
	}
	var route []*Subscription
	if plain := s.plain[subject]; plain != nil {
		route = append(route, plain)
	}
	for _, pattern := range s.patterns {
		if matches(pattern.subject, subject) {
			route = append(route, pattern)
		}
	}
	if len(s.routes) >= routesMax {
		s.forgetRoutes()
	}
	s.routes[subject] = route
	return route
}

// isForPattern is false for history, which a plain subject requested, and for a message before the bridge's answer,
// which would seem to follow a gap.
func (s *subscriptions) isForPattern(message *Message) bool {
	if message.Type == History {
		return false
	}
	to, bridged := s.bridges[message.Subject]
	return !bridged || to != nil
}

func (s *subscriptions) missing(sub *Subscription, subject string, before *missing) {
	reason := NotRecovered
	if before.otherEpoch {
		reason = "epoch-changed"
	}
	to := before.to
	s.deliverGap(sub, &Gap{subject, before.after, &to, reason})
}

func (s *subscriptions) deliverGap(sub *Subscription, gap *Gap) {
	s.deliver(sub, gap)
	s.report(GapFound{*gap})
}

func (s *subscriptions) subscribed(confirmed *subscribedEvent) {
	if pattern := s.patterns[confirmed.subject]; pattern != nil {
		s.patternSubscribed(pattern, confirmed)
		return
	}
	if confirmed.at == nil {
		return
	}
	if plain := s.plain[confirmed.subject]; plain != nil && plain.requested {
		before := plain.tracker.subscribed(*confirmed.at, confirmed.recovery, plain.options.History > 0)
		s.confirm(plain, confirmed.recovery, confirmed.at)
		if before != nil {
			s.missing(plain, plain.subject, before)
		}
	} else if s.isBridge(confirmed.subject) {
		s.bridges[confirmed.subject] = confirmed.at
		s.checkBridge(confirmed.subject)
	}
}

func (s *subscriptions) confirm(sub *Subscription, recovery Recovery, at *Position) {
	sub.confirm(recovery, at)
	s.report(Subscribed{sub.subject, recovery, at})
	s.touched[sub] = true
}

func (s *subscriptions) gap(announced *gapEvent) {
	if isPattern(announced.subject) {
		s.patternGap(announced)
		return
	}
	truncated := announced.reason == "log-cut"
	for _, sub := range s.route(announced.subject) {
		if !s.isElsewhere(sub) && sub.takes() && sub.trackerOf(announced.subject).gap(announced.to, truncated) {
			to := announced.to
			s.deliverGap(sub, &Gap{announced.subject, announced.after, &to, announced.reason})
		}
	}
	s.checkBridge(announced.subject)
}

// refused handles a refused subject: a subscription of the program ends, a bridge becomes a gap.
func (s *subscriptions) refused(subject, code, reason string) {
	sub := s.find(subject)
	if sub == nil {
		s.bridgeRefused(subject)
		return
	}
	s.report(SubscribeRefused{subject, code, reason})
	s.end(sub, &SubscribeError{subject, code, reason})
}

// bridgeRefused announces the gap at once, because a silent subject would never show how much is missing.
func (s *subscriptions) bridgeRefused(subject string) {
	if !s.isBridge(subject) {
		return
	}
	for _, sub := range s.route(subject) {
		after := sub.trackerOf(subject).resumeFrom()
		s.deliverGap(sub, &Gap{Subject: subject, After: after, Reason: NotRecovered})
	}
	s.dropBridge(subject)
}

func (s *subscriptions) checkBridge(subject string) {
	to := s.bridges[subject]
	if to == nil {
		return
	}
	for _, sub := range s.route(subject) {
		if sub.pattern && sub.progress.at != "" {
			continue // it recovers from its own position
		}
		if sub.requested && !(sub.confirmed && sub.trackerOf(subject).reached(*to)) {
			return
		}
	}
	s.dropBridge(subject)
	s.finished = append(s.finished, subject)
}

// takeFinished takes the bridges to unsubscribe now; over HTTP they remain until the next stream.
func (s *subscriptions) takeFinished() []string {
	var done []string
	for _, subject := range s.finished {
		if s.plain[subject] == nil {
			done = append(done, subject)
		}
	}
	s.finished = nil
	return done
}

func (s *subscriptions) isBridge(subject string) bool {
	_, found := s.bridges[subject]
	return found
}

// dropBridge forgets a bridge; it returns whether there was one, which must be unsubscribed first.
func (s *subscriptions) dropBridge(subject string) bool {
	found := s.isBridge(subject)
	delete(s.bridges, subject)
	s.afterBridges()
	return found
}
