package belfry

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// jsonCodec has the encoding belfry.json.v1; streams and answers over HTTP have the same events. No state.
type jsonCodec struct{}

func (jsonCodec) subprotocol() string { return "belfry.json.v1" }

func (jsonCodec) opcode() byte { return opText }

func (jsonCodec) decode(payload []byte) (event, error) { return readJSONEvent(payload) }

// jsonEvent has the members of all events. A pointer is nil for an absent member.
type jsonEvent struct {
	Op          string  `json:"op"`
	ID          int64   `json:"id"`
	Subject     *string `json:"subject"`
	Data        *string `json:"data"`
	Base64      *string `json:"base64"`
	Delta       *string `json:"delta"`
	Epoch       *int64  `json:"epoch"`
	Seq         *int64  `json:"seq"`
	Prev        *int64  `json:"prev"`
	Time        int64   `json:"time"`
	Type        *string `json:"type"`
	Retained    bool    `json:"retained"`
	Recovery    *string `json:"recovery"`
	From        *string `json:"from"`
	To          *string `json:"to"`
	Code        *string `json:"code"`
	Reason      string  `json:"reason"`
	After       int64   `json:"after"`
	Session     *string `json:"session"`
	Node        *string `json:"node"`
	Ping        int64   `json:"ping"`
	MaxMessage  int64   `json:"maxMessage"`
	Keep        int64   `json:"keep"`
	Resumed     bool    `json:"resumed"`
	Subscribers bool    `json:"subscribers"`
	Stale       bool    `json:"stale"`
	At          *string `json:"at"`

	Headers map[string]string `json:"headers"`
}

// readJSONEvent returns the event of one JSON object; nil for an event that this client does not know.
func readJSONEvent(text []byte) (event, error) {
	var members jsonEvent
	var wrongType *json.UnmarshalTypeError
	if err := json.Unmarshal(text, &members); err != nil {
		if !errors.As(err, &wrongType) {
			return nil, eventError("the server sent text that is not JSON")
		}
		if wrongType.Field == "" {
			return nil, eventError("the server sent JSON that is not an object")
		}
	}
	check := jsonCheck{members: &members}
	decoded := check.event()
	if decoded == nil {
		return nil, nil
	}
	if wrongType != nil {
		return nil, eventError("an event has a member of the wrong type: " + wrongType.Field)
	}
	if check.problem != "" {
		return nil, eventError(check.problem)
	}
	return decoded, nil
}

// jsonCheck makes an event of its members, and records the first problem.
type jsonCheck struct {
	members *jsonEvent
	problem string
}

func (c *jsonCheck) event() event {
	m := c.members
	switch m.Op {
	case "message":
		return c.message()
	case "connected":
		return &connectedEvent{
			c.text(m.Session, "session"), c.text(m.Node, "node"), millis(m.Ping), int(m.MaxMessage), millis(m.Keep), m.Resumed,
		}
	case "subscribed":
		return c.subscribed()
	case "position":
		reached := &positionEvent{at: c.patternPosition(c.text(m.At, "at"))}
		if m.Subject != nil {
			reached.pattern = *m.Subject
		}
		return reached
	case "unsubscribed":
		return &unsubscribedEvent{c.text(m.Subject, "subject"), m.Reason}
	case "published":
		return &publishedEvent{m.ID, c.position()}
	case "gap":
		return c.gap()
	case "pong":
		return pongEvent{}
	case "error":
		failed := &errorEvent{id: m.ID, code: c.text(m.Code, "code"), reason: m.Reason, after: millis(m.After)}
		if m.Subject != nil {
			failed.subject = *m.Subject
		}
		return failed
	case "reconnect":
		return &reconnectEvent{millis(m.After), m.Reason}
	case "watched", "interest":
		return &interestEvent{c.text(m.Subject, "subject"), m.Subscribers}
	case "unwatched":
		return &unwatchedEvent{c.text(m.Subject, "subject"), m.Reason}
	case "token-to-expire":
		return &tokenToExpireEvent{millis(m.After)}
	case "stale":
		return &staleEvent{m.Stale}
	}
	return nil
}

func (c *jsonCheck) message() event {
	m := c.members
	message := &Message{
		Subject:  c.text(m.Subject, "subject"),
		Data:     c.data(),
		Position: c.position(),
		Retained: m.Retained,
		Time:     time.UnixMilli(m.Time),
		Headers:  m.Headers,
	}
	message.Type = MessageType(c.name(messageTypes[:], m.Type, "type"))
	message.isDelta = m.Data == nil && m.Delta != nil
	message.previous = message.Position.Seq - 1
	if m.Prev != nil {
		message.previous = c.number(m.Prev, "prev")
	}
	return message
}

func (c *jsonCheck) data() []byte {
	if c.members.Data != nil {
		return []byte(*c.members.Data)
	}
	if c.members.Delta != nil {
		return []byte(*c.members.Delta)
	}
	data, err := base64.StdEncoding.DecodeString(c.text(c.members.Base64, "base64"))
	if err != nil {
		c.problem = "a message has invalid base64"
	}
	return data
}

func (c *jsonCheck) subscribed() event {
	m := c.members
	confirmed := &subscribedEvent{id: m.ID, subject: c.text(m.Subject, "subject")}
	confirmed.recovery = Recovery(c.name(recoveries[:], m.Recovery, "recovery"))
	if m.Epoch != nil {
		at := c.position()
		confirmed.at = &at
	}
	if m.At != nil {
		confirmed.pattern = c.patternPosition(*m.At)
	}
	return confirmed
}

