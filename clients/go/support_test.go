package belfry

import (
	"encoding/binary"
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

type frame struct {
	opcode  byte
	payload []byte
}

// serverFrame returns an unmasked frame.
func serverFrame(first byte, payload []byte) []byte {
	var head []byte
	switch length := len(payload); {
	case length < 126:
		head = []byte{first, byte(length)}
	case length < 1<<16:
		head = []byte{first, 126, byte(length >> 8), byte(length)}
	default:
		head = append([]byte{first, 127}, make([]byte, 8)...)
		binary.BigEndian.PutUint64(head[2:], uint64(length))
	}
	return append(head, payload...)
}

// clientFrames returns the frames of a client, unmasked.
func clientFrames(t *testing.T, data []byte) []frame {
	t.Helper()
	var frames []frame
	for len(data) > 0 {
		if data[1]&0x80 == 0 {
			t.Fatal("a frame of a client is not masked")
		}
		start, length := 2, int(data[1]&0x7F)
		switch length {
		case 126:
			start, length = 4, int(binary.BigEndian.Uint16(data[2:]))
		case 127:
			start, length = 10, int(binary.BigEndian.Uint64(data[2:]))
		}
		key := binary.LittleEndian.Uint32(data[start:])
		payload := append([]byte(nil), data[start+4:start+4+length]...)
		mask(payload, key)
		frames = append(frames, frame{data[0] & 0x0F, payload})
		data = data[start+4+length:]
	}
	return frames
}

func requireEqual(t *testing.T, found, expected any) {
	t.Helper()
	if !reflect.DeepEqual(found, expected) {
		t.Fatalf("found    %#v\nexpected %#v", found, expected)
	}
}

// eventText returns an event with the values behind its pointers.
func eventText(event event) string {
	text, err := json.Marshal(visible(reflect.ValueOf(event)))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// visible returns a value whose fields, the unexported ones too, are visible to encoding/json.
func visible(value reflect.Value) any {
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		if value.IsNil() {
			return nil
		}
		return visible(value.Elem())
	case reflect.Struct:
		if value.Type() == reflect.TypeOf(time.Time{}) {
			return value.Interface().(time.Time).UnixMilli()
		}
		fields := map[string]any{"type": value.Type().Name()}
		for i := 0; i < value.NumField(); i++ {
			fields[value.Type().Field(i).Name] = visible(value.Field(i))
		}
		return fields
	case reflect.String:
		return value.String()
	case reflect.Bool:
		return value.Bool()
	case reflect.Slice:
		return value.Bytes()
	case reflect.Uint8:
		return value.Uint()
	case reflect.Map:
		return value.Interface()
	case reflect.Invalid:
		return nil
	}
	return value.Int()
}
