package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"belfry.io/belfry"
	"belfry.io/belfry/internal/inspect"
)

// drivenClient is one client of the program. Any goroutine.
type drivenClient struct {
	name    string
	out     *output
	client  *belfry.Client
	throws  bool
	offset  atomic.Int64 // of the clock, in nanoseconds
	start   time.Time
	running sync.WaitGroup // goroutines that write lines

	lock    sync.Mutex
	subs    map[string]*drivenSubscription
	watches map[string]*belfry.Watch
	asks    int
	tokens  map[int]chan *command
}

func newDrivenClient(out *output, c *command) (*drivenClient, error) {
	d := &drivenClient{
		name: c.Client, out: out, throws: c.StatusThrows, start: time.Now(),
		subs: map[string]*drivenSubscription{}, watches: map[string]*belfry.Watch{}, tokens: map[int]chan *command{},
	}
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	options.OnStatus = d.onStatus
	if c.TokenSource {
		options.TokenSource = d.ask
	}
	if c.Clock {
		options.Clock = func() time.Duration { return time.Since(d.start) + time.Duration(d.offset.Load()) }
	}
	d.client, err = belfry.New(options)
	return d, err
}

func (d *drivenClient) onStatus(status belfry.Status) {
	if l := statusLine(d.name, status); l != nil {
		d.out.write(l)
	}
	if refused, is := status.(belfry.SubscribeRefused); is {
		d.lock.Lock()
		delete(d.subs, refused.Subject)
		d.lock.Unlock()
	}
	if d.throws {
		panic("the command asks for this panic")
	}
}

func (d *drivenClient) ask(ctx context.Context, reason belfry.TokenReason) (string, error) {
	given := make(chan *command, 1)
	d.lock.Lock()
	d.asks++
	ask := d.asks
	d.tokens[ask] = given
	d.lock.Unlock()
	d.out.write(line{"op": "token", "client": d.name, "ask": ask, "why": string(reason)})
	select {
	case c := <-given:
		if c.Fails != "" {
			return "", errors.New(c.Fails)
		}
		return c.Token, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (d *drivenClient) giveToken(c *command) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	if given := d.tokens[c.Ask]; given != nil {
		given <- c
		delete(d.tokens, c.Ask)
	}
	return nil
}

// later runs a goroutine that writes lines.
func (d *drivenClient) later(run func()) {
	d.running.Add(1)
	go func() {
		defer d.running.Done()
		run()
	}()
}

func (d *drivenClient) subscribe(c *command) error {
	options, err := c.subscribeOptions()
	if err != nil {
		return err
	}
	driven := &drivenSubscription{driven: d, subject: c.Subject, throwsEvery: c.ThrowsEvery, going: make(chan struct{})}
	close(driven.going)
	driven.callback = c.Face == "callback"
	if driven.callback {
		options.OnItem = driven.onItem
	}
	// The status of a refusal may arrive before the answer of Subscribe.
	d.lock.Lock()
	defer d.lock.Unlock()
	driven.sub, err = d.client.Subscribe(context.Background(), c.Subject, options)
	if err != nil {
		return err
	}
	d.subs[c.Subject] = driven
	if !driven.callback {
		d.later(driven.iterate)
	}
	return nil
}

func (d *drivenClient) find(subject string) (*drivenSubscription, error) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if found := d.subs[subject]; found != nil {
		return found, nil
	}
	return nil, belfry.Code("not-subscribed")
}

func (d *drivenClient) unsubscribe(c *command) error {
	driven, err := d.find(c.Subject)
	if err != nil {
		return err
	}
	d.lock.Lock()
	delete(d.subs, c.Subject)
	d.lock.Unlock()
	driven.sub.Unsubscribe()
	driven.end()
	return nil
}

func (d *drivenClient) pause(subject string) error {
	driven, err := d.find(subject)
	if err == nil {
		driven.pause()
	}
	return err
}

func (d *drivenClient) resume(subject string) error {
	driven, err := d.find(subject)
	if err == nil {
		driven.resume()
	}
	return err
}

func (d *drivenClient) publish(c *command, answer func(error)) {
	data, err := c.data()
	if err != nil {
		answer(err)
		return
	}
	options := belfry.PublishOptions{
		Retain: c.Retain, MsgID: c.MsgID, Once: c.Once, Headers: c.Headers, TTL: millis(c.TTL), NoEcho: c.NoEcho,
	}
	publishing, err := d.client.Send(c.Subject, data, options)
	answer(err)
	if err == nil {
		d.later(func() {
			ack, err := publishing.Wait(context.Background())
			d.out.write(outcomeLine(c, ack, err))
		})
	}
}

