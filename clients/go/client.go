package belfry

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand"
	"sync"
	"sync/atomic"
	"time"

	"belfry.io/belfry/internal/inspect"
)

// alarmMax is the maximum time between two readings of the clock while a timer waits. The timers of the system may stand
// still while the device sleeps, so a longer wait would notice the end of a sleep late.
const alarmMax = 5 * time.Second

// Client keeps a connection to one of several servers. Its methods may be called by any goroutine.
type Client struct {
	settings  *settings
	callbacks *callbacks
	requests  requests
	ctx       context.Context // ends with the client
	cancel    context.CancelFunc
	running   sync.WaitGroup // goroutines that Close waits for
	asking    sync.WaitGroup // calls of the token source
	tasks     atomic.Int64   // goroutines of both groups, and that of the callbacks
	done      chan struct{}

	lock    sync.Mutex // guards the engine and what follows
	engine  *engine
	alarm   *time.Timer
	alarmAt time.Duration // time of the engine for which the alarm is set; negative for none
	paused  chan struct{} // closed when reading continues; nil while it does
	state   clientState
	changed chan struct{} // closed and replaced when state changes
}

// clientState is what Ready waits for.
type clientState struct{ up, refused, closed bool }

func init() {
	inspect.Of = func(client any) inspect.Inspector { return inside{client.(*Client)} }
}

