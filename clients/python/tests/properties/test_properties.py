from __future__ import annotations

import base64
import contextlib
import json
import zlib

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import belfry
from belfry._binary import BinaryCodec
from belfry._codec import PublishCommand
from belfry._events import EventError
from belfry._frames import BINARY, FrameReader, FrameWriter, mask
from belfry._http import HttpError, ResponseHead, ResponseReader
from belfry._json import JsonCodec
from harness import Rig, client_frames, server_frame


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({min(cut, len(data)) for cut in cuts})
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


@given(st.binary(max_size=2000), st.binary(min_size=4, max_size=4))
def test_masking_is_its_own_inverse(payload: bytes, key: bytes) -> None:
    assert mask(mask(payload, key), key) == payload


@given(st.lists(st.binary(max_size=300)), st.lists(st.integers(0, 3000)))
def test_frames_survive_any_split(payloads: list[bytes], cuts: list[int]) -> None:
    data = b"".join(server_frame(BINARY, payload) for payload in payloads)
    reader = FrameReader()
    frames = [frame for part in split(data, cuts) for frame in reader.read(part)]
    assert frames == [(BINARY, payload) for payload in payloads]


@given(st.binary(max_size=500), st.lists(st.integers(0, 500)))
def test_any_bytes_give_the_same_frames_however_they_are_split(data: bytes, cuts: list[int]) -> None:
    whole, parts = FrameReader(), FrameReader()
    expected = whole.read(data)
    assert [frame for part in split(data, cuts) for frame in parts.read(part)] == expected
    if whole.problem is not None:
        assert parts.problem is not None
        assert parts.problem.close_code == whole.problem.close_code


@given(st.lists(st.binary(max_size=1000)), st.lists(st.integers(0, 3000)))
def test_compressed_messages_survive_any_split(payloads: list[bytes], cuts: list[int]) -> None:
    data = b"".join(server_frame(BINARY | 0x40, zlib.compress(payload, wbits=-15)) for payload in payloads)
    reader = FrameReader()
    reader.inflates = True
    assert [frame for part in split(data, cuts) for frame in reader.read(part)] == [(BINARY, one) for one in payloads]


@given(st.binary(max_size=500))
def test_any_compressed_bytes_are_a_message_or_a_violation(data: bytes) -> None:
    reader = FrameReader(10_000)
    reader.inflates = True
    frames = reader.read(server_frame(BINARY | 0x40, data))
    assert (len(frames) == 1) == (reader.problem is None)


@given(st.binary(max_size=1000))
def test_written_frames_are_read_by_a_server(payload: bytes) -> None:
    assert client_frames(FrameWriter().frame(BINARY, payload)) == [(BINARY, payload)]


@given(st.binary(max_size=400))
def test_any_binary_frame_is_an_event_or_refused(frame: bytes) -> None:
    codec = BinaryCodec()
    codec.epochs = {0: 7}
    with contextlib.suppress(EventError):
        codec.decode(frame)


_JSON = st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.just([1]) | st.just({"a": 1.5})


@given(st.sampled_from(["message", "gap", "subscribed", "error", "published", "connected", "pong"]), st.data())
def test_any_members_are_an_event_or_refused(op: str, data: st.DataObject) -> None:
    names = ["subject", "data", "base64", "epoch", "seq", "prev", "from", "to", "reason", "code", "recovery", "id"]
    members = data.draw(st.dictionaries(st.sampled_from(names), _JSON))
    with contextlib.suppress(EventError):
        JsonCodec().decode(json.dumps({"op": op, **members}))


@given(st.text(min_size=1, max_size=50), st.binary(max_size=300), st.booleans())
def test_published_data_survives_json(subject: str, data: bytes, retain: bool) -> None:
    with contextlib.suppress(UnicodeEncodeError):
        command = json.loads(JsonCodec().publish(PublishCommand(subject, data, retain, None, 1)))
        sent = command["data"].encode() if "data" in command else base64.b64decode(command["base64"])
        assert (sent, command["subject"], command.get("retain", False)) == (data, subject, retain)


@given(st.lists(st.binary(min_size=1, max_size=50)), st.lists(st.integers(0, 1000)))
def test_chunked_bodies_survive_any_split(chunks: list[bytes], cuts: list[int]) -> None:
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body
    reader = ResponseReader()
    parts = [part for data in split(answer * 2, cuts) for part in reader.read(data)]
    assert b"".join(part for part in parts if isinstance(part, bytes)) == b"".join(chunks) * 2
    assert sum(isinstance(part, ResponseHead) for part in parts) == 2


