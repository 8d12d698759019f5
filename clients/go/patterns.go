package belfry

import (
	"encoding/base64"
	"fmt"
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
	// recovering is whether the server still sends what follows the position of the request.
	recovering bool
	// behind is whether messages before the end of the last connection are missing, as after a pause.
	behind bool
	// gapFound is whether the server announced a gap in this recovery.
	gapFound bool
}

func newPatternProgress(from patternPosition) patternProgress {
	return patternProgress{at: from, behind: from != ""}
}

// requested begins a request, whose confirmation ends its recovery.
func (p *patternProgress) requested() { p.recovering, p.gapFound = p.at != "", false }

func (p *patternProgress) confirmed(at patternPosition) { *p = patternProgress{at: at} }

// suspended records that messages are not received from now on.
func (p *patternProgress) suspended() { p.recovering, p.behind = false, true }

// forget makes the next request one for live messages.
func (p *patternProgress) forget() { p.at, p.recovering = "", false }

// isEarly reports whether a message that another subscription caused arrived before earlier ones that a pattern still
// recovers. The pattern gets it later with the others, as a recovered message.
func (s *subscriptions) isEarly(pattern *Subscription, message *Message) bool {
	if !pattern.progress.recovering || message.Type == Recovered {
		return false
	}
	if message.Type == Snapshot {
		return !pattern.progress.gapFound
	}
	next := pattern.trackerOf(message.Subject).isNext(message)
	return !next && (pattern.progress.behind || !s.isRecovered(message.Subject))
}

// isRecovered reports whether a pattern that matches has recovered: then nothing of the subject is missing since the last
// connection.
func (s *subscriptions) isRecovered(subject string) bool {
	for _, sub := range s.route(subject) {
		if sub.pattern && sub.confirmed && sub.progress.at != "" {
			return true
		}
	}
	return false
}

func (s *subscriptions) patternSubscribed(pattern *Subscription, confirmed *subscribedEvent) {
	progress := &pattern.progress
	if !pattern.requested {
		// Paused before the confirmation: the position is where the subscription will continue.
		if progress.at == "" {
			progress.at = confirmed.pattern
		}
		return
	}
	progress.confirmed(confirmed.pattern)
	resumes := pattern.everConfirmed || pattern.options.FromPattern != ""
	s.confirm(pattern, confirmed.recovery, nil)
	for subject := range s.bridges {
		s.checkBridge(subject)
	}
	if resumes && confirmed.recovery == RecoveryNone {
		s.deliverGap(pattern, &Gap{Subject: pattern.subject, Reason: NotRecovered})
	}
	pattern.buffer.putPosition(confirmed.pattern)
}

// position records that the server has sent everything up to a position for the patterns that it confirmed.
func (s *subscriptions) position(at patternPosition) {
	for _, pattern := range s.patterns {
		if pattern.confirmed && pattern.progress.at != "" {
			pattern.progress.at = at
			pattern.buffer.putPosition(at)
			s.touched[pattern] = true
		}
	}
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
		if each.progress.at != "" {
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

// forgetPatternPositions is called for links over HTTP, which cannot begin at one.
func (s *subscriptions) forgetPatternPositions() {
	for _, pattern := range s.patterns {
		pattern.progress.forget()
	}
}
