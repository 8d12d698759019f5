package belfry

import (
	"encoding/binary"
	"fmt"
	"time"
	"unicode/utf8"
)

const (
	binConnect       byte = 0x01
	binSubscribe     byte = 0x02
	binUnsubscribe   byte = 0x03
	binPublish       byte = 0x04
	binGap           byte = 0x05
	binPing          byte = 0x06
	binError         byte = 0x07
	binReconnect     byte = 0x08
	binWatch         byte = 0x09
	binUnwatch       byte = 0x0A
	binInterest      byte = 0x0B
	binEpoch         byte = 0x0C
	binTokenToExpire byte = 0x0D
	binStale         byte = 0x0E
	binPosition      byte = 0x0F
	binHeaders       byte = 0x10
	binMessage       byte = 0x80
)

const (
	binMessageHeadBytes = 16
	binRetained         = 0x04
	binPrevious         = 0x08
	binLongBack         = 0x10
	binHasHeaders       = 0x20
	binDelta            = 0x40
)

// binSubjectsMax is the number of subjects whose texts a connection keeps, so that a message needs no new text.
const binSubjectsMax = 10_000

// binaryCodec has the encoding belfry.binary.v1 of docs/protocol.md. It keeps the connection's epoch table, and the
// headers of the next message.
type binaryCodec struct {
	epochs   [256]int64
	declared [256]bool
	subjects map[string]string
	headers  map[string]string
}

func newBinaryCodec() *binaryCodec { return &binaryCodec{subjects: map[string]string{}} }

func (*binaryCodec) subprotocol() string { return "belfry.binary.v1" }

func (*binaryCodec) opcode() byte { return opBinary }

func (c *binaryCodec) decode(frame []byte) (event, error) {
	if len(frame) > 0 && frame[0]&binMessage != 0 {
		return c.message(frame)
	}
	fields := binaryFields{rest: frame}
	op, flags := byte(fields.number(1)), byte(fields.number(1))
	id := noID
	if flags&0x01 != 0 {
		id = fields.number(8)
	}
	decoded := c.event(&fields, op, flags, id)
	if fields.problem != "" {
		return nil, eventError(fields.problem)
	}
	return decoded, nil
}

func (c *binaryCodec) message(frame []byte) (event, error) {
	if len(frame) < binMessageHeadBytes {
		return nil, eventError("a message ends within its head")
	}
	head, index := frame[0], frame[1]
	seq := int64(binary.BigEndian.Uint64(frame[1:]) & (1<<56 - 1))
	at := int64(binary.BigEndian.Uint64(frame[7:]) & (1<<48 - 1))
	rest := frame[binMessageHeadBytes:]
	length := int(frame[15])
	if len(rest) < length {
		return nil, eventError("a message ends within its subject")
	}
	subject, ok := c.subject(rest[:length])
	if !ok {
		return nil, eventError("a message has a subject that is not UTF-8")
	}
	rest = rest[length:]
	previous := seq - 1
	if head&binPrevious != 0 {
		fields := binaryFields{rest: rest}
		if head&binLongBack != 0 {
			previous = seq - fields.number(7)
		} else {
			previous = seq - fields.number(4)
		}
		if fields.problem != "" {
			return nil, eventError("a message ends within its distance")
		}
		rest = fields.rest
	}
	if !c.declared[index] || seq > positionMax {
		return nil, eventError(fmt.Sprintf("a message has the undeclared epoch index %d or a seq beyond 2^53", index))
	}
	var headers map[string]string
	if head&binHasHeaders != 0 {
		headers = c.headers
	}
	c.headers = nil
	return &Message{
		Subject:  subject,
		Data:     append([]byte(nil), rest...),
		Position: Position{c.epochs[index], seq},
		Type:     MessageType(head & 0x03),
		Retained: head&binRetained != 0,
		Time:     time.UnixMilli(at),
		Headers:  headers,
		previous: previous,
		isDelta:  head&binDelta != 0,
	}, nil
}

func (c *binaryCodec) subject(text []byte) (string, bool) {
	if known, found := c.subjects[string(text)]; found {
		return known, true
	}
	if !utf8.Valid(text) {
		return "", false
	}
	if len(c.subjects) >= binSubjectsMax {
		c.subjects = map[string]string{}
	}
	subject := string(text)
	c.subjects[subject] = subject
	return subject, true
}

