"""The asyncio face. Owner: one running loop. No constructor touches a loop."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Generic, overload

from ._address import Server
from ._backoff import ReconnectPolicy
from ._errors import BelfryError, ClosedError, PublishError
from ._inboxes import reply_terms
from ._model import Item, Message, Position, Recovery, T
from ._options import Bounds, Encoding, StatusCallback, Timeouts, TokenCallback
from ._requests import Requests
from ._runner import Clock, Runner, invoke_on_loop, system_clock
from ._settings import (
    PublishMaker,
    SubscriptionMaker,
    TransportChoiceArgument,
    drain_to,
    options_of,
)
from ._subscription import SubscriptionState
from ._watches import WatchState

StateCallback = Callable[[], "Position | str | Awaitable[Position | str | None] | None"]


class _Bell:
    """Wakes everybody who waits for a change."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def ring(self) -> None:
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        try:
            await waiter
        finally:
            self._waiting.discard(waiter)


class Subscription(Generic[T]):
    """A subscription: an asynchronous iterator of messages and gaps, and a context manager that ends it."""

    def __init__(
        self, runner: Runner, state: SubscriptionState[T], on_item: Callable[[Item[T]], object] | None
    ) -> None:
        self._runner = runner
        self._state = state
        self._on_item = on_item
        self._bell = _Bell()
        self._buffer = state.buffer
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

    def __aiter__(self) -> Subscription[T]:
        return self

    async def __anext__(self) -> Item[T]:
        state = self._state
        while True:
            try:
                item = self._buffer.take()
            except IndexError:
                if state.wants_room or state.wants_empty:
                    self._runner.taken(state)
                if state.ended:
                    if state.error is not None:
                        raise state.error from None
                    raise StopAsyncIteration from None
            else:
                if state.wants_room and self._buffer.is_half_empty:
                    self._runner.taken(state)
                return item
            await self._bell.wait()

    async def ready(self) -> tuple[Recovery, Position | None]:
        """Waits for the first confirmation; returns the result of recovery and the subject's position.

        Raises SubscribeError if the server refuses the subscription. The position of a pattern is None.
        """
        state = self._state
        while state.confirmation is None:
            if state.ended:
                raise state.error or ClosedError("the subscription has ended")
            await self._bell.wait()
        return state.confirmation

    def pause(self) -> None:
        """Stops the flow: unsubscribes and keeps the position. Items that have arrived can still be taken."""
        self._state.is_paused = True
        self._runner.engine.pause(self._state)
        self._runner.settle()

    def resume(self) -> None:
        """Continues from the position. Messages that the server no longer has are announced by a gap."""
        self._state.is_paused = False
        self._runner.engine.resume(self._state)
        self._changed()
        self._runner.settle()

    def unsubscribe(self) -> None:
        """Ends the subscription. The iteration ends after the items that have arrived."""
        self._state.is_paused = self._on_item is not None
        self._runner.engine.unsubscribe(self._state)
        self._runner.settle()

    async def __aenter__(self) -> Subscription[T]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.unsubscribe()


class Watch:
    """Notices of interest: an asynchronous iterator of whether the subject has subscribers, the latest state only."""

    def __init__(self, runner: Runner, state: WatchState) -> None:
        self._runner = runner
        self._state = state
        self._bell = _Bell()
        self._seen = 0
        state.notify = self._bell.ring

    @property
    def subject(self) -> str:
        return self._state.subject

    @property
    def subscribers(self) -> bool | None:
        """Whether the subject has subscribers; None before the first answer."""
        return self._state.subscribers

    def __aiter__(self) -> Watch:
        return self

    async def __anext__(self) -> bool:
        state = self._state
        while self._seen == state.changes or state.subscribers is None:
            if state.ended:
                if state.error is not None:
                    raise state.error
                raise StopAsyncIteration
            await self._bell.wait()
        self._seen = state.changes
        return state.subscribers

    def unwatch(self) -> None:
        """Ends the notices."""
        self._runner.engine.unwatch(self._state)
        self._runner.settle()

    async def __aenter__(self) -> Watch:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.unwatch()


