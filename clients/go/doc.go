// Package belfry is a client of the Belfry publish/subscribe server.
//
// A [Client] keeps a connection to one of several servers. It reconnects after every failure, recovers missed messages by
// position, delivers each message once and in order, and announces every gap as a [Gap]. It needs the standard library
// only.
//
//	client, err := belfry.Connect(ctx, belfry.Options{Servers: belfry.Servers("wss://a.example")})
//	sub, err := client.Subscribe(ctx, "/prices/*", belfry.SubscribeOptions{})
//	item, err := sub.Next(ctx) // a *belfry.Message or a *belfry.Gap
//	ack, err := client.Publish(ctx, "/orders/1", data, belfry.PublishOptions{})
//
// Everything that a server or a program can make grow has a bound in [Options] or [SubscribeOptions]. The guide is
// docs/clients/go.md in the folder of the project.
package belfry
