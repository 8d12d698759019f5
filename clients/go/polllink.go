package belfry

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

const (
	// firstWait is the time after which the first poll of a subject ends with the subject's position.
	firstWait = 100 * time.Millisecond
	// pollWaitMax is the maximum time after which a poll ends without a message.
	pollWaitMax = 20 * time.Second
)

// pollLink is a link over long polling, for networks that hold back streams.
//
// Each plain subject continues from its position, so nothing is missed. A pattern has no position: each new poll of a
// pattern is confirmed again, and the engine announces the possible loss as a gap.
type pollLink struct {
	httpLink
	wait    time.Duration // less than the ping interval
	pollers map[*poller]bool
}

func newPollLink(state linkState, settings *settings) *pollLink {
	l := &pollLink{
		httpLink: httpLink{linkState: state, timeout: settings.PublishTimeout},
		wait:     settings.pingInterval() * 4 / 5,
		pollers:  map[*poller]bool{},
	}
	if l.wait > pollWaitMax {
		l.wait = pollWaitMax
	}
	l.replace = l.replacePollers
	return l
}

func (l *pollLink) expectsReads() bool { return len(l.pollers) > 0 }

// probe requests an answer, which is a sign of life.
func (l *pollLink) probe() {
	if len(l.pollers) > 0 {
		l.get("/health/live", func(*answer) {})
	}
}

func (l *pollLink) replacePollers(requests []wanted) {
	for old := range l.pollers {
		old.end()
	}
	l.pollers = map[*poller]bool{}
	begun := make([]*poller, len(requests))
	for i := range requests {
		begun[i] = &poller{link: l, wanted: requests[i], after: requests[i].after, pattern: isPattern(requests[i].subject)}
		if !requests[i].temporary {
			l.pollers[begun[i]] = true
		}
	}
	// Patterns first: messages that they deliver are not missing from the history requested after them.
	for _, patterns := range []bool{true, false} {
		for _, each := range begun {
			if each.pattern == patterns && !l.over {
				each.begin()
			}
		}
	}
}

// poller has the requests for one subject or pattern: first its position, then earlier messages, then polls from the
// position. Owner: the engine.
type poller struct {
	link      *pollLink
	wanted    wanted
	pattern   bool
	after     *Position
	confirmed bool
	first     []event // the messages of the first poll
	call      call
	over      bool
}

func (p *poller) end() {
	p.over = true
	if p.call != nil {
		p.call.cancel()
	}
}

func (p *poller) isOver() bool { return p.over || p.link.over }

func (p *poller) begin() {
	if p.pattern || p.after == nil {
		p.poll(nil, firstWait)
	} else {
		p.requestHistory(parameter{"from", p.after.String()})
	}
}

func (p *poller) poll(after *Position, wait time.Duration) {
	parameters := []parameter{
		{"subject", p.wanted.subject}, {"wait", strconv.FormatInt(wait.Milliseconds(), 10) + "ms"},
	}
	if after != nil {
		parameters = append(parameters, parameter{"from", after.String()})
	}
	p.call = p.link.get("/poll", func(a *answer) { p.answered(a, p.polled) }, parameters...)
}

func (p *poller) requestHistory(which parameter) {
	p.call = p.link.get("/history", func(a *answer) { p.answered(a, p.historyArrived) },
		parameter{"subject", p.wanted.subject}, which)
}

// pollAnswer has the members of an answer of /poll or /history.
type pollAnswer struct {
	at     *Position
	events []event // messages and gaps
	ends   []Position
}

func (p *poller) answered(a *answer, handle func(*pollAnswer)) {
	if p.isOver() || !p.accepted(a) {
		return
	}
	p.link.proved()
	read, err := readPollAnswer(a.body)
	if err != nil {
		p.link.fail(badEvent(err))
	} else if !p.isOver() {
		handle(read)
	}
}

