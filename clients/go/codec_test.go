package belfry

import (
	"encoding/hex"
	"encoding/json"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../protocol/src/test/resources/vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

type eventVector struct {
	Name     string   `json:"name"`
	Epochs   []int64  `json:"epochs"`
	JSON     string   `json:"json"`
	JSONAlso []string `json:"jsonAlso"`
	Binary   string   `json:"binary"`
	Before   string   `json:"before"`
	Fields   struct {
		Op       string `json:"op"`
		Subject  string `json:"subject"`
		Hex      string `json:"hex"`
		Delta    string `json:"delta"`
		Epoch    int64  `json:"epoch"`
		Seq      int64  `json:"seq"`
		Prev     *int64 `json:"prev"`
		Time     int64  `json:"time"`
		Type     string `json:"type"`
		Retained bool   `json:"retained"`
		Keep     int64  `json:"keep"`
		Resumed  bool   `json:"resumed"`
		MsgID    string `json:"msgId"`
		Retain   bool   `json:"retain"`
		ID       int64  `json:"id"`

		Headers map[string]string `json:"headers"`
		TTL     int64             `json:"ttl"`
		Origin  string            `json:"origin"`
	} `json:"fields"`
}

func (v *eventVector) codec() *binaryCodec {
	codec := newBinaryCodec()
	for i, epoch := range v.Epochs {
		codec.epochs[i], codec.declared[i] = epoch, true
	}
	return codec
}

func (v *eventVector) message(t *testing.T) *Message {
	fields := &v.Fields
	text := fields.Hex
	if fields.Delta != "" {
		text = fields.Delta
	}
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	message := &Message{
		Subject: fields.Subject, Data: data, Position: Position{fields.Epoch, fields.Seq}, Retained: fields.Retained,
		Time: time.UnixMilli(fields.Time), Headers: fields.Headers, previous: fields.Seq - 1,
		isDelta: fields.Delta != "",
	}
	if fields.Prev != nil {
		message.previous = *fields.Prev
	}
	if fields.Type != "" {
		message.Type = MessageType(indexOf(messageTypes[:], fields.Type))
	}
	return message
}

func decodeHex(t *testing.T, codec codec, text string) (event, error) {
	t.Helper()
	frame, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return codec.decode(frame)
}

func TestRecordedEventsAreReadInBothEncodings(t *testing.T) {
	var vectors []eventVector
	readVectors(t, "events.json", &vectors)
	for i := range vectors {
		vector := &vectors[i]
		var fromBinary event
		if vector.Binary != "" {
			decoded, err := decodeHex(t, vector.codec(), vector.Binary)
			if err != nil {
				t.Errorf("%s: %v", vector.Name, err)
			}
			fromBinary = decoded
		}
		for _, text := range append([]string{vector.JSON}, vector.JSONAlso...) {
			if text == "" {
				continue
			}
			decoded, err := readJSONEvent([]byte(text))
			if err != nil {
				t.Fatalf("%s: %v", vector.Name, err)
			}
			if vector.Binary != "" && vector.Fields.Op != "epoch" {
				requireSameEvent(t, vector.Name, decoded, fromBinary)
			}
			if vector.Fields.Op == "message" {
				requireSameEvent(t, vector.Name, decoded, vector.message(t))
			}
			if greeting, is := decoded.(*connectedEvent); is {
				found := []any{greeting.keep, greeting.resumed}
				requireEqual(t, found, []any{millis(vector.Fields.Keep), vector.Fields.Resumed})
			}
		}
	}
}

func TestHeadersAreReadAndWrittenInBothEncodings(t *testing.T) {
	var vectors []eventVector
	readVectors(t, "headers.json", &vectors)
	for i := range vectors {
		vector := &vectors[i]
		if vector.Before == "" {
			requireSamePublish(t, vector)
			continue
		}
		codec := vector.codec()
		if before, err := decodeHex(t, codec, vector.Before); before != nil || err != nil {
			t.Errorf("%s: %v %v", vector.Name, before, err)
		}
		decoded, err := decodeHex(t, codec, vector.Binary)
		if err != nil {
			t.Fatalf("%s: %v", vector.Name, err)
		}
		requireSameEvent(t, vector.Name, decoded, vector.message(t))
		again, _ := decodeHex(t, codec, vector.Binary)
		if found := again.(*Message).Headers; found != nil {
			t.Errorf("%s: headers %v without the frame before", vector.Name, found)
		}
		for _, text := range append([]string{vector.JSON}, vector.JSONAlso...) {
			decoded, err := readJSONEvent([]byte(text))
			if err != nil {
				t.Fatalf("%s: %v", vector.Name, err)
			}
			requireSameEvent(t, vector.Name, decoded, vector.message(t))
		}
		for length := 4; length < len(vector.Before); length += 2 {
			if _, err := decodeHex(t, vector.codec(), vector.Before[:length]); err == nil {
				t.Errorf("%s: %d bytes are accepted", vector.Name, length/2)
			}
		}
	}
}

// requireSamePublish compares JSON by value. In binary the order of the headers is that of their names.
func requireSamePublish(t *testing.T, vector *eventVector) {
	t.Helper()
	fields := &vector.Fields
	data, err := hex.DecodeString(fields.Hex)
	if err != nil {
		t.Fatal(err)
	}
	ttl := millis(fields.TTL)
	command := &publishCommand{
		fields.ID, fields.Subject, data, fields.Retain, fields.MsgID, fields.Headers, ttl, fields.Origin,
	}
	binary := newBinaryCodec().publish(command)
	fields2 := binaryFields{rest: binary[11+len(fields.Subject):]}
	if fields.MsgID != "" {
		fields2.short()
	}
	requireEqual(t, fields2.headers(), fields.Headers)
	if fields.TTL > 0 {
		requireEqual(t, fields2.number(8), fields.TTL)
	}
	if fields.Origin != "" {
		requireEqual(t, fields2.short(), fields.Origin)
	}
	requireEqual(t, fields2.rest, data)
	var found, expected map[string]any
	if json.Unmarshal(jsonCodec{}.publish(command), &found) != nil || json.Unmarshal([]byte(vector.JSON), &expected) != nil {
		t.Fatal(vector.Name)
	}
	if fields.ID == 0 {
		delete(found, "id")
	}
	requireEqual(t, found, expected)
}

func TestInvalidHeadersAreRefusedBeforeThePublish(t *testing.T) {
	many := map[string]string{}
	for i := 0; i < 17; i++ {
		many[string(rune('a'+i))] = ""
	}
	for _, headers := range []map[string]string{
		{"": "x"}, {"$user": "x"}, {"\u0085": "x"}, {strings.Repeat("é", 33): "x"}, {"a": strings.Repeat("v", 65_536)},
		{"a": "\xff"}, many,
	} {
		options := PublishOptions{Headers: headers}
		if options.check("/a") == nil {
			t.Errorf("%v is accepted", headers)
		}
	}
	options := PublishOptions{Headers: map[string]string{"a": ""}}
	if err := options.check("/a"); err != nil {
		t.Error(err)
	}
}

func requireSameEvent(t *testing.T, name string, found, expected event) {
	t.Helper()
	if message, is := found.(*Message); is && len(message.Data) == 0 {
		message.Data = []byte{}
	}
	if message, is := expected.(*Message); is && len(message.Data) == 0 {
		message.Data = []byte{}
	}
	foundText, expectedText := eventText(found), eventText(expected)
	if foundText != expectedText {
		t.Errorf("%s:\nfound    %s\nexpected %s", name, foundText, expectedText)
	}
}

func TestTruncatedBinaryEventsAreRefused(t *testing.T) {
	var vectors []eventVector
	readVectors(t, "events.json", &vectors)
	for i := range vectors {
		vector := &vectors[i]
		frame, err := hex.DecodeString(vector.Binary)
		if err != nil {
			t.Fatal(err)
		}
		dataBytes := (len(vector.Fields.Hex) + len(vector.Fields.Delta)) / 2
		for length := 0; length < len(frame)-dataBytes; length++ {
			if _, err := vector.codec().decode(frame[:length]); err == nil {
				t.Errorf("%s: %d of %d bytes were accepted", vector.Name, length, len(frame))
			}
		}
	}
}

func TestDamagedEventsAreReadOrRefused(t *testing.T) {
	var vectors []eventVector
	readVectors(t, "events.json", &vectors)
	random := rand.New(rand.NewSource(1))
	damage := func(data []byte) []byte {
		damaged := append([]byte{0}, data...) // some vectors have one encoding only
		for i := 0; i < 1+random.Intn(3); i++ {
			damaged[random.Intn(len(damaged))] = byte(random.Intn(256))
		}
		return damaged[1 : 1+random.Intn(len(damaged))]
	}
	for round := 0; round < 200; round++ {
		for i := range vectors {
			frame, err := hex.DecodeString(vectors[i].Binary)
			if err != nil {
				t.Fatal(err)
			}
			// A panic fails the test; both results are valid.
			_, _ = vectors[i].codec().decode(damage(frame))
			_, _ = readJSONEvent(damage([]byte(vectors[i].JSON)))
			_, _ = readFrames(damage(serverFrame(0x80|opText, []byte(vectors[i].JSON))), 1000, 1<<20)
		}
	}
}

func TestUnknownEventsAreIgnored(t *testing.T) {
	for _, text := range []string{`{"op":"invented","subject":5,"x":[1,{"y":null}]}`, `{"op":"pang"}`} {
		if decoded, err := readJSONEvent([]byte(text)); decoded != nil || err != nil {
			t.Errorf("%s: %v, %v", text, decoded, err)
		}
	}
	if decoded, err := decodeHex(t, newBinaryCodec(), "7f000102"); decoded != nil || err != nil {
		t.Errorf("%v, %v", decoded, err)
	}
}

func TestInvalidJSONEventsAreRefused(t *testing.T) {
	for _, text := range []string{
		``, `{`, `[]`, `7`, `"message"`, `{"op":"message","subject":"/a","data":"x","epoch":1}`,
		`{"op":"message","data":"x","epoch":1,"seq":1}`, `{"op":"message","subject":"/a","epoch":1,"seq":1}`,
		`{"op":"message","subject":"/a","base64":"*","epoch":1,"seq":1}`,
		`{"op":"message","subject":"/a","data":"x","epoch":1,"seq":-1}`,
		`{"op":"message","subject":"/a","data":"x","epoch":1,"seq":9007199254740993}`,
		`{"op":"message","subject":"/a","data":"x","epoch":1,"seq":1,"type":"new"}`,
		`{"op":"message","subject":5,"data":"x","epoch":1,"seq":1}`,
		`{"op":"position"}`, `{"op":"position","at":"7:42"}`, `{"op":"subscribed","subject":"/*","at":""}`,
		`{"op":"gap","subject":"/a","to":"7","reason":"x"}`, `{"op":"subscribed","subject":"/a","recovery":"maybe"}`,
	} {
		if decoded, err := readJSONEvent([]byte(text)); err == nil {
			t.Errorf("%s was read as %s", text, eventText(decoded))
		}
	}
}

func TestConnectHasTheRecordedForms(t *testing.T) {
	var vectors []struct {
		JSON   string `json:"json"`
		Binary string `json:"binary"`
		Fields struct {
			Op        string   `json:"op"`
			ID        int64    `json:"id"`
			Token     string   `json:"token"`
			Ping      int64    `json:"ping"`
			Session   *string  `json:"session"`
			Positions []string `json:"positions"`
			Client    string   `json:"client"`
		} `json:"fields"`
	}
	readVectors(t, "commands.json", &vectors)
	count := 0
	for _, vector := range vectors {
		fields := &vector.Fields
		if fields.Op != "connect" || fields.ID != 1 {
			continue
		}
		count++
		var session *sessionRequest
		if fields.Session != nil {
			session = &sessionRequest{id: *fields.Session}
			for i := 0; i < len(fields.Positions); i += 2 {
				at, err := ParsePosition(fields.Positions[i+1])
				if err != nil {
					t.Fatal(err)
				}
				session.subjects = append(session.subjects, subjectPosition{fields.Positions[i], at})
			}
		}
		inJSON := strings.Replace(vector.JSON, `"id":1`, `"id":-1`, 1)
		request := &connectRequest{fields.Token, millis(fields.Ping), session, fields.Client}
		requireEqual(t, string(jsonCodec{}.connect(request)), inJSON)
		inBinary := vector.Binary[:4] + strings.Repeat("f", 16) + vector.Binary[20:]
		requireEqual(t, hex.EncodeToString(newBinaryCodec().connect(request)), inBinary)
	}
	requireEqual(t, count > 6, true)
}

func TestCommandsHaveTheRecordedBinaryForm(t *testing.T) {
	codec := newBinaryCodec()
	publish := codec.publish(&publishCommand{id: 4, subject: "/a", data: []byte("hi")})
	requireEqual(t, hex.EncodeToString(publish), "04010000000000000004022f616869")
	requireEqual(t, hex.EncodeToString(codec.connect(&connectRequest{token: "ab"})), "0101ffffffffffffffff00026162")
	requireEqual(t, hex.EncodeToString(codec.connect(&connectRequest{ping: 2 * time.Second})), "0103ffffffffffffffff000007d00000")
	from := []wanted{{subject: "/a", after: &Position{7, 42}, history: 3, conflate: time.Second}}
	requireEqual(t, hex.EncodeToString(codec.subscribe(from)),
		"020ffffffffffffffffe"+"0000000000000007000000000000002a"+"00000003"+"000003e8"+"0001022f61")
	pattern := []wanted{{subject: "/*", from: "\x01\x00\x00", conflate: time.Second}}
	requireEqual(t, hex.EncodeToString(codec.subscribe(pattern)),
		"0219fffffffffffffffe"+"000003e8"+"0003010000"+"0001022f2a")
	deltas := []wanted{{subject: "/a", deltas: true}}
	requireEqual(t, hex.EncodeToString(codec.subscribe(deltas)), "0221fffffffffffffffe06666f7373696c0001022f61")
	requireEqual(t, hex.EncodeToString(codec.unsubscribe([]string{"/a", "/b"})), "0301fffffffffffffffd0002022f61022f62")
}

func TestCommandsHaveTheirJSONForm(t *testing.T) {
	codec := jsonCodec{}
	for _, each := range []struct {
		found    []byte
		expected string
	}{
		{codec.connect(&connectRequest{}), `{"op":"connect","id":-1}`},
		{codec.connect(&connectRequest{token: "t", ping: 2 * time.Second}), `{"op":"connect","id":-1,"token":"t","ping":2000}`},
		{codec.subscribe([]wanted{{subject: "/a"}, {subject: "/b/*"}}), `{"op":"subscribe","id":-2,"subjects":["/a","/b/*"]}`},
		{codec.subscribe([]wanted{{subject: "/*", from: "\x01\x00\x00"}}), `{"op":"subscribe","id":-2,"subject":"/*","from":"AQAA"}`},
		{codec.subscribe([]wanted{{subject: "/a", deltas: true}}), `{"op":"subscribe","id":-2,"subject":"/a","delta":"fossil"}`},
		{codec.publish(&publishCommand{id: 4, subject: "/a", data: []byte("<>")}), `{"op":"publish","id":4,"subject":"/a","data":"<>"}`},
		{codec.publish(&publishCommand{id: 4, subject: "/a", data: []byte{0xFF}, retain: true, msgID: "m"}),
			`{"op":"publish","id":4,"subject":"/a","base64":"/w==","retain":true,"msgId":"m"}`},
		{codec.publish(&publishCommand{id: 4, subject: "/a"}), `{"op":"publish","id":4,"subject":"/a","data":""}`},
	} {
		requireEqual(t, string(each.found), each.expected)
	}
}

func TestSubjectsAndPatternsFollowTheRecordedRules(t *testing.T) {
	var subjects []struct {
		Text    *string `json:"text"`
		Hex     string  `json:"hex"`
		Plain   *string `json:"plain"`
		Pattern *string `json:"pattern"`
	}
	readVectors(t, "subjects.json", &subjects)
	for _, each := range subjects {
		text := ""
		if each.Text != nil {
			text = *each.Text
		} else if raw, err := hex.DecodeString(each.Hex); err == nil {
			text = string(raw)
		}
		if valid := subjectProblem(text, false) == ""; valid != (each.Plain == nil) {
			t.Errorf("%q as a plain subject: %v", text, valid)
		}
		if valid := subjectProblem(text, true) == ""; valid != (each.Pattern == nil) {
			t.Errorf("%q as a pattern: %v", text, valid)
		}
	}
	var matching []struct {
		Pattern string `json:"pattern"`
		Subject string `json:"subject"`
		Matches bool   `json:"matches"`
	}
	readVectors(t, "matches.json", &matching)
	for _, each := range matching {
		if matches(each.Pattern, each.Subject) != each.Matches {
			t.Errorf("%s and %s: %v", each.Pattern, each.Subject, !each.Matches)
		}
	}
}

func TestPositionsOfPatternsAreReadAsTheyAreWritten(t *testing.T) {
	for _, text := range []string{"AQAA", "AQ", "_-8", strings.Repeat("A", 1024)} {
		if at, err := parsePatternPosition(text); err != nil || at.String() != text {
			t.Errorf("%q: %q, %v", text, at, err)
		}
	}
	for _, text := range []string{"", "A", "AQ==", "AR", "7:42", "+/8", "AQ\nAA", strings.Repeat("A", 1028)} {
		if _, err := parsePatternPosition(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestPositionsAreReadAsTheyAreWritten(t *testing.T) {
	at, err := ParsePosition("1700000000000:42")
	if err != nil || at.String() != "1700000000000:42" {
		t.Fatal(at, err)
	}
	for _, text := range []string{"", ":", "7", "7:", ":7", "7:-1", "+7:1", "7:1:2", " 7:1", "7:9007199254740993"} {
		if _, err := ParsePosition(text); err == nil || !strings.Contains(err.Error(), "epoch:seq") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
