package belfry

import "time"

// Status is an event of a client other than a message: one of the types below, as a value.
type Status interface{ isStatus() }

// Connecting reports that an attempt to connect begins. The first attempt after a stable connection is number 0.
type Connecting struct {
	Server    string
	Transport Transport
	Attempt   int
}

// Connected reports that the server has answered and that the subscriptions are requested. Over HTTP, Session and Node
// are empty.
type Connected struct {
	Server    string
	Transport Transport
	Session   string
	Node      string
}

// Disconnected reports that the connection ended or that an attempt failed. The next attempt begins after RetryIn.
type Disconnected struct {
	Server  string
	Code    string
	Reason  string
	RetryIn time.Duration
}

// Refused reports that the server refused the client permanently; the client makes no further attempt.
type Refused struct {
	Server string
	Code   string
	Reason string
}

// ReconnectAsked reports that the server asked the client to reconnect; a disconnect follows.
type ReconnectAsked struct {
	After  time.Duration
	Reason string
}

// TokenToExpire reports that the token expires soon. Options.TokenSource is asked for a new one.
type TokenToExpire struct{ After time.Duration }

// TokenFailed reports that Options.TokenSource returned an error or an invalid token, or panicked.
type TokenFailed struct{ Err error }

// Stale reports that the server is behind its cluster, so that messages may be late, or that it is current again.
type Stale struct{ Stale bool }

// Subscribed reports that the server confirmed the subscription. Position is nil for a pattern.
type Subscribed struct {
	Subject  string
	Recovery Recovery
	Position *Position
}

// SubscribeRefused reports that the server refused the subscription, or ended it because a new token does not allow it.
type SubscribeRefused struct {
	Subject string
	Code    string
	Reason  string
}

// SubscribedByServer reports that the application's backend began this subscription by the server API. Its messages are
// dropped until the program subscribes to the subject; with From it also gets the messages since then. Position is nil for a
// pattern.
type SubscribedByServer struct {
	Subject  string
	Position *Position
}

// Unsubscribed reports that the subscription ended as the program requested.
type Unsubscribed struct{ Subject string }

// Paused reports that the client unsubscribed for a while: Reason is "paused" (by the program) or "full" (its buffer).
type Paused struct {
	Subject string
	Reason  string
}

// Resumed reports that the client requests a paused subscription again, from its position.
type Resumed struct{ Subject string }

// GapFound reports a gap that was detected or announced; the gap is also among the items of the subscription.
type GapFound struct{ Gap Gap }

// PublishUnknown reports that the connection broke before the answer to a publish that must not be repeated.
type PublishUnknown struct{ Subject string }

// CommandFailed reports that a command failed for another reason.
type CommandFailed struct {
	Code   string
	Reason string
}

// CallbackFailed reports that a callback of the program panicked; Callback is the name of the option.
type CallbackFailed struct {
	Callback string
	Subject  string
	Value    any // the value of the panic
}

// Closed reports that the client was closed; it is the last status.
type Closed struct{}

func (SubscribedByServer) isStatus() {}
func (Connecting) isStatus()         {}
func (Connected) isStatus()          {}
func (Disconnected) isStatus()       {}
func (Refused) isStatus()            {}
func (ReconnectAsked) isStatus()     {}
func (TokenToExpire) isStatus()      {}
func (TokenFailed) isStatus()        {}
func (Stale) isStatus()              {}
func (Subscribed) isStatus()         {}
func (SubscribeRefused) isStatus()   {}
func (Unsubscribed) isStatus()       {}
func (Paused) isStatus()             {}
func (Resumed) isStatus()            {}
func (GapFound) isStatus()           {}
func (PublishUnknown) isStatus()     {}
func (CommandFailed) isStatus()      {}
func (CallbackFailed) isStatus()     {}
func (Closed) isStatus()             {}
