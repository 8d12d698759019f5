"""Threads of the client: one for the loop of the blocking face, and one for each function that may block."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from ._runner import Runner, system_clock

R = TypeVar("R")


async def invoke_on_thread(callback: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function that may block on a thread of its own, which cannot delay the end of the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def work() -> None:
        try:
            result = callback(*arguments)
        except Exception as error:
            _post(loop, _fail, future, error)
        else:
            _post(loop, _complete, future, result)

    threading.Thread(target=work, name="belfry-callback", daemon=True).start()
    return await future


def _post(loop: asyncio.AbstractEventLoop, call: Callable[..., object], *arguments: Any) -> bool:
    """Calls a function on a loop; returns False if the loop was closed."""
    try:
        loop.call_soon_threadsafe(call, *arguments)
    except RuntimeError:
        return False
    return True


def _complete(future: asyncio.Future[Any], result: object) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


class ThreadBell:
    """Wakes every thread that waits for a change."""

    __slots__ = ("_condition", "rings")

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self.rings = 0

    def ring(self) -> None:
        with self._condition:
            self.rings += 1
            self._condition.notify_all()

    def wait(self, seen: int, timeout: float | None) -> None:
        """Waits until the bell was rung more than ``seen`` times. Raises TimeoutError."""
        with self._condition:
            if not self._condition.wait_for(lambda: self.rings != seen, timeout):
                raise TimeoutError

    def until(self, done: Callable[[], bool], timeout: float | None) -> None:
        """Waits until a condition holds. Raises TimeoutError."""
        end = None if timeout is None else system_clock() + timeout
        while True:
            seen = self.rings
            if done():
                return
            self.wait(seen, None if end is None else max(0.0, end - system_clock()))


class ClientThread:
    """The client's thread with its loop. Calls before the start run on the calling thread, one at a time."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._lock = threading.RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def start(self) -> None:
        with self._lock:
            if self._thread is None and not self._closed:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._run, args=(self._loop,), name="belfry", daemon=True)
                self._loop.call_soon(self._runner.start)
                self._thread.start()

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
            with self._lock:
                self._closed = True
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            loop.close()

    def call(self, function: Callable[[], R]) -> R:
        """Runs an input of the engine on the client's thread, and returns its result."""
        result: concurrent.futures.Future[R] = concurrent.futures.Future()
        with self._lock:
            if self._loop is None or self._closed or threading.current_thread() is self._thread:
                return self._settled(function)
            self._loop.call_soon_threadsafe(self._work, function, result)
        return result.result()

    def _work(self, function: Callable[[], R], result: concurrent.futures.Future[R]) -> None:
        try:
            result.set_result(self._settled(function))
        except BaseException as error:
            result.set_exception(error)

    def _settled(self, function: Callable[[], R]) -> R:
        try:
            return function()
        finally:
            self._runner.settle()

    def post(self, function: Callable[[], object]) -> None:
        """Runs an input of the engine on the client's thread, without waiting for it."""
        with self._lock:
            if self._loop is None or self._closed:
                self._settled(function)
            else:
                self._loop.call_soon_threadsafe(self._settled, function)

    def close(self) -> None:
        """Closes the client, and waits for the thread unless it is the calling one."""
        with self._lock:
            loop, thread = self._loop, self._thread
            if self._closed:
                return
            if loop is None or thread is None:
                self._closed = True
                self._settled(self._runner.engine.close)
                return
        closing = asyncio.run_coroutine_threadsafe(self._close_runner(loop), loop)
        if threading.current_thread() is not thread:
            try:
                closing.result()
            finally:
                thread.join()

    async def _close_runner(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            await self._runner.close()
        finally:
            loop.call_soon(loop.stop)
