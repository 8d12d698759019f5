package belfry

import (
	"encoding/base64"
	"fmt"
	"strings"
)

const patternPositionBytesMax = 768

// patternPosition is the position of the patterns of a session, as the bytes that only the server interprets; empty for
// none.
type patternPosition string

// String returns the text that parsePatternPosition reads.
func (p patternPosition) String() string { return base64.RawURLEncoding.EncodeToString([]byte(p)) }

// parsePatternPosition reads base64url without padding.
func parsePatternPosition(text string) (patternPosition, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	at := patternPosition(data)
	// The decoder ignores line breaks and surplus bits, so several texts would be the same position.
	if err != nil || len(at) == 0 || len(at) > patternPositionBytesMax || at.String() != text {
		return "", fmt.Errorf("belfry: a position of a pattern must be a text of Subscription.Position, not %q", text)
	}
	return at, nil
}

// patternProgress is the position of one pattern, from which it continues on the next connection, and how far its
// recovery is. Owner: the engine.
type patternProgress struct {
	// at is the position to resume after; empty if the server gave none.
	at patternPosition
	// afterBridges is the position that the pattern has once its bridges have ended.
	afterBridges patternPosition
	// recovering is whether the server still sends what follows the position of the request.
	recovering bool
	// behind is whether messages before the end of the last connection are missing, as after a pause.
	behind bool
	// endsBefore is the number of ended patterns whose answers precede the messages of the present request.
	endsBefore int
	// gapFound is whether the server announced a gap in this recovery.
	gapFound bool
}

func newPatternProgress(from patternPosition) patternProgress {
	return patternProgress{at: from, behind: from != ""}
}

// requested begins a request after so many ended patterns of the connection. Its confirmation ends its recovery.
func (p *patternProgress) requested(endsSent int) {
	p.recovering, p.gapFound, p.endsBefore, p.afterBridges = p.at != "", false, 0, ""
	if p.recovering {
		p.endsBefore = endsSent
	}
}

// confirmed records a confirmation; its position follows.
func (p *patternProgress) confirmed() { *p = patternProgress{at: p.at, endsBefore: p.endsBefore} }

// suspended records that messages are not received from now on.
func (p *patternProgress) suspended() { p.recovering, p.behind, p.afterBridges = false, true, "" }

// forget makes the next request one for live messages.
func (p *patternProgress) forget() { p.at, p.recovering = "", false }

// endSent records commands that end subscriptions and are answered.
func (s *subscriptions) endSent(subjects []string) {
	for _, subject := range subjects {
		if isPattern(subject) {
			s.endsSent++
		}
	}
}

// endAnswered records the answer to such a command. The answers have the order of the commands.
func (s *subscriptions) endAnswered(subject string) {
	delete(s.deltas, subject)
	if isPattern(subject) {
		s.endsAnswered++
	}
}

// rank is the place in the order of requests: first what lacks most, last what has no position. The server resumes patterns
// in the order of their commands, and omits what an earlier one delivered.
func (p *patternProgress) rank() int {
	switch {
	case p.at == "":
		return 2
	case p.behind:
		return 0
	}
	return 1
}

// isEarly reports whether another subscription caused a retained message which a pattern still recovers. Taking it would
// drop the older messages of the subject.
func (p *patternProgress) isEarly(message *Message) bool {
	return p.recovering && message.Type == Snapshot && !p.gapFound
}

// subscribed handles a confirmation.
func (e *engine) subscribed(confirmed *subscribedEvent) {
	e.begunByServer(confirmed)
	e.continuation.subscribed(confirmed.subject, e.subscriptions.find(confirmed.subject))
	e.subscriptions.subscribed(confirmed)
}

// requestsFor ends the patterns that overlap one which lacks more, and returns what the link must request. A link over HTTP
// requests all subscriptions again.
func (e *engine) requestsFor(sub *Subscription) []wanted {
	var later []*Subscription
	if e.connector.transport() == WebSocket {
		later = e.subscriptions.overlapping(sub)
	}
	for _, each := range later {
		e.unrequest(each)
	}
	requests := e.subscriptions.request(sub)
	for _, each := range later {
		requests = append(requests, e.subscriptions.request(each)...)
	}
	return requests
}

// isMissing reports whether an old message of this type that the pattern never received is missing: another pattern, whose
// position was later, has brought newer ones of the subject. The gap is announced once.
func (p *patternProgress) isMissing(reason MessageType) bool {
	return p.recovering && p.behind && !p.gapFound && reason == Recovered
}

// overlapping returns the patterns that must be requested again, after one that lacks more than they do.
func (s *subscriptions) overlapping(pattern *Subscription) []*Subscription {
	var found []*Subscription
	if pattern.progress.rank() > 0 || !pattern.pattern {
		return nil
	}
	for _, each := range s.all() {
		if each != pattern && each.pattern && each.requested && each.progress.rank() == 1 &&
			overlap(each.subject, pattern.subject) {
			found = append(found, each)
		}
	}
	return found
}

