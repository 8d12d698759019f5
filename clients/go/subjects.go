package belfry

import (
	"strings"
	"unicode/utf8"
)

const subjectBytesMax = 255

// subjectProblem returns the rule of docs/protocol.md that a subject or pattern breaks, or an empty text. Patterns are
// allowed in subscriptions, which may also name a subject of the server, but no pattern within the server's subjects. An
// inbox is allowed in publishes too.
func subjectProblem(subject string, patternAllowed bool) string {
	switch {
	case !utf8.ValidString(subject):
		return "a subject must be UTF-8"
	case subject == "":
		return "a subject must not be empty"
	case len(subject) > subjectBytesMax:
		return "a subject must have at most 255 bytes"
	case subject[0] != '/':
		return "a subject must begin with '/'"
	}
	if isInbox(subject) {
		return ""
	}
	for _, char := range subject {
		if char <= 0x1F || (char >= 0x7F && char <= 0x9F) {
			return "a subject must not have control characters"
		}
	}
	ofServer := patternAllowed && strings.HasPrefix(subject, "/$")
	segments := strings.Split(subject[1:], "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		if problem := segmentProblem(segment, last, patternAllowed && !ofServer, ofServer); problem != "" {
			return problem
		}
	}
	return ""
}

func segmentProblem(segment string, last, patternAllowed, reservedAllowed bool) string {
	switch {
	case segment == "":
		return "a subject must not have an empty segment or end with '/'"
	case segment[0] == '$' && !reservedAllowed:
		return "segments that begin with '$' are reserved"
	case !strings.Contains(segment, "*"):
		return ""
	case !patternAllowed:
		return "a pattern is not allowed here, only a plain subject"
	case segment != "*" && segment != "**":
		return "'*' and '**' must be whole segments"
	case segment == "**" && !last:
		return "'**' must be the last segment"
	}
	return ""
}

// isPattern reports whether a valid subject or pattern is a pattern.
func isPattern(subject string) bool { return strings.Contains(subject, "*") }

// matches reports whether a valid pattern matches a valid plain subject. Wildcards never match segments that begin
// with '$'.
func matches(pattern, subject string) bool {
	wanted := strings.Split(pattern, "/")
	found := strings.Split(subject, "/")
	named := len(wanted)
	rest := wanted[named-1] == "**"
	if len(found) < named || (len(found) > named && !rest) {
		return false
	}
	if rest {
		named--
	}
	for i, segment := range found {
		if i < named && wanted[i] != "*" {
			if wanted[i] != segment {
				return false
			}
		} else if strings.HasPrefix(segment, "$") {
			return false
		}
	}
	return true
}
