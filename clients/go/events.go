package belfry

import "time"

// Ids of commands whose events need no lookup by id; publishes use ids from 1.
const (
	noID          int64 = 0
	connectID     int64 = -1
	subscribeID   int64 = -2
	unsubscribeID int64 = -3
	pingID        int64 = -4
	watchID       int64 = -5
)

// event is a decoded event of the server: *Message or one of the types below.
type event any

type connectedEvent struct {
	session, node string
	ping          time.Duration
	messageMax    int
	keep          time.Duration // the session is kept for so long after its connection is lost; 0 if it is not kept
	resumed       bool          // whether the session continues with its subscriptions
}

type subscribedEvent struct {
	id       int64
	subject  string
	at       *Position // nil for a pattern
	recovery Recovery
	pattern  patternPosition // empty for a plain subject, or if the server has none
}

type positionEvent struct {
	pattern string // of which it is the progress; empty for all confirmed patterns
	at      patternPosition
}

type unsubscribedEvent struct{ subject, reason string }

type publishedEvent struct {
	id int64
	at Position
}

type gapEvent struct {
	subject string
	after   *Position
	to      Position
	reason  string
}

// pongEvent is a sign of life only.
type pongEvent struct{}

type errorEvent struct {
	id                    int64
	code, reason, subject string // subject is empty if the error concerns none
	after                 time.Duration
}

type reconnectEvent struct {
	after  time.Duration
	reason string
}

type interestEvent struct {
	subject     string
	subscribers bool
}

type unwatchedEvent struct{ subject, reason string }

type tokenToExpireEvent struct{ after time.Duration }

type staleEvent struct{ stale bool }

// eventError is an event that breaks the protocol.
type eventError string

func (e eventError) Error() string { return string(e) }

// wanted is one subject to request from the server, with its options.
type wanted struct {
	subject   string
	key       string // of an inbox; empty otherwise
	after     *Position
	from      patternPosition // of a pattern
	history   int
	conflate  time.Duration
	deltas    bool // whether messages may be deltas
	temporary bool // whether only the messages missed so far are wanted, for a pattern
}

// target returns the subject as the request names it: an inbox with its key.
func (w *wanted) target() string {
	if w.key == "" {
		return w.subject
	}
	return w.subject + "/" + w.key
}

// isPlainLive reports whether the request has no options, so that one command can combine several.
func (w *wanted) isPlainLive() bool {
	return w.after == nil && w.from == "" && w.history == 0 && w.conflate == 0 && !w.deltas
}

// publishCommand is a message to publish.
type publishCommand struct {
	id      int64
	subject string
	data    []byte
	retain  bool
	msgID   string // empty: none
	headers map[string]string
	ttl     time.Duration // 0: no end
	origin  string        // key of the client's origin; empty: the message has no origin
}

// connectRequest has the members of a connect command; the zero value of each means that the command has none.
type connectRequest struct {
	token   string
	ping    time.Duration
	session *sessionRequest
	client  string // the name of the client
}

// codec encodes commands and decodes events. Owner: one connection.
type codec interface {
	subprotocol() string
	opcode() byte
	// decode returns the event of a frame; nil for an event that this client does not know. The payload is not kept.
	decode(payload []byte) (event, error)
	connect(request *connectRequest) []byte
	// subscribe combines several subjects only if all of them are plain and live.
	subscribe(subjects []wanted) []byte
	unsubscribe(subjects []string) []byte
	publish(command *publishCommand) []byte
	ping() []byte
	watch(subject string) []byte
	unwatch(subject string) []byte
}

func millis(number int64) time.Duration { return time.Duration(number) * time.Millisecond }
