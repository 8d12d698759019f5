package belfry

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

const (
	inboxPrefix    = "/$inbox/"
	inboxNameBytes = 16
	inboxNameChars = 22
	inboxKeyBytes  = 24

	replyTo       = "replyTo"
	correlationID = "correlationId"
	// correlationBytes are the random bytes that relate a reply to its request. A responder cannot guess those of others.
	correlationBytes = 12
)

// inboxOf returns the inbox of a key: the subject to which replies are published. Whoever knows it may publish to it, and
// only who knows the key may subscribe to it.
func inboxOf(key string) string {
	digest := sha256.Sum256([]byte(key))
	return inboxPrefix + base64.RawURLEncoding.EncodeToString(digest[:inboxNameBytes])
}

func isInbox(subject string) bool {
	if len(subject) != len(inboxPrefix)+inboxNameChars || !strings.HasPrefix(subject, inboxPrefix) {
		return false
	}
	name := subject[len(inboxPrefix):]
	for i := 0; i < len(name); i++ {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// randomText returns random bytes as base64url.
func randomText(bytes int) (string, error) {
	random := make([]byte, bytes)
	if _, err := rand.Read(random); err != nil {
		return "", fmt.Errorf("belfry: the system has no random bytes: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(random), nil
}

// withHeaders returns the headers of both; those of more take precedence.
func withHeaders(headers, more map[string]string) map[string]string {
	all := make(map[string]string, len(headers)+len(more))
	for name, value := range headers {
		all[name] = value
	}
	for name, value := range more {
		all[name] = value
	}
	return all
}

// replyTerms returns the subject and the headers of the reply to a request. The subject must be an inbox: otherwise a
// requester could make the program publish where only the program may.
func replyTerms(request *Message, headers map[string]string) (string, map[string]string, error) {
	to := request.Headers[replyTo]
	if !isInbox(to) {
		return "", nil, errors.New("belfry: the message asks for no reply: its header replyTo names no inbox")
	}
	if id, found := request.Headers[correlationID]; found {
		headers = withHeaders(headers, map[string]string{correlationID: id})
	}
	return to, headers, nil
}
