package belfry

import (
	"errors"
	"time"
)

// ErrClosed is returned after Client.Close.
var ErrClosed = errors.New("belfry: the client was closed")

// Code is a code of the server, such as "publish-denied", as an error:
//
//	if errors.Is(err, belfry.Code("publish-denied")) { ... }
type Code string

func (c Code) Error() string { return string(c) }

// RefusedError reports that the server refused the client permanently; the client makes no further attempt. It wraps
// its Code.
type RefusedError struct {
	Code   string
	Reason string
}

func (e *RefusedError) Error() string {
	return "belfry: refused by the server: " + sentence(e.Code, e.Reason)
}

// Unwrap returns the code as an error.
func (e *RefusedError) Unwrap() error { return Code(e.Code) }

// SubscribeError reports that the server refused a subscription or a watch, or ended it. It wraps its Code.
type SubscribeError struct {
	Subject string
	Code    string
	Reason  string
}

func (e *SubscribeError) Error() string {
	return "belfry: not subscribed to " + e.Subject + ": " + sentence(e.Code, e.Reason)
}

// Unwrap returns the code as an error.
func (e *SubscribeError) Unwrap() error { return Code(e.Code) }

// Outcome is what the client knows about a failed publish. It is an error, so errors.Is(err, belfry.TimedOut) works.
type Outcome string

const (
	// PublishRefused means that the server refused the message; it was not published.
	PublishRefused Outcome = "refused"
	// UnknownOutcome means that the connection broke before the answer, and the publish must not be repeated.
	UnknownOutcome Outcome = "unknown"
	// TimedOut means that no answer arrived in time; the message may have been published.
	TimedOut Outcome = "timed-out"
	// TooManyPending means that a bound of unanswered publishes is reached; nothing was sent.
	TooManyPending Outcome = "too-many-pending"
	// PublishClosed means that the client was closed or refused before the answer; a message that was sent may have
	// been published.
	PublishClosed Outcome = "closed"
)

func (o Outcome) Error() string { return string(o) }

// PublishError reports a publish that was not acknowledged. errors.Is finds its Outcome and its Code.
type PublishError struct {
	Outcome    Outcome
	Code       string        // the server's code; empty if it gave none
	Reason     string        // a sentence for people
	RetryAfter time.Duration // time after which the server will accept the message, for codes of a rate
}

func (e *PublishError) Error() string {
	return "belfry: not published (" + string(e.Outcome) + "): " + sentence(e.Code, e.Reason)
}

// Is reports whether target is the outcome or the code, or ErrClosed for a closed client.
func (e *PublishError) Is(target error) bool {
	if target == ErrClosed {
		return e.Outcome == PublishClosed && e.Code == ""
	}
	return target == e.Outcome || (e.Code != "" && target == Code(e.Code))
}

func sentence(code, reason string) string {
	if code == "" || reason == "" {
		return code + reason
	}
	return code + ": " + reason
}
