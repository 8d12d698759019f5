package belfry

import "testing"

func TestTagsOfOriginsAreAsTheVectorsSay(t *testing.T) {
	var vectors []struct{ Key, Tag string }
	readVectors(t, "origins.json", &vectors)
	for _, vector := range vectors {
		requireEqual(t, originTag(vector.Key), vector.Tag)
	}
}

func TestAnEchoIsOmittedAfterItsPositionIsRecorded(t *testing.T) {
	r := newRig(t, nil)
	r.engine.subscriptions.origin = newOrigin(make([]byte, originKeyBytes))
	own := `,"headers":{"$origin":"` + r.engine.subscriptions.origin.tag + `"}`
	other := `,"headers":{"$origin":"AAAAAAAAAAAAAAAA"}`
	sub := r.subscribe("/a", SubscribeOptions{})
	pattern := r.subscribe("/*", SubscribeOptions{})
	r.connect()
	r.subscribed("/a", 3, "none")
	r.send(`{"op":"subscribed","subject":"/*","recovery":"none"}`)
	// Nothing was published without echo yet.
	r.message("/a", 4, own)
	r.publish("/a", PublishOptions{NoEcho: true})
	r.message("/a", 5, own)
	r.message("/a", 6, other)
	r.message("/a", 7, own)
	requireEqual(t, r.texts(sub), "4 6")
	requireEqual(t, r.texts(pattern), "4 6")
	requireEqual(t, r.reconnect()[0], "subscribe /a from=7:7")
	r.subscribed("/a", 9, "complete")
	r.message("/a", 8, `,"type":"recovered"`+own)
	r.message("/a", 9, `,"type":"recovered"`+other)
	requireEqual(t, r.texts(sub), "9")
}

func TestRequestedMessagesIncludeOwnOnes(t *testing.T) {
	r := newRig(t, nil)
	r.engine.subscriptions.origin = newOrigin(make([]byte, originKeyBytes))
	own := `,"headers":{"$origin":"` + r.engine.subscriptions.origin.tag + `"}`
	sub := r.subscribe("/a", SubscribeOptions{History: 2})
	r.connect()
	r.publish("/a", PublishOptions{NoEcho: true})
	r.subscribed("/a", 3, "none")
	r.message("/a", 1, `,"type":"snapshot","retained":true`+own)
	r.message("/a", 2, `,"type":"history"`+own)
	r.message("/a", 3, `,"type":"history"`+own)
	r.message("/a", 4, own)
	requireEqual(t, r.texts(sub), "1 2 3")
}
