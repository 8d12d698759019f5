package belfry

import "time"

const (
	positionsMax = 1000
	// positionBytes is the maximum number of bytes of a position in a command, with what separates it from the next one.
	positionBytes = 40
	codeTaken     = "session-taken"
)

// sessionRequest keeps the new session after its connection is lost, and continues an earlier one.
type sessionRequest struct {
	id       string // the session to continue; empty for none
	subjects []subjectPosition
}

// subjectPosition is a subject of a session with the last position that was received.
type subjectPosition struct {
	subject string
	at      Position
}

// continuation has the session that the server keeps after a lost connection. The next connection continues it with one
// command if client and server agree on the subjects. Otherwise the client requests a new session and subscribes again.
// The server keeps no patterns, so they are requested again from their positions. Owner: the engine.
type continuation struct {
	isWanted bool
	session  string        // the id of the session of this connection; empty if the server does not keep it
	keep     time.Duration // the time for which the server keeps it
	// served has the subscriptions that the server confirmed in this session, by subject; nil for a bridge. Patterns are
	// not among them.
	served map[string]*Subscription
	// unanswered is the number of subjects of commands without an answer. Until it is 0 the server's subscriptions are
	// unknown. Patterns do not count.
	unanswered int
	kept       *keptSession
	// positionsBytesMax is the maximum number of bytes of the positions in a command.
	positionsBytesMax int
}

// keptSession is a session whose connection was lost, and the time at which the server ends it.
type keptSession struct {
	session string
	until   time.Duration
	served  map[string]*Subscription
}

// subscribesAgain records that a session without subscriptions begins, and that these requests were sent.
func (c *continuation) subscribesAgain(requests []wanted) {
	c.served = map[string]*Subscription{}
	c.unanswered = 0
	c.requested(requests)
}

// requested records that these requests were sent; each has an answer.
func (c *continuation) requested(requests []wanted) {
	for _, each := range requests {
		c.asked(each.subject)
	}
}

// asked records that subjects were sent in commands to subscribe or unsubscribe; each has an answer.
func (c *continuation) asked(subjects ...string) {
	for _, subject := range subjects {
		if !isPattern(subject) {
			c.unanswered++
		}
	}
}

func (c *continuation) answered(subject string) {
	if !isPattern(subject) {
		c.unanswered--
	}
}

// subscribed records an answer of the server; sub is nil for a bridge.
func (c *continuation) subscribed(subject string, sub *Subscription) {
	if !isPattern(subject) {
		c.unanswered--
		c.served[subject] = sub
	}
}

// unsubscribed records an answer of the server, or that it ended a subscription itself, for a reason.
func (c *continuation) unsubscribed(ended *unsubscribedEvent) {
	delete(c.served, ended.subject)
	if ended.reason == "" {
		c.answered(ended.subject)
	}
}

func (c *continuation) connected(greeting *connectedEvent) {
	if greeting.resumed && c.kept != nil {
		c.served, c.unanswered = c.kept.served, 0
	}
	c.kept = nil
	c.session, c.keep = "", greeting.keep
	// The server closes a connection whose command is larger than six of its largest messages.
	c.positionsBytesMax = 4 * greeting.messageMax
	if c.keep > 0 {
		c.session = greeting.session
	}
}

// lost handles the end of a connection or a failed attempt, which leaves an earlier session as it is.
func (c *continuation) lost(now time.Duration, code string) {
	if code == codeTaken {
		c.kept = nil
	} else if c.session != "" && c.unanswered == 0 {
		c.kept = &keptSession{c.session, now + c.keep, c.served}
	}
	c.session = ""
}

// request returns the request of a new connection; nil if the program does not want a kept session.
func (c *continuation) request(now time.Duration, all []*Subscription) *sessionRequest {
	if !c.isWanted {
		return nil
	}
	if c.kept == nil || now > c.kept.until {
		return &sessionRequest{}
	}
	request := &sessionRequest{id: c.kept.session}
	bytes := 0
	for _, sub := range all {
		if sub.holds != 0 {
			continue
		}
		if sub.pattern {
			if sub.progress.at == "" {
				return &sessionRequest{} // it needs bridges
			}
			continue
		}
		at := sub.tracker.resumeFrom()
		if at == nil || c.kept.served[sub.subject] != sub {
			return &sessionRequest{}
		}
		request.subjects = append(request.subjects, subjectPosition{sub.subject, *at})
		bytes += len(sub.subject) + positionBytes
	}
	count := len(request.subjects)
	if count == 0 || count > positionsMax || count != len(c.kept.served) || bytes > c.positionsBytesMax {
		return &sessionRequest{}
	}
	return request
}
