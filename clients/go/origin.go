package belfry

import (
	"crypto/sha256"
	"encoding/base64"
)

const (
	originHeader   = "$origin"
	originKeyBytes = 24
	originTagBytes = 12
)

// origin is that of a client, by which it recognises its own messages: the secret key that it sends with publishes without
// echo, and the tag that the server computes from the key and gives these messages. It stays for the life of the client.
type origin struct {
	key, tag string
	used     bool // whether a publish had the key; before that no message can be an echo
}

func newOrigin(random []byte) origin {
	key := base64.RawURLEncoding.EncodeToString(random)
	return origin{key: key, tag: originTag(key)}
}

// originTag returns the tag of a key.
func originTag(key string) string {
	digest := sha256.Sum256([]byte(key))
	return base64.RawURLEncoding.EncodeToString(digest[:originTagBytes])
}

// use returns the key for a publish without echo.
func (o *origin) use() string {
	o.used = true
	return o.key
}

// isEcho reports whether a message is one of this client that nobody asked for. Retained messages and history are what the
// program requested, so they include its own messages.
func (o *origin) isEcho(message *Message) bool {
	return o.used && (message.Type == Live || message.Type == Recovered) && message.Headers[originHeader] == o.tag
}
