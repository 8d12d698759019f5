package belfry

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const requestTimeout = 10 * time.Second

// RequestOptions are the options of a request. The zero value of each field means its default.
type RequestOptions struct {
	// Timeout is the time limit for the reply, and the time to live of the request. Default: 10 s.
	Timeout time.Duration
	// Headers are further texts beside the data, by name.
	Headers map[string]string
}

// NoReplyError reports that no reply to a request arrived in time; a responder may have processed the request. It wraps
// Code("no-reply").
type NoReplyError struct {
	Subject string
	Within  time.Duration
}

func (e *NoReplyError) Error() string {
	return fmt.Sprintf("belfry: no-reply: no reply to %s within %v", e.Subject, e.Within)
}

// Unwrap returns the code as an error.
func (e *NoReplyError) Unwrap() error { return Code("no-reply") }

// Timeout reports true, as for other errors of a time limit.
func (e *NoReplyError) Timeout() bool { return true }

// requests are the requests of a client that wait for their replies, and its inbox. Any goroutine.
type requests struct {
	lock    sync.Mutex
	inbox   *Subscription // nil before the first request, and after the server refused or ended it
	waiting map[string]chan *Message
}

// Request publishes a request, and waits for the first reply. It returns a *NoReplyError if none arrives in time, a
// *PublishError if the request was not published, a *SubscribeError if the server refuses the client's inbox, and the
// error of ctx if ctx is done before. At most Options.PendingPublishes requests wait for their replies.
//
// The client subscribes to its inbox with the first request and keeps the subscription, so replies that arrive during a
// disconnect are received later.
func (c *Client) Request(ctx context.Context, subject string, data []byte, options RequestOptions) (*Message, error) {
	if options.Timeout < 0 {
		return nil, fmt.Errorf("belfry: a timeout must not be negative: %v", options.Timeout)
	}
	if options.Timeout == 0 {
		options.Timeout = requestTimeout
	}
	inbox, err := c.subscribedInbox()
	if err != nil {
		return nil, err
	}
	id, err := randomText(correlationBytes)
	if err != nil {
		return nil, err
	}
	terms := PublishOptions{TTL: options.Timeout}
	terms.Headers = withHeaders(options.Headers, map[string]string{replyTo: inbox.subject, correlationID: id})
	if err := terms.check(subject); err != nil {
		return nil, err
	}
	reply := make(chan *Message, 1)
	if !c.requests.add(id, reply, c.settings.PendingPublishes) {
		return nil, &PublishError{Outcome: TooManyPending, Reason: "too many requests wait for their replies"}
	}
	defer c.requests.remove(id)
	timer := time.NewTimer(options.Timeout)
	defer timer.Stop()
	// A reply cannot arrive before the inbox exists, so the first request waits for the answer to the subscription.
	ready, ended := inbox.ready, inbox.ended
	var publishing *Publishing
	var published <-chan struct{}
	for {
		select {
		case <-ready:
			ready = nil
			if publishing, err = c.Send(subject, data, terms); err != nil {
				return nil, err
			}
			published = publishing.done
		case <-published:
			published = nil
			if publishing.err != nil {
				return nil, publishing.err
			}
		case message := <-reply:
			return message, nil
		case <-ended:
			_, err := inbox.buffer.ending()
			return nil, endError(err)
		case <-timer.C:
			return nil, &NoReplyError{subject, options.Timeout}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Reply publishes the reply to a request that the client received, and waits as Publish does. It returns an error if the
// message asks for no reply. The code no-inbox means that the client of the request has ended.
func (c *Client) Reply(ctx context.Context, request *Message, data []byte, options PublishOptions) (Ack, error) {
	publishing, err := c.SendReply(request, data, options)
	if err != nil {
		return Ack{}, err
	}
	return publishing.Wait(ctx)
}

// SendReply publishes the reply to a request without waiting, as Send does; OnItem may call it.
func (c *Client) SendReply(request *Message, data []byte, options PublishOptions) (*Publishing, error) {
	to, headers, err := replyTerms(request, options.Headers)
	if err != nil {
		return nil, err
	}
	options.Headers = headers
	return c.Send(to, data, options)
}

// subscribedInbox returns the subscription to the inbox, and begins it if there is none.
func (c *Client) subscribedInbox() (*Subscription, error) {
	c.requests.lock.Lock()
	defer c.requests.lock.Unlock()
	if inbox := c.requests.inbox; inbox != nil {
		select {
		case <-inbox.ended:
		default:
			return inbox, nil
		}
	}
	key, err := randomText(inboxKeyBytes)
	if err != nil {
		return nil, err
	}
	inbox, err := newSubscription(inboxOf(key), SubscribeOptions{}, 1)
	if err != nil {
		return nil, err
	}
	inbox.key = key
	inbox.client = c
	c.input(func() {
		if err = c.engine.subscribe(inbox); err == nil {
			c.start(func() { c.requests.receive(inbox) })
		}
	})
	if err != nil {
		return nil, err
	}
	c.requests.inbox = inbox
	return inbox, nil
}

// receive passes the messages of an inbox to the requests until the subscription ends.
func (r *requests) receive(inbox *Subscription) {
	for {
		item, err := inbox.Next(context.Background())
		if err != nil {
			return
		}
		if message, is := item.(*Message); is {
			r.arrived(message)
		}
	}
}

func (r *requests) arrived(message *Message) {
	r.lock.Lock()
	defer r.lock.Unlock()
	id := message.Headers[correlationID]
	if reply := r.waiting[id]; reply != nil {
		delete(r.waiting, id)
		reply <- message
	}
}

// add adds a request; it returns false if too many wait.
func (r *requests) add(id string, reply chan *Message, max int) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	if len(r.waiting) >= max {
		return false
	}
	if r.waiting == nil {
		r.waiting = map[string]chan *Message{}
	}
	r.waiting[id] = reply
	return true
}

func (r *requests) remove(id string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.waiting, id)
}
