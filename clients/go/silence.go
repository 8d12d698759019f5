package belfry

import "time"

const (
	// answerMax is the maximum time for the answer to a ping.
	answerMax = 10 * time.Second
	// probeMax is the maximum time for the answer to the ping after the device slept.
	probeMax = 2 * time.Second
)

// silence decides whether a silent connection is dead. Owner: the connector. Times are of timers.awake.
type silence struct {
	interval time.Duration
	lastRead time.Duration
	waiting  bool // whether an answer must arrive before limit
	limit    time.Duration
}

// read records received bytes.
func (s *silence) read(now time.Duration) {
	s.lastRead = now
	s.waiting = false
}

// asked records a ping, whose answer must arrive in time.
func (s *silence) asked(now time.Duration, probe bool) {
	s.waiting = true
	switch {
	case probe:
		s.limit = now + probeMax
	case s.interval < answerMax:
		s.limit = now + s.interval
	default:
		s.limit = now + answerMax
	}
}

// nextCheck returns the time at which to ask for a sign of life or to give up. Without pings that is two intervals.
func (s *silence) nextCheck(canPing bool) time.Duration {
	switch {
	case s.waiting:
		return s.limit
	case canPing:
		return s.lastRead + s.interval
	}
	return s.lastRead + 2*s.interval
}

func (s *silence) isDead(now time.Duration, canPing bool) bool {
	return now >= s.nextCheck(canPing) && (s.waiting || !canPing)
}

func (s *silence) wantsPing(now time.Duration) bool {
	return !s.waiting && now >= s.lastRead+s.interval
}