// overlap reports whether a subject can match both patterns.
func overlap(first, second string) bool {
	a, b := strings.Split(first, "/"), strings.Split(second, "/")
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == "**" || b[i] == "**" {
			return true
		}
		if a[i] != "*" && b[i] != "*" && a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

func (s *subscriptions) patternSubscribed(pattern *Subscription, confirmed *subscribedEvent) {
	progress := &pattern.progress
	if !pattern.requested {
		// Paused before the confirmation: the subscription will continue from the position, or recover the subjects that it knows.
		if progress.at == "" && pattern.trackers.isEmpty() {
			progress.at = confirmed.pattern
		}
		return
	}
	kept := confirmed.pattern
	if s.haveOnePosition && kept == "" && progress.recovering {
		kept = progress.at // until the confirmation of the last pattern has the position of all
	}
	progress.confirmed()
	resumes := pattern.everConfirmed || pattern.options.FromPattern != ""
	pattern.confirmed = true
	for subject := range s.bridges {
		s.checkBridge(subject)
	}
	if resumes && confirmed.recovery == RecoveryNone {
		s.deliverGap(pattern, &Gap{Subject: pattern.subject, Reason: NotRecovered})
	}
	if s.haveOnePosition && confirmed.pattern != "" {
		s.position(&positionEvent{at: confirmed.pattern})
	} else {
		s.reached(pattern, kept)
	}
	// Last, because the program may read the position as soon as Ready returns.
	s.confirm(pattern, confirmed.recovery, nil)
}

// position records that the server has sent everything up to a position for the patterns that it confirmed. In a stream over
// HTTP that includes patterns without a position so far.
func (s *subscriptions) position(reached *positionEvent) {
	if reached.pattern != "" {
		s.recoveredTo(s.patterns[reached.pattern], reached.at)
		return
	}
	for _, pattern := range s.patterns {
		if s.isElsewhere(pattern) {
			continue
		}
		if pattern.confirmed && (s.haveOnePosition || pattern.progress.at != "") {
			s.reached(pattern, reached.at)
		}
	}
}

func (s *subscriptions) reached(pattern *Subscription, at patternPosition) {
	progress := &pattern.progress
	if at != "" && s.isBridged(pattern) {
		progress.afterBridges = at
	} else {
		progress.at, progress.afterBridges = at, ""
	}
	pattern.buffer.putPosition(progress.at)
	s.touched[pattern] = true
}

// isBridged reports whether messages that the pattern missed may still arrive through a bridge.
func (s *subscriptions) isBridged(pattern *Subscription) bool {
	if pattern.progress.at != "" {
		return false
	}
	for subject := range s.bridges {
		if matches(pattern.subject, subject) {
			return true
		}
	}
	return false
}

// afterBridges gives patterns whose last bridge has ended the positions that waited for it.
func (s *subscriptions) afterBridges() {
	for _, pattern := range s.patterns {
		if waiting := pattern.progress.afterBridges; waiting != "" && !s.isBridged(pattern) {
			s.reached(pattern, waiting)
		}
	}
}

// recoveredTo records that the server has sent everything up to a position for a pattern that recovers. It omits what
// another pattern has delivered, so the position counts only without one that overlaps.
func (s *subscriptions) recoveredTo(pattern *Subscription, at patternPosition) {
	if pattern == nil || !pattern.requested || !pattern.progress.recovering || pattern.progress.endsBefore > s.endsAnswered {
		return
	}
	for _, each := range s.patterns {
		if each != pattern && overlap(each.subject, pattern.subject) {
			return
		}
	}
	s.reached(pattern, at)
}

// patternGap announces missing messages on unknown subjects, so the next message of each subject may skip others.
func (s *subscriptions) patternGap(announced *gapEvent) {
	pattern := s.patterns[announced.subject]
	if pattern == nil || !pattern.requested {
		return
	}
	pattern.progress.gapFound = true
	// The recovery of one pattern has messages of others that match.
	for _, each := range s.patterns {
		if each.progress.at != "" && !s.isElsewhere(each) {
			each.trackers.each(func(_ string, tracker *tracker) { tracker.forgive() })
		}
	}
	s.deliverGap(pattern, &Gap{Subject: announced.subject, Reason: announced.reason})
}

// positionRefused forgets the position of a pattern that the server refused, because it has none. It returns nil if the
// pattern was requested without one; otherwise the pattern must be requested again.
func (s *subscriptions) positionRefused(subject, code string) *Subscription {
	pattern := s.patterns[subject]
	if pattern == nil || !pattern.progress.recovering || (code != "wildcard-not-allowed" && code != "bad-position") {
		return nil
	}
	pattern.progress.forget()
	return pattern
}

// isElsewhere reports whether the present event is of a session that serves another subscription only.
func (s *subscriptions) isElsewhere(sub *Subscription) bool {
	return s.only != "" && sub.subject != s.only
}

// forgetDifferentPositions forgets the positions of patterns that cannot be requested together, because a stream over HTTP
// begins at one position for all its patterns.
func (s *subscriptions) forgetDifferentPositions() {
	var active []*Subscription
	differ := false
	for _, pattern := range s.patterns {
		if pattern.holds == 0 {
			active = append(active, pattern)
			differ = differ || pattern.progress.at != active[0].progress.at
		}
	}
	for _, pattern := range active {
		if differ {
			pattern.progress.forget()
		}
	}
}
