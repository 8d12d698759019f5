package belfry

import (
	"net/http"
	"time"
)

// httpRequest is a request over HTTP, also the handshake of a WebSocket. Immutable.
type httpRequest struct {
	method string
	url    string
	header [][2]string
	body   []byte
}

// callHandler receives the events of one request, in this order: opened, head, data and ended.
type callHandler interface {
	// opened reports that there is a connection to the server.
	opened()
	head(status int, header http.Header)
	// data has received bytes, which the handler does not keep.
	data(data []byte)
	// ended reports the end of the answer, with nil if it is complete.
	ended(end *ending)
}

// call is a request in progress.
type call interface {
	// write sends bytes after an upgrade.
	write(data []byte)
	// cancel ends the call after the bytes written before; its handler receives nothing more.
	cancel()
}

// pool has the connections of one link.
type pool interface {
	request(request *httpRequest, handler callHandler) call
	// close cancels all calls and closes all connections.
	close()
}

// linkOwner is the connector as a link sees it. A link makes no call after linkEnded.
type linkOwner interface {
	// request sends a request over the link's connections.
	request(request *httpRequest, handler callHandler) call
	// closeConnections closes the link's connections.
	closeConnections()
	after(wait time.Duration, call func()) *timer
	// wanted returns all subscriptions to request. Earlier confirmations are void.
	wanted() []wanted
	// sessionRequest returns what to request for the session of a new link; nil for nothing.
	sessionRequest() *sessionRequest
	// linkOpen reports that a link without greetings is open.
	linkOpen()
	// pingInterval reports the ping interval that the server named for a stream.
	pingInterval(interval time.Duration)
	event(event event)
	// eventOf passes a message or a gap that only one subscription receives, or the event of its session.
	eventOf(subject string, event event)
	// linkWritable reports that the link accepts publishes again.
	linkWritable()
	linkEnded(end *ending)
}

// link translates between the engine's requests and the connections to one server over one transport. Owner: the engine.
type link interface {
	// open begins to connect.
	open()
	// expectsReads reports whether the server must send something within its ping interval.
	expectsReads() bool
	subscribe(requests []wanted)
	unsubscribe(subjects []string)
	// endBridges ends temporary subscriptions of patterns.
	endBridges(subjects []string)
	// publish sends a publish. It returns false if the link has no room; then linkWritable is called when it has.
	publish(command *publishCommand) bool
	// renew presents a new token to the server.
	renew(token string)
	// canPing reports whether ping requests a sign of life.
	canPing() bool
	ping()
	// probe finds out soon whether the connection still works, after the device slept.
	probe()
	// watch requests notices of interest. It returns false if the transport has none.
	watch(subject string) bool
	unwatch(subject string)
	// keepSession makes the end of the link a lost connection for the server, which then keeps the session.
	keepSession()
	// finish closes the link without a call of linkEnded.
	finish()
	// fail closes the link and calls linkEnded.
	fail(end *ending)
	// isProven reports whether an event arrived, so that nothing between client and server blocks the transport.
	isProven() bool
	setProven()
}

// linkState is the part that all links share.
type linkState struct {
	owner       linkOwner
	address     serverAddress
	token       string
	over        bool
	proven      bool
	beforeClose func() // writes what the transport requires before a close; may be nil
}

func (l *linkState) isProven() bool { return l.proven }

func (l *linkState) setProven() { l.proven = true }

func (l *linkState) keepSession() {}

func (l *linkState) finish() {
	if !l.over {
		l.over = true
		if l.beforeClose != nil {
			l.beforeClose()
		}
		l.owner.closeConnections()
	}
}

func (l *linkState) fail(end *ending) {
	if !l.over {
		l.finish()
		l.owner.linkEnded(end)
	}
}

// header returns the fields that every request has, with more name and value pairs.
func (l *linkState) header(more ...string) [][2]string {
	fields := [][2]string{{"User-Agent", "belfry-go"}}
	if l.token != "" {
		fields = append(fields, [2]string{"Authorization", "Bearer " + l.token})
	}
	for i := 0; i+1 < len(more); i += 2 {
		fields = append(fields, [2]string{more[i], more[i+1]})
	}
	return fields
}

func badEvent(err error) *ending {
	return &ending{cause: causeBadFrame, sentence: "the server sent an invalid event: " + err.Error()}
}

func lost() *ending { return &ending{cause: causeLost, sentence: "the connection broke"} }
