"""One client without I/O: bytes and clock in, bytes, statuses and items out.

Owner: one thread; only ``publishes.admit`` and the buffers' ``take`` may be called by another one.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, Protocol

from ._codec import SessionRequest
from ._connector import Connector, Network, Phase
from ._continuation import Continuation
from ._errors import BelfryError, ClosedError, PublishError, PublishOutcome, RefusedError, SubscribeError
from ._events import (
    NO_ID,
    ConnectedEvent,
    ErrorEvent,
    GapEvent,
    InterestEvent,
    MessageEvent,
    PositionEvent,
    PublishedEvent,
    ReconnectEvent,
    ServerEvent,
    StaleEvent,
    SubscribedEvent,
    TokenToExpireEvent,
    UnsubscribedEvent,
    UnwatchedEvent,
)
from ._flow import Flow
from ._link import Link
from ._model import Position
from ._options import Options
from ._origin import OwnOrigin
from ._publishes import PendingPublishes, Publish
from ._refusals import Ending, is_of_subscription, is_transient
from ._status import Closed, CommandFailed, PublishUnknown, Stale, Status, SubscribedByServer, Unsubscribed
from ._subscription import Hold, PatternPositions, Wanted
from ._subscriptions import AnySubscription, Subscriptions
from ._timers import Timer, Timers
from ._watches import Watches, WatchState
from ._websocket_link import CONNECT_ID, SUBSCRIBE_ID, UNSUBSCRIBE_ID, WATCH_ID

_REQUEST_AGAIN: Final = 1.0
"""Minimum pause before a command is repeated; the server's command rate refills within a second."""

_REPEAT: Final = 0.5
"""Pause before a publish is repeated on the same connection; a node needs about this time to restart its producer."""


_BY_SERVER_MAX: Final = 1000

_NO_POSITIONS: Final = "wildcard-not-allowed"
"""The server has no positions of patterns, for example after its history was switched off."""


class Output(Network, Protocol):
    """The calls of the engine to its face. No call may call the engine before it returns."""

    def pause_reading(self, paused: bool) -> None: ...

    def ask_state(self, state: AnySubscription) -> None: ...


