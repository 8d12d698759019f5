package belfry

import (
	"bytes"
	"compress/flate"
	"errors"
	"strings"
	"testing"
)

// packed returns a message as a server compresses it.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	writer, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()[:out.Len()-4]
}

// inflated reads frames with a reader that accepts compressed messages.
func inflated(data []byte, bytesMax int) ([]string, error) {
	reader := newFrameReader()
	reader.bytesMax = bytesMax
	reader.inflater = &inflater{}
	reader.feed(data)
	var texts []string
	for {
		_, payload, ok, err := reader.next()
		if err != nil || !ok {
			return texts, err
		}
		texts = append(texts, string(payload))
	}
}

func TestCompressedMessagesAreInflated(t *testing.T) {
	long := strings.Repeat("of few letters ", 1000)
	compressed := packed(t, long)
	texts, err := inflated(join(
		serverFrame(0x80|rsv1|opText, packed(t, "short")),
		serverFrame(0x80|opText, []byte("plain")),
		serverFrame(rsv1|opText, compressed[:7]),
		serverFrame(0x80|opPing, []byte("p")),
		serverFrame(0x80|opContinuation, compressed[7:]),
		serverFrame(0x80|rsv1|opText, []byte{0}),
	), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	requireEqual(t, texts, []string{"short", "plain", "p", long, ""})
}

func TestInvalidCompressedFramesAreRefused(t *testing.T) {
	bomb := packed(t, strings.Repeat("x", 100_000))
	for name, each := range map[string]struct {
		data []byte
		code int
	}{
		"larger than the bound":   {serverFrame(0x80|rsv1|opText, bomb), closeTooLarge},
		"no deflate stream":       {serverFrame(0x80|rsv1|opText, []byte{0xFF, 0xFF, 0xFF}), closeInvalidText},
		"text that is not UTF-8":  {serverFrame(0x80|rsv1|opText, packed(t, "\xC3")), closeInvalidText},
		"compressed control":      {serverFrame(0x80|rsv1|opPing, nil), closeProtocolError},
		"compressed continuation": {join(serverFrame(opText, nil), serverFrame(0x80|rsv1, nil)), closeProtocolError},
		"another reserved bit":    {serverFrame(0xA0|opText, nil), closeProtocolError},
	} {
		_, err := inflated(each.data, 50_000)
		var broken *frameError
		if !errors.As(err, &broken) || broken.closeCode != each.code {
			t.Errorf("%s: found %v, expected the close code %d", name, err, each.code)
		}
	}
}

func TestPublishedMessagesAreCompressedIfThatIsWorthwhile(t *testing.T) {
	writer := newFrameWriter()
	writer.deflater = &deflater{}
	for name, each := range map[string]struct {
		text       string
		compressed bool
	}{
		"short":      {strings.Repeat("x", 255), false},
		"repetitive": {strings.Repeat("of few letters ", 200), true},
		"suspicious": {strings.Repeat("text ", 12_000), false},
	} {
		frames := clientFrames(t, writer.message(opText, []byte(each.text)))
		small := len(frames[0].payload) < len(each.text)
		if small != each.compressed {
			t.Errorf("%s: compressed %v", name, small)
		}
		if small {
			restored, err := (&inflater{}).inflate(frames[0].payload, 1<<20)
			if err != nil || string(restored) != each.text {
				t.Errorf("%s: %q, %v", name, restored, err)
			}
		}
	}
}

func TestOnlyTheOfferedCompressionIsAccepted(t *testing.T) {
	for _, extensions := range []string{
		"permessage-deflate", "permessage-deflate; client_no_context_takeover", "x-webkit-deflate-frame",
		"permessage-deflate; server_no_context_takeover, other",
	} {
		requireEqual(t, isDeflateAccepted(extensions), false)
	}
	requireEqual(t, isDeflateAccepted(deflateOffer), true)

	for _, offered := range []bool{false, true} {
		r := newRig(t, func(o *Options) { o.Compression = offered })
		r.start()
		requireEqual(t, r.call().field("Sec-WebSocket-Extensions") != "", offered)
		r.call().open()
		r.call().head(101, "Upgrade", "websocket", "Connection", "Upgrade", "Sec-WebSocket-Extensions", deflateOffer,
			"Sec-WebSocket-Accept", acceptOf(r.call().field("Sec-WebSocket-Key")), "Sec-WebSocket-Protocol", "belfry.json.v1")
		requireEqual(t, len(statusesOf[Disconnected](r)) == 0, offered)
	}
}
