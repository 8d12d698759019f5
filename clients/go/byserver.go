package belfry

const byServerMax = 1000

// byServer has the subjects to which the server subscribed the session, and the program did not. Owner: the engine.
type byServer map[string]bool

// begunByServer reports a subscription that the server began itself: over a WebSocket every command has an id.
func (e *engine) begunByServer(confirmed *subscribedEvent) {
	subject := confirmed.subject
	if confirmed.id != 0 || e.connector.transport() != WebSocket || e.subscriptions.find(subject) != nil {
		return
	}
	if !e.byServer[subject] && len(e.byServer) < byServerMax {
		e.byServer[subject] = true
		e.report(SubscribedByServer{subject, confirmed.at})
	}
}

// replaceByServer ends what the server began before the program's own subscription is requested.
func (e *engine) replaceByServer(link link, subject string) {
	if e.byServer[subject] {
		delete(e.byServer, subject)
		e.unsubscribeAt(link, []string{subject})
	}
}

// begunTwice requests a subscription again that the server began at the same time; the client's own has its options.
func (e *engine) begunTwice(sub *Subscription) {
	e.unrequest(sub)
	if sub.holds == 0 {
		e.request(sub)
	}
}
