package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"belfry.io/belfry"
)

// command is one line of the runner.
type command struct {
	ID      int64  `json:"id"`
	Op      string `json:"op"`
	Client  string `json:"client"`
	Subject string `json:"subject"`

	Servers []struct {
		URL    string `json:"url"`
		Weight int    `json:"weight"`
	} `json:"servers"`
	Transports           []string `json:"transports"`
	Encoding             string   `json:"encoding"`
	Compression          bool     `json:"compression"`
	Token                string   `json:"token"`
	RetryMaxMillis       int64    `json:"retryMaxMillis"`
	PingMillis           int64    `json:"pingMillis"`
	ConnectTimeoutMillis int64    `json:"connectTimeoutMillis"`
	PublishTimeoutMillis int64    `json:"publishTimeoutMillis"`
	PendingCount         int      `json:"pendingCount"`
	KeepSession          bool     `json:"keepSession"`
	ClientName           *string  `json:"clientName"`
	StatusThrows         bool     `json:"statusThrows"`
	// TokenSource and Clock are true for a client that has them.
	TokenSource bool `json:"tokenSource"`
	Clock       bool `json:"clock"`

	From           *string `json:"from"`
	History        int     `json:"history"`
	ConflateMillis int64   `json:"conflateMillis"`
	Deltas         bool    `json:"deltas"`
	Face           string  `json:"face"`
	BufferCount    int     `json:"bufferCount"`
	ThrowsEvery    int     `json:"throwsEvery"`

	Text   string `json:"text"`
	Base64 string `json:"base64"`
	Retain bool   `json:"retain"`
	MsgID  string `json:"msgId"`
	Once   bool   `json:"once"`

	Headers map[string]string `json:"headers"`
	TTL     int64             `json:"ttl"`
	NoEcho  bool              `json:"noEcho"`

	Ask   int    `json:"ask"`
	Fails string `json:"fails"`

	SkipMillis    int64 `json:"skipMillis"`
	TimeoutMillis int64 `json:"timeoutMillis"`
}

func millis(number int64) time.Duration { return time.Duration(number) * time.Millisecond }

func (c *command) data() ([]byte, error) {
	if c.Base64 != "" {
		return base64.StdEncoding.DecodeString(c.Base64)
	}
	return []byte(c.Text), nil
}

var transports = map[string]belfry.Transport{
	"webSocket": belfry.WebSocket, "httpStream": belfry.HTTPStream, "longPoll": belfry.LongPoll,
}

func transportName(transport belfry.Transport) string {
	for name, each := range transports {
		if each == transport {
			return name
		}
	}
	return ""
}

// options returns the options of a client except the callbacks and the clock.
func (c *command) options() (belfry.Options, error) {
	options := belfry.Options{
		Encoding:         belfry.Encoding(c.Encoding),
		Compression:      c.Compression,
		Token:            c.Token,
		PingInterval:     millis(c.PingMillis),
		ConnectTimeout:   millis(c.ConnectTimeoutMillis),
		PublishTimeout:   millis(c.PublishTimeoutMillis),
		PendingPublishes: c.PendingCount,
		KeepSession:      c.KeepSession,
	}
	if c.ClientName != nil {
		options.ClientName = *c.ClientName
	}
	for _, server := range c.Servers {
		options.Servers = append(options.Servers, belfry.Server{URL: server.URL, Weight: server.Weight})
	}
	for _, name := range c.Transports {
		transport, known := transports[name]
		if !known {
			return options, fmt.Errorf("the client has no transport %s", name)
		}
		options.Transports = append(options.Transports, transport)
	}
	if c.RetryMaxMillis > 0 {
		options.Reconnect = policy(millis(c.RetryMaxMillis))
	}
	return options, nil
}

// policy returns the default policy with shorter pauses.
func policy(longest time.Duration) *belfry.ReconnectPolicy {
	policy := belfry.DefaultReconnect()
	for _, each := range []*time.Duration{
		&policy.QuickPause, &policy.FirstPause, &policy.LongestPause, &policy.AvoidFailedFor,
	} {
		if *each > longest {
			*each = longest
		}
	}
	return &policy
}

func (c *command) subscribeOptions() (belfry.SubscribeOptions, error) {
	options := belfry.SubscribeOptions{
		History: c.History, Conflate: millis(c.ConflateMillis), BufferedMessages: c.BufferCount,
		Deltas: c.Deltas,
	}
	if c.From == nil {
		return options, nil
	}
	if strings.Contains(c.Subject, "*") {
		options.FromPattern = *c.From
		return options, nil
	}
	position, err := belfry.ParsePosition(*c.From)
	options.From = &position
	return options, err
}

// line is one line for the runner.
type line map[string]any