func (c *jsonCheck) gap() event {
	m := c.members
	found := &gapEvent{subject: c.text(m.Subject, "subject"), reason: m.Reason}
	if m.From != nil {
		after := c.parsed(*m.From)
		found.after = &after
	}
	found.to = c.parsed(c.text(m.To, "to"))
	return found
}

func (c *jsonCheck) parsed(text string) Position {
	at, err := ParsePosition(text)
	if err != nil {
		c.problem = err.Error()
	}
	return at
}

func (c *jsonCheck) patternPosition(text string) patternPosition {
	at, err := parsePatternPosition(text)
	if err != nil {
		c.problem = err.Error()
	}
	return at
}

func (c *jsonCheck) text(member *string, name string) string {
	if member == nil {
		c.problem = fmt.Sprintf("an event has no text %q", name)
		return ""
	}
	return *member
}

// name returns the index of a member among names; absent is the first.
func (c *jsonCheck) name(names []string, member *string, what string) int {
	if member == nil {
		return 0
	}
	index := indexOf(names, *member)
	if index < 0 {
		c.problem = fmt.Sprintf("an event has an unknown %s %q", what, *member)
		return 0
	}
	return index
}

func (c *jsonCheck) position() Position {
	return Position{c.number(c.members.Epoch, "epoch"), c.number(c.members.Seq, "seq")}
}

func (c *jsonCheck) number(member *int64, name string) int64 {
	if member == nil || *member < 0 || *member > positionMax {
		c.problem = fmt.Sprintf("an event has no whole number %q from 0 to 2^53", name)
		return 0
	}
	return *member
}

// jsonCommand has the members of all commands.
type jsonCommand struct {
	Op        string   `json:"op"`
	ID        int64    `json:"id"`
	Token     string   `json:"token,omitempty"`
	Ping      int64    `json:"ping,omitempty"`
	Session   *string  `json:"session,omitempty"`
	Positions []string `json:"positions,omitempty"`
	Client    string   `json:"client,omitempty"`
	Subject   string   `json:"subject,omitempty"`
	Subjects  []string `json:"subjects,omitempty"`
	From      string   `json:"from,omitempty"`
	History   int      `json:"history,omitempty"`
	Conflate  int64    `json:"conflate,omitempty"`
	Delta     string   `json:"delta,omitempty"`
	Data      *string  `json:"data,omitempty"`
	Base64    string   `json:"base64,omitempty"`
	Retain    bool     `json:"retain,omitempty"`
	MsgID     string   `json:"msgId,omitempty"`

	Headers map[string]string `json:"headers,omitempty"`
	TTL     int64             `json:"ttl,omitempty"`
	Origin  string            `json:"origin,omitempty"`
}

func (c *jsonCommand) encode() []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		panic("belfry: a command cannot be written as JSON: " + err.Error())
	}
	return bytes.TrimSuffix(text.Bytes(), []byte{'\n'})
}

func (jsonCodec) connect(request *connectRequest) []byte {
	command := jsonCommand{
		Op: "connect", ID: connectID, Token: request.token, Ping: request.ping.Milliseconds(), Client: request.client,
	}
	if session := request.session; session != nil {
		command.Session = &session.id
		for _, each := range session.subjects {
			command.Positions = append(command.Positions, each.subject, each.at.String())
		}
	}
	return command.encode()
}

func (jsonCodec) subscribe(subjects []wanted) []byte {
	first := &subjects[0]
	command := jsonCommand{
		Op: "subscribe", ID: subscribeID, History: first.history, Conflate: first.conflate.Milliseconds(),
	}
	if first.after != nil {
		command.From = first.after.String()
	} else if first.from != "" {
		command.From = first.from.String()
	}
	if first.deltas {
		command.Delta = fossil
	}
	texts := make([]string, len(subjects))
	for i := range subjects {
		texts[i] = subjects[i].target()
	}
	command.setSubjects(texts)
	return command.encode()
}

func (c *jsonCommand) setSubjects(subjects []string) {
	if len(subjects) == 1 {
		c.Subject = subjects[0]
	} else {
		c.Subjects = subjects
	}
}

func (jsonCodec) unsubscribe(subjects []string) []byte {
	command := jsonCommand{Op: "unsubscribe", ID: unsubscribeID}
	command.setSubjects(subjects)
	return command.encode()
}

func (jsonCodec) publish(publish *publishCommand) []byte {
	command := jsonCommand{
		Op: "publish", ID: publish.id, Subject: publish.subject, Retain: publish.retain, MsgID: publish.msgID,
		Headers: publish.headers, TTL: ttlMillis(publish.ttl), Origin: publish.origin,
	}
	if utf8.Valid(publish.data) {
		text := string(publish.data)
		command.Data = &text
	} else {
		command.Base64 = base64.StdEncoding.EncodeToString(publish.data)
	}
	return command.encode()
}

func (jsonCodec) ping() []byte { return (&jsonCommand{Op: "ping", ID: pingID}).encode() }

func (jsonCodec) watch(subject string) []byte {
	return (&jsonCommand{Op: "watch", ID: watchID, Subject: subject}).encode()
}

func (jsonCodec) unwatch(subject string) []byte {
	return (&jsonCommand{Op: "unwatch", ID: watchID, Subject: subject}).encode()
}
