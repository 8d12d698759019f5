// Command hello subscribes, publishes one message and prints what arrives.
package main

import (
	"context"
	"fmt"
	"log"

	"belfry.io/belfry"
)

func main() {
	ctx := context.Background()
	client, err := belfry.Connect(ctx, belfry.Options{
		Servers:  belfry.Servers("ws://127.0.0.1:8800"),
		OnStatus: func(status belfry.Status) { fmt.Printf("* %T%+v\n", status, status) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	greetings, err := client.Subscribe(ctx, "/hello/**", belfry.SubscribeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := greetings.Ready(ctx); err != nil {
		log.Fatal(err)
	}
	ack, err := client.Publish(ctx, "/hello/world", []byte("Good morning"), belfry.PublishOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("published at", ack.Position)

	for {
		item, err := greetings.Next(ctx)
		if err != nil {
			log.Fatal(err)
		}
		switch item := item.(type) {
		case *belfry.Message:
			fmt.Println(item.Subject, string(item.Data), item.Position)
		case *belfry.Gap:
			fmt.Println("missing on", item.Subject, "from", item.After, "to", item.To, "because of", item.Reason)
		}
	}
}
