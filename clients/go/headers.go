package belfry

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

const (
	headersMax         = 16
	headerNameBytesMax = 64
	headersBytesMax    = 0xFFFF
	headerPairBytes    = 3
)

// headersSize returns the bytes of headers as the server counts them.
func headersSize(headers map[string]string) int {
	size := 0
	for name, value := range headers {
		size += headerPairBytes + len(name) + len(value)
	}
	return size
}

func headersProblem(headers map[string]string) error {
	if len(headers) > headersMax {
		return fmt.Errorf("belfry: a message may have at most %d headers, not %d", headersMax, len(headers))
	}
	for name, value := range headers {
		if len(name) == 0 || len(name) > headerNameBytesMax || name[0] == '$' || !utf8.ValidString(name) ||
			strings.IndexFunc(name, isControl) >= 0 {
			return fmt.Errorf("belfry: a header's name must have 1 to %d bytes of UTF-8 without control characters,"+
				" and must not begin with '$': %q", headerNameBytesMax, name)
		}
		if !utf8.ValidString(value) {
			return fmt.Errorf("belfry: the header %q must be UTF-8", name)
		}
	}
	if size := headersSize(headers); size > headersBytesMax {
		return fmt.Errorf("belfry: headers may have at most %d bytes, not %d", headersBytesMax, size)
	}
	return nil
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7F && r <= 0x9F }

// headerNames returns the names in order, so that equal headers have equal bytes.
func headerNames(headers map[string]string) []string {
	names := make([]string, 0, len(headers))
	for name := range headers {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// appendHeaders appends the block of the binary encoding.
func appendHeaders(to []byte, headers map[string]string) []byte {
	to = appendNumber(to, int64(headersSize(headers)), 2)
	for _, name := range headerNames(headers) {
		value := headers[name]
		to = append(appendNumber(appendShort(to, name), int64(len(value)), 2), value...)
	}
	return to
}

// headers reads the block of the binary encoding.
func (f *binaryFields) headers() map[string]string {
	pairs := binaryFields{rest: f.take(int(f.number(2)))}
	headers := map[string]string{}
	for len(pairs.rest) > 0 && pairs.problem == "" {
		name := pairs.short()
		value := pairs.take(int(pairs.number(2)))
		if !utf8.Valid(value) {
			pairs.problem = "a binary event has text that is not UTF-8"
		}
		headers[name] = string(value)
	}
	if f.problem == "" {
		f.problem = pairs.problem
	}
	return headers
}
