package belfry

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Transport is a way to receive messages.
type Transport string

const (
	// WebSocket is one connection for everything.
	WebSocket Transport = "websocket"
	// HTTPStream is NDJSON lines in one long answer; publishes are requests on a second connection.
	HTTPStream Transport = "http-stream"
	// LongPoll is one request per subject and answer, for networks that hold back streams.
	LongPoll Transport = "long-poll"
)

// Encoding is the encoding over WebSocket. HTTP always uses JSON.
type Encoding string

const (
	// Binary is the encoding belfry.binary.v1.
	Binary Encoding = "binary"
	// JSON is the encoding belfry.json.v1.
	JSON Encoding = "json"
)

// TokenReason is the reason for which a token is requested.
type TokenReason string

const (
	// TokenToConnect means that a connection needs a token.
	TokenToConnect TokenReason = "connect"
	// TokenExpiring means that the current token expires soon; the new one replaces it without a disconnect.
	TokenExpiring TokenReason = "expiring"
	// TokenRefused means that the server refused the last token.
	TokenRefused TokenReason = "refused"
)

// Options are the options of a client. The zero value of each field means its default; Servers is required.
type Options struct {
	// Servers is the list of servers; one is chosen at random, by weight. Servers("ws://host") makes such a list.
	Servers []Server
	// Transports is the list of transports by preference. Default: WebSocket, HTTPStream, LongPoll.
	Transports []Transport
	// Encoding is the encoding over WebSocket. Default: Binary.
	Encoding Encoding
	// Compression offers compression of received messages over WebSocket (the server's key Compression), and compresses
	// published messages of 256 bytes or more. A message that shrinks to less than a tenth is not compressed beyond 16 KB,
	// because a server may end the session for it (Limit.InflateRatio).
	Compression bool
	// KeepSession makes the server keep the session for a while after a lost connection over WebSocket (its key
	// Session.DetachedTime), so that the next connection continues it with one command.
	KeepSession bool
	// ClientName is the name of the client on its node: 1 to 64 of the characters A-Z, a-z, 0-9, '.', '_' and '-'. A later
	// client with the same name closes this one, which then stops with the code client-taken. It needs a server with
	// Session.ClientNames. WebSocket only; Transports is then WebSocket by default. Default: no name.
	ClientName string

	// Token is a fixed token; a client whose fixed token is refused stops.
	Token string
	// TokenSource returns a token, or an empty text for none. It is called before each connection and when the token
	// expires soon, never twice at the same time, and is repeated after a pause if it fails. ctx ends with the client.
	TokenSource func(ctx context.Context, reason TokenReason) (string, error)

	// Reconnect has the pauses between attempts. Default: DefaultReconnect().
	Reconnect *ReconnectPolicy
	// ConnectTimeout is the maximum time for token, name lookup, TCP, TLS and handshake together. Default: 10 s.
	ConnectTimeout time.Duration
	// PublishTimeout is the maximum time until a publish is acknowledged, across all connections used. Default: 30 s.
	PublishTimeout time.Duration
	// PingInterval is the time of silence after which a party checks that the other one is still there. It is
	// requested from the server, whose answer applies; long polls use it as it is. Default: the server's value, or 25 s.
	PingInterval time.Duration

	// PendingPublishes is the maximum number of publishes that wait for acknowledgement. Default: 10,000.
	PendingPublishes int
	// PendingBytes is the maximum size of publishes that wait for acknowledgement. Default: 16 MB.
	PendingBytes int
	// FollowedSubjects is the maximum number of subjects per pattern whose order is tracked. Default: 100,000.
	FollowedSubjects int
	// RecoveredSubjects is the maximum number of subjects of all patterns together that are recovered after a
	// disconnect. Default: 500.
	RecoveredSubjects int

	// TLS is the configuration of encrypted connections. Default: the certificates that the system trusts.
	TLS *tls.Config
	// OnStatus receives each status, on the goroutine that also runs SubscribeOptions.OnItem. Default: none.
	OnStatus func(Status)
	// Clock returns the time since some fixed point, and replaces the clock of the system in tests. Default: the
	// system's clock, including the time for which the device slept.
	Clock func() time.Duration
}

// Servers returns servers of equal weight, for Options.Servers.
func Servers(urls ...string) []Server {
	servers := make([]Server, len(urls))
	for i, url := range urls {
		servers[i].URL = url
	}
	return servers
}

const defaultPing = 25 * time.Second

// settings are checked options with their defaults. Immutable.
type settings struct {
	Options
	addresses []serverAddress
	reconnect ReconnectPolicy
}