// New returns a client that begins to connect in the background. It returns an error only for invalid options, never
// for the network. Close ends the client.
func New(options Options) (*Client, error) {
	checked, err := settingsOf(options)
	if err != nil {
		return nil, err
	}
	c := &Client{
		settings: checked,
		done:     make(chan struct{}),
		changed:  make(chan struct{}),
		alarmAt:  -1,
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.callbacks = newCallbacks(c, checked.OnStatus)
	seed := make([]byte, 16+originKeyBytes)
	if _, err := crand.Read(seed); err != nil {
		return nil, fmt.Errorf("belfry: the system has no random bytes: %w", err)
	}
	random := rand.New(rand.NewSource(int64(binary.LittleEndian.Uint64(seed))))
	c.engine = newEngine(checked, c, random, hex.EncodeToString(seed[8:16])+"-")
	c.engine.subscriptions.origin = newOrigin(seed[16:])
	c.tasks.Add(1)
	go c.callbacks.run()
	c.input(c.engine.connector.start)
	return c, nil
}

// Connect returns a client after a server has answered it. It closes the client and returns an error if ctx is done
// before, or if the server refuses the client permanently (*RefusedError).
func Connect(ctx context.Context, options Options) (*Client, error) {
	client, err := New(options)
	if err != nil {
		return nil, err
	}
	if err := client.Ready(ctx); err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}

// Ready waits until a server has answered on the current connection. It returns a *RefusedError if the server refuses the
// client permanently, and ErrClosed after Close.
func (c *Client) Ready(ctx context.Context) error {
	for {
		c.lock.Lock()
		err := c.engine.mustBeOpen()
		up := c.engine.connector.isUp()
		changed := c.changed
		c.lock.Unlock()
		if err != nil || up {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Subscribe subscribes a subject or pattern. It returns at once, also without a connection; Subscription.Ready waits for
// the server. Messages are kept from now on, within the bounds of the options. The subscription ends with ctx, with
// Unsubscribe or with the client. A subject or pattern can be subscribed once per client.
func (c *Client) Subscribe(ctx context.Context, subject string, options SubscribeOptions) (*Subscription, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if isInbox(subject) {
		return nil, fmt.Errorf("belfry: only Request follows an inbox, with its key: %q", subject)
	}
	sub, err := newSubscription(subject, options, c.settings.FollowedSubjects)
	if err != nil {
		return nil, err
	}
	sub.client = c
	c.input(func() {
		if err = c.engine.subscribe(sub); err == nil && ctx.Done() != nil {
			c.start(func() { endWith(ctx, sub.ended, sub.Unsubscribe) })
		}
	})
	if err != nil {
		return nil, err
	}
	return sub, nil
}

// endWith calls end when ctx is done, unless ended is closed before.
func endWith(ctx context.Context, ended <-chan struct{}, end func()) {
	select {
	case <-ctx.Done():
		end()
	case <-ended:
	}
}

// Publish publishes a message and waits until the server has stored it. A publish without an answer is repeated on the
// next connection with the same msgId, and stored once. It returns a *PublishError if the message was not acknowledged,
// and the error of ctx if ctx is done before; this does not undo the publish.
func (c *Client) Publish(ctx context.Context, subject string, data []byte, options PublishOptions) (Ack, error) {
	publishing, err := c.Send(subject, data, options)
	if err != nil {
		return Ack{}, err
	}
	return publishing.Wait(ctx)
}

// Send publishes a message without waiting. Messages reach the server in the order of the calls. Data must not be changed
// before the outcome is known. The error is not nil only for an invalid subject or option.
func (c *Client) Send(subject string, data []byte, options PublishOptions) (*Publishing, error) {
	if err := options.check(subject); err != nil {
		return nil, err
	}
	publishing := &Publishing{done: make(chan struct{})}
	publishing.command = publishCommand{subject: subject, data: data}
	c.input(func() { c.engine.publish(publishing, options) })
	return publishing, nil
}

// Writable waits until there is room for one more small publish within the bounds of the options.
func (c *Client) Writable(ctx context.Context) error {
	for {
		c.lock.Lock()
		err := c.engine.mustBeOpen()
		room := c.engine.publishes.awaitRoom()
		c.lock.Unlock()
		if err != nil || room == nil {
			return err
		}
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Watch requests reports of whether a subject has subscribers, over WebSocket only. The watch ends with ctx, with Unwatch
// or with the client.
func (c *Client) Watch(ctx context.Context, subject string) (*Watch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	watch, err := newWatch(subject)
	if err != nil {
		return nil, err
	}
	watch.client = c
	c.input(func() {
		if err = c.engine.watch(watch); err == nil && ctx.Done() != nil {
			c.start(func() { endWith(ctx, watch.over, watch.Unwatch) })
		}
	})
	if err != nil {
		return nil, err
	}
	return watch, nil
}

// Close closes the client: publishes without an answer fail, subscriptions end. It returns when no connection, timer or
// goroutine of the client is left, except for a callback in progress; Done reports its end. Close may therefore be called
// by a callback. Further calls have no effect.
func (c *Client) Close() {
	c.input(c.engine.close)
	c.cancel()
	c.callbacks.close()
	c.running.Wait()
}

// Done returns a channel that is closed after Close, when the last callback has returned.
func (c *Client) Done() <-chan struct{} { return c.done }

// input is one input of the engine.
func (c *Client) input(call func()) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.engine.enter()
	call()
	for _, sub := range c.engine.left() {
		if sub.options.OnItem != nil {
			c.callbacks.touch(sub)
		}
	}
	if c.callbacks.isFull() && !c.engine.flow.statusesFull {
		c.engine.flow.setStatusesFull(true)
	}
	c.announce()
	c.schedule()
}

// announce wakes who waits for a change of the state.
func (c *Client) announce() {
	state := clientState{c.engine.connector.isUp(), c.engine.refusal != nil, c.engine.closed}
	if state != c.state {
		c.state = state
		close(c.changed)
		c.changed = make(chan struct{})
	}
}

// schedule sets the alarm for the next timer of the engine.
func (c *Client) schedule() {
	due, any := c.engine.timers.due()
	if !any {
		due = -1
	}
	if due == c.alarmAt {
		return
	}
	c.alarmAt = due
	if c.alarm != nil {
		c.alarm.Stop()
	}
	if due < 0 {
		return
	}
	wait := due - c.settings.Clock()
	if wait > alarmMax {
		wait = alarmMax
	}
	c.alarm = time.AfterFunc(wait, c.wake)
}

func (c *Client) wake() {
	c.input(func() {
		c.alarmAt = -1
		c.engine.wake()
	})
}

// start runs a goroutine that Close waits for. The caller holds the lock, and the client is not closed.
func (c *Client) start(run func()) {
	c.running.Add(1)
	c.tasks.Add(1)
	go func() {
		defer c.running.Done()
		defer c.tasks.Add(-1)
		run()
	}()
}

// The network of the engine; the caller holds the lock.

func (c *Client) report(status Status) { c.callbacks.report(status) }

func (c *Client) pauseReading(paused bool) {
	if paused && c.paused == nil {
		c.paused = make(chan struct{})
	} else if !paused && c.paused != nil {
		close(c.paused)
		c.paused = nil
	}
}

// readable returns a channel that is closed when reading may continue; nil if it may now.
func (c *Client) readable() <-chan struct{} {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.paused == nil {
		return nil
	}
	return c.paused
}

func (c *Client) askToken(reason TokenReason) {
	c.asking.Add(1)
	c.tasks.Add(1)
	go func() {
		defer c.asking.Done()
		defer c.tasks.Add(-1)
		token, err := c.tokenOf(reason)
		c.input(func() {
			if !c.engine.closed {
				c.engine.connector.tokens.answered(token, err)
			}
		})
	}()
}

func (c *Client) tokenOf(reason TokenReason) (token string, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("belfry: Options.TokenSource panicked: %v", value)
		}
	}()
	return c.settings.TokenSource(c.ctx, reason)
}

// inside implements inspect.Inspector.
type inside struct{ client *Client }

func (i inside) Wake() { i.client.wake() }

func (i inside) NextWake() (time.Duration, bool) {
	i.client.lock.Lock()
	defer i.client.lock.Unlock()
	due, any := i.client.engine.timers.due()
	wait := due - i.client.settings.Clock()
	if wait < 0 {
		wait = 0
	}
	return wait, any
}

func (i inside) Timers() int {
	i.client.lock.Lock()
	defer i.client.lock.Unlock()
	return i.client.engine.timers.count()
}

func (i inside) Tasks() int { return int(i.client.tasks.Load()) }
