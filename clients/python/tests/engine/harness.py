"""A manual clock, a recording network, and the server's side of a WebSocket: no threads, no sleeps, no sockets."""

from __future__ import annotations

import json
import struct
from random import Random
from typing import Any

from belfry._address import ServerAddress
from belfry._codec import PublishCommand
from belfry._engine import Engine
from belfry._frames import CLOSE, TEXT, Frame, FrameReader, mask
from belfry._handshake import accept_of
from belfry._model import Item, Position
from belfry._options import Encoding, Options, TokenReason, Transport
from belfry._publishes import Publish, PublishResult
from belfry._refusals import Cause, Ending
from belfry._status import Status
from belfry._subscription import SubscribeOptions, SubscriptionState
from belfry._subscriptions import AnySubscription


class ManualClock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class RecordingOutput:
    """Records what the engine wants done."""

    def __init__(self) -> None:
        self.opened: list[tuple[int, ServerAddress]] = []
        self.written: dict[int, bytes] = {}
        self.closed: list[int] = []
        self.paused: list[bool] = []
        self.asked: list[TokenReason] = []
        self.states: list[AnySubscription] = []
        self.statuses: list[Status] = []

    def open_connection(self, connection: int, address: ServerAddress) -> None:
        self.opened.append((connection, address))

    def write(self, connection: int, data: bytes) -> None:
        self.written[connection] = self.written.get(connection, b"") + data

    def close_connection(self, connection: int) -> None:
        self.closed.append(connection)

    def pause_reading(self, paused: bool) -> None:
        self.paused.append(paused)

    def ask_token(self, reason: TokenReason) -> None:
        self.asked.append(reason)

    def ask_state(self, state: AnySubscription) -> None:
        self.states.append(state)

    def report(self, status: Status) -> None:
        self.statuses.append(status)


def server_frame(opcode: int, payload: bytes) -> bytes:
    """Returns an unmasked final frame."""
    length = len(payload)
    if length < 126:
        return bytes((0x80 | opcode, length)) + payload
    if length < 1 << 16:
        return struct.pack(">BBH", 0x80 | opcode, 126, length) + payload
    return struct.pack(">BBQ", 0x80 | opcode, 127, length) + payload


def client_frames(data: bytes) -> list[tuple[int, bytes]]:
    """Returns the opcodes and unmasked payloads of a client's frames."""
    frames = []
    at = 0
    while at < len(data):
        assert data[at + 1] & 0x80, "a client's frame must be masked"
        length = data[at + 1] & 0x7F
        start = at + 2
        if length == 126:
            length = int.from_bytes(data[start : start + 2], "big")
            start += 2
        elif length == 127:
            length = int.from_bytes(data[start : start + 8], "big")
            start += 8
        key = data[start : start + 4]
        start += 4
        frames.append((data[at] & 0x0F, mask(data[start : start + length], key)))
        at = start + length
    return frames


def read_frames(*parts: bytes, largest: int = 1 << 20, inflates: bool = False) -> tuple[list[Frame], int | None]:
    """Returns the frames of some input, and the close code of a violation."""
    reader = FrameReader(largest)
    reader.inflates = inflates
    frames = [frame for part in parts for frame in reader.read(part)]
    return frames, reader.problem.close_code if reader.problem else None