func settingsOf(options Options) (*settings, error) {
	checked := &settings{Options: options, reconnect: DefaultReconnect()}
	checked.setDefaults()
	if options.Reconnect != nil {
		checked.reconnect = *options.Reconnect
	}
	for _, server := range options.Servers {
		address, err := parseServer(server)
		if err != nil {
			return nil, err
		}
		checked.addresses = append(checked.addresses, address)
	}
	return checked, checked.check()
}

func (s *settings) setDefaults() {
	if len(s.Transports) == 0 && s.ClientName != "" {
		s.Transports = []Transport{WebSocket}
	}
	if len(s.Transports) == 0 {
		s.Transports = []Transport{WebSocket, HTTPStream, LongPoll}
	}
	if s.Encoding == "" {
		s.Encoding = Binary
	}
	if s.Clock == nil {
		s.Clock = systemClock()
	}
	for _, each := range []struct {
		value     *time.Duration
		otherwise time.Duration
	}{{&s.ConnectTimeout, 10 * time.Second}, {&s.PublishTimeout, 30 * time.Second}} {
		if *each.value == 0 {
			*each.value = each.otherwise
		}
	}
	for _, each := range []struct {
		value     *int
		otherwise int
	}{
		{&s.PendingPublishes, 10_000}, {&s.PendingBytes, 16 << 20},
		{&s.FollowedSubjects, 100_000}, {&s.RecoveredSubjects, 500},
	} {
		if *each.value == 0 {
			*each.value = each.otherwise
		}
	}
}

func (s *settings) check() error {
	if len(s.addresses) == 0 {
		return errors.New("belfry: Options.Servers is empty")
	}
	for _, transport := range s.Transports {
		if transport != WebSocket && transport != HTTPStream && transport != LongPoll {
			return fmt.Errorf("belfry: unknown transport %q", transport)
		}
	}
	switch {
	case s.Encoding != Binary && s.Encoding != JSON:
		return fmt.Errorf("belfry: unknown encoding %q", s.Encoding)
	case s.Token != "" && s.TokenSource != nil:
		return errors.New("belfry: Token and TokenSource exclude each other")
	case s.ConnectTimeout < 0 || s.PublishTimeout < 0:
		return errors.New("belfry: timeouts must be positive")
	case s.PingInterval != 0 && (s.PingInterval < time.Millisecond || s.PingInterval.Milliseconds() > 1<<32-1):
		return fmt.Errorf("belfry: PingInterval must be from 1 ms to 2^32-1 ms, not %v", s.PingInterval)
	case s.PendingPublishes < 0 || s.PendingBytes < 0 || s.FollowedSubjects < 0 || s.RecoveredSubjects < 0:
		return errors.New("belfry: bounds must be positive")
	}
	if err := checkToken(s.Token); err != nil {
		return err
	}
	if err := s.checkName(); err != nil {
		return err
	}
	return s.reconnect.check()
}

const (
	nameBytesMax   = 64
	nameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
)

func (s *settings) checkName() error {
	if s.ClientName == "" {
		return nil
	}
	if len(s.ClientName) > nameBytesMax || strings.Trim(s.ClientName, nameCharacters) != "" {
		return fmt.Errorf("belfry: ClientName must have 1 to %d of the characters A-Z, a-z, 0-9, '.', '_', '-', not %q",
			nameBytesMax, s.ClientName)
	}
	for _, transport := range s.Transports {
		if transport == WebSocket {
			return nil
		}
	}
	return errors.New("belfry: ClientName needs the transport WebSocket, because clients have no names over HTTP")
}

// pingInterval returns the interval that applies until the server announces its own.
func (s *settings) pingInterval() time.Duration {
	if s.PingInterval == 0 {
		return defaultPing
	}
	return s.PingInterval
}

func (s *settings) codec() codec {
	if s.Encoding == JSON {
		return jsonCodec{}
	}
	return newBinaryCodec()
}

// checkToken returns an error for a token that cannot be sent in a header field.
func checkToken(token string) error {
	if strings.IndexFunc(token, func(char rune) bool { return char < 0x21 || char > 0x7E }) >= 0 {
		return errors.New("belfry: a token must be a text of visible ASCII characters")
	}
	return nil
}

