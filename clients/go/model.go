package belfry

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// positionMax is the largest number of a position.
const positionMax = 1 << 53

// Position is the place of a message in its subject. Positions of different epochs cannot be compared.
type Position struct {
	Epoch int64
	Seq   int64
}

// String returns the position as epoch:seq, the form that ParsePosition reads.
func (p Position) String() string {
	return strconv.FormatInt(p.Epoch, 10) + ":" + strconv.FormatInt(p.Seq, 10)
}

// ParsePosition returns the position that is written as epoch:seq.
func ParsePosition(text string) (Position, error) {
	first, second, _ := strings.Cut(text, ":")
	epoch, okEpoch := positionNumber(first)
	seq, okSeq := positionNumber(second)
	if !okEpoch || !okSeq {
		return Position{}, fmt.Errorf("belfry: a position must be epoch:seq, two whole numbers up to 2^53, not %q", text)
	}
	return Position{epoch, seq}, nil
}

func positionNumber(text string) (int64, bool) {
	if len(text) == 0 || len(text) > 16 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	number, err := strconv.ParseInt(text, 10, 64)
	return number, err == nil && number <= positionMax
}

// MessageType is the reason for which a message was delivered.
type MessageType uint8

const (
	// Live is the type of a message that was published now.
	Live MessageType = iota
	// Snapshot is the type of the retained message, sent after subscribing.
	Snapshot
	// History is the type of an earlier message, requested by SubscribeOptions.History.
	History
	// Recovered is the type of an earlier message after the position from which the subscription resumed.
	Recovered
)

var messageTypes = [...]string{"live", "snapshot", "history", "recovered"}

// String returns the name that the protocol uses.
func (t MessageType) String() string { return nameOf(messageTypes[:], int(t)) }

// Recovery is the result of resuming from a position.
type Recovery uint8

const (
	// RecoveryNone means that the subscription did not resume from a position.
	RecoveryNone Recovery = iota
	// RecoveryComplete means that all later messages follow.
	RecoveryComplete
	// RecoveryGap means that a gap follows: some later messages are no longer stored.
	RecoveryGap
)

var recoveries = [...]string{"none", "complete", "gap"}

// String returns the name that the protocol uses.
func (r Recovery) String() string { return nameOf(recoveries[:], int(r)) }

func nameOf(names []string, index int) string {
	if index >= len(names) {
		return "unknown"
	}
	return names[index]
}

// indexOf returns the index of a name, or -1.
func indexOf(names []string, name string) int {
	for i, each := range names {
		if each == name {
			return i
		}
	}
	return -1
}

// Item is what a subscription delivers: a *Message or a *Gap.
type Item interface {
	// dataBytes returns the bytes that the item holds besides its fixed size.
	dataBytes() int
}

// Message is one message. If several subscriptions of a client match its subject, they share Data.
type Message struct {
	Subject  string
	Data     []byte
	Position Position
	Type     MessageType
	Retained bool      // whether it is the retained message of its subject
	Time     time.Time // time at which the server accepted the message

	// Headers are the texts that the publisher added, by name; nil if there are none. Names that begin with '$' are of the
	// server. Subscriptions share them.
	Headers map[string]string

	previous int64 // seq of the message before it in its subject
	isDelta  bool  // whether Data is a delta from that message
}

// Publisher returns the user who published the message, which the server set. It is empty if the subject or the publisher has
// no name.
func (m *Message) Publisher() string { return m.Headers["$publisher"] }

func (m *Message) dataBytes() int { return len(m.Data) }

// Gap is a range of messages that were not delivered and will not be.
type Gap struct {
	Subject string    // subject of the missing messages; a pattern if their subjects are unknown
	After   *Position // last position before the gap; nil if unknown
	To      *Position // last position of the gap; nil if unknown
	Reason  string    // a code of the protocol, or NotRecovered
}

func (g *Gap) dataBytes() int { return 0 }

// NotRecovered is the reason of a gap that the client itself detected.
const NotRecovered = "not-recovered"
