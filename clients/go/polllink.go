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
// Each subject or pattern continues from its position, so nothing is missed. Its polls are a session of their own, whose
// messages belong to it alone. A server without history gives a pattern no position: then each new poll of the pattern is
// confirmed again, and the engine announces the possible loss as a gap.
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
		request := &requests[i]
		begun[i] = &poller{link: l, wanted: *request, after: request.after, from: request.from, pattern: isPattern(request.subject)}
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
	from      patternPosition // of a pattern
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
		p.poll(firstWait)
	} else {
		p.requestHistory(parameter{"from", p.after.String()})
	}
}

// poll requests what follows the position, if there is one.
func (p *poller) poll(wait time.Duration) {
	parameters := []parameter{
		{"subject", p.wanted.target()}, {"wait", strconv.FormatInt(wait.Milliseconds(), 10) + "ms"},
	}
	if p.from != "" {
		parameters = append(parameters, parameter{"from", p.from.String()})
	} else if p.after != nil {
		parameters = append(parameters, parameter{"from", p.after.String()})
	}
	p.call = p.link.get("/poll", func(a *answer) { p.answered(a, p.polled) }, parameters...)
}

func (p *poller) requestHistory(which parameter) {
	p.call = p.link.get("/history", func(a *answer) { p.answered(a, p.historyArrived) },
		parameter{"subject", p.wanted.target()}, which)
}

// pollAnswer has the members of an answer of /poll or /history.
type pollAnswer struct {
	at     *Position
	from   patternPosition // of a pattern; empty if the server has none
	events []event         // messages and gaps
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
		At       *string           `json:"at"`
	}
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, eventError("the server sent text that is not JSON")
	}
	read := &pollAnswer{}
	if at, ok := positionOf(body); ok {
		read.at = &at
	}
	if members.At != nil {
		from, err := parsePatternPosition(*members.At)
		if err != nil {
			return nil, eventError("an answer has an invalid position of patterns")
		}
		read.from = from
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
			p.patternPolled(answer)
		}
		return
	case answer.at != nil:
		p.after = answer.at
	}
	switch {
	case p.after == nil:
		p.poll(firstWait)
	case !p.confirmed:
		p.first = answer.events
		p.requestHistory(parameter{"count", strconv.Itoa(p.wanted.history)})
	default:
		p.pass(answer.events)
		p.pollOn()
	}
}

// patternPolled continues at the position after the answer. The first answer, and each one without a position, confirms the
// pattern.
func (p *poller) patternPolled(answer *pollAnswer) {
	before := p.from
	p.from = answer.from
	p.poll(p.link.wait)
	if p.confirmed && before != "" && p.from != "" {
		p.link.owner.eventOf(p.wanted.subject, &positionEvent{at: p.from})
		return
	}
	p.confirmed = true
	result := RecoveryNone
	if before != "" {
		result = answer.recovery()
	}
	p.link.owner.event(&subscribedEvent{subject: p.wanted.subject, recovery: result, pattern: p.from})
}

// recovery returns the result of a request from a position.
func (a *pollAnswer) recovery() Recovery {
	if len(a.events) > 0 {
		if _, gap := a.events[0].(*gapEvent); gap {
			return RecoveryGap
		}
	}
	return RecoveryComplete
}

func (p *poller) pollOn() {
	if !p.isOver() && !p.wanted.temporary {
		p.poll(p.link.wait)
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
	if len(answer.events) > 0 {
		p.after = &answer.ends[len(answer.ends)-1]
	}
	p.confirm(*p.after, answer.recovery())
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

// pass passes messages and gaps to the subscription of the poller; those of a bridge belong to the patterns that match.
func (p *poller) pass(events []event) {
	for _, each := range events {
		if p.isOver() {
			return
		}
		if p.wanted.temporary {
			p.link.owner.event(each)
		} else {
			p.link.owner.eventOf(p.wanted.subject, each)
		}
	}
}