class Client:
    """A client that stays connected. ``connect`` makes it; ``async with`` starts and closes it."""

    def __init__(self, runner: Runner, bounds: Bounds) -> None:
        self._runner = runner
        self._subscriptions = SubscriptionMaker(runner, bounds)
        self._publishes = PublishMaker(runner)
        self._requests = Requests(runner, self._subscriptions, self._publishes, bounds.pending_publishes)
        self._bell = _Bell()
        runner.on_settled = self._bell.ring

    def start(self) -> None:
        """Begins to connect, on the running loop. Further calls have no effect."""
        self._runner.start()

    async def __aenter__(self) -> Client:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def is_connected(self) -> bool:
        """Whether a server has answered on the current connection."""
        return self._runner.engine.is_up

    async def ready(self) -> None:
        """Waits until the client is connected. Raises RefusedError if a server refuses it permanently."""
        engine = self._runner.engine
        while not engine.is_up:
            if engine.refusal is not None:
                raise engine.refusal
            if engine.closed:
                raise ClosedError
            await self._bell.wait()

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
        """Subscribes a subject or pattern. Messages are kept from now on, also before the first ``async for``.

        :param start: position after which to continue; that of a pattern is ``Subscription.position``
        :param history: number of latest messages to deliver first; plain subjects only
        :param conflate: interval, in seconds, in which at most one live message per subject, the latest, is delivered
        :param decode: function that makes ``Message.data`` of the bytes
        :param state: function that loads the program's state and returns the position stored with it; it is called
            before the first subscribe and after every gap; plain subjects only
        :param on_item: function that receives each item; then the subscription is not iterated
        :param buffer: number of waiting messages at which the flow stops; default ``Bounds.buffered_messages``
        :param deltas: whether the server may send the difference from the message before, which the client completes;
            plain subjects over WebSocket without ``conflate``, otherwise without effect
        """
        made = self._subscriptions.make(subject, start, history, conflate, decode, state, buffer, deltas=deltas)
        subscription = Subscription(self._runner, made, on_item)
        self._runner.engine.subscribe(made)
        self._runner.settle()
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
    ) -> asyncio.Future[Position]:
        """Publishes a message. The future returns its position when the server has stored it, or raises PublishError.

        A publish without an answer is repeated on the next connection with the same msgId, and delivered once. With
        ``once`` it is never repeated, and its outcome may be unknown. Publishes are sent in the order of the calls.
        ``headers`` are up to 16 texts beside the data. After ``ttl`` seconds the server does not deliver the message.
        With ``echo=False`` the client's own subscriptions omit the message, live and after a lost connection; they get
        it if it is retained or if they request history.
        """
        future: asyncio.Future[Position] = asyncio.get_running_loop().create_future()

        def done(result: Position | PublishError) -> None:
            if future.done():
                return
            if isinstance(result, PublishError):
                future.set_exception(result)
            else:
                future.set_result(result)

        publish = self._publishes.make(subject, data, retain, msg_id, once, headers, ttl, done, echo)
        if publish is not None:
            self._runner.engine.publish(publish)
            self._runner.settle()
        return future

    async def request(
        self,
        subject: str,
        data: bytes | str,
        *,
        timeout: float = 10.0,  # noqa: ASYNC109 - the time limit of the request is its time to live at the server too
        headers: Mapping[str, str] | None = None,
    ) -> Message[bytes]:
        """Publishes a request, and returns the first reply to it.

        Raises NoReplyError if none arrives within ``timeout`` seconds, which is also the time to live of the request;
        PublishError if the request was not published; SubscribeError if the server refuses the client's inbox. At most
        ``Bounds.pending_publishes`` requests wait for their replies. Replies to all requests share one subscription.
        """
        future: asyncio.Future[Message[bytes]] = asyncio.get_running_loop().create_future()

        def done(result: Message[bytes] | BelfryError) -> None:
            if future.done():
                return
            if isinstance(result, BelfryError):
                future.set_exception(result)
            else:
                future.set_result(result)

        request = self._requests.make(subject, data, timeout, headers, done)
        self._requests.begin(request)
        self._runner.settle()
        try:
            return await future
        finally:
            self._requests.forget(request)

    def reply(
        self, request: Message[Any], data: bytes | str, *, headers: Mapping[str, str] | None = None
    ) -> asyncio.Future[Position]:
        """Publishes the reply to a request that this client received. The future is that of :meth:`publish`.

        Raises ValueError if the message asks for no reply. The error ``no-inbox`` means that its client has ended.
        """
        to, terms = reply_terms(request.headers, headers)
        return self.publish(to, data, headers=terms)

    @property
    def is_writable(self) -> bool:
        """Whether there is room for one more publish."""
        return self._runner.engine.publishes.has_room

    async def writable(self) -> None:
        """Waits until there is room for one more publish."""
        while not self.is_writable:
            if self._runner.engine.closed:
                raise ClosedError
            await self._bell.wait()

    def watch(self, subject: str) -> Watch:
        """Requests notices of whether a subject has subscribers; over WebSocket only."""
        state = WatchState(subject)
        watch = Watch(self._runner, state)
        self._runner.engine.watch(state)
        self._runner.settle()
        return watch

    async def close(self) -> None:
        """Closes the client. Publishes without an answer fail, iterations end. Further calls have no effect."""
        await self._runner.close()


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
    """Returns a client; ``async with`` starts it. It never raises an exception for the network.

    :param servers: addresses such as ``ws://host:8800`` or ``wss://host``; one is chosen at random, by weight
    :param transport: ``auto``, or one or more of ``websocket``, ``http-stream``, ``long-poll`` in order of preference
    :param encoding: ``binary`` or ``json``, over WebSocket
    :param compression: whether to offer compression of messages, and to compress large publishes; WebSocket only
    :param keep_session: whether the server keeps the session for a while after a lost connection, so that the next
        connection continues it with one command; WebSocket only
    :param client_name: name of the client on its node, 1 to 64 of the characters A-Z, a-z, 0-9, ``.``, ``_`` and
        ``-``. A later client with the same name closes this one, which then stops with the code ``client-taken``.
        WebSocket only; ``auto`` means ``websocket`` then
    :param token: a token, or a function or coroutine function that returns one for a :class:`TokenReason`
    :param tls: a context of your own, for example with client certificates; default: the system's trusted certificates
    :param on_status: function that receives each :data:`Status`
    :param clock: source of the time in seconds, for tests
    """
    options = options_of(
        servers, transport, encoding, compression, keep_session, client_name, token, reconnect, timeouts, bounds
    )
    runner = Runner(options, tls, on_status, clock or system_clock, invoke_on_loop)
    return Client(runner, options.bounds)
