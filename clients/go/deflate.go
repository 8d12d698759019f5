package belfry

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
)

const (
	deflateOffer = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
	// rsv1 is the first reserved bit of a frame, set if the payload is compressed.
	rsv1 byte = 0x40
	// deflateBytesMin is the size below which messages hardly shrink.
	deflateBytesMin = 256
	// deflateFreeBytes is the size up to which servers accept any ratio; larger messages may be subject to
	// Limit.InflateRatio.
	deflateFreeBytes = 16 << 10
	// deflateRatioMax is below any sensible Limit.InflateRatio, so that a message is sent uncompressed rather than refused.
	deflateRatioMax = 10
	// deflateTail has the bytes that the sender removed from the end of a message (RFC 7692, section 7.2.1), and an empty
	// last block, after which the reader reports the end.
	deflateTail = "\x00\x00\xff\xff\x01\x00\x00\xff\xff"
)

// isDeflateAccepted reports whether a server accepted the offer unchanged. With context takeover, a message could not be
// inflated alone.
func isDeflateAccepted(extensions string) bool {
	compact := strings.ReplaceAll(extensions, " ", "")
	return strings.HasPrefix(compact, "permessage-deflate;") &&
		strings.Contains(compact, ";server_no_context_takeover") && !strings.Contains(compact, ",")
}

// inflater inflates messages that are independent of each other.
type inflater struct {
	reader io.ReadCloser
	out    bytes.Buffer
}

// inflate returns the inflated message, which is valid until the next call.
func (i *inflater) inflate(payload []byte, bytesMax int) ([]byte, error) {
	source := io.MultiReader(bytes.NewReader(payload), strings.NewReader(deflateTail))
	if i.reader == nil {
		i.reader = flate.NewReader(source)
	} else if err := i.reader.(flate.Resetter).Reset(source, nil); err != nil {
		return nil, &frameError{closeInvalidText, err.Error()}
	}
	if i.out.Cap() > 1<<20 {
		i.out = bytes.Buffer{}
	}
	i.out.Reset()
	count, err := io.Copy(&i.out, io.LimitReader(i.reader, int64(bytesMax)+1))
	if count > int64(bytesMax) {
		return nil, tooLarge(bytesMax)
	}
	if err != nil {
		return nil, &frameError{closeInvalidText, "the server sent a compressed message that is not a deflate stream"}
	}
	return i.out.Bytes(), nil
}

// deflater compresses messages that are independent of each other.
type deflater struct {
	writer *flate.Writer
	out    bytes.Buffer
}

// deflate returns the compressed message, which is valid until the next call; nil if it should be sent as it is.
func (d *deflater) deflate(payload []byte) []byte {
	if len(payload) < deflateBytesMin {
		return nil
	}
	d.out.Reset()
	if d.writer == nil {
		// The level is valid, so that there is no error.
		d.writer, _ = flate.NewWriter(&d.out, flate.BestSpeed)
	} else {
		d.writer.Reset(&d.out)
	}
	if _, err := d.writer.Write(payload); err != nil || d.writer.Flush() != nil {
		return nil
	}
	// Flush ends with the four bytes that are not sent.
	packed := d.out.Bytes()[:d.out.Len()-4]
	suspicious := len(payload) > deflateFreeBytes && len(packed)*deflateRatioMax < len(payload)
	if len(packed) >= len(payload) || suspicious {
		return nil
	}
	return packed
}
