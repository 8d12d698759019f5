package belfry

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

const (
	headBytesMax = 64 << 10
	readBytes    = 32 << 10
	// unwrittenBytesMax is far above what publishes and answers to pings fill while the server does not read.
	unwrittenBytesMax = 128 << 20
	// closeWait is the maximum time in which the last bytes of a connection may be written.
	closeWait = 2 * time.Second
	idleMax   = 1024
)

// connections are the connections of one link. Owner: the holder of the client's lock.
type connections struct {
	client    *Client
	ctx       context.Context // ends when the link closes
	cancel    context.CancelFunc
	transport *http.Transport
	calls     map[*clientCall]bool
	ended     sync.WaitGroup // the calls
	closed    bool
}

// dialError is a failure before there was a connection.
type dialError struct{ error }

// tlsError is a failure of the TLS handshake.
type tlsError struct{ error }

func (c *Client) newPool(address serverAddress) pool {
	p := &connections{client: c, calls: map[*clientCall]bool{}}
	p.ctx, p.cancel = context.WithCancel(c.ctx)
	// The context of a request is not used for dialing: newer versions of net/http continue to dial after its end.
	p.transport = &http.Transport{
		DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
			return p.dial(network, address)
		},
		DialTLSContext: func(_ context.Context, network, address string) (net.Conn, error) {
			return p.dialTLS(network, address)
		},
		DisableCompression:     true,
		MaxIdleConnsPerHost:    idleMax,
		MaxResponseHeaderBytes: headBytesMax,
		ReadBufferSize:         readBytes,
	}
	return p
}

func (p *connections) dial(network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: p.client.settings.ConnectTimeout}
	opened, err := dialer.DialContext(p.ctx, network, address)
	if err != nil {
		return nil, dialError{err}
	}
	return opened, nil
}

func (p *connections) dialTLS(network, address string) (net.Conn, error) {
	opened, err := p.dial(network, address)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{}
	if p.client.settings.TLS != nil {
		config = p.client.settings.TLS.Clone()
	}
	config.NextProtos = nil // a WebSocket needs HTTP/1.1
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	encrypted := tls.Client(opened, config)
	if err := encrypted.HandshakeContext(p.ctx); err != nil {
		opened.Close()
		return nil, tlsError{err}
	}
	return encrypted, nil
}

func (p *connections) request(request *httpRequest, handler callHandler) call {
	made := &clientCall{pool: p, request: request, handler: handler, stopped: make(chan struct{})}
	made.ctx, made.stop = context.WithCancel(p.ctx)
	p.calls[made] = true
	p.ended.Add(1)
	p.client.start(made.run)
	return made
}

func (p *connections) close() {
	if p.closed {
		return
	}
	p.closed = true
	for each := range p.calls {
		each.cancel()
	}
	p.cancel()
	p.client.start(func() {
		p.ended.Wait()
		p.transport.CloseIdleConnections()
	})
}

// clientCall is one request in progress.
type clientCall struct {
	pool    *connections
	request *httpRequest
	handler callHandler
	ctx     context.Context
	stop    context.CancelFunc
	stopped chan struct{} // closed by cancel
	conn    net.Conn      // owner: the goroutine of the call

	// The holder of the client's lock is the owner of the rest.
	cancelled bool
	writer    *connectionWriter // after an upgrade
}

func (c *clientCall) write(data []byte) {
	if c.writer != nil {
		c.writer.write(data)
	}
}

func (c *clientCall) cancel() {
	if c.cancelled {
		return
	}
	c.cancelled = true
	delete(c.pool.calls, c)
	close(c.stopped)
	if c.writer != nil {
		c.writer.finish()
	} else {
		c.stop()
	}
}

// input passes an event to the handler, unless the call was cancelled.
func (c *clientCall) input(event func()) {
	c.pool.client.input(func() {
		if !c.cancelled {
			event()
		}
	})
}