func (c *binaryCodec) event(fields *binaryFields, op, flags byte, id int64) event {
	switch op {
	case binConnect:
		return connectedOf(fields, flags)
	case binSubscribe:
		return subscribedOf(fields, flags, id)
	case binUnsubscribe:
		return &unsubscribedEvent{fields.short(), fields.shortIf(flags&0x02 != 0)}
	case binPublish:
		return &publishedEvent{id, fields.position()}
	case binGap:
		return &gapEvent{fields.short(), fields.positionIf(flags&0x02 != 0), fields.position(), fields.short()}
	case binPing:
		if flags&0x02 != 0 {
			fields.number(8) // the clock of the server
		}
		return pongEvent{}
	case binError:
		return errorOf(fields, flags, id)
	case binReconnect:
		return &reconnectEvent{fields.millis(), fields.short()}
	case binWatch, binInterest:
		return &interestEvent{fields.short(), flags&0x02 != 0}
	case binUnwatch:
		return &unwatchedEvent{fields.short(), fields.shortIf(flags&0x02 != 0)}
	case binEpoch:
		c.declare(fields)
	case binTokenToExpire:
		return &tokenToExpireEvent{fields.millis()}
	case binStale:
		return &staleEvent{flags&0x02 != 0}
	case binPosition:
		reached := &positionEvent{}
		if flags&0x02 != 0 {
			reached.pattern = fields.short()
		}
		reached.at = fields.patternPosition()
		return reached
	case binHeaders:
		c.headers = fields.headers()
	}
	return nil
}

func (c *binaryCodec) declare(fields *binaryFields) {
	index, epoch := fields.number(1), fields.number(8)
	if epoch < 0 || epoch > positionMax {
		fields.problem = "an epoch is beyond 2^53"
	} else if fields.problem == "" {
		c.epochs[index], c.declared[index] = epoch, true
	}
}

func connectedOf(fields *binaryFields, flags byte) event {
	ping, messageMax := fields.millis(), int(fields.number(4))
	greeting := &connectedEvent{session: fields.short(), node: fields.short(), ping: ping, messageMax: messageMax}
	if flags&0x02 != 0 {
		greeting.keep = fields.millis()
	}
	greeting.resumed = flags&0x04 != 0
	return greeting
}

func subscribedOf(fields *binaryFields, flags byte, id int64) event {
	result := [...]Recovery{RecoveryComplete, RecoveryGap, RecoveryNone, RecoveryNone}[flags>>2&0x03]
	if flags>>2&0x03 == 3 {
		fields.problem = "a subscribed event has an unknown recovery"
	}
	confirmed := &subscribedEvent{id: id, subject: fields.short(), at: fields.positionIf(flags&0x02 != 0), recovery: result}
	if flags&0x10 != 0 {
		fields.number(4) // the interval of conflate, which the client requested
	}
	if flags&0x20 != 0 {
		confirmed.pattern = fields.patternPosition()
	}
	if flags&0x40 != 0 {
		fields.short() // the format of deltas, which the client requested
	}
	return confirmed
}

func errorOf(fields *binaryFields, flags byte, id int64) event {
	failed := &errorEvent{id: id, code: fields.short()}
	failed.subject = fields.shortIf(flags&0x02 != 0)
	failed.reason = fields.short()
	if flags&0x04 != 0 {
		failed.after = fields.millis()
	}
	return failed
}

// binaryFields reads the fields of an event in order. After a problem every field is zero.
type binaryFields struct {
	rest    []byte
	problem string
}

func (f *binaryFields) take(size int) []byte {
	if f.problem != "" || len(f.rest) < size {
		f.problem = "a binary event ends before its fields"
		return nil
	}
	taken := f.rest[:size]
	f.rest = f.rest[size:]
	return taken
}

func (f *binaryFields) number(size int) int64 {
	var value uint64
	for _, each := range f.take(size) {
		value = value<<8 | uint64(each)
	}
	return int64(value)
}

func (f *binaryFields) millis() time.Duration { return millis(f.number(4)) }

func (f *binaryFields) short() string {
	text := f.take(int(f.number(1)))
	if !utf8.Valid(text) {
		f.problem = "a binary event has text that is not UTF-8"
	}
	return string(text)
}

func (f *binaryFields) shortIf(present bool) string {
	if !present {
		return ""
	}
	return f.short()
}

func (f *binaryFields) position() Position {
	at := Position{f.number(8), f.number(8)}
	if at.Epoch < 0 || at.Epoch > positionMax || at.Seq < 0 || at.Seq > positionMax {
		f.problem = "a position is beyond 2^53"
	}
	return at
}

func (f *binaryFields) positionIf(present bool) *Position {
	if !present {
		return nil
	}
	at := f.position()
	return &at
}