class Engine:
    """Every public method is an input, except those that say so."""

    def __init__(self, options: Options, output: Output, clock: Callable[[], float], random: Random) -> None:
        bounds = options.bounds
        self.publishes = PendingPublishes(bounds.pending_publishes, bounds.pending_bytes)
        self.origin = OwnOrigin()
        self.refusal: BelfryError | None = None
        """The reason for which the server refused the client permanently."""
        self.closed = False
        self._options = options
        self._output = output
        self._timers = Timers(clock)
        self._subscriptions = Subscriptions(output.report, self._gap_delivered, bounds.recovered_subjects, self.origin)
        self._flow = Flow(self, self._subscriptions)
        self._continuation = Continuation(options.keep_session)
        self._watches = Watches()
        self._by_server: set[str] = set()
        """Subjects to which the server subscribed the session, and the program did not."""
        self._connector = Connector(options, output, self, self._timers, random)
        self._late: Timer | None = None
        self._repeating = False
        self._transport_proven = False
        self._subscriptions_requested = False
        """Whether the link has the list of subscriptions; later subscriptions are requested one by one."""

    # Time

    def next_wake(self) -> float | None:
        """Returns the time, in seconds, after which ``wake`` must be called; None if it need not be."""
        return self._timers.delay()

    def next_due(self) -> float | None:
        """Returns the clock's time at which ``wake`` must be called; None if it need not be."""
        return self._timers.due()

    @property
    def timer_count(self) -> int:
        return len(self._timers)

    @property
    def is_up(self) -> bool:
        return self._connector.is_up

    def wake(self) -> None:
        self._enter()
        self._timers.run()

    def after(self, seconds: float, call: Callable[[], None]) -> Timer:
        return self._timers.after(seconds, call)

    def call_after(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Calls a function of the face after a time, which begins now."""
        self._enter()
        return self.after(seconds, call)

    def _enter(self) -> None:
        if self._timers.enter():
            self._connector.woke_up()
            self._judge_publishes()

    # The network

    def start(self) -> None:
        self._enter()
        self._connector.start()

    def connection_opened(self, connection: int) -> None:
        self._enter()
        self._connector.opened(connection)

    def received(self, connection: int, data: bytes) -> None:
        self._enter()
        self._connector.received(connection, data)
        for state in self._subscriptions.touched:
            self._flow.delivered(state)

    def connection_lost(self, connection: int, ending: Ending) -> None:
        self._enter()
        self._connector.lost(connection, ending)

    def token_answered(self, token: object, error: Exception | None) -> None:
        """Handles the answer of the token callback, or its exception."""
        self._enter()
        self._connector.token_answered(token, error)

    def take_touched(self) -> list[AnySubscription]:
        """Returns the subscriptions that received items since the last call; not an input."""
        touched = self._subscriptions.touched
        if not touched:
            return []
        taken = list(touched)
        touched.clear()
        return taken

    # The session of the connector

    def wanted(self, positions: PatternPositions) -> list[Wanted]:
        self._subscriptions_requested = True
        wanted = self._subscriptions.wanted(positions)
        self._continuation.subscribes_again()
        self._continuation.asked(one.subject for one in wanted)
        return wanted

    def session_request(self) -> SessionRequest | None:
        return self._continuation.request(self._timers.now, self._subscriptions)

    def is_kept(self) -> bool:
        return self._continuation.is_kept

    def up(self) -> None:
        for subject in self._watches.subjects():
            self._request_watch(subject)
        self._send_publishes()

    def writable(self) -> None:
        self._send_publishes()

    def down(self, ending: Ending) -> None:
        self._continuation.lost(self._timers.now, ending.code)
        self._subscriptions_requested = False
        self._transport_proven = False
        self._by_server.clear()
        for state in self._subscriptions:
            state.unrequest()
        for subject in self.publishes.disconnected():
            self._output.report(PublishUnknown(subject))

    def stopped(self, error: RefusedError) -> None:
        self.refusal = error
        self._end_all(error, error.code, "the server refused this client")

    def event(self, event: ServerEvent, only: str | None = None) -> None:
        if type(event) is MessageEvent:
            self._subscriptions.message(event, only)
            if not self._transport_proven:
                self._transport_proven = True
                self._connector.message_arrived()
        elif type(event) is GapEvent:
            self._subscriptions.gap(event, only)
        else:
            self._other_event(event)
        if self._subscriptions.has_finished_bridges:
            self._end_bridges()

    def _end_bridges(self) -> None:
        done = self._subscriptions.take_finished_bridges()
        if done and self._connector.link is not None:
            self._continuation.asked(done)
            self._connector.link.end_bridges(done)

    def _other_event(self, event: ServerEvent) -> None:  # noqa: C901 - one line per event
        match event:
            case ConnectedEvent():
                self._connected(event)
            case SubscribedEvent():
                self._subscribed(event)
            case UnsubscribedEvent():
                self._unsubscribed(event)
            case PublishedEvent(id=id, at=at):
                self.publishes.acknowledged(id, at)
            case ErrorEvent():
                self._error(event)
            case ReconnectEvent(after_ms=after, reason=reason):
                self._connector.reconnect_asked(after / 1000, reason)
            case InterestEvent(subject=subject, subscribers=subscribers):
                self._watches.interest(subject, subscribers)
            case UnwatchedEvent(subject=subject, reason=str(reason)):
                self._watches.refused(subject, reason, "the new token does not allow it")
            case TokenToExpireEvent(after_ms=after):
                self._connector.token_to_expire(after / 1000)
            case PositionEvent():
                self._subscriptions.position(event)
            case StaleEvent(stale=stale):
                self._output.report(Stale(stale))
            case _:
                # A pong is a sign of life only; other answers were expected when their commands were sent.
                pass

    def _connected(self, event: ConnectedEvent) -> None:
        self._continuation.connected(event)
        link = self._connector.link
        if link is not None and not self._subscriptions_requested:
            # The link asked to continue a session.
            if event.resumed:
                self._continue(link)
            else:
                link.subscribe(self.wanted(link.pattern_positions))
        self._connector.greeted(event)

    def _continue(self, link: Link) -> None:
        """Takes over the subjects of the session. Requests the patterns, and what the program changed since then."""
        self._subscriptions_requested = True
        ended: list[str] = []
        for subject, state in self._continuation.served.items():
            if state is not None and self._subscriptions.find(subject) is state and not state.holds:
                state.requested = state.confirmed = True
            else:
                ended.append(subject)
        if ended:
            self._unsubscribe(link, ended)
        for state in self._subscriptions:
            if not state.is_pattern and not state.requested and not state.holds:
                self.request(state)
        patterns = self._subscriptions.wanted_patterns(link.pattern_positions)
        if patterns:
            self._continuation.asked(one.subject for one in patterns)
            link.subscribe(patterns)

    def _subscribed(self, event: SubscribedEvent) -> None:
        subject = event.subject
        state = self._subscriptions.find(subject)
        link = self._connector.link
        # Over a WebSocket every command has an id, so the server began this subscription itself.
        by_server = state is None and event.id == NO_ID and link is not None and link.answers_ends
        if by_server and subject not in self._by_server and len(self._by_server) < _BY_SERVER_MAX:
            self._by_server.add(subject)
            self._output.report(SubscribedByServer(subject, event.at))
        self._continuation.subscribed(subject, state)
        self._subscriptions.subscribed(event)

    def _unsubscribed(self, event: UnsubscribedEvent) -> None:
        self._continuation.served.pop(event.subject, None)
        self._by_server.discard(event.subject)
        if event.reason is None:
            self._continuation.answered(event.subject)
            self._subscriptions.left(event.subject)
        else:
            self._refused(event.subject, event.reason, "the server ended the subscription")

    def _error(self, event: ErrorEvent) -> None:
        after = event.after_ms / 1000
        if event.id == CONNECT_ID and self._connector.connect_failed(event.code, event.reason, after):
            return
        if event.id in (SUBSCRIBE_ID, UNSUBSCRIBE_ID) and event.subject is not None:
            self._continuation.answered(event.subject)
            if event.id == UNSUBSCRIBE_ID:
                self._subscriptions.left(event.subject)
        if is_transient(event.code) and self.publishes.repeat_later(event.id):
            self._repeat_publishes_later()
        elif self.publishes.failed(event.id, PublishError(PublishOutcome.REFUSED, event.code, event.reason, after)):
            return
        elif event.subject is None or event.id > 0:
            # A positive id is that of a publish that is no longer pending; its subject may be subscribed, too.
            self._output.report(CommandFailed(event.code, event.reason))
        else:
            self._subject_error(event, event.subject, after)

    def _subject_error(self, event: ErrorEvent, subject: str, after: float) -> None:
        if event.id != WATCH_ID and self._subscriptions.is_bridge(subject):
            self._subscriptions.refused(subject, event.code, event.reason)
        elif event.code == "command-rate":
            self._request_later(subject, event.id, after)
        elif event.id == WATCH_ID:
            self._watches.refused(subject, event.code, event.reason)
        elif event.code == _NO_POSITIONS and (state := self._subscriptions.restart(subject)) is not None:
            self.request(state)
        elif event.code == "already-subscribed" and (own := self._subscriptions.find(subject)) is not None:
            # The server began the subscription at the same time. The client's own has its options.
            self.unrequest(own)
            if not own.holds:
                self.request(own)
        elif is_of_subscription(event.code):
            self._refused(subject, event.code, event.reason)
        elif event.code != "not-subscribed":
            # A subscription that ended before its confirmation is answered with that code.
            self._output.report(CommandFailed(event.code, event.reason))

    def _refused(self, subject: str, code: str, reason: str) -> None:
        state = self._subscriptions.find(subject)
        self._subscriptions.refused(subject, code, reason)
        if state is not None:
            self._flow.removed(state)

    def report(self, status: Status) -> None:
        self._output.report(status)

    # Subscriptions

    def subscribe(self, state: AnySubscription) -> None:
        """Adds a subscription; raises SubscribeError if the subject is already subscribed."""
        self._enter()
        self._must_be_open()
        if self._subscriptions.find(state.subject) is not None:
            raise SubscribeError("already-subscribed", f"the client already has this subscription: {state.subject}")
        self._subscriptions.add(state)
        if Hold.STATE in state.holds:
            self.ask_state(state)
        else:
            self.request(state)

    def _must_be_open(self) -> None:
        if self.refusal is not None:
            raise self.refusal
        if self.closed:
            raise ClosedError

    def request(self, state: AnySubscription) -> None:
        link = self._connector.link
        if link is not None and self._subscriptions_requested:
            if self._subscriptions.drop_bridge(state.subject) or state.subject in self._by_server:
                self._by_server.discard(state.subject)
                self._unsubscribe(link, [state.subject])
            overtaken = self._subscriptions.overtaken(state) if link.answers_ends else []
            if overtaken:
                self._unsubscribe(link, [one.subject for one in overtaken])
            wanted = self._subscriptions.request(state, link.pattern_positions, overtaken)
            self._continuation.asked(one.subject for one in wanted)
            link.subscribe(wanted)

    def _unsubscribe(self, link: Link, subjects: list[str]) -> None:
        self._continuation.asked(subjects)
        if link.answers_ends:
            for subject in subjects:
                self._subscriptions.leaving(subject)
        link.unsubscribe(subjects)

    def unrequest(self, state: AnySubscription) -> None:
        requested = state.requested
        state.unrequest()
        state.is_behind = True
        if requested and self._connector.link is not None:
            self._unsubscribe(self._connector.link, [state.subject])

    def unsubscribe(self, state: AnySubscription) -> None:
        """Ends a subscription; further calls have no effect."""
        self._enter()
        if self._subscriptions.end(state, None):
            self.unrequest(state)
            self._flow.removed(state)
            self._output.report(Unsubscribed(state.subject))

    def _request_later(self, subject: str, id: int, after: float) -> None:
        """Repeats a command, or its end, after the server refused it with a rate limit."""
        link = self._connector.link
        again = self._watch_again if id == WATCH_ID else self._request_again
        self.after(max(_REQUEST_AGAIN, after), lambda: again(subject) if self._connector.link is link else None)

    def _request_again(self, subject: str) -> None:
        state = self._subscriptions.find(subject)
        if state is not None and not state.holds:
            if not state.confirmed:
                self.request(state)
        elif self._connector.link is not None:
            self._unsubscribe(self._connector.link, [subject])

    def _watch_again(self, subject: str) -> None:
        if subject in self._watches.subjects():
            self._request_watch(subject)
        elif self._connector.link is not None:
            self._connector.link.unwatch(subject)

    def pause(self, state: AnySubscription) -> None:
        """Stops the flow to a subscription, whose position is kept."""
        self._enter()
        self._flow.hold(state, Hold.PAUSED)

    def resume(self, state: AnySubscription) -> None:
        self._enter()
        self._flow.release(state, Hold.PAUSED)

    def has_room(self, state: AnySubscription) -> None:
        """Called after items were taken from a buffer whose ``wants_room`` is set, and it is half empty."""
        self._enter()
        self._flow.has_room(state)

    def is_empty(self, state: AnySubscription) -> None:
        """Called after the last item was taken from a buffer whose ``wants_empty`` is set."""
        self._enter()
        self._flow.is_empty(state)

    def state_answered(self, state: AnySubscription, position: Position | None, error: Exception | None) -> None:
        """Handles the answer of a ``state`` callback, or its exception."""
        self._enter()
        self._flow.state_answered(state, position, error)

    def _gap_delivered(self, state: AnySubscription) -> None:
        self._flow.gap_delivered(state)

    def ask_state(self, state: AnySubscription) -> None:
        self._output.ask_state(state)

    def pause_reading(self, paused: bool) -> None:
        self._output.pause_reading(paused)
        self._connector.pause_reading(paused)

    def retry_pause(self, attempt: int) -> float:
        return self._connector.retry_pause(attempt)

    # Watches

    def watch(self, watch: WatchState) -> None:
        """Adds a watch; raises SubscribeError if the subject is already watched."""
        self._enter()
        self._must_be_open()
        self._watches.add(watch)
        if self._connector.is_up:
            self._request_watch(watch.subject)

    def _request_watch(self, subject: str) -> None:
        link = self._connector.link
        if link is not None and not link.watch(subject):
            reason = f"the transport {self._connector.transport} has no notices of interest"
            self._watches.refused(subject, "unsupported", reason)

    def unwatch(self, watch: WatchState) -> None:
        """Ends a watch; further calls have no effect."""
        self._enter()
        if self._watches.remove(watch):
            if self._connector.is_up and self._connector.link is not None:
                self._connector.link.unwatch(watch.subject)
            watch.end(None)

    # Publishes

    def publish(self, publish: Publish) -> None:
        """Queues a publish that was admitted."""
        self._enter()
        self.publishes.add(publish, self._timers.awake + self._options.timeouts.publish)
        if self.closed or self._connector.phase is Phase.STOPPED:
            self.publishes.fail_all("", "the client has stopped and does not reconnect")
            return
        self._send_publishes()
        if self._late is None:
            self._judge_publishes()

    def _judge_publishes(self) -> None:
        """Fails late publishes, and schedules the next check."""
        if self._late is not None:
            self._late.cancel()
            self._late = None
        self.publishes.fail_late(self._timers.awake)
        deadline = self.publishes.next_deadline()
        if deadline is not None:
            self._late = self._timers.at_awake(deadline, self._judge_publishes)

    def _send_publishes(self) -> None:
        """Sends what waits. Waits for the event ``connected``, which has the maximum message size."""
        if self._connector.is_up:
            self.publishes.send(self._send)

    def _send(self, publish: Publish) -> bool:
        size = publish.command.size
        largest = self._connector.message_max
        if largest is not None and size > largest:
            # The server would end the connection, and the message would be sent again on the next one.
            reason = f"{size} bytes exceed the server's limit of {largest} bytes"
            self.publishes.failed(publish.id, PublishError(PublishOutcome.REFUSED, "message-too-large", reason))
            return True
        return self._connector.link is not None and self._connector.link.publish(publish)

    def _repeat_publishes_later(self) -> None:
        """Schedules one repetition for all publishes that the cluster behind the server could not take."""
        if not self._repeating:
            self._repeating = True
            self.after(_REPEAT, self._repeat_publishes)

    def _repeat_publishes(self) -> None:
        self._repeating = False
        self.publishes.repeat()
        self._send_publishes()

    # The end

    def close(self) -> None:
        """Closes the client; further calls have no effect."""
        self._enter()
        if not self.closed:
            self.closed = True
            self._connector.stop()
            self._end_all(None, "", "the client was closed")
            self._output.report(Closed())

    def _end_all(self, error: BelfryError | None, code: str, reason: str) -> None:
        self._timers.clear()
        self.publishes.fail_all(code, reason)
        for state in self._subscriptions:
            self._subscriptions.end(state, error)
        self._watches.end_all(error)