func (c *clientCall) run() {
	defer c.pool.ended.Done()
	defer c.stop()
	answer, err := c.send()
	if err != nil {
		c.end(c.failure(err))
		return
	}
	defer answer.Body.Close()
	upgraded, _ := answer.Body.(io.ReadWriteCloser)
	if answer.StatusCode != http.StatusSwitchingProtocols {
		upgraded = nil
	}
	var writer *connectionWriter
	wanted := false
	c.input(func() {
		wanted = true
		if upgraded != nil {
			writer = newConnectionWriter(upgraded, c.conn)
			c.writer = writer
			c.pool.client.start(writer.run)
		}
		c.handler.head(answer.StatusCode, answer.Header)
	})
	if !wanted {
		// The call was cancelled after its answer had arrived; closing the body closes an upgraded connection.
		return
	}
	err = c.read(answer.Body)
	if writer != nil {
		writer.finish()
	}
	if err == io.EOF && upgraded == nil {
		c.end(nil)
	} else {
		c.end(c.failure(err))
	}
	if writer != nil {
		// The writer closes the connection after the last bytes.
		<-writer.ended
	}
}

func (c *clientCall) send() (*http.Response, error) {
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		c.conn = info.Conn
		c.input(c.handler.opened)
	}}
	var body io.Reader
	if len(c.request.body) > 0 {
		body = bytes.NewReader(c.request.body)
	}
	ctx := httptrace.WithClientTrace(c.ctx, trace)
	request, err := http.NewRequestWithContext(ctx, c.request.method, c.request.url, body)
	if err != nil {
		return nil, err
	}
	for _, field := range c.request.header {
		request.Header.Set(field[0], field[1])
	}
	return c.pool.transport.RoundTrip(request)
}

// read passes received bytes on until the end of the answer.
func (c *clientCall) read(body io.Reader) error {
	buffer := make([]byte, readBytes)
	for {
		count, err := body.Read(buffer)
		if count > 0 {
			c.input(func() { c.handler.data(buffer[:count]) })
		}
		if err != nil {
			return err
		}
		if readable := c.pool.client.readable(); readable != nil {
			select {
			case <-readable:
			case <-c.stopped:
			}
		}
	}
}

func (c *clientCall) end(end *ending) {
	c.input(func() {
		c.cancelled = true
		delete(c.pool.calls, c)
		c.handler.ended(end)
	})
}

func (c *clientCall) failure(err error) *ending {
	var dialing dialError
	var encrypting tlsError
	switch {
	case errors.As(err, &dialing):
		return &ending{cause: causeUnreachable, sentence: "the server cannot be reached: " + dialing.Error()}
	case errors.As(err, &encrypting):
		return &ending{cause: causeTLS, sentence: "the TLS handshake failed: " + encrypting.Error()}
	}
	return &ending{cause: causeLost, sentence: "the connection broke: " + err.Error()}
}

// connectionWriter writes to an upgraded connection, and closes it at the end. Any goroutine, except for run.
type connectionWriter struct {
	to   io.WriteCloser
	conn net.Conn

	lock      sync.Mutex
	queue     []byte
	finishing bool
	notice    chan struct{} // holds one notice
	ended     chan struct{} // closed when the connection is closed
}

func newConnectionWriter(to io.WriteCloser, conn net.Conn) *connectionWriter {
	return &connectionWriter{to: to, conn: conn, notice: make(chan struct{}, 1), ended: make(chan struct{})}
}

// write queues bytes. Everything that waits is written with one system call.
func (w *connectionWriter) write(data []byte) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.finishing {
		return
	}
	w.queue = append(w.queue, data...)
	if len(w.queue) > unwrittenBytesMax {
		w.conn.Close()
	}
	w.notify()
}

// finish closes the connection after the bytes written before, or after closeWait.
func (w *connectionWriter) finish() {
	w.lock.Lock()
	defer w.lock.Unlock()
	if !w.finishing {
		w.finishing = true
		_ = w.conn.SetWriteDeadline(time.Now().Add(closeWait))
		w.notify()
	}
}

func (w *connectionWriter) notify() {
	select {
	case w.notice <- struct{}{}:
	default:
	}
}

func (w *connectionWriter) run() {
	defer close(w.ended)
	// The reader notices the end, too.
	defer w.to.Close()
	var spare []byte
	for {
		w.lock.Lock()
		data, finishing := w.queue, w.finishing
		if len(data) > 0 {
			w.queue, spare = spare, nil
		}
		w.lock.Unlock()
		if len(data) > 0 {
			if _, err := w.to.Write(data); err != nil {
				return
			}
			if cap(data) <= 1<<20 {
				spare = data[:0]
			}
			continue
		}
		if finishing {
			return
		}
		<-w.notice
	}
}
