package belfry

import (
	"encoding/json"
	"math/rand"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rig is one engine with its surroundings: a manual clock, a recording network, and the server's side of a WebSocket. No
// goroutines, no sleeps, no sockets. JSON, so that tests can be read.
type rig struct {
	t        *testing.T
	now      time.Duration
	engine   *engine
	calls    []*recordedCall
	asked    []TokenReason
	statuses []Status
	paused   []bool
}

type recordedCall struct {
	rig       *rig
	address   serverAddress
	request   *httpRequest
	handler   callHandler
	written   []byte
	cancelled bool
}

func (c *recordedCall) write(data []byte) { c.written = append(c.written, data...) }

func (c *recordedCall) cancel() { c.cancelled = true }

type recordedPool struct {
	rig     *rig
	address serverAddress
	calls   []*recordedCall
}

func (p *recordedPool) request(request *httpRequest, handler callHandler) call {
	made := &recordedCall{rig: p.rig, address: p.address, request: request, handler: handler}
	p.calls = append(p.calls, made)
	p.rig.calls = append(p.rig.calls, made)
	return made
}

func (p *recordedPool) close() {
	for _, each := range p.calls {
		each.cancel()
	}
}

func (r *rig) newPool(address serverAddress) pool { return &recordedPool{rig: r, address: address} }

func (r *rig) askToken(reason TokenReason) { r.asked = append(r.asked, reason) }

func (r *rig) report(status Status) { r.statuses = append(r.statuses, status) }

func (r *rig) pauseReading(paused bool) { r.paused = append(r.paused, paused) }

func newRig(t *testing.T, change func(*Options)) *rig {
	r := &rig{t: t, now: 1000 * time.Second}
	options := Options{
		Servers:    Servers("ws://server"),
		Transports: []Transport{WebSocket},
		Encoding:   JSON,
		Clock:      func() time.Duration { return r.now },
	}
	if change != nil {
		change(&options)
	}
	checked, err := settingsOf(options)
	if err != nil {
		t.Fatal(err)
	}
	r.engine = newEngine(checked, r, rand.New(rand.NewSource(7)), "m-")
	return r
}

func (r *rig) input(call func()) {
	r.engine.enter()
	call()
	r.engine.left()
}

// The program

func (r *rig) start() { r.input(r.engine.connector.start) }

func (r *rig) subscribe(subject string, options SubscribeOptions) *Subscription {
	r.t.Helper()
	sub, err := newSubscription(subject, options, 100)
	if err != nil {
		r.t.Fatal(err)
	}
	r.input(func() { err = r.engine.subscribe(sub) })
	if err != nil {
		r.t.Fatal(err)
	}
	return sub
}

func (r *rig) publish(subject string, options PublishOptions) *Publishing {
	made := &Publishing{done: make(chan struct{}), command: publishCommand{subject: subject, data: []byte("x")}}
	r.input(func() { r.engine.publish(made, options) })
	return made
}

// take takes all items of a buffer.
func (r *rig) take(sub *Subscription) []Item {
	var items []Item
	for {
		item, hasRoom := sub.buffer.take()
		if hasRoom {
			r.input(func() { r.engine.flow.hasRoom(sub) })
		}
		if item == nil {
			return items
		}
		items = append(items, item)
	}
}

// texts takes all items: the data of messages, and the reasons of gaps in brackets.
func (r *rig) texts(sub *Subscription) string {
	var texts []string
	for _, item := range r.take(sub) {
		switch each := item.(type) {
		case *Message:
			texts = append(texts, string(each.Data))
		case *Gap:
			texts = append(texts, "["+each.Reason+"]")
		}
	}
	return strings.Join(texts, " ")
}

// Time

// pass lets time pass, and runs each timer at its time.
func (r *rig) pass(wait time.Duration) {
	end := r.now + wait
	for {
		due, any := r.engine.timers.due()
		if !any || due > end {
			break
		}
		if due > r.now {
			r.now = due
		}
		r.input(r.engine.wake)
	}
	r.now = end
}

// sleep lets the device sleep: the timers run late.
func (r *rig) sleep(wait time.Duration) {
	r.now += wait
	r.input(r.engine.wake)
}

// The server

func (r *rig) call() *recordedCall {
	r.t.Helper()
	if len(r.calls) == 0 {
		r.t.Fatal("there is no request")
	}
	return r.calls[len(r.calls)-1]
}

// find returns the latest request whose address contains a text.
func (r *rig) find(text string) *recordedCall {
	r.t.Helper()
	for i := len(r.calls) - 1; i >= 0; i-- {
		if strings.Contains(r.calls[i].request.url, text) {
			return r.calls[i]
		}
	}
	r.t.Fatalf("there is no request to %s", text)
	return nil
}

func (c *recordedCall) field(name string) string {
	for _, field := range c.request.header {
		if field[0] == name {
			return field[1]
		}
	}
	return ""
}

func (c *recordedCall) input(call func()) {
	if !c.cancelled {
		c.rig.input(call)
	}
}

func (c *recordedCall) open() { c.input(c.handler.opened) }

func (c *recordedCall) head(status int, fields ...string) {
	header := http.Header{}
	for i := 0; i+1 < len(fields); i += 2 {
		header.Set(fields[i], fields[i+1])
	}
	c.input(func() { c.handler.head(status, header) })
}

func (c *recordedCall) data(data []byte) { c.input(func() { c.handler.data(data) }) }

func (c *recordedCall) end(end *ending) { c.input(func() { c.handler.ended(end) }) }

// answer answers a request as a whole.
func (c *recordedCall) answer(status int, body string, fields ...string) {
	c.open()
	c.head(status, fields...)
	c.data([]byte(body))
	c.end(nil)
}

// upgrade answers the handshake of a WebSocket.
func (c *recordedCall) upgrade() {
	c.open()
	c.head(101, "Upgrade", "websocket", "Connection", "Upgrade",
		"Sec-WebSocket-Accept", acceptOf(c.field("Sec-WebSocket-Key")), "Sec-WebSocket-Protocol", "belfry.json.v1")
}

const connectedText = `{"op":"connected","id":-1,"session":"s","node":"n","ping":25000,"maxMessage":65536}`

// connect starts the engine and connects it; it returns its first commands.
func (r *rig) connect() []string {
	r.t.Helper()
	r.start()
	return r.greet()
}

func (r *rig) greet() []string {
	r.t.Helper()
	r.call().upgrade()
	commands := r.commands()
	r.send(connectedText)
	return append(commands, r.commands()...)
}

func (r *rig) send(event string) { r.call().data(serverFrame(0x80|opText, []byte(event))) }

func (r *rig) message(subject string, seq int, more string) {
	r.send(`{"op":"message","subject":"` + subject + `","data":"` + strconv.Itoa(seq) + `","epoch":7,"seq":` +
		strconv.Itoa(seq) + `,"time":1` + more + `}`)
}

func (r *rig) subscribed(subject string, seq int, recovery string) {
	r.send(`{"op":"subscribed","subject":"` + subject + `","epoch":7,"seq":` + strconv.Itoa(seq) +
		`,"recovery":"` + recovery + `"}`)
}

func (r *rig) lose() { r.call().end(lost()) }

// reconnect loses the connection, waits for the next attempt and connects; it returns the first commands.
func (r *rig) reconnect() []string {
	r.t.Helper()
	r.lose()
	r.awaitAttempt()
	return r.greet()
}

// awaitAttempt waits until the client opens another connection.
func (r *rig) awaitAttempt() {
	r.t.Helper()
	before := len(r.calls)
	for i := 0; i < 1000 && len(r.calls) == before; i++ {
		r.pass(10 * time.Millisecond)
	}
	if len(r.calls) == before {
		r.t.Fatal("there is no attempt to reconnect")
	}
}

func (r *rig) close(code int, reason string) {
	r.call().data(serverFrame(0x80|opClose, append([]byte{byte(code >> 8), byte(code)}, reason...)))
}

// commands takes the commands that the client sent, without those of the connection itself.
func (r *rig) commands() []string {
	r.t.Helper()
	var commands []string
	for _, text := range r.texted() {
		var command jsonCommand
		if err := json.Unmarshal([]byte(text), &command); err != nil {
			r.t.Fatal(err)
		}
		if command.Op != "connect" && command.Op != "ping" {
			commands = append(commands, shown(&command))
		}
	}
	return commands
}

// texted takes the commands that the client sent, as they were written.
func (r *rig) texted() []string {
	r.t.Helper()
	var texts []string
	for _, frame := range takeFrames(r.t, r.call()) {
		if frame.opcode == opText {
			texts = append(texts, string(frame.payload))
		}
	}
	return texts
}

// shown returns a command as a short text.
func shown(command *jsonCommand) string {
	text := command.Op + " " + command.Subject + strings.Join(command.Subjects, " ")
	for name, value := range map[string]string{"from": command.From, "msgId": command.MsgID} {
		if value != "" {
			text += " " + name + "=" + value
		}
	}
	if command.History > 0 {
		text += " history=" + strconv.Itoa(command.History)
	}
	return text
}

// statusesOf returns the statuses of one type.
func statusesOf[T Status](r *rig) []T {
	var found []T
	for _, status := range r.statuses {
		if each, is := status.(T); is {
			found = append(found, each)
		}
	}
	return found
}

// takeFrames takes the frames that the client wrote, unmasked.
func takeFrames(t *testing.T, c *recordedCall) []frame {
	t.Helper()
	written := c.written
	c.written = nil
	return clientFrames(t, written)
}
