"""The driver of the blocking face. Commands run on the main thread, iterators and waiting commands on their own."""

from __future__ import annotations

import contextlib
import json
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import belfry
from belfry import blocking
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
    """One subscription, taken by a thread that iterates or by a callback."""

    def __init__(self, client: DrivenClient, command: Line) -> None:
        self._client = client
        self._command = command
        self._going = threading.Event()
        self._going.set()
        self._over = False
        self._taking = threading.Lock()
        self.thread: threading.Thread | None = None
        callback = Thrower(command) if command.get("face") == "callback" else None
        self.subscription = client.client.subscribe(command["subject"], on_item=callback, **subscription_of(command))
        if callback is None:
            self.thread = threading.Thread(target=self._iterate)
            self.thread.start()

    def _iterate(self) -> None:
        with contextlib.suppress(belfry.BelfryError):
            for item in self.subscription:
                with self._taking:
                    if self._over:
                        return
                    write_item(self._client.name, self._command["subject"], item)
                self._going.wait()

    def pause(self) -> None:
        if self.thread is None:
            self.subscription.pause()
        else:
            self._going.clear()

    def resume(self) -> None:
        if self.thread is None:
            self.subscription.resume()
        else:
            self._going.set()

    def end(self) -> None:
        with self._taking:
            self._over = True
        self._going.set()
        if self.thread is not None:
            self.thread.join()


class DrivenClient:
    """One client of the program."""

    def __init__(self, command: Line) -> None:
        self.name: str = command["client"]
        self._throws = command.get("statusThrows", False)
        self._offset = 0.0
        self._asks = 0
        self._tokens: dict[int, queue.Queue[Line]] = {}
        self.subscriptions: dict[str, DrivenSubscription] = {}
        self._watches: dict[str, blocking.Watch] = {}
        token = self._ask if command.get("tokenSource") else command.get("token")
        self.client = blocking.connect(
            *servers_of(command), token=token, on_status=self._on_status, **options_of(command, self._clock)
        )
        self.client.start()

    def _clock(self) -> float:
        return time.monotonic() + self._offset

    def _on_status(self, status: belfry.Status) -> None:
        write_status(self.name, status)
        if isinstance(status, belfry.SubscribeRefused):
            self.subscriptions.pop(status.subject, None)
        if self._throws:
            raise ValueError("the command asks for this exception")

    def _ask(self, reason: belfry.TokenReason) -> str | None:
        self._asks += 1
        given: queue.Queue[Line] = queue.Queue()
        self._tokens[self._asks] = given
        write(op="token", client=self.name, ask=self._asks, why=reason.value)
        command = given.get()
        if "fails" in command:
            raise ValueError(command["fails"])
        token: str | None = command.get("token")
        return token

    def give_token(self, command: Line) -> None:
        self._tokens.pop(command["ask"]).put(command)

    def subscription(self, command: Line) -> DrivenSubscription:
        try:
            return self.subscriptions[command["subject"]]
        except KeyError:
            raise UseError("not-subscribed") from None

    def subscribe(self, command: Line) -> None:
        self.subscriptions[command["subject"]] = DrivenSubscription(self, command)

    def unsubscribe(self, command: Line) -> None:
        driven = self.subscription(command)
        del self.subscriptions[command["subject"]]
        driven.subscription.unsubscribe()
        driven.end()

    def publish(self, command: Line) -> None:
        future = self.client.publish_future(command["subject"], data_of(command), **publish_options(command))
        answer(command)
        future.add_done_callback(lambda done: write_result(command, done.exception() or done.result()))

    def request(self, command: Line) -> None:
        timeout = command["timeoutMillis"] / 1000
        future = self.client.request_future(command["subject"], data_of(command), timeout=timeout)
        answer(command)
        future.add_done_callback(lambda done: write_reply(command, done.exception() or done.result()))

    def respond(self, command: Line) -> None:
        def on_item(item: belfry.Item[bytes]) -> None:
            if isinstance(item, belfry.Message) and "replyTo" in item.headers:
                self.client.reply_future(item, b"re: " + item.data)

        self.client.subscribe(command["subject"], on_item=on_item)

    def watch(self, command: Line) -> None:
        watch = self._watches[command["subject"]] = self.client.watch(command["subject"])
        threading.Thread(target=self._report_interest, args=(watch,)).start()

    def _report_interest(self, watch: blocking.Watch) -> None:
        try:
            for subscribers in watch:
                write(op="interest", client=self.name, subject=watch.subject, subscribers=subscribers)
        except belfry.BelfryError as error:
            write(op="error", client=self.name, kind="command", code=error.code, reason=error.reason)

    def unwatch(self, command: Line) -> None:
        self._watches.pop(command["subject"]).unwatch()

    def skip(self, command: Line) -> None:
        self._offset += command["skipMillis"] / 1000
        thread = self.client._thread
        thread.call(self.client._runner.wake)
        next_wake = thread.call(self.client._runner.engine.next_wake)
        answer(command, nextMillis=None if next_wake is None else round(next_wake * 1000))

    @property
    def timers(self) -> int:
        return self.client._runner.engine.timer_count

    @property
    def tasks(self) -> int:
        return self.client._runner.task_count

    def close(self) -> None:
        self.client.close()
        for driven in list(self.subscriptions.values()):
            driven.end()


class Driver:
    """Executes commands in their order; a command that waits does not delay the next one."""

    def __init__(self) -> None:
        self._clients: dict[str, DrivenClient] = {}

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
                clients = list(self._clients.values())
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
            "unsubscribe": lambda: client.unsubscribe(command),
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
            case "close":
                threading.Thread(target=self._close, args=(client, command)).start()
            case _ if op in direct:
                direct[op]()
                answer(command)
            case _:
                raise UseError("unknown-op")

    def _close(self, client: DrivenClient, command: Line) -> None:
        client.close()
        self._clients.pop(client.name, None)
        answer(command)

    def run(self) -> None:
        hello("blocking")
        for line in sys.stdin:
            self.execute(json.loads(line))
        for client in list(self._clients.values()):
            client.close()


def main() -> None:
    Driver().run()
