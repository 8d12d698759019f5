package belfry

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	subjectsPerCommand = 256
	refusalBytesMax    = 4096
	webSocketGUID      = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
)

// webSocketLink is a link over one WebSocket: the handshake, then one command or event per frame.
type webSocketLink struct {
	linkState
	codec    codec
	interval time.Duration // the ping interval to request; 0 for none
	session  *sessionRequest
	client   string // the name of the client; empty for none
	deflates bool   // whether compression is offered
	key      string
	call     call
	isOpen   bool
	refused  int // the status of an answer that refuses the handshake
	fields   http.Header
	body     []byte
	reader   *frameReader
	writer   *frameWriter
}

func newWebSocketLink(state linkState, settings *settings) *webSocketLink {
	key := make([]byte, 16)
	if _, err := io.ReadFull(rand.Reader, key); err != nil {
		panic("belfry: the system has no random bytes: " + err.Error())
	}
	l := &webSocketLink{
		linkState: state,
		codec:     settings.codec(),
		interval:  settings.PingInterval,
		client:    settings.ClientName,
		deflates:  settings.Compression,
		key:       base64.StdEncoding.EncodeToString(key),
		reader:    newFrameReader(),
		writer:    newFrameWriter(),
	}
	l.beforeClose = func() { l.writeClose(closeNormal) }
	return l
}

func (l *webSocketLink) expectsReads() bool { return true }

func (l *webSocketLink) open() {
	header := l.header("Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13",
		"Sec-WebSocket-Key", l.key, "Sec-WebSocket-Protocol", l.codec.subprotocol())
	if l.deflates {
		header = append(header, [2]string{"Sec-WebSocket-Extensions", deflateOffer})
	}
	l.call = l.owner.request(&httpRequest{method: "GET", url: l.address.url("/"), header: header}, l)
}

func (l *webSocketLink) opened() {}

func (l *webSocketLink) head(status int, header http.Header) {
	if status != http.StatusSwitchingProtocols {
		l.refused, l.fields = status, header
		return
	}
	if problem := l.handshakeProblem(header); problem != "" {
		l.fail(&ending{cause: causeRefused, sentence: problem})
		return
	}
	if header.Get("Sec-WebSocket-Extensions") != "" {
		l.reader.inflater, l.writer.deflater = &inflater{}, &deflater{}
	}
	l.isOpen = true
	l.session = l.owner.sessionRequest()
	l.send(l.codec.connect(&connectRequest{ping: l.interval, session: l.session, client: l.client}))
	if l.session == nil || l.session.id == "" {
		// Otherwise the subscriptions depend on the answer.
		l.subscribe(l.owner.wanted())
	}
}