// SubscribeOptions are the options of a subscription. The zero value of each field means its default.
type SubscribeOptions struct {
	// From is the position after which to continue, for example of an earlier run. Plain subjects only.
	From *Position
	// FromPattern is the position of a pattern after which to continue, as Subscription.Position returned it. Messages
	// after it are delivered, also those that an earlier subscription received. Patterns only.
	FromPattern string
	// History is the number of latest messages to deliver first. Plain subjects only.
	History int
	// Conflate is the interval in which at most one live message per subject, the latest, is delivered.
	Conflate time.Duration
	// Deltas lets the server send the difference from the message before instead of the whole message, which the client
	// completes. It saves bandwidth where messages resemble each other. WebSocket only; no effect on patterns and with
	// Conflate.
	Deltas bool
	// OnItem receives each item instead of Subscription.Next. It may take long: then the bounds below apply.
	OnItem func(Item)
	// BufferedMessages is the number of waiting messages at which the flow stops. Default: 1,000.
	BufferedMessages int
	// BufferedBytes is the size of waiting messages at which the flow stops. Default: 4 MB.
	BufferedBytes int
}

const (
	conflateMax = time.Hour
	historyMax  = 1<<31 - 1
)

func (o *SubscribeOptions) check(subject string) error {
	if problem := subjectProblem(subject, true); problem != "" {
		return fmt.Errorf("belfry: %s: %q", problem, subject)
	}
	if o.BufferedMessages == 0 {
		o.BufferedMessages = 1000
	}
	if o.BufferedBytes == 0 {
		o.BufferedBytes = 4 << 20
	}
	switch {
	case isPattern(subject) && (o.From != nil || o.History > 0):
		return fmt.Errorf("belfry: From and History require a plain subject, not the pattern %s", subject)
	case !isPattern(subject) && o.FromPattern != "":
		return fmt.Errorf("belfry: FromPattern requires a pattern, not the subject %s", subject)
	case o.From != nil && (o.From.Epoch < 0 || o.From.Epoch > positionMax || o.From.Seq < 0 || o.From.Seq > positionMax):
		return fmt.Errorf("belfry: the numbers of a position must be from 0 to 2^53, not %v", *o.From)
	case o.History < 0 || o.History > historyMax:
		return fmt.Errorf("belfry: History must be from 0 to %d, not %d", historyMax, o.History)
	case o.Conflate < 0 || o.Conflate > conflateMax:
		return fmt.Errorf("belfry: Conflate must be from 0 to one hour, not %v", o.Conflate)
	case o.BufferedMessages < 0 || o.BufferedBytes < 0:
		return errors.New("belfry: the bounds of the buffer must be positive")
	}
	if o.FromPattern == "" {
		return nil
	}
	_, err := parsePatternPosition(o.FromPattern)
	return err
}

// patternFrom returns the position of checked options.
func (o *SubscribeOptions) patternFrom() patternPosition {
	at, _ := parsePatternPosition(o.FromPattern)
	return at
}

// PublishOptions are the options of a publish.
type PublishOptions struct {
	// Retain makes the message the retained message of its subject; empty data clears it.
	Retain bool
	// MsgID is 1 to 64 bytes: a repeat with the same subject and MsgID is stored once. Default: an id of the client.
	MsgID string
	// Headers are up to 16 texts beside the data, by name. A name has 1 to 64 bytes and does not begin with '$'.
	Headers map[string]string
	// TTL is the time after which the server does not deliver the message any more, at most 365 days; 0 is no end.
	TTL time.Duration
	// NoEcho makes the client's own subscriptions omit the message, live and after a lost connection. They get it if it is
	// retained, or if they request history.
	NoEcho bool
	// Once forbids to repeat the publish after a disconnect; then its outcome may be UnknownOutcome. Excludes MsgID.
	Once bool
}

const (
	msgIDBytesMax = 64
	ttlMax        = 365 * 24 * time.Hour
)

// ttlMillis returns the milliseconds of a time to live, at least one unless it is 0.
func ttlMillis(ttl time.Duration) int64 {
	if ttl > 0 && ttl < time.Millisecond {
		return 1
	}
	return ttl.Milliseconds()
}

func (o *PublishOptions) check(subject string) error {
	if problem := subjectProblem(subject, false); problem != "" {
		return fmt.Errorf("belfry: %s: %q", problem, subject)
	}
	if o.Once && o.MsgID != "" {
		return errors.New("belfry: a publish with a MsgID may be repeated; Once and MsgID exclude each other")
	}
	if o.TTL < 0 || o.TTL > ttlMax {
		return fmt.Errorf("belfry: a TTL must be from 0 to %v, not %v", ttlMax, o.TTL)
	}
	if len(o.MsgID) > msgIDBytesMax {
		return fmt.Errorf("belfry: a MsgID must have at most %d bytes, not %d", msgIDBytesMax, len(o.MsgID))
	}
	return headersProblem(o.Headers)
}
