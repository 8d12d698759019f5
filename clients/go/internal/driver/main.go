// Command driver is the driver of the behaviour suite for the Go client: tests/clients/PROTOCOL.md.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"belfry.io/belfry"
	"belfry.io/belfry/internal/inspect"
)

var without = map[string]string{
	"sse":      "the client reads NDJSON instead",
	"tabs":     "a Go program has no tabs",
	"pageLife": "a Go program is no page",
}

var capabilities = []string{
	"webSocket", "httpStream", "longPoll", "json", "binary", "fallback", "patterns", "history", "conflate", "publish",
	"pendingBound", "publishOnce", "watch", "callback", "iterator", "pause", "tokenSource", "retry", "ping", "clock",
	"keepSession", "clientName", "patternPositions", "requests", "noEcho", "resources", "compression", "delta",
}

// driver executes commands in their order; a command that waits does not delay the next one.
type driver struct {
	out     *output
	waiting sync.WaitGroup // for commands that wait

	lock    sync.Mutex
	clients map[string]*drivenClient
}

func main() {
	d := &driver{out: &output{to: bufio.NewWriter(os.Stdout)}, clients: map[string]*drivenClient{}}
	d.out.write(line{
		"op": "hello", "driver": "go", "protocol": 1, "runtime": runtime.Version(),
		"capabilities": capabilities, "without": without,
	})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var each command
		if err := json.Unmarshal(lines.Bytes(), &each); err != nil {
			panic(err)
		}
		d.execute(&each)
	}
	for _, each := range d.all() {
		each.close()
	}
	d.waiting.Wait()
}

func (d *driver) all() []*drivenClient {
	d.lock.Lock()
	defer d.lock.Unlock()
	all := make([]*drivenClient, 0, len(d.clients))
	for _, each := range d.clients {
		all = append(all, each)
	}
	return all
}

func (d *driver) client(name string) *drivenClient {
	d.lock.Lock()
	defer d.lock.Unlock()
	return d.clients[name]
}

func (d *driver) execute(c *command) {
	switch c.Op {
	case "new":
		client, err := newDrivenClient(d.out, c)
		if err == nil {
			d.lock.Lock()
			d.clients[c.Client] = client
			d.lock.Unlock()
		}
		d.answer(c, err)
	case "resources":
		d.resources(c)
	default:
		client := d.client(c.Client)
		if client == nil {
			d.answer(c, belfry.Code("no-client"))
			return
		}
		d.executeOn(client, c)
	}
}

func (d *driver) executeOn(client *drivenClient, c *command) {
	switch c.Op {
	case "subscribe":
		d.answer(c, client.subscribe(c))
	case "unsubscribe":
		d.answer(c, client.unsubscribe(c))
	case "pause":
		d.answer(c, client.pause(c.Subject))
	case "resume":
		d.answer(c, client.resume(c.Subject))
	case "position":
		d.position(client, c)
	case "publish":
		client.publish(c, func(err error) { d.answer(c, err) })
	case "request":
		d.answer(c, nil)
		client.request(c)
	case "respond":
		d.answer(c, client.respond(c.Subject))
	case "watch":
		d.answer(c, client.watch(c.Subject))
	case "unwatch":
		d.answer(c, client.unwatch(c.Subject))
	case "token":
		d.answer(c, client.giveToken(c))
	case "clock":
		d.skip(client, c)
	case "close":
		d.later(func() {
			client.close()
			d.lock.Lock()
			delete(d.clients, c.Client)
			d.lock.Unlock()
			d.answer(c, nil)
		})
	default:
		d.answer(c, belfry.Code("unknown-op"))
	}
}

func (d *driver) later(run func()) {
	d.waiting.Add(1)
	go func() {
		defer d.waiting.Done()
		run()
	}()
}

func (d *driver) position(client *drivenClient, c *command) {
	driven, err := client.find(c.Subject)
	if err != nil {
		d.answer(c, err)
		return
	}
	answer := line{"op": "answer", "id": c.ID}
	if at := driven.sub.Position(); at != "" {
		answer["position"] = at
	}
	d.out.write(answer)
}

func (d *driver) skip(client *drivenClient, c *command) {
	answer := line{"op": "answer", "id": c.ID}
	if wait, any := client.skip(c.SkipMillis); any {
		answer["nextMillis"] = wait.Milliseconds()
	}
	d.out.write(answer)
}

func (d *driver) resources(c *command) {
	timers, tasks := 0, 0
	for _, each := range d.all() {
		inside := inspect.Of(each.client)
		timers += inside.Timers()
		tasks += inside.Tasks()
	}
	debug.FreeOSMemory() // collects garbage, too
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	d.out.write(line{
		"op": "answer", "id": c.ID, "timers": timers, "tasks": tasks,
		// The threads of Go are its goroutines.
		"threads": runtime.NumGoroutine(), "memoryBytes": memory.HeapAlloc,
	})
}

// answer answers a command, with the code of an error if it has one.
func (d *driver) answer(c *command, err error) {
	answer := line{"op": "answer", "id": c.ID}
	if err != nil {
		answer["error"], answer["reason"] = "failed", err.Error()
		var code belfry.Code
		if errors.As(err, &code) && code != "" {
			answer["error"] = string(code)
		}
	}
	d.out.write(answer)
}
