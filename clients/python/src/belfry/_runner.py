"""The I/O of a client: runs an engine on an asyncio loop. Both faces use it. Owner: the thread of the loop."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import random
import ssl
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from ._address import ServerAddress
from ._dial import dial
from ._engine import Engine
from ._model import Position
from ._options import Options, StatusCallback, TokenReason
from ._refusals import Cause, Ending
from ._status import CallbackFailed, Refused, Status, TokenFailed
from ._subscriptions import AnySubscription

_CLOSE_WAIT: Final = 2.0
"""Maximum time, in seconds, in which connections may end regularly when the client is closed."""

_log = logging.getLogger("belfry")

Clock = Callable[[], float]
Invoke = Callable[..., Awaitable[Any]]
"""Calls a callback of the program that may take long, and returns its result."""


def system_clock() -> float:
    """Returns seconds that also pass while the device sleeps, where the system has such a clock."""
    return _read_clock()


def _boot_time() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


_read_clock: Clock = _boot_time if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic


async def invoke_on_loop(callback: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function, or awaits a coroutine function."""
    result = callback(*arguments)
    return await result if inspect.isawaitable(result) else result


class _Connection(asyncio.Protocol):
    """One TCP or TLS connection."""

    def __init__(self, runner: Runner, number: int) -> None:
        self._runner = runner
        self._number = number
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._runner.received(self._number, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._runner.connection_lost(self._number, exc)


class Runner:
    """Executes what the engine wants done, and calls the program's callbacks between two inputs of the engine."""

    def __init__(
        self,
        options: Options,
        tls: ssl.SSLContext | None,
        on_status: StatusCallback | None,
        clock: Clock,
        invoke: Invoke,
    ) -> None:
        self.engine = Engine(options, self, clock, random.Random())
        self.on_settled: Callable[[], None] = lambda: None
        """Called after each input, when the statuses were delivered."""
        self._token = options.token
        self._tls = tls
        self._on_status = on_status
        self._invoke = invoke
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connections: dict[int, _Connection] = {}
        self._closing: dict[int, _Connection] = {}
        self._opening: dict[int, asyncio.Task[None]] = {}
        self._writes: dict[int, list[bytes]] = {}
        self._flushing = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._statuses: deque[Status] = deque()
        self._settling = False
        self._timer: asyncio.TimerHandle | None = None
        self._due: float | None = None
        self._reading_paused = False
        self._all_closed: asyncio.Future[None] | None = None
        self._unstarted: list[AnySubscription] = []
        """Subscriptions whose ``state`` is to be loaded when the loop is known."""

    # Inputs

    def start(self) -> None:
        """Starts the engine on the running loop; further calls have no effect."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self.engine.start()
            for state in self._unstarted:
                self._spawn(self._ask_state(state))
            self._unstarted.clear()
            self.settle()

    @property
    def is_started(self) -> bool:
        return self._loop is not None

    @property
    def task_count(self) -> int:
        return len(self._tasks)

    def received(self, number: int, data: bytes) -> None:
        if number in self._connections:
            self.engine.received(number, data)
            self.settle()

    def connection_lost(self, number: int, error: Exception | None) -> None:
        self._closing.pop(number, None)
        self._writes.pop(number, None)
        if self._connections.pop(number, None) is not None:
            detail = f": {error}" if error else ""
            self.engine.connection_lost(number, Ending(Cause.LOST, f"the connection broke{detail}"))
            self.settle()
        self._note_closed()

    def wake(self) -> None:
        """Runs the timers of the engine that are due."""
        self._due = None
        self.engine.wake()
        self.settle()

    def taken(self, state: AnySubscription) -> None:
        """Called after items were taken from a buffer that the engine waits for."""
        if state.wants_room and state.buffer.is_half_empty:
            self.engine.has_room(state)
        if state.wants_empty and not len(state.buffer):
            self.engine.is_empty(state)
        self.settle()

    # Between two inputs

    def settle(self) -> None:
        """Delivers statuses and wakes subscriptions. A callback may call the client, which adds to the same work."""
        if self._settling:
            return
        self._settling = True
        try:
            while True:
                while self._statuses:
                    self._deliver(self._statuses.popleft())
                touched = self.engine.take_touched()
                if not touched and not self._statuses:
                    break
                for state in touched:
                    state.notify()
        finally:
            self._settling = False
        self.on_settled()
        self._schedule()

    def _deliver(self, status: Status) -> None:
        if self._on_status is None:
            if isinstance(status, (CallbackFailed, TokenFailed)):
                _log.error("callback failed: %s", status, exc_info=status.error)
            elif isinstance(status, Refused):
                _log.error("server refused the client: %s", status)
            return
        try:
            self._on_status(status)
        except Exception as error:
            self._status_failed(self._on_status, error)

    def _status_failed(self, on_status: StatusCallback, error: Exception) -> None:
        try:
            on_status(CallbackFailed("on_status", error))
        except Exception:
            _log.exception("on_status raised an exception, and another one when the first was reported")

    def _schedule(self) -> None:
        due = self.engine.next_due()
        if due == self._due or self._loop is None or self._loop.is_closed():
            return
        self._due = due
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        delay = self.engine.next_wake()
        if delay is not None:
            self._timer = self._loop.call_later(delay, self.wake)

    # Outputs

    def open_connection(self, connection: int, address: ServerAddress) -> None:
        self._connections[connection] = _Connection(self, connection)
        self._opening[connection] = self._spawn(self._open(connection, address))

    async def _open(self, number: int, address: ServerAddress) -> None:
        assert self._loop is not None
        made = self._connections[number]
        try:
            tls = self._tls_context() if address.encrypted else None
            opened = await dial(address.host, address.port)
            await self._loop.create_connection(
                lambda: made,
                sock=opened,
                ssl=tls,
                server_hostname=address.host if tls else None,
                ssl_shutdown_timeout=_CLOSE_WAIT if tls else None,
            )
        except Exception as error:
            self._opening.pop(number, None)
            if self._connections.pop(number, None) is not None:
                self.engine.connection_lost(number, _failure(address, error))
                self.settle()
            return
        self._opening.pop(number, None)
        if self._connections.get(number) is made:
            if self._reading_paused and made.transport is not None:
                made.transport.pause_reading()
            self.engine.connection_opened(number)
            self.settle()

    def _tls_context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls

    def write(self, connection: int, data: bytes) -> None:
        self._writes.setdefault(connection, []).append(data)
        if not self._flushing and self._loop is not None:
            self._flushing = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        """Writes everything of one turn of the loop with one system call per connection."""
        self._flushing = False
        for number in list(self._writes):
            made = self._connections.get(number)
            if made is not None and made.transport is not None:
                made.transport.write(b"".join(self._writes.pop(number)))

    def close_connection(self, connection: int) -> None:
        made = self._connections.pop(connection, None)
        last = self._writes.pop(connection, None)
        opening = self._opening.pop(connection, None)
        if opening is not None and opening is not asyncio.current_task():
            opening.cancel()
        if made is None or made.transport is None:
            return
        if last:
            made.transport.write(b"".join(last))
        self._closing[connection] = made
        # A paused transport would not notice the end of the connection.
        if not made.transport.is_closing() and not made.transport.is_reading():
            made.transport.resume_reading()
        made.transport.close()

    def pause_reading(self, paused: bool) -> None:
        self._reading_paused = paused
        for made in self._connections.values():
            if made.transport is not None and not made.transport.is_closing():
                if paused:
                    made.transport.pause_reading()
                else:
                    made.transport.resume_reading()

    def ask_token(self, reason: TokenReason) -> None:
        self._spawn(self._ask_token(reason))

    async def _ask_token(self, reason: TokenReason) -> None:
        token: object = None
        failure: Exception | None = None
        try:
            token = await self._invoke(self._token, reason)
        except Exception as error:
            failure = error
        self.engine.token_answered(token, failure)
        self.settle()

    def ask_state(self, state: AnySubscription) -> None:
        if self._loop is None:
            self._unstarted.append(state)
        else:
            self._spawn(self._ask_state(state))

    async def _ask_state(self, state: AnySubscription) -> None:
        position: Position | None = None
        failure: Exception | None = None
        try:
            answer = await self._invoke(state.load)
            position = Position.parse(answer) if isinstance(answer, str) else answer
        except Exception as error:
            failure = error
        self.engine.state_answered(state, position, failure)
        self.settle()

    def report(self, status: Status) -> None:
        self._statuses.append(status)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        assert self._loop is not None
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # The end

    async def close(self) -> None:
        """Closes the engine, and waits until no task, timer or connection is left."""
        self.engine.close()
        self.settle()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        try:
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._wait_for_connections()
        finally:
            for made in self._closing.values():
                if made.transport is not None:
                    made.transport.abort()

    async def _wait_for_connections(self) -> None:
        if self._closing and self._loop is not None:
            self._all_closed = self._loop.create_future()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._all_closed, _CLOSE_WAIT)

    def _note_closed(self) -> None:
        if self._all_closed is not None and not self._closing and not self._all_closed.done():
            self._all_closed.set_result(None)


def _failure(address: ServerAddress, error: Exception) -> Ending:
    if isinstance(error, ssl.SSLError):
        return Ending(Cause.TLS_FAILED, f"TLS with {address} failed: {error}")
    if isinstance(error, ConnectionResetError):
        return Ending(Cause.LOST, f"{address} reset the connection")
    return Ending(Cause.UNREACHABLE, f"{address} cannot be reached: {error}")
