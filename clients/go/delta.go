package belfry

import (
	"encoding/binary"
	"strings"
)

// fossil is the name of the format of deltas in commands and events.
const fossil = "fossil"

const (
	deltaDigits    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
	deltaDigitsMax = 6
	// deltaResultMax is the longest result that a delta may announce.
	deltaResultMax = 1 << 20
)

const errBadDelta = eventError("a delta that does not fit the message before")

// deltaReader reads one delta. After a problem it is bad.
type deltaReader struct {
	rest []byte
	bad  bool
}

// number reads one to six digits.
func (r *deltaReader) number() int {
	value, count := 0, 0
	for count < len(r.rest) && count <= deltaDigitsMax {
		digit := strings.IndexByte(deltaDigits, r.rest[count])
		if digit < 0 {
			break
		}
		value = value<<6 | digit
		count++
	}
	if count == 0 || count > deltaDigitsMax || int64(value) >= 1<<32 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[count:]
	return value
}

func (r *deltaReader) operator() byte {
	if r.bad || len(r.rest) == 0 {
		r.bad = true
		return 0
	}
	operator := r.rest[0]
	r.rest = r.rest[1:]
	return operator
}

// applyDelta returns what a delta of Fossil makes of the base. It returns an error if the delta is malformed, does not fit
// the base, or announces more than bytesMax bytes; nothing is allocated before its length is checked.
func applyDelta(base, delta []byte, bytesMax int) ([]byte, error) {
	r := &deltaReader{rest: delta}
	length := r.number()
	if r.operator() != '\n' || r.bad || length > bytesMax {
		return nil, errBadDelta
	}
	result := make([]byte, 0, length)
	for {
		count := r.number()
		operator := r.operator()
		if r.bad {
			return nil, errBadDelta
		}
		switch operator {
		case ';':
			if len(r.rest) > 0 || len(result) != length || uint32(count) != deltaChecksum(result) {
				return nil, errBadDelta
			}
			return result, nil
		case '@':
			start := r.number()
			if r.operator() != ',' || r.bad || start > len(base) || count > len(base)-start || count > length-len(result) {
				return nil, errBadDelta
			}
			result = append(result, base[start:start+count]...)
		case ':':
			if count > len(r.rest) || count > length-len(result) {
				return nil, errBadDelta
			}
			result = append(result, r.rest[:count]...)
			r.rest = r.rest[count:]
		default:
			return nil, errBadDelta
		}
	}
}

// deltaChecksum returns the sum of the data as numbers of 32 bits, the last one filled with zeros.
func deltaChecksum(data []byte) uint32 {
	var sum uint32
	for ; len(data) >= 4; data = data[4:] {
		sum += binary.BigEndian.Uint32(data)
	}
	var last [4]byte
	copy(last[:], data)
	return sum + binary.BigEndian.Uint32(last[:])
}

// deltaBase is the latest message of a subject.
type deltaBase struct {
	at   Position
	data []byte
}

// deltaBases are the latest messages of the subjects that subscriptions with deltas follow on the present connection.
// Owner: the engine.
type deltaBases map[string]deltaBase

// resolve replaces a delta by the whole data. It returns an error if that is impossible; wanted is whether a subscription to
// the subject has deltas.
func (b deltaBases) resolve(message *Message, wanted bool) error {
	if !wanted && !message.isDelta && len(b) == 0 {
		return nil
	}
	// A subscription that has ended may still be sent deltas, which belong to a pattern too.
	base, found := b[message.Subject]
	if message.isDelta {
		if !found || base.at != (Position{message.Position.Epoch, message.previous}) {
			return errBadDelta
		}
		whole, err := applyDelta(base.data, message.Data, deltaResultMax)
		if err != nil {
			return err
		}
		message.Data, message.isDelta = whole, false
	}
	if wanted || found {
		// The program owns the data of the message.
		b[message.Subject] = deltaBase{message.Position, append([]byte(nil), message.Data...)}
	}
	return nil
}
