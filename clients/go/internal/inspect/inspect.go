// Package inspect lets programs of this module control the time of a client and count what a client holds. The driver of
// the behaviour suite uses it.
package inspect

import "time"

// Inspector is the inside of a client.
type Inspector interface {
	// Wake runs the timers that are due, after the client's clock was changed.
	Wake()
	// NextWake returns the time until the next timer; ok is false if there is none.
	NextWake() (wait time.Duration, ok bool)
	// Timers returns the number of timers.
	Timers() int
	// Tasks returns the number of goroutines of the client.
	Tasks() int
}

// Of returns the inside of a *belfry.Client. Package belfry sets it.
var Of func(client any) Inspector
