package belfry

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf8"
)

// Opcodes of RFC 6455.
const (
	opContinuation byte = 0x0
	opText         byte = 0x1
	opBinary       byte = 0x2
	opClose        byte = 0x8
	opPing         byte = 0x9
	opPong         byte = 0xA
)

// Close codes of RFC 6455.
const (
	closeNormal        = 1000
	closeProtocolError = 1002
	closeNoCode        = 1005 // stands for a close frame without a code
	closeInvalidText   = 1007
	closeTooLarge      = 1009
)

const (
	// frameMessageBytesMax is far above any MaxMessageSize in use.
	frameMessageBytesMax = 64 << 20
	frameFragmentsMax    = 65536
	frameControlBytesMax = 125
	frameKeyBlockBytes   = 4096
)

// frameError is a violation of RFC 6455, with the close code that reports it.
type frameError struct {
	closeCode int
	sentence  string
}

func (e *frameError) Error() string { return e.sentence }

// frameWriter writes masked frames. It reads masking keys in blocks, because each read of random bytes is a system call.
type frameWriter struct {
	entropy  io.Reader
	keys     []byte
	deflater *deflater // nil: messages are not compressed
}

func newFrameWriter() *frameWriter { return &frameWriter{entropy: rand.Reader} }

func (w *frameWriter) nextKey() uint32 {
	if len(w.keys) < 4 {
		w.keys = make([]byte, frameKeyBlockBytes)
		if _, err := io.ReadFull(w.entropy, w.keys); err != nil {
			panic("belfry: the system has no random bytes: " + err.Error())
		}
	}
	key := binary.LittleEndian.Uint32(w.keys)
	w.keys = w.keys[4:]
	return key
}

// message returns the frame of a message, compressed if that is agreed and makes it smaller.
func (w *frameWriter) message(opcode byte, payload []byte) []byte {
	if w.deflater != nil {
		if packed := w.deflater.deflate(payload); packed != nil {
			return w.frame(rsv1|opcode, packed)
		}
	}
	return w.frame(opcode, payload)
}

// frame returns one final, masked frame.
func (w *frameWriter) frame(first byte, payload []byte) []byte {
	length := len(payload)
	frame := make([]byte, 0, length+14)
	switch {
	case length < 126:
		frame = append(frame, 0x80|first, 0x80|byte(length))
	case length < 1<<16:
		frame = append(frame, 0x80|first, 0x80|126, byte(length>>8), byte(length))
	default:
		frame = append(frame, 0x80|first, 0x80|127, 0, 0, 0, 0, 0, 0, 0, 0)
		binary.BigEndian.PutUint64(frame[2:], uint64(length))
	}
	key := w.nextKey()
	frame = append(frame, byte(key), byte(key>>8), byte(key>>16), byte(key>>24))
	start := len(frame)
	frame = append(frame, payload...)
	mask(frame[start:], key)
	return frame
}

// closeFrame returns a close frame.
func (w *frameWriter) closeFrame(code int) []byte {
	return w.frame(opClose, []byte{byte(code >> 8), byte(code)})
}

// mask applies a masking key, whose first byte is the lowest, in place.
func mask(data []byte, key uint32) {
	double := uint64(key)<<32 | uint64(key)
	for len(data) >= 8 {
		binary.LittleEndian.PutUint64(data, binary.LittleEndian.Uint64(data)^double)
		data = data[8:]
	}
	for i := range data {
		data[i] ^= byte(key >> (8 * (uint(i) & 3)))
	}
}

// frameReader joins received bytes into messages and control frames. It begins with feed and then calls next until
// there is no frame. Payloads are valid until the next call.
type frameReader struct {
	bytesMax  int
	pending   []byte // bytes that are not read yet
	carried   []byte // memory of pending between two calls of feed
	opcode    byte   // of the fragmented message; opContinuation if there is none
	packed    bool   // whether the fragmented message is compressed
	fragments []byte
	count     int
	inflater  *inflater // nil: messages must not be compressed
}

func newFrameReader() *frameReader { return &frameReader{bytesMax: frameMessageBytesMax} }

// feed adds received bytes. The bytes may be reused after next found no further frame.
func (r *frameReader) feed(data []byte) {
	if len(r.pending) == 0 {
		r.pending = data
		return
	}
	r.carried = append(r.carried, data...)
	r.pending = r.carried
}

// next returns the next complete message or control frame; ok is false if more bytes are needed.
func (r *frameReader) next() (opcode byte, payload []byte, ok bool, err error) {
	for {
		first, body, found, err := r.frame()
		if err != nil {
			return 0, nil, false, err
		}
		if !found {
			r.carry()
			return 0, nil, false, nil
		}
		opcode = first & 0x0F
		if opcode >= opClose {
			if opcode == opClose {
				err = checkClose(body)
			}
			return opcode, body, err == nil, err
		}
		if opcode != opContinuation && first&0x80 != 0 {
			return r.message(opcode, body, first&rsv1 != 0)
		}
		if payload, whole, err := r.fragment(first, body); err != nil || whole {
			if err != nil {
				return 0, nil, false, err
			}
			opcode = r.opcode
			r.opcode = opContinuation
			return r.message(opcode, payload, r.packed)
		}
	}
}

