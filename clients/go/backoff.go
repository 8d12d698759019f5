package belfry

import (
	"errors"
	"math/rand"
	"time"
)

// ReconnectPolicy has the pauses between attempts to connect.
//
// The first QuickAttempts attempts wait up to QuickPause each. For later ones the upper bound doubles from FirstPause to
// LongestPause. A pause is drawn from the whole range, so that clients which lost the same server do not return
// together. A connection of StableAfter resets the sequence. A failed server is avoided for AvoidFailedFor while others
// are available.
type ReconnectPolicy struct {
	QuickAttempts  int
	QuickPause     time.Duration
	FirstPause     time.Duration
	LongestPause   time.Duration
	StableAfter    time.Duration
	AvoidFailedFor time.Duration
}

// DefaultReconnect returns the policy of a client whose options have none.
func DefaultReconnect() ReconnectPolicy {
	return ReconnectPolicy{
		QuickAttempts:  3,
		QuickPause:     500 * time.Millisecond,
		FirstPause:     time.Second,
		LongestPause:   30 * time.Second,
		StableAfter:    10 * time.Second,
		AvoidFailedFor: 30 * time.Second,
	}
}

func (p *ReconnectPolicy) check() error {
	if p.QuickAttempts < 0 || p.QuickPause < 0 || p.FirstPause < 0 {
		return errors.New("belfry: attempts and pauses must not be negative")
	}
	if p.LongestPause <= 0 || p.LongestPause < p.FirstPause {
		return errors.New("belfry: LongestPause must be positive and not shorter than FirstPause")
	}
	return nil
}

// pause returns the pause before an attempt; attempt 0 is the first after the last stable connection.
func (p *ReconnectPolicy) pause(attempt int, random *rand.Rand) time.Duration {
	return time.Duration(random.Float64() * float64(p.bound(attempt)))
}

func (p *ReconnectPolicy) bound(attempt int) time.Duration {
	if attempt < p.QuickAttempts {
		return p.QuickPause
	}
	bound := p.FirstPause
	for doubled := p.QuickAttempts; doubled < attempt && bound < p.LongestPause; doubled++ {
		if bound == 0 {
			return 0
		}
		bound *= 2
	}
	if bound > p.LongestPause {
		return p.LongestPause
	}
	return bound
}

// serverChoice chooses the next server at random, by weight. Servers that failed recently are avoided; if all are, the
// one that has been avoided the longest is next.
type serverChoice struct {
	servers  []serverAddress
	avoidFor time.Duration
	random   *rand.Rand
	until    map[serverAddress]time.Duration
}

func (c *serverChoice) next(now time.Duration) serverAddress {
	total := 0
	for _, server := range c.servers {
		if c.isFree(server, now) {
			total += server.weight
		}
	}
	if total == 0 {
		return c.longestAvoided()
	}
	drawn := c.random.Intn(total)
	for _, server := range c.servers {
		if c.isFree(server, now) {
			if drawn < server.weight {
				return server
			}
			drawn -= server.weight
		}
	}
	panic("belfry: the weights of the servers do not add up")
}

func (c *serverChoice) isFree(server serverAddress, now time.Duration) bool {
	until, avoided := c.until[server]
	return !avoided || until <= now
}

func (c *serverChoice) longestAvoided() serverAddress {
	first := c.servers[0]
	for _, server := range c.servers {
		if c.until[server] < c.until[first] {
			first = server
		}
	}
	return first
}

// avoid avoids a server that failed or asked its clients to leave, at least for the time that it asked for.
func (c *serverChoice) avoid(server serverAddress, now, atLeast time.Duration) {
	if atLeast < c.avoidFor {
		atLeast = c.avoidFor
	}
	c.until[server] = now + atLeast
}

// hasOther reports whether some server is not avoided.
func (c *serverChoice) hasOther(now time.Duration) bool {
	for _, server := range c.servers {
		if c.isFree(server, now) {
			return true
		}
	}
	return false
}

// worked ends the avoidance of a server, because a connection to it succeeded.
func (c *serverChoice) worked(server serverAddress) { delete(c.until, server) }