func (f *binaryFields) patternPosition() patternPosition {
	length := int(f.number(2))
	if length == 0 || length > patternPositionBytesMax {
		f.problem = "a position of a pattern must have 1 to 768 bytes"
	}
	return patternPosition(f.take(length))
}

// binaryHead returns the head of a command, with room for its fields.
func binaryHead(op, flags byte, id int64, room int) []byte {
	head := make([]byte, 0, 10+room)
	return appendNumber(append(head, op, flags|0x01), id, 8)
}

func appendNumber(to []byte, number int64, size int) []byte {
	for shift := 8 * (size - 1); shift >= 0; shift -= 8 {
		to = append(to, byte(number>>uint(shift)))
	}
	return to
}

func appendShort(to []byte, text string) []byte {
	return append(append(to, byte(len(text))), text...)
}

func (*binaryCodec) connect(request *connectRequest) []byte {
	var flags byte
	var interval, continued []byte
	token, session := request.token, request.session
	if request.ping > 0 {
		flags |= 0x02
		interval = appendNumber(nil, request.ping.Milliseconds(), 4)
	}
	if session != nil {
		flags |= 0x04
		continued = appendShort(nil, session.id)
	}
	if session != nil && len(session.subjects) > 0 {
		flags |= 0x08
		continued = appendNumber(continued, int64(len(session.subjects)), 2)
		for _, each := range session.subjects {
			continued = appendPosition(appendShort(continued, each.subject), each.at)
		}
	}
	if request.client != "" {
		flags |= 0x10
		continued = appendShort(continued, request.client)
	}
	frame := append(binaryHead(binConnect, flags, connectID, len(token)+len(continued)+6), interval...)
	frame = append(appendNumber(frame, int64(len(token)), 2), token...)
	return append(frame, continued...)
}

func appendPosition(to []byte, at Position) []byte {
	return appendNumber(appendNumber(to, at.Epoch, 8), at.Seq, 8)
}

func (*binaryCodec) subscribe(subjects []wanted) []byte {
	first := &subjects[0]
	var flags byte
	var options []byte
	if first.after != nil {
		flags |= 0x02
		options = appendPosition(options, *first.after)
	}
	if first.history > 0 {
		flags |= 0x04
		options = appendNumber(options, int64(first.history), 4)
	}
	if first.conflate > 0 {
		flags |= 0x08
		options = appendNumber(options, first.conflate.Milliseconds(), 4)
	}
	if first.from != "" {
		flags |= 0x10
		options = append(appendNumber(options, int64(len(first.from)), 2), first.from...)
	}
	if first.deltas {
		flags |= 0x20
		options = appendShort(options, fossil)
	}
	frame := append(binaryHead(binSubscribe, flags, subscribeID, 64), options...)
	frame = appendNumber(frame, int64(len(subjects)), 2)
	for i := range subjects {
		frame = appendShort(frame, subjects[i].target())
	}
	return frame
}

func (*binaryCodec) unsubscribe(subjects []string) []byte {
	frame := appendNumber(binaryHead(binUnsubscribe, 0, unsubscribeID, 64), int64(len(subjects)), 2)
	for _, subject := range subjects {
		frame = appendShort(frame, subject)
	}
	return frame
}

func (*binaryCodec) publish(command *publishCommand) []byte {
	var flags byte
	if command.retain {
		flags |= 0x02
	}
	if command.msgID != "" {
		flags |= 0x04
	}
	if len(command.headers) > 0 {
		flags |= 0x08
	}
	if command.ttl > 0 {
		flags |= 0x10
	}
	if command.origin != "" {
		flags |= 0x20
	}
	room := len(command.subject) + len(command.msgID) + len(command.data) + 2
	frame := appendShort(binaryHead(binPublish, flags, command.id, room), command.subject)
	if command.msgID != "" {
		frame = appendShort(frame, command.msgID)
	}
	if len(command.headers) > 0 {
		frame = appendHeaders(frame, command.headers)
	}
	if command.ttl > 0 {
		frame = appendNumber(frame, ttlMillis(command.ttl), 8)
	}
	if command.origin != "" {
		frame = appendShort(frame, command.origin)
	}
	return append(frame, command.data...)
}

func (*binaryCodec) ping() []byte { return binaryHead(binPing, 0, pingID, 0) }

func (*binaryCodec) watch(subject string) []byte {
	return appendShort(binaryHead(binWatch, 0, watchID, len(subject)+1), subject)
}

func (*binaryCodec) unwatch(subject string) []byte {
	return appendShort(binaryHead(binUnwatch, 0, watchID, len(subject)+1), subject)
}
