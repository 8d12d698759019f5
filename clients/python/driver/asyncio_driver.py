"""The driver of the asyncio face. Owner: one loop."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable
from typing import Any

import belfry
from driver_lines import (
    Line,
    Thrower,
    UseError,
    answer,
    answer_error,
    data_of,
    hello,
    memory_bytes,
    options_of,
    publish_options,
    servers_of,
    subscription_of,
    write,
    write_item,
    write_reply,
    write_result,
    write_status,
)


class DrivenSubscription:
    """One subscription, taken by an iterator or by a callback."""

    def __init__(self, client: DrivenClient, command: Line) -> None:
        self._client = client
        self._command = command
        self._going = asyncio.Event()
        self._going.set()
        self.task: asyncio.Task[None] | None = None
        callback = Thrower(command) if command.get("face") == "callback" else None
        self.subscription = client.client.subscribe(command["subject"], on_item=callback, **subscription_of(command))
        if callback is None:
            self.task = asyncio.create_task(self._iterate())

    async def _iterate(self) -> None:
        with contextlib.suppress(belfry.BelfryError):
            async for item in self.subscription:
                write_item(self._client.name, self._command["subject"], item)
                await self._going.wait()

    def pause(self) -> None:
        if self.task is None:
            self.subscription.pause()
        else:
            self._going.clear()

    def resume(self) -> None:
        if self.task is None:
            self.subscription.resume()
        else:
            self._going.set()

    async def end(self) -> None:
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])


class DrivenClient:
    """One client of the program."""

    def __init__(self, command: Line) -> None:
        self.name: str = command["client"]
        self._throws = command.get("statusThrows", False)
        self._offset = 0.0
        self._asks = 0
        self._tokens: dict[int, asyncio.Future[Line]] = {}
        self.subscriptions: dict[str, DrivenSubscription] = {}
        self._watches: dict[str, tuple[belfry.Watch, asyncio.Task[None]]] = {}
        self._requests: set[asyncio.Future[belfry.Message[bytes]]] = set()
        self._closed = False
        token = self._ask if command.get("tokenSource") else command.get("token")
        self.client = belfry.connect(
            *servers_of(command), token=token, on_status=self._on_status, **options_of(command, self._clock)
        )
        self.client.start()

    def _clock(self) -> float:
        return asyncio.get_running_loop().time() + self._offset

    def _on_status(self, status: belfry.Status) -> None:
        write_status(self.name, status)
        if isinstance(status, belfry.SubscribeRefused):
            self.subscriptions.pop(status.subject, None)
        if self._throws:
            raise ValueError("the command asks for this exception")

    async def _ask(self, reason: belfry.TokenReason) -> str | None:
        self._asks += 1
        ask = self._asks
        future = self._tokens[ask] = asyncio.get_running_loop().create_future()
        write(op="token", client=self.name, ask=ask, why=reason.value)
        given = await future
        if "fails" in given:
            raise ValueError(given["fails"])
        token: str | None = given.get("token")
        return token

    def give_token(self, command: Line) -> None:
        future = self._tokens.pop(command["ask"], None)
        if future is not None and not future.done():
            future.set_result(command)

    def subscription(self, command: Line) -> DrivenSubscription:
        try:
            return self.subscriptions[command["subject"]]
        except KeyError:
            raise UseError("not-subscribed") from None

    def subscribe(self, command: Line) -> None:
        self.subscriptions[command["subject"]] = DrivenSubscription(self, command)

    async def unsubscribe(self, command: Line) -> None:
        driven = self.subscription(command)
        del self.subscriptions[command["subject"]]
        driven.subscription.unsubscribe()
        await driven.end()

    def publish(self, command: Line) -> None:
        future = self.client.publish(command["subject"], data_of(command), **publish_options(command))
        answer(command)
        future.add_done_callback(lambda done: write_result(command, done.exception() or done.result()))

    def request(self, command: Line) -> None:
        request = self.client.request(command["subject"], data_of(command), timeout=command["timeoutMillis"] / 1000)
        task = asyncio.ensure_future(request)
        answer(command)
        self._requests.add(task)
        task.add_done_callback(lambda done: write_reply(command, done.exception() or done.result()))
        task.add_done_callback(self._requests.discard)

    def respond(self, command: Line) -> None:
        def on_item(item: belfry.Item[bytes]) -> None:
            if isinstance(item, belfry.Message) and "replyTo" in item.headers:
                self.client.reply(item, b"re: " + item.data).add_done_callback(lambda done: done.exception())

        self.client.subscribe(command["subject"], on_item=on_item)

    def watch(self, command: Line) -> None:
        watch = self.client.watch(command["subject"])
        self._watches[command["subject"]] = watch, asyncio.create_task(self._report_interest(watch))

    async def _report_interest(self, watch: belfry.Watch) -> None:
        try:
            async for subscribers in watch:
                write(op="interest", client=self.name, subject=watch.subject, subscribers=subscribers)
        except belfry.BelfryError as error:
            write(op="error", client=self.name, kind="command", code=error.code, reason=error.reason)

    def unwatch(self, command: Line) -> None:
        watch, task = self._watches.pop(command["subject"])
        watch.unwatch()
        task.cancel()

    def skip(self, command: Line) -> None:
        self._offset += command["skipMillis"] / 1000
        self.client._runner.wake()
        next_wake = self.client._runner.engine.next_wake()
        answer(command, nextMillis=None if next_wake is None else round(next_wake * 1000))

    @property
    def timers(self) -> int:
        return self.client._runner.engine.timer_count

    @property
    def tasks(self) -> int:
        return self.client._runner.task_count

    async def close(self) -> None:
        await self.client.close()
        await asyncio.sleep(0)
        for driven in list(self.subscriptions.values()):
            await driven.end()
        for _, task in self._watches.values():
            task.cancel()


class Driver:
    """Executes commands in their order; a command that waits does not delay the next one."""

    def __init__(self) -> None:
        self._clients: dict[str, DrivenClient] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def execute(self, command: Line) -> None:
        try:
            self._execute(command)
        except Exception as error:
            answer_error(command, error)

    def _execute(self, command: Line) -> None:
        match command["op"]:
            case "new":
                self._clients[command["client"]] = DrivenClient(command)
                answer(command)
            case "resources":
                clients = self._clients.values()
                counts = {"timers": sum(c.timers for c in clients), "tasks": sum(c.tasks for c in clients)}
                answer(command, memoryBytes=memory_bytes(), **counts)
            case op:
                self._execute_on(self._client(command), op, command)

    def _client(self, command: Line) -> DrivenClient:
        try:
            return self._clients[command["client"]]
        except KeyError:
            raise UseError("no-client") from None

    def _execute_on(self, client: DrivenClient, op: str, command: Line) -> None:
        direct: dict[str, Callable[[], Any]] = {
            "subscribe": lambda: client.subscribe(command),
            "pause": lambda: client.subscription(command).pause(),
            "resume": lambda: client.subscription(command).resume(),
            "respond": lambda: client.respond(command),
            "watch": lambda: client.watch(command),
            "unwatch": lambda: client.unwatch(command),
            "token": lambda: client.give_token(command),
        }
        match op:
            case "publish":
                client.publish(command)
            case "request":
                client.request(command)
            case "clock":
                client.skip(command)
            case "position":
                answer(command, position=client.subscription(command).subscription.position)
            case "unsubscribe" | "close":
                self._later(self._answered(command, client.unsubscribe(command) if op != "close" else client.close()))
            case _ if op in direct:
                direct[op]()
                answer(command)
            case _:
                raise UseError("unknown-op")

    async def _answered(self, command: Line, work: Any) -> None:
        try:
            await work
        except Exception as error:
            answer_error(command, error)
        else:
            if command["op"] == "close":
                self._clients.pop(command["client"], None)
            answer(command)

    def _later(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def run(self) -> None:
        reader = asyncio.StreamReader(limit=64 << 20)
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        hello("asyncio")
        while line := await reader.readline():
            self.execute(json.loads(line))
            await asyncio.sleep(0)
        for client in list(self._clients.values()):
            await client.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def main() -> None:
    asyncio.run(Driver().run())