func readPollAnswer(body []byte) (*pollAnswer, error) {
	var members struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, eventError("the server sent text that is not JSON")
	}
	read := &pollAnswer{}
	if at, ok := positionOf(body); ok {
		read.at = &at
	}
	for _, text := range members.Messages {
		decoded, err := readJSONEvent(text)
		if err != nil {
			return nil, err
		}
		switch each := decoded.(type) {
		case *Message:
			read.add(each, each.Position)
		case *gapEvent:
			read.add(each, each.to)
		}
	}
	return read, nil
}

func (a *pollAnswer) add(event event, end Position) {
	a.events = append(a.events, event)
	a.ends = append(a.ends, end)
}

// accepted checks an answer. A refused subject ends its poller, any other refusal the link.
func (p *poller) accepted(a *answer) bool {
	if a.status == http.StatusOK {
		return true
	}
	refusal := a.refusal()
	if !isOfSubscription(refusal.code) {
		p.link.fail(refusal)
		return false
	}
	p.link.proved()
	p.end()
	delete(p.link.pollers, p)
	if !p.link.over {
		p.link.owner.event(&errorEvent{code: refusal.code, reason: refusal.sentence, subject: p.wanted.subject})
	}
	return false
}

func (p *poller) polled(answer *pollAnswer) {
	switch {
	case p.pattern:
		p.pass(answer.events)
		if !p.isOver() {
			p.poll(nil, p.link.wait)
			p.link.owner.event(&subscribedEvent{subject: p.wanted.subject})
		}
		return
	case answer.at != nil:
		p.after = answer.at
	}
	switch {
	case p.after == nil:
		p.poll(nil, firstWait)
	case !p.confirmed:
		p.first = answer.events
		p.requestHistory(parameter{"count", strconv.Itoa(p.wanted.history)})
	default:
		p.pass(answer.events)
		p.pollOn()
	}
}

func (p *poller) pollOn() {
	if !p.isOver() && !p.wanted.temporary {
		p.poll(p.after, p.link.wait)
	}
}

func (p *poller) historyArrived(answer *pollAnswer) {
	switch {
	case p.wanted.after != nil:
		p.recovered(answer)
	case p.wanted.history > 0:
		p.historyRequested(answer)
	default:
		p.begunLive(answer)
	}
	p.pollOn()
}

// recovered continues at the end of the messages after the position.
func (p *poller) recovered(answer *pollAnswer) {
	result := RecoveryComplete
	if len(answer.events) > 0 {
		if _, gap := answer.events[0].(*gapEvent); gap {
			result = RecoveryGap
		}
		p.after = &answer.ends[len(answer.ends)-1]
	}
	p.confirm(*p.after, result)
	p.pass(answer.events)
}

// historyRequested continues at the end of the requested history.
func (p *poller) historyRequested(answer *pollAnswer) {
	for i, each := range answer.events {
		end := answer.ends[i]
		if message, is := each.(*Message); is && message.Type == Snapshot {
			continue
		}
		if end.Epoch > p.after.Epoch || (end.Epoch == p.after.Epoch && end.Seq > p.after.Seq) {
			p.after = &end
		}
	}
	p.confirm(*p.after, RecoveryNone)
	p.pass(answer.events)
}

// begunLive begins at the position before the first poll.
func (p *poller) begunLive(answer *pollAnswer) {
	start := *p.after
	if len(p.first) > 0 {
		if message, is := p.first[0].(*Message); is {
			start.Seq = message.previous
		}
	}
	p.confirm(start, RecoveryNone)
	p.pass(answer.events)
	p.pass(p.first)
	p.first = nil
}

func (p *poller) confirm(at Position, result Recovery) {
	p.confirmed = true
	p.link.owner.event(&subscribedEvent{subject: p.wanted.subject, at: &at, recovery: result})
}

func (p *poller) pass(events []event) {
	for _, each := range events {
		if p.isOver() {
			return
		}
		p.link.owner.event(each)
	}
}