class Rig:
    """One engine with its surroundings. JSON, so that tests can be read."""

    def __init__(self, *servers: str, **options: Any) -> None:
        self.clock = ManualClock()
        self.output = RecordingOutput()
        addresses = tuple(ServerAddress.parse(server) for server in servers or ("ws://server",))
        options.setdefault("transports", (Transport.WEBSOCKET,))
        options.setdefault("encoding", Encoding.JSON)
        self.options = Options(addresses, **options)
        self.engine = Engine(self.options, self.output, self.clock, Random(7))
        self.results: dict[int, object] = {}
        self._ids = 0

    # The program

    def subscribe(self, subject: str, **options: Any) -> AnySubscription:
        state: AnySubscription = SubscriptionState(
            subject, SubscribeOptions(**options), None, 100, lambda subject, error: None
        )
        self.engine.subscribe(state)
        return state

    def publish(self, subject: str, data: bytes = b"x", msg_id: str | None = "m") -> int:
        self._ids += 1
        id = self._ids
        done: PublishResult = lambda result: self.results.__setitem__(id, result)  # noqa: E731
        publish = Publish(PublishCommand(subject, data, False, msg_id and f"{msg_id}{id}", id), done)
        assert self.engine.publishes.admit(publish.bytes)
        self.engine.publish(publish)
        return id

    def items(self, state: AnySubscription) -> list[Item[bytes]]:
        taken: list[Item[bytes]] = []
        while len(state.buffer):
            taken.append(state.buffer.take())
        return taken

    def texts(self, state: AnySubscription) -> list[str]:
        """Returns the data of messages, and the reasons of gaps in brackets."""
        return [f"[{item.reason}]" if not hasattr(item, "data") else item.data.decode() for item in self.items(state)]

    # Time

    def pass_time(self, seconds: float) -> None:
        """Lets time pass, and runs each timer at its time."""
        end = self.clock.now + seconds
        while (delay := self.engine.next_wake()) is not None and self.clock.now + delay <= end:
            self.clock.now += delay
            self.engine.wake()
        self.clock.now = end

    def sleep(self, seconds: float) -> None:
        """Lets the device sleep: the timers run late."""
        self.clock.now += seconds
        self.engine.wake()

    # The network and the server

    @property
    def connection(self) -> int:
        return self.output.opened[-1][0]

    def accept(self, *fields: str) -> None:
        """Opens the latest connection and answers its handshake, with further header fields."""
        self.engine.connection_opened(self.connection)
        request = self.output.written.pop(self.connection).decode()
        key = next(line.split(": ")[1] for line in request.split("\r\n") if line.startswith("Sec-WebSocket-Key"))
        more = "".join(field + "\r\n" for field in fields)
        answer = (
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept_of(key)}\r\nSec-WebSocket-Protocol: belfry.json.v1\r\n{more}\r\n"
        )
        self.receive(answer.encode())

    def connect(self) -> list[dict[str, Any]]:
        """Starts the engine and connects it; returns its first commands."""
        self.engine.start()
        return self.greet()

    def greet(self) -> list[dict[str, Any]]:
        self.accept()
        commands = self.commands()
        self.connected()
        return commands

    def connected(self, session: str = "s", **more: Any) -> None:
        event = {"op": "connected", "id": -1, "session": session, "node": "n", "ping": 25000, "maxMessage": 65536}
        self.send(**event | more)

    def receive(self, data: bytes) -> None:
        self.engine.received(self.connection, data)

    def send(self, **event: Any) -> None:
        self.receive(server_frame(TEXT, json.dumps(event).encode()))

    def message(self, subject: str, seq: int, data: str | None = None, epoch: int = 7, **more: Any) -> None:
        text = str(seq) if data is None else data
        self.send(op="message", subject=subject, data=text, epoch=epoch, seq=seq, time=1, **more)

    def subscribed(
        self, subject: str, seq: int | None = None, recovery: str = "none", epoch: int = 7, at: str | None = None
    ) -> None:
        position = {} if seq is None else {"epoch": epoch, "seq": seq}
        of_pattern = {} if at is None else {"at": at}
        self.send(op="subscribed", subject=subject, recovery=recovery, **position, **of_pattern)

    def commands(self) -> list[dict[str, Any]]:
        """Takes the commands that the client sent, without those of the connection itself."""
        return [command for command in self.all_commands() if command["op"] not in ("connect", "ping")]

    def all_commands(self) -> list[dict[str, Any]]:
        frames = client_frames(self.output.written.pop(self.connection, b""))
        return [json.loads(payload) for opcode, payload in frames if opcode == TEXT]

    def pings(self) -> int:
        frames = client_frames(self.output.written.pop(self.connection, b""))
        return sum(opcode == TEXT and json.loads(payload)["op"] == "ping" for opcode, payload in frames)

    def close(self, code: int, reason: str = "") -> None:
        self.receive(server_frame(CLOSE, code.to_bytes(2, "big") + reason.encode()))

    def refuse(self, status: int, body: str = "", *fields: str) -> None:
        """Opens the latest connection and answers its handshake with an error."""
        self.engine.connection_opened(self.connection)
        lines = "".join(field + "\r\n" for field in fields)
        self.receive(f"HTTP/1.1 {status} No\r\n{lines}Content-Length: {len(body)}\r\n\r\n{body}".encode())

    def lose(self) -> None:
        self.engine.connection_lost(self.connection, Ending(Cause.LOST, "the connection broke"))

    def reconnect(self) -> list[dict[str, Any]]:
        """Loses the connection, waits for the next attempt and connects; returns the first commands."""
        self.lose()
        self.await_attempt()
        return self.greet()

    def await_attempt(self) -> None:
        """Waits until the client opens another connection."""
        before = self.connection
        while self.connection == before:
            delay = self.engine.next_wake()
            assert delay is not None
            self.clock.now += delay
            self.engine.wake()

    def statuses(self, kind: type[Status]) -> list[Any]:
        return [status for status in self.output.statuses if isinstance(status, kind)]


def positions(items: list[Item[bytes]]) -> list[Position | str]:
    """Returns the positions of messages and the reasons of gaps."""
    return [item.position if hasattr(item, "position") else item.reason for item in items]
