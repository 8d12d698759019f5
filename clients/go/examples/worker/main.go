// Command worker continues where its last run ended, and stops gracefully at SIGINT and SIGTERM.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"belfry.io/belfry"
)

const positionFile = "position.txt"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := belfry.New(belfry.Options{Servers: belfry.Servers("ws://127.0.0.1:8800")})
	if err != nil {
		log.Fatal(err)
	}
	// Close returns when the connection is closed and no goroutine of the client is left.
	defer client.Close()
	if err := work(ctx, client); err != nil {
		log.Print(err)
	}
}

// work handles messages until ctx is done. The message in progress is completed, and its position is stored.
func work(ctx context.Context, client *belfry.Client) error {
	options := belfry.SubscribeOptions{}
	if text, err := os.ReadFile(positionFile); err == nil {
		from, err := belfry.ParsePosition(strings.TrimSpace(string(text)))
		if err != nil {
			return err
		}
		options.From = &from
	}
	jobs, err := client.Subscribe(ctx, "/jobs", options)
	if err != nil {
		return err
	}
	for {
		item, err := jobs.Next(ctx)
		if err != nil {
			return err // the error of ctx after a signal
		}
		message, is := item.(*belfry.Message)
		if !is {
			log.Printf("missing: %+v", item)
			continue
		}
		log.Printf("job: %s", message.Data)
		if err := os.WriteFile(positionFile, []byte(message.Position.String()), 0o600); err != nil {
			return err
		}
	}
}