func (d *drivenClient) request(c *command) {
	d.later(func() {
		options := belfry.RequestOptions{Timeout: millis(c.TimeoutMillis)}
		reply, err := d.client.Request(context.Background(), c.Subject, []byte(c.Text), options)
		d.out.write(replyLine(c, reply, err))
	})
}

func (d *drivenClient) respond(subject string) error {
	options := belfry.SubscribeOptions{OnItem: func(item belfry.Item) {
		message, is := item.(*belfry.Message)
		if is && message.Headers["replyTo"] != "" {
			// A reply that fails is noticed by the request.
			_, _ = d.client.SendReply(message, append([]byte("re: "), message.Data...), belfry.PublishOptions{})
		}
	}}
	_, err := d.client.Subscribe(context.Background(), subject, options)
	return err
}

func (d *drivenClient) watch(subject string) error {
	watch, err := d.client.Watch(context.Background(), subject)
	if err != nil {
		return err
	}
	d.lock.Lock()
	d.watches[subject] = watch
	d.lock.Unlock()
	d.later(func() {
		for {
			subscribers, err := watch.Next(context.Background())
			if err != nil {
				d.watchEnded(err)
				return
			}
			d.out.write(line{"op": "interest", "client": d.name, "subject": subject, "subscribers": subscribers})
		}
	})
	return nil
}

func (d *drivenClient) watchEnded(err error) {
	var refused *belfry.SubscribeError
	if errors.As(err, &refused) {
		d.out.write(line{
			"op": "error", "client": d.name, "kind": "command", "code": refused.Code, "reason": refused.Reason,
		})
	}
}

func (d *drivenClient) unwatch(subject string) error {
	d.lock.Lock()
	watch := d.watches[subject]
	delete(d.watches, subject)
	d.lock.Unlock()
	if watch == nil {
		return belfry.Code("not-watched")
	}
	watch.Unwatch()
	return nil
}

// skip lets the clock skip; it returns the time until the next timer.
func (d *drivenClient) skip(skipMillis int64) (time.Duration, bool) {
	d.offset.Add(int64(millis(skipMillis)))
	inside := inspect.Of(d.client)
	inside.Wake()
	return inside.NextWake()
}

func (d *drivenClient) close() {
	d.client.Close()
	d.lock.Lock()
	for _, driven := range d.subs {
		driven.end()
	}
	d.lock.Unlock()
	<-d.client.Done()
	d.running.Wait()
}

// drivenSubscription is one subscription, taken by Next or by a callback.
type drivenSubscription struct {
	driven      *drivenClient
	subject     string
	sub         *belfry.Subscription
	callback    bool
	throwsEvery int
	count       int

	lock  sync.Mutex // held while an item is written
	over  bool
	going chan struct{} // closed while the subscription is not paused
}

func (s *drivenSubscription) onItem(item belfry.Item) {
	if !s.write(item) {
		return
	}
	if _, is := item.(*belfry.Message); is {
		s.count++
		if s.throwsEvery > 0 && s.count%s.throwsEvery == 0 {
			panic("the command asks for this panic")
		}
	}
}

func (s *drivenSubscription) write(item belfry.Item) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	if !s.over {
		s.driven.out.write(itemLine(s.driven.name, s.subject, item))
	}
	return !s.over
}

func (s *drivenSubscription) iterate() {
	for {
		item, err := s.sub.Next(context.Background())
		if err != nil || !s.write(item) {
			return
		}
		s.lock.Lock()
		going := s.going
		s.lock.Unlock()
		<-going
	}
}

func (s *drivenSubscription) pause() {
	if s.callback {
		s.sub.Pause()
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	select {
	case <-s.going:
		s.going = make(chan struct{})
	default:
	}
}

func (s *drivenSubscription) resume() {
	if s.callback {
		s.sub.Resume()
		return
	}
	s.release()
}

func (s *drivenSubscription) release() {
	s.lock.Lock()
	defer s.lock.Unlock()
	select {
	case <-s.going:
	default:
		close(s.going)
	}
}

// end ends the lines of the subscription.
func (s *drivenSubscription) end() {
	s.lock.Lock()
	s.over = true
	s.lock.Unlock()
	s.release()
}
