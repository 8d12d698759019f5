//go:build unix

// Command throughput measures how many messages of 100 bytes one client receives per second on one core, over WebSocket
// with the binary encoding. The messages are in the history of the server before the measured subscription begins, so
// that the server and the publisher do not limit the client.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"belfry.io/belfry"
)

const (
	dataBytes = 100
	burst     = 500
)

func main() {
	url := flag.String("url", "ws://127.0.0.1:8800", "address of the server")
	messages := flag.Int("messages", 300_000, "number of messages; the key CacheSize of the server must not be smaller")
	rounds := flag.Int("rounds", 5, "number of rounds")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	subject := "/throughput/" + strconv.Itoa(os.Getpid())
	publish(*url, subject, *messages)
	for round := 1; round <= *rounds; round++ {
		began, cpu := time.Now(), cpuTime()
		receive(*url, subject, *messages)
		elapsed, used := time.Since(began), cpuTime()-cpu
		fmt.Printf("round %d: %.0f messages/s, %.0f per second of CPU\n",
			round, float64(*messages)/elapsed.Seconds(), float64(*messages)/used.Seconds())
	}
}

func connect(url string) *belfry.Client {
	client, err := belfry.Connect(context.Background(), belfry.Options{
		Servers: belfry.Servers(url), Transports: []belfry.Transport{belfry.WebSocket},
	})
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// publish fills the history of a subject.
func publish(url, subject string, messages int) {
	client := connect(url)
	defer client.Close()
	for sent := 0; sent < messages; sent += burst {
		var waiting []*belfry.Publishing
		for i := sent; i < sent+burst && i < messages; i++ {
			publishing, err := client.Send(subject, make([]byte, dataBytes), belfry.PublishOptions{})
			if err != nil {
				log.Fatal(err)
			}
			waiting = append(waiting, publishing)
		}
		for _, publishing := range waiting {
			if _, err := publishing.Wait(context.Background()); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// receive connects, receives all messages and closes the client.
func receive(url, subject string, messages int) {
	client := connect(url)
	defer client.Close()
	sub, err := client.Subscribe(context.Background(), subject, belfry.SubscribeOptions{History: messages})
	if err != nil {
		log.Fatal(err)
	}
	for left := messages; left > 0; left-- {
		item, err := sub.Next(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		if _, is := item.(*belfry.Message); !is {
			log.Fatalf("not a message: %+v", item)
		}
	}
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
