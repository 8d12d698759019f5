package belfry_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"belfry.io/belfry"
)

var (
	ctx    = context.Background()
	client *belfry.Client
)

func ExampleClient_Subscribe() {
	prices, err := client.Subscribe(ctx, "/prices/*", belfry.SubscribeOptions{Conflate: 100 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	for {
		item, err := prices.Next(ctx)
		if err != nil {
			return
		}
		fmt.Println(item)
	}
}

func ExampleClient_Subscribe_callback() {
	_, err := client.Subscribe(ctx, "/news", belfry.SubscribeOptions{
		History: 10,
		OnItem:  func(item belfry.Item) { fmt.Println(item) },
	})
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleClient_Publish() {
	ack, err := client.Publish(ctx, "/orders/1", []byte("2"), belfry.PublishOptions{Retain: true, MsgID: "order-1"})
	var failed *belfry.PublishError
	switch {
	case errors.Is(err, belfry.Code("publish-denied")):
		log.Print("the token does not allow it")
	case errors.Is(err, belfry.TimedOut):
		log.Print("the message may have been published")
	case errors.As(err, &failed):
		log.Print(failed.Outcome, failed.Code, failed.RetryAfter)
	case err == nil:
		log.Print("stored at ", ack.Position)
	}
}

func ExampleClient_Send() {
	var sent []*belfry.Publishing
	for i := 0; i < 1000; i++ {
		publishing, err := client.Send("/lines", []byte(fmt.Sprint(i)), belfry.PublishOptions{})
		if err != nil {
			log.Fatal(err)
		}
		sent = append(sent, publishing)
	}
	for _, publishing := range sent {
		if _, err := publishing.Wait(ctx); err != nil {
			log.Print(err)
		}
	}
}

func ExampleClient_Request() {
	reply, err := client.Request(ctx, "/sum", []byte("[1,2]"), belfry.RequestOptions{Timeout: 5 * time.Second})
	var late *belfry.NoReplyError
	switch {
	case errors.As(err, &late):
		log.Print("nobody replied in time")
	case err == nil:
		fmt.Println(string(reply.Data))
	}
}

func ExampleClient_Watch() {
	interest, err := client.Watch(ctx, "/cameras/7")
	if err != nil {
		log.Fatal(err)
	}
	for {
		wanted, err := interest.Next(ctx)
		if err != nil {
			return
		}
		fmt.Println("run the camera:", wanted)
	}
}

func ExampleOptions_tokenSource() {
	options := belfry.Options{
		Servers: belfry.Servers("wss://a.example", "wss://b.example"),
		TokenSource: func(ctx context.Context, reason belfry.TokenReason) (string, error) {
			return fetchToken(ctx, "https://login.example/token")
		},
	}
	client, err := belfry.New(options)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
}

func fetchToken(context.Context, string) (string, error) { return "", nil }
