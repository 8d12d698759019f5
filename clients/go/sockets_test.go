package belfry

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// echoServer accepts WebSockets: it confirms subscriptions, acknowledges publishes and sends each published message back.
type echoServer struct {
	*httptest.Server

	// upgrading receives before each answer to a handshake, if it is not nil.
	upgrading chan struct{}

	lock  sync.Mutex
	seq   int
	conns []net.Conn
}

func startEcho(t *testing.T, encrypted bool) *echoServer {
	s := &echoServer{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	if encrypted {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(func() {
		s.cut()
		s.Close()
	})
	return s
}

// cut closes all connections.
func (s *echoServer) cut() {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, conn := range s.conns {
		conn.Close()
	}
	s.conns = nil
}

func (s *echoServer) serve(w http.ResponseWriter, r *http.Request) {
	conn, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	s.lock.Lock()
	s.conns = append(s.conns, conn)
	s.lock.Unlock()
	if s.upgrading != nil {
		s.upgrading <- struct{}{}
	}
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: belfry.json.v1\r\n\r\n",
		acceptOf(r.Header.Get("Sec-WebSocket-Key")))
	for {
		opcode, payload, err := readClientFrame(buffered.Reader)
		if err != nil || opcode == opClose {
			return
		}
		for _, event := range s.answer(payload) {
			if _, err := conn.Write(serverFrame(0x80|opText, []byte(event))); err != nil {
				return
			}
		}
	}
}

func readClientFrame(from *bufio.Reader) (byte, []byte, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(from, head); err != nil {
		return 0, nil, err
	}
	length := int(head[1] & 0x7F)
	if length == 126 {
		long := make([]byte, 2)
		if _, err := io.ReadFull(from, long); err != nil {
			return 0, nil, err
		}
		length = int(binary.BigEndian.Uint16(long))
	}
	rest := make([]byte, 4+length)
	_, err := io.ReadFull(from, rest)
	mask(rest[4:], binary.LittleEndian.Uint32(rest))
	return head[0] & 0x0F, rest[4:], err
}

func (s *echoServer) answer(payload []byte) []string {
	var command jsonCommand
	if json.Unmarshal(payload, &command) != nil {
		return nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	switch command.Op {
	case "connect":
		return []string{connectedText}
	case "subscribe":
		recovery := "none"
		if command.From != "" {
			recovery = "complete"
		}
		return []string{fmt.Sprintf(`{"op":"subscribed","subject":%q,"epoch":7,"seq":%d,"recovery":%q}`,
			command.Subject, s.seq, recovery)}
	case "publish":
		s.seq++
		return []string{
			fmt.Sprintf(`{"op":"message","subject":%q,"data":%q,"epoch":7,"seq":%d,"time":1}`, command.Subject, *command.Data, s.seq),
			fmt.Sprintf(`{"op":"published","id":%d,"epoch":7,"seq":%d}`, command.ID, s.seq),
		}
	}
	return nil
}

func (s *echoServer) options() Options {
	return Options{Servers: Servers(s.URL), Encoding: JSON, Transports: []Transport{WebSocket}}
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// connect returns a client that is closed at the end of the test, when no goroutine of it may be left.
func connect(t *testing.T, options Options) *Client {
	t.Helper()
	client, err := Connect(testContext(t), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		<-client.Done()
		requireEqual(t, client.tasks.Load(), int64(0))
	})
	return client
}

func nextText(t *testing.T, sub *Subscription) string {
	t.Helper()
	item, err := sub.Next(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	return string(item.(*Message).Data)
}

func TestAMessageIsPublishedAndReceived(t *testing.T) {
	client := connect(t, startEcho(t, false).options())
	ctx := testContext(t)
	sub, err := client.Subscribe(ctx, "/a", SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	confirmed, err := sub.Ready(ctx)
	requireEqual(t, []any{confirmed, err}, []any{Confirmation{RecoveryNone, &Position{7, 0}}, nil})
	ack, err := client.Publish(ctx, "/a", []byte("hello"), PublishOptions{})
	requireEqual(t, []any{ack, err}, []any{Ack{Position{7, 1}}, nil})
	requireEqual(t, nextText(t, sub), "hello")
}

func TestAClientReturnsAfterACutAndResumes(t *testing.T) {
	server := startEcho(t, false)
	client := connect(t, server.options())
	ctx := testContext(t)
	sub, err := client.Subscribe(ctx, "/a", SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sub.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 3; i++ {
		text := fmt.Sprint("message ", i)
		if _, err := client.Publish(ctx, "/a", []byte(text), PublishOptions{}); err != nil {
			t.Fatal(err)
		}
		requireEqual(t, nextText(t, sub), text)
		server.cut()
	}
}

func TestAnEncryptedConnectionChecksTheCertificate(t *testing.T) {
	server := startEcho(t, true)
	options := server.options()
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	options.TLS = &tls.Config{RootCAs: trusted}
	connect(t, options)

	options.TLS = nil
	failed := make(chan Disconnected, 100)
	options.OnStatus = func(status Status) {
		if each, is := status.(Disconnected); is {
			failed <- each
		}
	}
	client, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	requireEqual(t, (<-failed).Code, "tls-failed")
}

func TestAContextEndsItsSubscription(t *testing.T) {
	client := connect(t, startEcho(t, false).options())
	ctx, cancel := context.WithCancel(testContext(t))
	sub, err := client.Subscribe(ctx, "/a", SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Subscribe(ctx, "/a", SubscribeOptions{})
	requireEqual(t, errors.Is(err, Code("already-subscribed")), true)
	cancel()
	_, err = sub.Next(testContext(t))
	requireEqual(t, err, io.EOF)
}

func TestSeveralGoroutinesMayTakeItemsOfOneSubscription(t *testing.T) {
	client := connect(t, startEcho(t, false).options())
	ctx := testContext(t)
	sub, err := client.Subscribe(ctx, "/a", SubscribeOptions{BufferedMessages: 10})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sub.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	const messages = 300
	texts := make(chan string, messages)
	for i := 0; i < 4; i++ {
		go func() {
			for {
				item, err := sub.Next(ctx)
				if err != nil {
					return
				}
				if message, is := item.(*Message); is {
					texts <- string(message.Data)
				}
			}
		}()
	}
	for i := 0; i < messages; i++ {
		if _, err := client.Publish(ctx, "/a", []byte(fmt.Sprint(i)), PublishOptions{}); err != nil {
			t.Fatal(err)
		}
		<-texts
	}
}

func TestACallbackThatPanicsIsReportedAndGetsTheNextItem(t *testing.T) {
	options := startEcho(t, false).options()
	failures := make(chan CallbackFailed, 10)
	options.OnStatus = func(status Status) {
		if failed, is := status.(CallbackFailed); is {
			failures <- failed
		}
	}
	client := connect(t, options)
	ctx := testContext(t)
	items := make(chan Item, 10)
	sub, err := client.Subscribe(ctx, "/a", SubscribeOptions{OnItem: func(item Item) {
		items <- item
		panic("of the test")
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sub.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 2; i++ {
		if _, err := client.Publish(ctx, "/a", nil, PublishOptions{}); err != nil {
			t.Fatal(err)
		}
		<-items
		requireEqual(t, <-failures, CallbackFailed{"OnItem", "/a", "of the test"})
	}
}

func TestAClientStopsReadingWhileStatusesWait(t *testing.T) {
	options := startEcho(t, false).options()
	release := make(chan struct{})
	blocked := make(chan struct{}, 2*statusesMax)
	options.OnStatus = func(status Status) {
		if _, is := status.(Stale); is {
			blocked <- struct{}{}
			<-release
		}
	}
	client := connect(t, options)
	client.input(func() { client.report(Stale{true}) })
	<-blocked
	client.input(func() {
		for i := 0; i < statusesMax; i++ {
			client.report(Stale{true})
		}
	})
	readable := client.readable()
	if readable == nil {
		t.Fatal("the client reads on")
	}
	close(release)
	<-readable
}

func TestACallbackMayCloseTheClient(t *testing.T) {
	options := startEcho(t, false).options()
	var client *Client
	made := make(chan struct{})
	options.OnStatus = func(status Status) {
		if _, is := status.(Connected); is {
			<-made
			client.Close()
		}
	}
	client, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	close(made)
	<-client.Done()
	requireEqual(t, client.Ready(testContext(t)), ErrClosed)
}

func TestCloseDuringTheHandshakeEnds(t *testing.T) {
	server := startEcho(t, false)
	server.upgrading = make(chan struct{})
	for i := 0; i < 300; i++ {
		client, err := New(server.options())
		if err != nil {
			t.Fatal(err)
		}
		<-server.upgrading
		for spin := 0; spin < 50*i; spin++ {
			runtime.KeepAlive(spin)
		}
		go client.Close()
		select {
		case <-client.Done():
		case <-time.After(30 * time.Second):
			t.Fatal("a callback did not end")
		}
		client.Close()
	}
}

func TestClosedClientsLeaveNoGoroutine(t *testing.T) {
	server := startEcho(t, false)
	before := runtime.NumGoroutine()
	for _, transports := range [][]Transport{{WebSocket}, {HTTPStream}, {LongPoll}} {
		for _, url := range []string{server.URL, "ws://127.0.0.1:1"} {
			options := server.options()
			options.Servers, options.Transports = Servers(url), transports
			client, err := New(options)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Subscribe(testContext(t), "/a", SubscribeOptions{}); err != nil {
				t.Fatal(err)
			}
			client.Close()
			<-client.Done()
			requireEqual(t, client.tasks.Load(), int64(0))
		}
	}
	server.cut()
	// The goroutines of the server, and those of net/http that close connections, end a moment later.
	for end := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before+1; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%s", stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestInvalidOptionsAreRefused(t *testing.T) {
	for name, options := range map[string]Options{
		"Options.Servers is empty":   {},
		"must be ws://host:port":     {Servers: Servers("ftp://host")},
		"weight must be 1 or more":   {Servers: []Server{{"ws://host", -1}}},
		"unknown transport":          {Servers: Servers("ws://host"), Transports: []Transport{"pigeon"}},
		"unknown encoding":           {Servers: Servers("ws://host"), Encoding: "xml"},
		"visible ASCII":              {Servers: Servers("ws://host"), Token: "two words"},
		"exclude each other":         {Servers: Servers("ws://host"), Token: "t", TokenSource: constantToken},
		"PingInterval must be":       {Servers: Servers("ws://host"), PingInterval: time.Microsecond},
		"timeouts must be positive":  {Servers: Servers("ws://host"), ConnectTimeout: -1},
		"bounds must be positive":    {Servers: Servers("ws://host"), PendingBytes: -1},
		"LongestPause must be posit": {Servers: Servers("ws://host"), Reconnect: &ReconnectPolicy{}},
	} {
		if _, err := New(options); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func constantToken(context.Context, TokenReason) (string, error) { return "t", nil }

func TestInvalidSubscriptionsAndPublishesAreRefused(t *testing.T) {
	client := connect(t, startEcho(t, false).options())
	ctx := testContext(t)
	for subject, options := range map[string]SubscribeOptions{
		"/a/": {}, "/a*": {}, "/b/*": {History: 1}, "/c/**": {From: &Position{}}, "/d": {Conflate: 2 * time.Hour},
		"/e": {History: -1}, "/f": {BufferedMessages: -1}, "/g": {From: &Position{-1, 0}},
	} {
		if _, err := client.Subscribe(ctx, subject, options); err == nil {
			t.Errorf("%s was accepted", subject)
		}
	}
	for subject, options := range map[string]PublishOptions{
		"/a/*": {}, "/b": {Once: true, MsgID: "m"}, "/c": {MsgID: strings.Repeat("m", 65)},
	} {
		if _, err := client.Publish(ctx, subject, nil, options); err == nil {
			t.Errorf("%s was accepted", subject)
		}
	}
}
