package belfry

import (
	"bytes"
	"errors"
	"math/rand"
	"testing"
)

// readFrames feeds bytes in pieces of a size, and returns the frames before the first violation.
func readFrames(data []byte, size int, bytesMax int) ([]frame, error) {
	reader := newFrameReader()
	reader.bytesMax = bytesMax
	var frames []frame
	for len(data) > 0 {
		if size > len(data) {
			size = len(data)
		}
		// A copy, because the caller of feed reuses its memory.
		piece := append([]byte(nil), data[:size]...)
		data = data[size:]
		reader.feed(piece)
		for {
			opcode, payload, ok, err := reader.next()
			if err != nil {
				return frames, err
			}
			if !ok {
				break
			}
			frames = append(frames, frame{opcode, append([]byte{}, payload...)})
		}
		for i := range piece {
			piece[i] = 0xEE
		}
	}
	return frames, nil
}

func join(frames ...[]byte) []byte { return bytes.Join(frames, nil) }

func TestFramesArriveInPiecesOfAnySize(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	var all []byte
	var expected []frame
	for _, length := range []int{0, 1, 125, 126, 127, 65535, 65536, 70000, 3} {
		payload := make([]byte, length)
		random.Read(payload)
		all = append(all, serverFrame(0x80|opBinary, payload)...)
		expected = append(expected, frame{opBinary, payload})
	}
	for _, size := range []int{1, 2, 3, 7, 1000, 65536, len(all)} {
		frames, err := readFrames(all, size, frameMessageBytesMax)
		if err != nil {
			t.Fatal(err)
		}
		requireEqual(t, frames, expected)
	}
}

func TestFragmentsAreJoinedAroundControlFrames(t *testing.T) {
	data := join(
		serverFrame(opText, []byte("gr\xc3")),
		serverFrame(0x80|opPing, []byte("p")),
		serverFrame(opContinuation, nil),
		serverFrame(0x80|opContinuation, []byte("\xbc\xc3\x9fe")),
		serverFrame(0x80|opText, []byte("next")),
	)
	for size := 1; size <= len(data); size++ {
		frames, err := readFrames(data, size, 100)
		if err != nil {
			t.Fatal(err)
		}
		requireEqual(t, frames, []frame{{opPing, []byte("p")}, {opText, []byte("grüße")}, {opText, []byte("next")}})
	}
}

func TestInvalidFramesAreRefusedWithTheirCloseCode(t *testing.T) {
	for name, each := range map[string]struct {
		data []byte
		code int
	}{
		"reserved bit":           {serverFrame(0xC0|opText, nil), closeProtocolError},
		"masked":                 {[]byte{0x82, 0x80, 1, 2, 3, 4}, closeProtocolError},
		"unknown data opcode":    {serverFrame(0x83, nil), closeProtocolError},
		"unknown control opcode": {serverFrame(0x8B, nil), closeProtocolError},
		"fragmented control":     {serverFrame(opPing, nil), closeProtocolError},
		"long control":           {serverFrame(0x80|opPing, make([]byte, 126)), closeProtocolError},
		"continuation of none":   {serverFrame(0x80|opContinuation, nil), closeProtocolError},
		"message in a message": {
			join(serverFrame(opText, nil), serverFrame(0x80|opText, nil)), closeProtocolError},
		"too large":         {serverFrame(0x80|opBinary, make([]byte, 101)), closeTooLarge},
		"too large in sum":  {join(serverFrame(opBinary, make([]byte, 60)), serverFrame(0x80, make([]byte, 41))), closeTooLarge},
		"length beyond 63":  {[]byte{0x82, 127, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, closeTooLarge},
		"not UTF-8":         {serverFrame(0x80|opText, []byte{0xC3}), closeInvalidText},
		"close of one byte": {serverFrame(0x80|opClose, []byte{3}), closeProtocolError},
		"close code 1005":   {serverFrame(0x80|opClose, []byte{3, 237}), closeProtocolError},
		"close text":        {serverFrame(0x80|opClose, []byte{3, 232, 0xFF}), closeInvalidText},
	} {
		_, err := readFrames(each.data, len(each.data), 100)
		var broken *frameError
		if !errors.As(err, &broken) || broken.closeCode != each.code {
			t.Errorf("%s: found %v, expected the close code %d", name, err, each.code)
		}
	}
}

func TestFramesBeforeAViolationAreRead(t *testing.T) {
	frames, err := readFrames(join(serverFrame(0x80|opText, []byte("a")), serverFrame(0x83, nil)), 100, 100)
	if err == nil {
		t.Fatal("the violation was not found")
	}
	requireEqual(t, frames, []frame{{opText, []byte("a")}})
}

func TestACloseFrameHasItsCodeAndReason(t *testing.T) {
	frames, err := readFrames(serverFrame(0x80|opClose, []byte("\x0f\xa8slow-consumer: late")), 1, 200)
	if err != nil {
		t.Fatal(err)
	}
	code, reason := closeOf(frames[0].payload)
	requireEqual(t, []any{code, reason, codeOf(reason)}, []any{4008, "slow-consumer: late", "slow-consumer"})
	code, reason = closeOf(nil)
	requireEqual(t, []any{code, reason}, []any{closeNoCode, ""})
}

func TestWrittenFramesAreMaskedWithChangingKeys(t *testing.T) {
	writer := newFrameWriter()
	for _, length := range []int{0, 1, 7, 8, 9, 125, 126, 65535, 65536} {
		frames := clientFrames(t, writer.frame(opBinary, bytes.Repeat([]byte{0x5A}, length)))
		requireEqual(t, frames[0].opcode, opBinary)
		requireEqual(t, len(frames[0].payload), length)
		requireEqual(t, bytes.Count(frames[0].payload, []byte{0x5A}), length)
	}
	keys := map[uint32]bool{}
	for i := 0; i < 2000; i++ {
		keys[writer.nextKey()] = true
	}
	if len(keys) < 1990 {
		t.Fatalf("only %d of 2000 masking keys differ", len(keys))
	}
}
