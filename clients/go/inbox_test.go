package belfry

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestInboxesAreNamedAsTheVectorsSay(t *testing.T) {
	var vectors []struct{ Key, Inbox, Follow string }
	readVectors(t, "inboxes.json", &vectors)
	for _, vector := range vectors {
		if vector.Key == "" {
			continue
		}
		requireEqual(t, inboxOf(vector.Key), vector.Inbox)
		requireEqual(t, (&wanted{subject: vector.Inbox, key: vector.Key}).target(), vector.Follow)
		requireEqual(t, []bool{isInbox(vector.Inbox), isInbox(vector.Follow)}, []bool{true, false})
	}
	requireEqual(t, []string{subjectProblem(inboxOf("k"), false), subjectProblem(inboxOf("k"), true)}, []string{"", ""})
	if subjectProblem("/$inbox/short", false) == "" || subjectProblem("/$node/a", false) == "" {
		t.Error("a subject of the server is no inbox")
	}
}

func TestAnInboxIsRequestedWithItsKeyOnEachConnection(t *testing.T) {
	r := newRig(t, nil)
	key := strings.Repeat("k", 32)
	sub, err := newSubscription(inboxOf(key), SubscribeOptions{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	sub.key = key
	r.input(func() { err = r.engine.subscribe(sub) })
	if err != nil {
		t.Fatal(err)
	}
	requireEqual(t, r.connect(), []string{"subscribe " + sub.subject + "/" + key})
	r.subscribed(sub.subject, 3, "none")
	r.message(sub.subject, 4, "")
	requireEqual(t, len(r.take(sub)), 1)
	requireEqual(t, r.reconnect(), []string{"subscribe " + sub.subject + "/" + key + " from=7:4"})
}

func TestAReplyGoesToInboxesOnly(t *testing.T) {
	inbox := inboxOf(strings.Repeat("k", 32))
	request := &Message{Headers: map[string]string{replyTo: inbox, correlationID: "7"}}
	to, headers, err := replyTerms(request, map[string]string{"type": "x"})
	requireEqual(t, []any{to, headers, err}, []any{inbox, map[string]string{"type": "x", correlationID: "7"}, nil})
	for _, other := range []string{"", "/admin", inbox + "/" + strings.Repeat("k", 32)} {
		if _, _, err := replyTerms(&Message{Headers: map[string]string{replyTo: other}}, nil); err == nil {
			t.Errorf("a reply to %q is accepted", other)
		}
	}
}

func TestARequestWithoutAReplyHasACode(t *testing.T) {
	err := error(&NoReplyError{"/a", time.Second})
	requireEqual(t, errors.Is(err, Code("no-reply")), true)
	requireEqual(t, err.Error(), "belfry: no-reply: no reply to /a within 1s")
}
