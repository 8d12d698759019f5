package belfry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// cause is the kind of an ending. The text is its code in a status if the server gave none.
type cause string

const (
	causeUnreachable cause = "unreachable"
	causeTimedOut    cause = "timed-out"
	causeTLS         cause = "tls-failed"
	causeToken       cause = "token-failed"
	causeRefused     cause = "refused"
	causeClosed      cause = "closed-by-server"
	causeLost        cause = "lost"
	causeBadFrame    cause = "bad-frame"
)

// ending is the reason why a connection ended or could not be made. docs/protocol.md, "Close" and "Codes". Immutable.
type ending struct {
	cause      cause
	sentence   string
	number     int    // the HTTP status of an error or the code of a close frame; 0 if there is none
	code       string // the server's code; empty if it gave none
	retryAfter time.Duration
}

func (e *ending) shownCode() string {
	if e.code != "" {
		return e.code
	}
	return string(e.cause)
}

// isFinal reports whether the same attempt would be refused again.
func (e *ending) isFinal() bool {
	switch e.cause {
	case causeRefused:
		switch e.number {
		case 400, 401, 403, 404, 405, 413, 426, 431, 501:
			return true
		}
	case causeClosed:
		switch e.number {
		case 1002, 1003, 1007, 1008, 1009, 4014:
			return true
		}
	}
	return false
}

func (e *ending) isAboutToken() bool { return e.number == 401 || e.code == "unauthorized" }

// concernsServerOnly reports whether other servers may accept the client. An overloaded server does not count.
func (e *ending) concernsServerOnly() bool {
	return e.code == "drain" || e.code == "shutdown" || e.code == "not-ready"
}

// blamesTransport reports whether another transport may work: something between client and server answered, or
// swallowed the bytes.
func (e *ending) blamesTransport() bool {
	if e.code != "" {
		return false
	}
	return e.cause == causeRefused || e.cause == causeTimedOut || e.cause == causeLost || e.cause == causeBadFrame
}

// connectRefused returns the ending of an attempt whose connect the server refused for a rate, or for the name of the client.
// It returns nil for other codes: the server closes the connection itself, or accepts it without what was asked.
func connectRefused(failed *errorEvent, hasName bool) *ending {
	// Each code has the HTTP status that belongs to it.
	switch status := map[string]int{"unsupported": 501, "client-names-full": 503}[failed.code]; {
	case failed.code == "command-rate" || failed.code == "token-rate":
		sentence := "the server refused to connect: " + failed.code + " " + failed.reason
		return &ending{causeRefused, sentence, http.StatusTooManyRequests, failed.code, failed.after}
	case status != 0 && hasName:
		sentence := "the server refused the name of the client: " + failed.code + " " + failed.reason
		return &ending{cause: causeRefused, sentence: sentence, number: status, code: failed.code}
	}
	return nil
}

// codeOf returns the code with which the reason of a close frame begins; empty if it begins with none.
func codeOf(reason string) string {
	code, _, _ := strings.Cut(reason, ":")
	if isCode(code) {
		return code
	}
	return ""
}

func isCode(text string) bool {
	return text != "" && len(text) <= 64 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// isTransient reports whether a publish refused with this code may soon succeed.
func isTransient(code string) bool {
	return code == "publish-unknown" || code == "cluster-unreachable" || code == "cluster-full"
}

// isOfSubscription reports whether the code refuses a subscription.
func isOfSubscription(code string) bool {
	switch code {
	case "bad-subject", "bad-position", "wildcard-not-allowed", "subscribe-denied", "too-many-subjects",
		"too-many-patterns", "patterns-full", "subjects-full", "unsupported":
		return true
	}
	return false
}

// isOfConnection reports whether the code concerns the connection, so that the request can be repeated on another one.
func isOfConnection(code string) bool {
	switch code {
	case "drain", "shutdown", "not-ready", "slow-consumer", "ping-timeout", "handshake-timeout":
		return true
	}
	return false
}

// httpError is the body of an HTTP error.
type httpError struct {
	Code  string `json:"code"`
	After int64  `json:"after"`
}

func errorOfBody(body []byte) httpError {
	var members httpError
	if json.Unmarshal(body, &members) != nil || !isCode(members.Code) {
		return httpError{}
	}
	return members
}

// refusalOf returns the ending for an HTTP answer with an error, with the code in its body.
func refusalOf(status int, header http.Header, body []byte) *ending {
	sentence := fmt.Sprintf("the server answered with the status %d", status)
	if shown := shownText(string(body)); shown != "" {
		sentence += ": " + shown
	}
	refusal := &ending{cause: causeRefused, sentence: sentence, number: status, code: errorOfBody(body).Code}
	if seconds, err := strconv.Atoi(header.Get("Retry-After")); err == nil && seconds >= 0 && seconds < 1e9 {
		refusal.retryAfter = time.Duration(seconds) * time.Second
	}
	return refusal
}

// shownText returns the beginning of a text without control characters.
func shownText(text string) string {
	const charsMax = 200
	text = strings.Map(func(char rune) rune {
		if char < 0x20 || char == 0x7F {
			return ' '
		}
		return char
	}, strings.TrimSpace(strings.ToValidUTF8(text, "?")))
	if chars := []rune(text); len(chars) > charsMax {
		return string(chars[:charsMax]) + "..."
	}
	return text
}
