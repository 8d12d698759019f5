// Command fanin merges several subjects into one channel.
package main

import (
	"context"
	"fmt"
	"log"
	"sync"

	"belfry.io/belfry"
)

func main() {
	ctx := context.Background()
	client, err := belfry.New(belfry.Options{Servers: belfry.Servers("ws://127.0.0.1:8800")})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	items, err := fanIn(ctx, client, "/prices/ACME", "/prices/INIT", "/orders/*")
	if err != nil {
		log.Fatal(err)
	}
	for item := range items {
		fmt.Printf("%+v\n", item)
	}
}

// fanIn returns the items of several subjects. The channel has no buffer: a slow reader fills the bounded buffers of the
// subscriptions, which then continue from their positions. The channel is closed when ctx or the client ends.
func fanIn(ctx context.Context, client *belfry.Client, subjects ...string) (<-chan belfry.Item, error) {
	items := make(chan belfry.Item)
	var running sync.WaitGroup
	for _, subject := range subjects {
		sub, err := client.Subscribe(ctx, subject, belfry.SubscribeOptions{})
		if err != nil {
			return nil, err
		}
		running.Add(1)
		go func() {
			defer running.Done()
			for {
				item, err := sub.Next(ctx)
				if err != nil {
					return
				}
				select {
				case items <- item:
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	go func() {
		running.Wait()
		close(items)
	}()
	return items, nil
}