// carry keeps the bytes of an incomplete frame, because the caller reuses its memory.
func (r *frameReader) carry() {
	if len(r.pending) == 0 {
		if cap(r.carried) > 1<<20 {
			r.carried = nil
		}
		r.carried = r.carried[:0]
		return
	}
	if len(r.carried) > 0 && &r.carried[len(r.carried)-1] == &r.pending[len(r.pending)-1] {
		if len(r.carried) > 2*len(r.pending) {
			r.carried = r.carried[:copy(r.carried, r.pending)]
		} else {
			r.carried = r.carried[len(r.carried)-len(r.pending):]
		}
	} else {
		r.carried = append(r.carried[:0], r.pending...)
	}
	r.pending = r.carried
}

// frame takes one whole frame off the pending bytes; found is false if it is not complete.
func (r *frameReader) frame() (first byte, body []byte, found bool, err error) {
	data := r.pending
	if len(data) < 2 {
		return 0, nil, false, nil
	}
	if err := r.checkHead(data[0], data[1]); err != nil {
		return 0, nil, false, err
	}
	start := 2
	length := uint64(data[1] & 0x7F)
	switch length {
	case 126:
		start = 4
		if len(data) < start {
			return 0, nil, false, nil
		}
		length = uint64(binary.BigEndian.Uint16(data[2:]))
	case 127:
		start = 10
		if len(data) < start {
			return 0, nil, false, nil
		}
		length = binary.BigEndian.Uint64(data[2:])
	}
	if data[0]&0x0F < opClose && length > uint64(r.bytesMax-len(r.fragments)) {
		return 0, nil, false, tooLarge(r.bytesMax)
	}
	if uint64(len(data)-start) < length {
		return 0, nil, false, nil
	}
	end := start + int(length)
	r.pending = data[end:]
	return data[0], data[start:end:end], true, nil
}

func tooLarge(bytesMax int) *frameError {
	return &frameError{closeTooLarge, fmt.Sprintf("the server sent a message of more than %d bytes", bytesMax)}
}

func (r *frameReader) checkHead(first, second byte) error {
	opcode := first & 0x0F
	reserved := first & 0x70
	if r.inflater != nil && (opcode == opText || opcode == opBinary) {
		reserved &^= rsv1
	}
	if reserved != 0 || second&0x80 != 0 || (opcode > opBinary && opcode < opClose) || opcode > opPong {
		return &frameError{closeProtocolError,
			fmt.Sprintf("the server sent a frame that violates RFC 6455; its first bytes are %#x %#x", first, second)}
	}
	if opcode >= opClose {
		if first&0x80 == 0 || second&0x7F > frameControlBytesMax {
			return &frameError{closeProtocolError, "the server sent a control frame that is fragmented or too long"}
		}
		return nil
	}
	if (opcode == opContinuation) != (r.opcode != opContinuation) {
		return &frameError{closeProtocolError, "the server sent fragments in the wrong order"}
	}
	return nil
}

// fragment adds a fragment; whole reports whether it was the last one.
func (r *frameReader) fragment(first byte, body []byte) (payload []byte, whole bool, err error) {
	if first&0x0F != opContinuation {
		r.opcode = first & 0x0F
		r.packed = first&rsv1 != 0
		r.count = 0
	}
	r.count++
	if r.count > frameFragmentsMax {
		return nil, false, &frameError{closeTooLarge, "the server sent a message in too many fragments"}
	}
	r.fragments = append(r.fragments, body...)
	if first&0x80 == 0 {
		return nil, false, nil
	}
	payload = r.fragments
	r.fragments = nil
	return payload, true, nil
}

func (r *frameReader) message(opcode byte, payload []byte, packed bool) (byte, []byte, bool, error) {
	if packed {
		inflated, err := r.inflater.inflate(payload, r.bytesMax)
		if err != nil {
			return 0, nil, false, err
		}
		payload = inflated
	}
	if opcode == opText && !utf8.Valid(payload) {
		return 0, nil, false, &frameError{closeInvalidText, "the server sent text that is not UTF-8"}
	}
	return opcode, payload, true, nil
}

func checkClose(payload []byte) error {
	if len(payload) == 0 {
		return nil
	}
	if len(payload) == 1 || !isCloseCode(int(payload[0])<<8|int(payload[1])) {
		return &frameError{closeProtocolError, "the server sent an invalid close frame"}
	}
	if !utf8.Valid(payload[2:]) {
		return &frameError{closeInvalidText, "the server sent text that is not UTF-8"}
	}
	return nil
}

func isCloseCode(code int) bool {
	switch code {
	case 1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014:
		return true
	}
	return code >= 3000 && code <= 4999
}

// closeOf returns the code and the reason of a close frame that a reader accepted.
func closeOf(payload []byte) (int, string) {
	if len(payload) == 0 {
		return closeNoCode, ""
	}
	return int(payload[0])<<8 | int(payload[1]), string(payload[2:])
}
