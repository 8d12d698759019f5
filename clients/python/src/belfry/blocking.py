"""The blocking face: the same names without await. Each client has one daemon thread, which does all network work.

Every method may be called by any thread. ``on_status`` and ``on_item`` run on the client's thread and must not wait for
the client. ``token`` and ``state`` run on threads of their own. Create clients after a fork, never before it.
"""

from __future__ import annotations

import concurrent.futures
import ssl
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Generic, TypeAlias, overload

from ._address import Server
from ._backoff import ReconnectPolicy
from ._decode import json, text
from ._errors import BelfryError, ClosedError, NoReplyError, PublishError, PublishOutcome, RefusedError, SubscribeError
from ._inboxes import reply_terms
from ._model import Gap, Item, Message, MessageType, Position, Recovery, T
from ._options import Bounds, Encoding, StatusCallback, Timeouts, TokenReason, Transport
from ._requests import Requests
from ._runner import Clock, Runner, system_clock
from ._settings import (
    PublishMaker,
    SubscriptionMaker,
    TransportChoiceArgument,
    drain_to,
    options_of,
)
from ._subscription import SubscriptionState
from ._threads import ClientThread, ThreadBell, invoke_on_thread
from ._watches import WatchState

__all__ = [
    "BelfryError",
    "Bounds",
    "Client",
    "ClosedError",
    "Encoding",
    "Gap",
    "Item",
    "Message",
    "MessageType",
    "NoReplyError",
    "Position",
    "PublishError",
    "PublishOutcome",
    "ReconnectPolicy",
    "Recovery",
    "RefusedError",
    "Server",
    "SubscribeError",
    "Subscription",
    "Timeouts",
    "TokenReason",
    "Transport",
    "Watch",
    "connect",
    "json",
    "text",
]

TokenCallback: TypeAlias = Callable[[TokenReason], str | None]
StateCallback: TypeAlias = Callable[[], Position | str | None]


class Subscription(Generic[T]):
    """A subscription: an iterator of messages and gaps, and a context manager that ends it."""

    def __init__(
        self,
        runner: Runner,
        thread: ClientThread,
        state: SubscriptionState[T],
        on_item: Callable[[Item[T]], object] | None,
    ) -> None:
        self._runner = runner
        self._thread = thread
        self._state = state
        self._on_item = on_item
        self._bell = ThreadBell()
        state.notify = self._changed

    @property
    def subject(self) -> str:
        """The subject or pattern."""
        return self._state.subject

    @property
    def position(self) -> str | None:
        """The position of a pattern, to store and to pass as ``start`` in the next run.

        The program has taken all items up to it and has asked for another one. None for a plain subject, whose messages
        have positions, and if the server gave none.
        """
        return self._state.buffer.position

    def _changed(self) -> None:
        if self._on_item is not None:
            drain_to(self._runner, self._state, self._on_item)
        self._bell.ring()

    def __iter__(self) -> Subscription[T]:
        return self

    def __next__(self) -> Item[T]:
        item = self.get()
        if item is None:
            raise StopIteration
        return item

    def get(self, timeout: float | None = None) -> Item[T] | None:
        """Returns the next item; None if the subscription has ended. Raises TimeoutError."""
        state = self._state
        end = None if timeout is None else system_clock() + timeout
        while True:
            seen = self._bell.rings
            try:
                item = state.buffer.take()
            except IndexError:
                self._note_taken()
                if state.ended:
                    if state.error is not None:
                        raise state.error from None
                    return None
            else:
                if state.wants_room and state.buffer.is_half_empty:
                    self._note_taken()
                return item
            self._bell.wait(seen, None if end is None else max(0.0, end - system_clock()))

    def _note_taken(self) -> None:
        if self._state.wants_room or self._state.wants_empty:
            self._thread.post(lambda: self._runner.taken(self._state))

    def ready(self, timeout: float | None = None) -> tuple[Recovery, Position | None]:
        """Waits for the first confirmation; returns the result of recovery and the subject's position.

        Raises SubscribeError if the server refuses the subscription, and TimeoutError. The position of a pattern is
        None.
        """
        state = self._state
        self._bell.until(lambda: state.confirmation is not None or state.ended, timeout)
        if state.confirmation is None:
            raise state.error or ClosedError("the subscription has ended")
        return state.confirmation

    def pause(self) -> None:
        """Stops the flow: unsubscribes and keeps the position. Items that have arrived can still be taken."""
        self._state.is_paused = True
        self._thread.call(lambda: self._runner.engine.pause(self._state))

    def resume(self) -> None:
        """Continues from the position. Messages that the server no longer has are announced by a gap."""
        self._thread.call(self._resume)

    def _resume(self) -> None:
        self._state.is_paused = False
        self._runner.engine.resume(self._state)
        self._changed()

    def unsubscribe(self) -> None:
        """Ends the subscription. The iteration ends after the items that have arrived."""
        self._thread.call(self._unsubscribe)

    def _unsubscribe(self) -> None:
        self._state.is_paused = self._on_item is not None
        self._runner.engine.unsubscribe(self._state)

    def __enter__(self) -> Subscription[T]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.unsubscribe()