@given(st.binary(max_size=300))
def test_any_answer_is_http_or_refused(data: bytes) -> None:
    for start in (b"", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"HTTP/1.1 200 OK\r\n"):
        with contextlib.suppress(HttpError):
            ResponseReader().read(start + data)


class OneSubject(RuleBasedStateMachine):
    """A server with a bounded history, cuts at any time, and pauses: once, in order, and no silent gap."""

    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig(reconnect=belfry.ReconnectPolicy(quick_attempts=0, first_pause=0.0, longest_pause=0.01))
        self.state = self.rig.subscribe("/a", buffer_count=5)
        self.epoch, self.last, self.kept_from = 7, 0, 1
        self.serving = False
        self.sent = 0
        self.delivered: list[belfry.Item[bytes]] = []
        self.begin = (7, 0)
        self.rig.engine.start()
        self.serve()

    def serve(self) -> None:
        """Answers a new connection, and what it requests."""
        self.serving = False
        if self.rig.engine.next_wake() is not None or not self.rig.engine.is_up:
            self.obey(self.rig.greet())

    def obey(self, commands: list[dict[str, object]]) -> None:
        for command in commands:
            if command["op"] == "unsubscribe":
                self.serving = False
            elif command["op"] == "subscribe":
                self.subscribe(command.get("from"))

    def subscribe(self, after: object) -> None:
        recovery, start = "none", self.last
        self.sent = 0
        if isinstance(after, str):
            epoch, seq = map(int, after.split(":"))
            start = max(seq, self.kept_from - 1) if epoch == self.epoch else self.kept_from - 1
            recovery = "complete" if (epoch, start) == (self.epoch, seq) else "gap"
        self.rig.subscribed("/a", self.last, recovery, self.epoch)
        if recovery == "gap":
            reason = "history-gone"
            self.rig.send(op="gap", subject="/a", **{"from": after}, to=f"{self.epoch}:{start}", reason=reason)
        for seq in range(start + 1, self.last + 1):
            self.send(seq, "recovered")
        self.serving = True

    def settle(self) -> None:
        self.obey(self.rig.commands())

    @rule()
    def publish(self) -> None:
        self.last += 1
        if self.serving:
            self.send(self.last)
        self.settle()

    def send(self, seq: int, type: str = "live") -> None:
        self.rig.message("/a", seq, epoch=self.epoch, type=type)
        self.sent = seq

    @rule()
    def repeat(self) -> None:
        """A server may deliver a message more than once."""
        if self.serving and self.sent:
            self.rig.message("/a", self.sent, epoch=self.epoch)

    @rule()
    def omit(self) -> None:
        """A faulty server omits a message; the next one proves it."""
        self.last += 1

    @rule()
    def evict(self) -> None:
        self.kept_from = self.last + 1

    @rule()
    def restart(self) -> None:
        self.epoch += 1
        self.last, self.kept_from = 0, 1
        self.cut()

    @rule()
    def cut(self) -> None:
        self.rig.lose()
        self.serving = False
        before = self.rig.connection
        while self.rig.connection == before:
            delay = self.rig.engine.next_wake()
            assert delay is not None
            self.rig.clock.now += delay
            self.rig.engine.wake()
        self.serve()

    @rule()
    def take(self) -> None:
        self.delivered += self.rig.items(self.state)
        if self.state.wants_room:
            self.rig.engine.has_room(self.state)
        self.settle()

    @rule()
    def wait(self) -> None:
        self.rig.pass_time(0.15)
        self.settle()

    @rule()
    def pause(self) -> None:
        self.rig.engine.pause(self.state)
        self.settle()

    @rule()
    def resume(self) -> None:
        self.rig.engine.resume(self.state)
        self.settle()

    @invariant()
    def every_step_is_proven_or_announced(self) -> None:
        position = self.begin
        for item in self.delivered:
            if isinstance(item, belfry.Gap):
                assert item.to is not None
                assert item.after is None or item.after == position
                assert item.to > position
                position = item.to
            else:
                assert item.position == (position[0], position[1] + 1)
                position = item.position

    @invariant()
    def the_buffer_is_bounded(self) -> None:
        assert len(self.state.buffer) < 1000

    def teardown(self) -> None:
        """In the end the program has everything, or knows what is missing."""
        self.take()
        self.rig.engine.resume(self.state)
        self.settle()
        self.cut()
        for _ in range(3):
            self.wait()
            self.take()
        if self.delivered:
            last = self.delivered[-1]
            end = last.to if isinstance(last, belfry.Gap) else last.position
            assert end == (self.epoch, self.last)


TestOneSubject = OneSubject.TestCase
TestOneSubject.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
