package belfry

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	ndjson       = "application/x-ndjson"
	lineBytesMax = 64 << 20
)

// streamLink is a link over an HTTP stream of NDJSON lines, at most one at a time. When the set of subscriptions
// changes, a new stream is opened that resumes at the current positions.
type streamLink struct {
	httpLink
	proofTime time.Duration // maximum time until the first event
	pingTime  time.Duration // the requested ping interval; 0 for that of the server
	proof     *timer
	stream    *stream
}

func newStreamLink(state linkState, settings *settings) *streamLink {
	l := &streamLink{
		httpLink:  httpLink{linkState: state, timeout: settings.PublishTimeout},
		proofTime: settings.ConnectTimeout,
		pingTime:  settings.PingInterval,
	}
	l.replace = l.replaceStream
	return l
}

func (l *streamLink) expectsReads() bool { return l.stream != nil }

// probe opens another stream, because a stream cannot be asked.
func (l *streamLink) probe() {
	if l.stream != nil {
		l.changed()
	}
}

func (l *streamLink) replaceStream(requests []wanted) {
	if l.stream != nil {
		l.stream.call.cancel()
		l.stream = nil
	}
	if len(requests) == 0 {
		return
	}
	parameters := streamParameters(requests)
	if l.pingTime > 0 {
		parameters = append(parameters, parameter{"ping", strconv.FormatInt(l.pingTime.Milliseconds(), 10)})
	}
	l.stream = &stream{link: l}
	l.stream.call = l.owner.request(&httpRequest{
		method: "GET", url: l.address.url("/subscribe", parameters...), header: l.header("Accept", ndjson),
	}, l.stream)
	if l.proof == nil && !l.proven {
		l.proof = l.owner.after(l.proofTime, l.requireProof)
	}
}

// requireProof gives up streams that something between client and server holds back.
func (l *streamLink) requireProof() {
	l.proof = nil
	if l.stream != nil && !l.proven {
		l.fail(&ending{cause: causeTimedOut, sentence: fmt.Sprintf("the stream had no event within %v", l.proofTime)})
	}
}

func streamParameters(requests []wanted) []parameter {
	var parameters []parameter
	var positions []string
	ofPatterns := ""
	anyPosition := false
	history := 0
	// A stream has one interval for all subjects: the shortest of them, or none if one of them wants all messages.
	conflate := requests[0].conflate
	for i := range requests {
		each := &requests[i]
		parameters = append(parameters, parameter{"subject", each.target()})
		if each.conflate < conflate {
			conflate = each.conflate
		}
		if isPattern(each.subject) {
			if each.from != "" {
				ofPatterns = each.from.String()
			}
			continue
		}
		position := ""
		if each.after != nil {
			position = each.after.String()
			anyPosition = true
		}
		positions = append(positions, position)
		if each.history > history {
			history = each.history
		}
	}
	if ofPatterns != "" {
		// The position of all patterns is the last one.
		positions = append(positions, ofPatterns)
	}
	if anyPosition || ofPatterns != "" {
		parameters = append(parameters, parameter{"from", strings.Join(positions, ",")})
	}
	if history > 0 {
		parameters = append(parameters, parameter{"history", strconv.Itoa(history)})
	}
	if conflate > 0 {
		parameters = append(parameters, parameter{"conflate", strconv.FormatInt(conflate.Milliseconds(), 10)})
	}
	return parameters
}

// stream is one answer of NDJSON lines.
type stream struct {
	link     *streamLink
	call     call
	refused  int // the status of an answer that refuses the stream
	fields   http.Header
	partial  []byte // the beginning of a line, or the body of a refusal
	lastCode string
}

func (s *stream) opened() {}

func (s *stream) head(status int, fields http.Header) {
	if status != http.StatusOK {
		s.refused, s.fields = status, fields
	} else if !strings.HasPrefix(fields.Get("Content-Type"), ndjson) {
		s.link.fail(&ending{cause: causeBadFrame, sentence: "the answer is not an NDJSON stream"})
	} else if millis, err := strconv.ParseUint(fields.Get("Belfry-Ping"), 10, 32); err == nil {
		s.link.owner.pingInterval(time.Duration(millis) * time.Millisecond)
	}
}

func (s *stream) ended(end *ending) {
	s.link.stream = nil
	switch {
	case s.refused != 0:
		s.link.fail(refusalOf(s.refused, s.fields, s.partial))
	case end != nil:
		s.link.fail(end)
	default:
		s.link.fail(&ending{cause: causeClosed, sentence: "the server ended the stream", code: s.lastCode})
	}
}

func (s *stream) data(data []byte) {
	if s.refused != 0 {
		if len(s.partial) < refusalBytesMax {
			s.partial = append(s.partial, data...)
		}
		return
	}
	for s.link.stream == s && !s.link.over {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break
		}
		line := data[:end]
		if len(s.partial) > 0 {
			line = append(s.partial, line...)
			s.partial = s.partial[:0]
		}
		data = data[end+1:]
		s.line(line)
	}
	s.partial = append(s.partial, data...)
	if len(s.partial) > lineBytesMax {
		sentence := fmt.Sprintf("the server sent a line of more than %d bytes", lineBytesMax)
		s.link.fail(&ending{cause: causeBadFrame, sentence: sentence})
	}
}

// line handles one line; empty lines are signs of life.
func (s *stream) line(line []byte) {
	if len(line) == 0 || line[0] != '{' {
		return
	}
	s.link.proved()
	decoded, err := readJSONEvent(line)
	if err != nil {
		s.link.fail(badEvent(err))
		return
	}
	if failed, is := decoded.(*errorEvent); is && failed.subject == "" {
		s.lastCode = failed.code
	}
	if decoded != nil {
		s.link.owner.event(decoded)
	}
}
