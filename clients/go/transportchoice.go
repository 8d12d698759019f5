package belfry

// transportChoice begins with the first transport, and continues with the next one when something between client and
// server blocks it. A transport is remembered only after a message arrived through it: a network may accept a connection
// and hold back what follows. Owner: the engine.
type transportChoice struct {
	transports []Transport
	start      int
	tried      int
}

func (c *transportChoice) current() Transport {
	return c.transports[(c.start+c.tried)%len(c.transports)]
}

// fallBack handles an attempt that failed. It reports whether another transport should be tried at once.
func (c *transportChoice) fallBack(end *ending) bool {
	if !end.blamesTransport() {
		return false
	}
	c.tried++
	if c.tried < len(c.transports) {
		return true
	}
	c.tried = 0
	return false
}

// connectionEnded handles the end of an open connection: the next attempt begins with the remembered transport.
func (c *transportChoice) connectionEnded() { c.tried = 0 }

// messageArrived remembers the current transport.
func (c *transportChoice) messageArrived() {
	c.start = (c.start + c.tried) % len(c.transports)
	c.tried = 0
}
