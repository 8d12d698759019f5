// Command handler publishes the body of each POST to /orders/NUMBER, and answers with its position.
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"path"

	"belfry.io/belfry"
)

func main() {
	client, err := belfry.New(belfry.Options{Servers: belfry.Servers("ws://127.0.0.1:8800")})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	http.Handle("/orders/", orders(client))
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}

// orders returns a handler; a client that repeats a request does not publish the order twice.
func orders(client *belfry.Client) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		number := path.Base(r.URL.Path)
		ack, err := client.Publish(r.Context(), "/orders/"+number, body, belfry.PublishOptions{MsgID: "order-" + number})
		switch {
		case errors.Is(err, belfry.Code("publish-denied")):
			http.Error(w, err.Error(), http.StatusForbidden)
		case errors.Is(err, belfry.TooManyPending):
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadGateway)
		default:
			fmt.Fprintln(w, ack.Position)
		}
	})
}