// acceptOf returns the Sec-WebSocket-Accept that belongs to a key.
func acceptOf(key string) string {
	sum := sha1.Sum([]byte(key + webSocketGUID))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// handshakeProblem returns what is wrong with an answer of status 101, or an empty text.
func (l *webSocketLink) handshakeProblem(header http.Header) string {
	switch {
	case !strings.EqualFold(header.Get("Upgrade"), "websocket"):
		return "the server's answer has no valid Upgrade field"
	case !hasOption(header.Get("Connection"), "upgrade"):
		return "the server's answer has no valid Connection field"
	case header.Get("Sec-WebSocket-Accept") != acceptOf(l.key):
		return "the server's Sec-WebSocket-Accept is wrong"
	case header.Get("Sec-WebSocket-Extensions") != "" &&
		!(l.deflates && isDeflateAccepted(header.Get("Sec-WebSocket-Extensions"))):
		return "the server accepted extensions that were not offered"
	case header.Get("Sec-WebSocket-Protocol") != l.codec.subprotocol():
		return fmt.Sprintf("the server chose the subprotocol %q instead of %s",
			header.Get("Sec-WebSocket-Protocol"), l.codec.subprotocol())
	}
	return ""
}

func hasOption(list, option string) bool {
	for _, each := range strings.Split(list, ",") {
		if strings.EqualFold(strings.TrimSpace(each), option) {
			return true
		}
	}
	return false
}

func (l *webSocketLink) ended(end *ending) {
	switch {
	case l.refused != 0:
		l.fail(refusalOf(l.refused, l.fields, l.body))
	case end == nil:
		l.fail(lost())
	default:
		l.fail(end)
	}
}

func (l *webSocketLink) data(data []byte) {
	if l.refused != 0 {
		if room := refusalBytesMax - len(l.body); room < len(data) {
			data = data[:room]
		}
		l.body = append(l.body, data...)
		return
	}
	l.reader.feed(data)
	for !l.over {
		opcode, payload, ok, err := l.reader.next()
		if broken, is := err.(*frameError); is {
			l.violation(broken.closeCode, broken.sentence)
			return
		}
		if !ok {
			return
		}
		if err := l.frame(opcode, payload); err != nil {
			l.violation(closeProtocolError, "the server sent an invalid event: "+err.Error())
			return
		}
	}
}

func (l *webSocketLink) frame(opcode byte, payload []byte) error {
	switch opcode {
	case l.codec.opcode():
		decoded, err := l.codec.decode(payload)
		if err == nil && decoded != nil && !l.retried(decoded) {
			l.owner.event(decoded)
		}
		return err
	case opPing:
		l.call.write(l.writer.frame(opPong, payload))
	case opPong:
	case opClose:
		l.closedByServer(closeOf(payload))
	default:
		return eventError("a frame of the other encoding")
	}
	return nil
}

// retried repeats the command connect without its options if the server does not know them. A name is never omitted.
func (l *webSocketLink) retried(event event) bool {
	failed, is := event.(*errorEvent)
	if !is || l.proven || l.client != "" || (l.interval == 0 && l.session == nil) || failed.code != "bad-frame" {
		return false
	}
	l.interval, l.session = 0, nil
	l.send(l.codec.connect(&connectRequest{}))
	return true
}

func (l *webSocketLink) closedByServer(number int, reason string) {
	if number == closeNoCode {
		l.writeClose(closeNormal)
	} else {
		l.writeClose(number)
	}
	sentence := strings.TrimSpace(fmt.Sprintf("the server closed the connection: %d %s", number, reason))
	l.fail(&ending{cause: causeClosed, sentence: sentence, number: number, code: codeOf(reason)})
}

func (l *webSocketLink) violation(closeCode int, sentence string) {
	l.writeClose(closeCode)
	l.fail(&ending{cause: causeBadFrame, sentence: sentence})
}

func (l *webSocketLink) writeClose(code int) {
	if l.isOpen {
		l.isOpen = false
		l.call.write(l.writer.closeFrame(code))
	}
}

// keepSession ends the connection without a close frame, which would end the session.
func (l *webSocketLink) keepSession() { l.isOpen = false }

func (l *webSocketLink) send(payload []byte) {
	if l.isOpen {
		l.call.write(l.writer.message(l.codec.opcode(), payload))
	}
}

// subscribe keeps the order, and combines consecutive subscriptions without options into one command.
func (l *webSocketLink) subscribe(requests []wanted) {
	for len(requests) > 0 {
		count := 1
		if requests[0].isPlainLive() {
			for count < len(requests) && count < subjectsPerCommand && requests[count].isPlainLive() {
				count++
			}
		}
		l.send(l.codec.subscribe(requests[:count]))
		requests = requests[count:]
	}
}

func (l *webSocketLink) unsubscribe(subjects []string) {
	for len(subjects) > 0 {
		count := len(subjects)
		if count > subjectsPerCommand {
			count = subjectsPerCommand
		}
		l.send(l.codec.unsubscribe(subjects[:count]))
		subjects = subjects[count:]
	}
}

func (l *webSocketLink) endBridges(subjects []string) { l.unsubscribe(subjects) }

func (l *webSocketLink) publish(command *publishCommand) bool {
	if l.isOpen {
		l.send(l.codec.publish(command))
	}
	return l.isOpen
}

func (l *webSocketLink) renew(token string) {
	l.send(l.codec.connect(&connectRequest{token: token, ping: l.interval}))
}

func (l *webSocketLink) canPing() bool { return true }

func (l *webSocketLink) ping() { l.send(l.codec.ping()) }

func (l *webSocketLink) probe() { l.ping() }

func (l *webSocketLink) watch(subject string) bool {
	l.send(l.codec.watch(subject))
	return true
}

func (l *webSocketLink) unwatch(subject string) { l.send(l.codec.unwatch(subject)) }
