package belfry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	// changesWait is the time within which changes of subscriptions lead to one new request.
	changesWait    = 10 * time.Millisecond
	answerBytesMax = 64 << 20
)

// httpLink is the part that both links over HTTP share: publishes, one after the other so that their order is kept, and
// changes of the subscriptions. Owner: the engine.
type httpLink struct {
	linkState
	// replace requests these subscriptions instead of the current ones.
	replace    func(requests []wanted)
	isOpen     bool
	publishing *timer // runs while a publish waits for its answer
	timeout    time.Duration
	changing   *timer
}

// answer is a callHandler for answers that are read as a whole.
type answer struct {
	link   *httpLink
	status int
	fields http.Header
	body   []byte
	done   func(a *answer)
}

func (a *answer) opened() {}

func (a *answer) head(status int, fields http.Header) { a.status, a.fields = status, fields }

func (a *answer) data(data []byte) {
	a.body = append(a.body, data...)
	if len(a.body) > answerBytesMax {
		sentence := fmt.Sprintf("the server sent an answer of more than %d bytes", answerBytesMax)
		a.link.fail(&ending{cause: causeBadFrame, sentence: sentence})
	}
}

func (a *answer) ended(end *ending) {
	if end != nil {
		a.link.fail(end)
	} else {
		a.done(a)
	}
}

func (a *answer) refusal() *ending { return refusalOf(a.status, a.fields, a.body) }

// get requests a resource and calls done with the whole answer; a broken connection fails the link.
func (l *httpLink) get(resource string, done func(a *answer), parameters ...parameter) call {
	request := &httpRequest{method: "GET", url: l.address.url(resource, parameters...), header: l.header()}
	return l.owner.request(request, &answer{link: l, done: done})
}

// proved is called for the first event or answer: nothing between client and server blocks the transport.
func (l *httpLink) proved() {
	l.proven = true
	l.nowOpen()
}

func (l *httpLink) nowOpen() {
	if !l.isOpen && !l.over {
		l.isOpen = true
		l.owner.linkOpen()
	}
}

// open requests the subscriptions. Without any, a request that the server always answers shows that it is there.
func (l *httpLink) open() {
	if requests := l.owner.wanted(); len(requests) > 0 {
		l.replace(requests)
	} else {
		l.checkLive()
	}
}

func (l *httpLink) checkLive() {
	l.get("/health/live", func(a *answer) {
		if a.status == http.StatusOK {
			l.nowOpen()
		} else {
			l.fail(a.refusal())
		}
	})
}

func (l *httpLink) subscribe([]wanted) { l.changed() }

func (l *httpLink) unsubscribe([]string) { l.changed() }

// endBridges keeps them until the next change, which would cost more than they do.
func (l *httpLink) endBridges([]string) {}

// renew begins new requests from the current positions, because a request keeps its token.
func (l *httpLink) renew(token string) {
	l.token = token
	l.changed()
}

func (l *httpLink) changed() {
	if l.changing == nil {
		l.changing = l.owner.after(changesWait, func() {
			l.changing = nil
			if !l.over {
				l.replace(l.owner.wanted())
			}
		})
	}
}

func (l *httpLink) canPing() bool { return false }

func (l *httpLink) ping() {}

func (l *httpLink) watch(string) bool { return false }

func (l *httpLink) unwatch(string) {}

func (l *httpLink) publish(command *publishCommand) bool {
	if l.publishing != nil || l.over {
		return false
	}
	parameters := []parameter{{"subject", command.subject}}
	if command.retain {
		parameters = append(parameters, parameter{"retain", "true"})
	}
	if command.msgID != "" {
		parameters = append(parameters, parameter{"msgId", command.msgID})
	}
	if command.ttl > 0 {
		parameters = append(parameters, parameter{"ttl", strconv.FormatInt(ttlMillis(command.ttl), 10) + "ms"})
	}
	if command.origin != "" {
		parameters = append(parameters, parameter{"origin", command.origin})
	}
	for _, name := range headerNames(command.headers) {
		parameters = append(parameters, parameter{"header", name + "=" + command.headers[name]})
	}
	// A connection that died silently would otherwise block all later publishes.
	l.publishing = l.owner.after(l.timeout, func() {
		l.fail(&ending{cause: causeTimedOut, sentence: fmt.Sprintf("a publish was not answered within %v", l.timeout)})
	})
	id := command.id
	l.owner.request(&httpRequest{
		method: "POST", url: l.address.url("/publish", parameters...), header: l.header(), body: command.data,
	}, &answer{link: l, done: func(a *answer) { l.published(id, a) }})
	return true
}

func (l *httpLink) published(id int64, a *answer) {
	l.publishing.stop()
	l.publishing = nil
	if at, ok := positionOf(a.body); ok && a.status == http.StatusOK {
		l.owner.event(&publishedEvent{id, at})
	} else if !l.publishRefused(id, a) {
		return
	}
	if !l.over {
		l.owner.linkWritable()
	}
}

// publishRefused handles a refusal; it returns false if the refusal ends the link.
func (l *httpLink) publishRefused(id int64, a *answer) bool {
	refusal := a.refusal()
	if (a.status == http.StatusRequestTimeout || a.status == http.StatusServiceUnavailable) && isOfConnection(refusal.code) {
		l.fail(refusal)
		return false
	}
	failed := &errorEvent{id: id, code: refusal.code, reason: refusal.sentence, after: millis(errorOfBody(a.body).After)}
	if failed.code == "" {
		failed.code = "http-" + strconv.Itoa(a.status)
	}
	l.owner.event(failed)
	if a.status == http.StatusUnauthorized {
		l.fail(refusal)
		return false
	}
	return true
}

// positionOf returns the position in an answer.
func positionOf(body []byte) (Position, bool) {
	var members struct {
		Epoch *int64 `json:"epoch"`
		Seq   *int64 `json:"seq"`
	}
	if json.Unmarshal(body, &members) != nil || members.Epoch == nil || members.Seq == nil {
		return Position{}, false
	}
	return Position{*members.Epoch, *members.Seq}, true
}