class Watch:
    """Notices of interest: an iterator of whether the subject has subscribers, the latest state only."""

    def __init__(self, runner: Runner, thread: ClientThread, state: WatchState) -> None:
        self._runner = runner
        self._thread = thread
        self._state = state
        self._bell = ThreadBell()
        self._seen = 0
        state.notify = self._bell.ring

    @property
    def subject(self) -> str:
        return self._state.subject

    @property
    def subscribers(self) -> bool | None:
        """Whether the subject has subscribers; None before the first answer."""
        return self._state.subscribers

    def __iter__(self) -> Watch:
        return self

    def __next__(self) -> bool:
        subscribers = self.get()
        if subscribers is None:
            raise StopIteration
        return subscribers

    def get(self, timeout: float | None = None) -> bool | None:
        """Returns the next state; None if the watch has ended. Raises TimeoutError."""
        state = self._state
        self._bell.until(lambda: state.changes != self._seen or state.ended, timeout)
        if state.changes != self._seen:
            self._seen = state.changes
            return state.subscribers
        if state.error is not None:
            raise state.error
        return None

    def unwatch(self) -> None:
        """Ends the notices."""
        self._thread.call(lambda: self._runner.engine.unwatch(self._state))

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.unwatch()


class Client:
    """A client that stays connected. ``connect`` makes it; ``with`` starts and closes it."""

    def __init__(self, runner: Runner, bounds: Bounds) -> None:
        self._runner = runner
        self._thread = ClientThread(runner)
        self._subscriptions = SubscriptionMaker(runner, bounds)
        self._publishes = PublishMaker(runner)
        self._requests = Requests(runner, self._subscriptions, self._publishes, bounds.pending_publishes)
        self._bell = ThreadBell()
        runner.on_settled = self._bell.ring

    def start(self) -> None:
        """Starts the thread, which begins to connect. Further calls have no effect."""
        self._thread.start()

    def __enter__(self) -> Client:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_connected(self) -> bool:
        """Whether a server has answered on the current connection."""
        return self._runner.engine.is_up

    def ready(self, timeout: float | None = None) -> None:
        """Waits until the client is connected.

        Raises RefusedError if a server refuses the client permanently, and TimeoutError.
        """
        engine = self._runner.engine
        self._bell.until(lambda: engine.is_up or engine.refusal is not None or engine.closed, timeout)
        if not engine.is_up:
            raise engine.refusal or ClosedError()

    @overload
    def subscribe(
        self,
        subject: str,
        *,
        start: Position | str | None = None,
        history: int = 0,
        conflate: float = 0.0,
        decode: None = None,
        state: StateCallback | None = None,
        on_item: Callable[[Item[bytes]], object] | None = None,
        buffer: int | None = None,
        deltas: bool = False,
    ) -> Subscription[bytes]: ...

    @overload
    def subscribe(
        self,
        subject: str,
        *,
        start: Position | str | None = None,
        history: int = 0,
        conflate: float = 0.0,
        decode: Callable[[bytes], T],
        state: StateCallback | None = None,
        on_item: Callable[[Item[T]], object] | None = None,
        buffer: int | None = None,
        deltas: bool = False,
    ) -> Subscription[T]: ...

    def subscribe(
        self,
        subject: str,
        *,
        start: Position | str | None = None,
        history: int = 0,
        conflate: float = 0.0,
        decode: Callable[[bytes], Any] | None = None,
        state: StateCallback | None = None,
        on_item: Callable[[Item[Any]], object] | None = None,
        buffer: int | None = None,
        deltas: bool = False,
    ) -> Subscription[Any]:
        """Subscribes a subject or pattern. The parameters are those of :meth:`belfry.Client.subscribe`."""
        made = self._subscriptions.make(subject, start, history, conflate, decode, state, buffer, deltas=deltas)
        subscription = Subscription(self._runner, self._thread, made, on_item)
        self._thread.call(lambda: self._runner.engine.subscribe(made))
        return subscription

    def publish(
        self,
        subject: str,
        data: bytes | str,
        *,
        retain: bool = False,
        msg_id: str | None = None,
        once: bool = False,
        headers: Mapping[str, str] | None = None,
        ttl: float | None = None,
        echo: bool = True,
    ) -> Position:
        """Publishes a message, and returns its position when the server has stored it. Raises PublishError."""
        return self.publish_future(
            subject, data, retain=retain, msg_id=msg_id, once=once, headers=headers, ttl=ttl, echo=echo
        ).result()

    def publish_future(
        self,
        subject: str,
        data: bytes | str,
        *,
        retain: bool = False,
        msg_id: str | None = None,
        once: bool = False,
        headers: Mapping[str, str] | None = None,
        ttl: float | None = None,
        echo: bool = True,
    ) -> concurrent.futures.Future[Position]:
        """Publishes a message without waiting. Publishes of one thread are sent in the order of the calls."""
        future: concurrent.futures.Future[Position] = concurrent.futures.Future()

        def done(result: Position | PublishError) -> None:
            if future.set_running_or_notify_cancel():
                if isinstance(result, PublishError):
                    future.set_exception(result)
                else:
                    future.set_result(result)

        publish = self._publishes.make(subject, data, retain, msg_id, once, headers, ttl, done, echo)
        if publish is not None:
            self._thread.post(lambda: self._runner.engine.publish(publish))
        return future

    def request(
        self,
        subject: str,
        data: bytes | str,
        *,
        timeout: float = 10.0,
        headers: Mapping[str, str] | None = None,
    ) -> Message[bytes]:
        """Publishes a request, and returns the first reply. The errors are those of :meth:`belfry.Client.request`."""
        return self.request_future(subject, data, timeout=timeout, headers=headers).result()

    def request_future(
        self,
        subject: str,
        data: bytes | str,
        *,
        timeout: float = 10.0,
        headers: Mapping[str, str] | None = None,
    ) -> concurrent.futures.Future[Message[bytes]]:
        """Publishes a request without waiting for the reply. The client must have been started."""
        future: concurrent.futures.Future[Message[bytes]] = concurrent.futures.Future()

        def done(result: Message[bytes] | BelfryError) -> None:
            if future.set_running_or_notify_cancel():
                if isinstance(result, BelfryError):
                    future.set_exception(result)
                else:
                    future.set_result(result)

        request = self._requests.make(subject, data, timeout, headers, done)
        self._thread.call(lambda: self._requests.begin(request))
        return future

    def reply(self, request: Message[Any], data: bytes | str, *, headers: Mapping[str, str] | None = None) -> Position:
        """Publishes the reply to a request, as :meth:`publish` does. Raises ValueError if it asks for none."""
        return self.reply_future(request, data, headers=headers).result()

    def reply_future(
        self, request: Message[Any], data: bytes | str, *, headers: Mapping[str, str] | None = None
    ) -> concurrent.futures.Future[Position]:
        """Publishes the reply to a request without waiting; a callback of a subscription must not wait."""
        to, terms = reply_terms(request.headers, headers)
        return self.publish_future(to, data, headers=terms)

    @property
    def is_writable(self) -> bool:
        """Whether there is room for one more publish."""
        return self._runner.engine.publishes.has_room

    def writable(self, timeout: float | None = None) -> None:
        """Waits until there is room for one more publish. Raises TimeoutError."""
        self._bell.until(lambda: self.is_writable or self._runner.engine.closed, timeout)
        if not self.is_writable:
            raise ClosedError

    def watch(self, subject: str) -> Watch:
        """Requests notices of whether a subject has subscribers; over WebSocket only."""
        state = WatchState(subject)
        watch = Watch(self._runner, self._thread, state)
        self._thread.call(lambda: self._runner.engine.watch(state))
        return watch

    def close(self) -> None:
        """Closes the client. Publishes without an answer fail, iterations end. Further calls have no effect."""
        self._thread.close()


def connect(
    *servers: str | Server,
    transport: TransportChoiceArgument = "auto",
    encoding: Encoding | str = Encoding.BINARY,
    compression: bool = False,
    keep_session: bool = False,
    client_name: str | None = None,
    token: str | TokenCallback | None = None,
    reconnect: ReconnectPolicy | None = None,
    timeouts: Timeouts | None = None,
    bounds: Bounds | None = None,
    tls: ssl.SSLContext | None = None,
    on_status: StatusCallback | None = None,
    clock: Clock | None = None,
) -> Client:
    """Returns a client; ``with`` starts it. The parameters are those of :func:`belfry.connect`.

    It never raises an exception for the network.
    """
    options = options_of(
        servers, transport, encoding, compression, keep_session, client_name, token, reconnect, timeouts, bounds
    )
    runner = Runner(options, tls, on_status, clock or system_clock, invoke_on_thread)
    return Client(runner, options.bounds)
