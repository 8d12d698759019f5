package belfry

import (
	"encoding/hex"
	"testing"
)

type deltaVector struct {
	Name   string  `json:"name"`
	Base   string  `json:"base"`
	Delta  string  `json:"delta"`
	Result *string `json:"result"`
	Max    int     `json:"max"`
}

func TestDeltasBecomeTheRecordedResults(t *testing.T) {
	var vectors []deltaVector
	readVectors(t, "deltas.json", &vectors)
	for _, vector := range vectors {
		base, _ := hex.DecodeString(vector.Base)
		delta, _ := hex.DecodeString(vector.Delta)
		most := vector.Max
		if most == 0 {
			most = deltaResultMax
		}
		result, err := applyDelta(base, delta, most)
		if (err != nil) != (vector.Result == nil) || err == nil && hex.EncodeToString(result) != *vector.Result {
			t.Errorf("%s: %x %v", vector.Name, result, err)
		}
		for length := 0; vector.Result != nil && length < len(delta); length++ {
			if _, err := applyDelta(base, delta[:length], most); err == nil {
				t.Errorf("%s: %d bytes are accepted", vector.Name, length)
			}
		}
	}
}

func TestADeltaNeedsTheMessageBeforeIt(t *testing.T) {
	bases := deltaBases{}
	message := func(seq, previous int64, data string, isDelta bool) *Message {
		return &Message{Subject: "/a", Data: []byte(data), Position: Position{7, seq}, previous: previous, isDelta: isDelta}
	}
	const delta = "6\n2:hi4@0,3WsNHa;"
	plain := message(1, 0, "text", false)
	if bases.resolve(plain, false) != nil || len(bases) > 0 {
		t.Error("nothing is kept without deltas")
	}
	if bases.resolve(message(2, 1, delta, true), true) == nil {
		t.Error("a delta without a base is accepted")
	}
	if err := bases.resolve(plain, true); err != nil {
		t.Fatal(err)
	}
	plain.Data[0] = 'T' // the program owns the data
	second := message(4, 1, delta, true)
	if err := bases.resolve(second, true); err != nil || string(second.Data) != "hitext" || second.isDelta {
		t.Errorf("%v %q", err, second.Data)
	}
	if bases.resolve(message(5, 3, delta, true), true) == nil || bases.resolve(message(5, 4, delta, true), true) == nil {
		t.Error("a delta of another base is accepted")
	}
	// The subscription has ended, and what is under way belongs to a pattern.
	if bases.resolve(message(5, 4, "more", false), false) != nil || bases["/a"].at.Seq != 5 {
		t.Error("the base is not kept until the end is answered")
	}
}