// output writes lines. Any goroutine.
type output struct {
	lock sync.Mutex
	to   *bufio.Writer
}

func (o *output) write(l line) {
	o.lock.Lock()
	defer o.lock.Unlock()
	encoder := json.NewEncoder(o.to)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(l); err != nil {
		panic(err)
	}
	if err := o.to.Flush(); err != nil {
		panic(err)
	}
}

func (l line) data(data []byte) line {
	if utf8.Valid(data) {
		l["text"] = string(data)
	} else {
		l["base64"] = base64.StdEncoding.EncodeToString(data)
	}
	return l
}

func (l line) position(name string, at *belfry.Position) line {
	if at != nil {
		l[name] = at.String()
	}
	return l
}

func itemLine(client, sub string, item belfry.Item) line {
	if gap, is := item.(*belfry.Gap); is {
		l := line{"op": "gap", "client": client, "sub": sub, "subject": gap.Subject, "reason": gap.Reason}
		return l.position("from", gap.After).position("to", gap.To)
	}
	message := item.(*belfry.Message)
	return line{
		"op": "message", "client": client, "sub": sub, "subject": message.Subject,
		"position": message.Position.String(), "type": message.Type.String(), "retained": message.Retained,
		"headers": message.Headers, "publisher": message.Publisher(),
	}.data(message.Data)
}

func outcomeLine(c *command, ack belfry.Ack, err error) line {
	if err == nil {
		return line{"op": "acked", "id": c.ID, "client": c.Client, "position": ack.Position.String()}
	}
	l := line{"op": "failed", "id": c.ID, "client": c.Client, "kind": "failed", "reason": err.Error()}
	var failed *belfry.PublishError
	if errors.As(err, &failed) {
		l["kind"], l["code"], l["reason"] = string(failed.Outcome), failed.Code, failed.Reason
	}
	return l
}

// replyLine returns the line for the outcome of a request.
func replyLine(c *command, reply *belfry.Message, err error) line {
	if err == nil {
		return line{
			"op": "replied", "id": c.ID, "client": c.Client, "subject": reply.Subject, "text": string(reply.Data),
		}
	}
	l := outcomeLine(c, belfry.Ack{}, err)
	var late *belfry.NoReplyError
	var refused *belfry.SubscribeError
	switch {
	case errors.As(err, &late):
		l["kind"], l["code"] = "timed-out", "no-reply"
	case errors.As(err, &refused):
		l["kind"], l["code"], l["reason"] = "refused", refused.Code, refused.Reason
	case errors.Is(err, belfry.ErrClosed):
		l["kind"] = "closed"
	}
	return l
}

// statusLine returns the line for a status, or nil if the protocol has none.
func statusLine(client string, status belfry.Status) line {
	state := func(name string) line { return line{"op": "status", "client": client, "state": name} }
	failure := func(kind, code, reason string) line {
		return line{"op": "error", "client": client, "kind": kind, "code": code, "reason": reason}
	}
	var l line
	switch s := status.(type) {
	case belfry.Connecting:
		l = state("connecting")
		l["server"], l["transport"] = s.Server, transportName(s.Transport)
	case belfry.Connected:
		l = state("connected")
		l["server"], l["transport"] = s.Server, transportName(s.Transport)
	case belfry.Disconnected:
		l = state("disconnected")
		l["code"], l["reason"], l["retryMillis"] = s.Code, s.Reason, s.RetryIn.Milliseconds()
	case belfry.Refused:
		l = state("refused")
		l["code"], l["reason"] = s.Code, s.Reason
	case belfry.SubscribedByServer:
		l = state("subscribedByServer")
		l["subject"] = s.Subject
	case belfry.Stale:
		l = state("stale")
		l["stale"] = s.Stale
	case belfry.TokenToExpire:
		l = state("tokenToExpire")
		l["afterMillis"] = s.After.Milliseconds()
	case belfry.ReconnectAsked:
		l = state("reconnectAsked")
		l["afterMillis"], l["reason"] = s.After.Milliseconds(), s.Reason
	case belfry.Closed:
		l = state("closed")
	case belfry.Subscribed:
		l = line{"op": "subscribed", "client": client, "subject": s.Subject, "recovery": s.Recovery.String()}
		l.position("position", s.Position)
	case belfry.SubscribeRefused:
		l = line{"op": "ended", "client": client, "subject": s.Subject, "code": s.Code, "reason": s.Reason}
	case belfry.CallbackFailed:
		l = failure("listener", s.Callback, fmt.Sprint(s.Value))
	case belfry.TokenFailed:
		l = failure("token", "token-failed", s.Err.Error())
	case belfry.CommandFailed:
		l = failure("command", s.Code, s.Reason)
	}
	return l
}
