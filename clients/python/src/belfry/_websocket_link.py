"""A link over one WebSocket, without I/O. Owner: the engine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from . import _frames
from ._address import ServerAddress
from ._codec import Codec, SubscribeCommand
from ._delta import FOSSIL
from ._events import EventError
from ._frames import FrameReader, FrameWriter
from ._handshake import Handshake
from ._http import BodyEnd, HttpError, HttpPart, ResponseHead, ResponseReader
from ._link import Link, LinkOwner
from ._publishes import Publish
from ._refusals import Cause, Ending, code_of
from ._subscription import PatternPositions, Wanted

CONNECT_ID: Final = -1
SUBSCRIBE_ID: Final = -2
UNSUBSCRIBE_ID: Final = -3
PING_ID: Final = -4
WATCH_ID: Final = -5
"""Ids of commands whose events need no lookup by id; publishes use ids from 1."""

_NORMAL_CLOSE: Final = 1000
_SUBJECTS_PER_COMMAND: Final = 256
_BODY_BYTES_MAX: Final = 4096


class WebSocketLink(Link):
    """The handshake, then one command or event per frame."""

    pattern_positions = PatternPositions.OF_SESSION

    def __init__(
        self,
        owner: LinkOwner,
        address: ServerAddress,
        codec: Codec,
        token: str | None,
        ping_ms: int | None,
        compression: bool,
        client_name: str | None,
    ) -> None:
        super().__init__(owner, address)
        self._ping_ms = ping_ms
        self._client_name = client_name
        self._codec = codec
        self._handshake = Handshake(address, codec.subprotocol, token, os.urandom(16), compression)
        self._answer = ResponseReader()
        self._refusal: ResponseHead | None = None
        self._refusal_body = b""
        self._reader = FrameReader()
        self._writer = FrameWriter()
        self._connection = 0
        self._open = False

    @property
    def answers_ends(self) -> bool:
        return True

    @property
    def expects_reads(self) -> bool:
        return True

    def open(self) -> None:
        self._connection = self.connect()

    def connection_opened(self, connection: int) -> None:
        self.owner.write(connection, self._handshake.request())

    def connection_lost(self, connection: int, ending: Ending) -> None:
        self.connections.discard(connection)
        self.fail(self._refusal.refusal(self._refusal_body) if self._refusal else ending)

    def received(self, connection: int, data: bytes) -> None:
        if not self._open:
            data = self._read_answer(data)
        if self._open and data:
            self._read_frames(data)

    def _read_answer(self, data: bytes) -> bytes:
        """Reads the answer to the handshake; returns the bytes after it."""
        try:
            for part in self._answer.read(data):
                self._answer_part(part)
        except HttpError as problem:
            self.fail(Ending(Cause.BAD_FRAME, str(problem)))
        return self._answer.take_rest() if self._open else b""

    def _answer_part(self, part: HttpPart) -> None:
        if isinstance(part, ResponseHead):
            if part.status != 101:
                self._refusal = part
                return
            problem = self._handshake.problem(part)
            if problem:
                self.fail(Ending(Cause.REFUSED, problem))
            else:
                self._opened("sec-websocket-extensions" in part.fields)
        elif isinstance(part, BodyEnd):
            if self._refusal is not None:
                self.fail(self._refusal.refusal(self._refusal_body))
        elif self._refusal is not None:
            self._refusal_body = (self._refusal_body + part)[:_BODY_BYTES_MAX]

    def _opened(self, compressed: bool) -> None:
        self._open = True
        self._reader.inflates = self._writer.compresses = compressed
        session = self.owner.session_request()
        self._send(self._codec.connect(None, CONNECT_ID, self._ping_ms, session, self._client_name))
        if session is None or not session.id:
            # Otherwise the subscriptions depend on the answer.
            self.subscribe(self.owner.wanted(self.pattern_positions))

    def _read_frames(self, data: bytes) -> None:
        owner = self.owner
        decode = self._codec.decode
        opcode = self._codec.opcode
        try:
            for kind, payload in self._reader.read(data):
                if kind == opcode:
                    event = decode(payload)
                    if event is not None:
                        owner.event(event)
                else:
                    self._other_frame(kind, payload)
                if self.over:
                    return
        except EventError as bad:
            self._violation(_frames.PROTOCOL_ERROR, f"the server sent an invalid event: {bad}")
        problem = self._reader.problem
        if problem is not None:
            self._violation(problem.close_code, problem.sentence)

    def _other_frame(self, kind: int, payload: bytes | str) -> None:
        if kind == _frames.PING and isinstance(payload, bytes):
            self.owner.write(self._connection, self._writer.frame(_frames.PONG, payload))
        elif kind == _frames.CLOSE and isinstance(payload, bytes):
            self._closed_by_server(*_frames.close_code(payload))
        elif kind != _frames.PONG:
            raise EventError("a frame of the other encoding")

    def _closed_by_server(self, number: int, reason: str) -> None:
        answer = _NORMAL_CLOSE if number == _frames.NO_CODE else number
        self._write_close(answer)
        sentence = f"the server closed the connection: {number}" + (f" {reason}" if reason else "")
        self.fail(Ending(Cause.CLOSED_BY_SERVER, sentence, number, code_of(reason)))

    def _violation(self, close_code: int, sentence: str) -> None:
        self._write_close(close_code)
        self.fail(Ending(Cause.BAD_FRAME, sentence))

    def _write_close(self, code: int) -> None:
        if self._open and not self.over:
            self.owner.write(self._connection, self._writer.close(code))
            self._open = False

    def before_close(self) -> None:
        if self._open:
            self.owner.write(self._connection, self._writer.close(_NORMAL_CLOSE))
            self._open = False

    def keep_session(self) -> None:
        # A close frame would end the session.
        self._open = False

    def _send(self, payload: bytes) -> None:
        self.owner.write(self._connection, self._writer.message(self._codec.opcode, payload))

    def subscribe(self, wanted: Sequence[Wanted]) -> None:
        """Keeps the order, and combines consecutive subscriptions without options into one command."""
        if not self._open:
            return
        live: list[str] = []
        for one in wanted:
            if live and (not one.is_plain_live or len(live) == _SUBJECTS_PER_COMMAND):
                self._send(self._codec.subscribe(SubscribeCommand(tuple(live), id=SUBSCRIBE_ID)))
                live.clear()
            if one.is_plain_live:
                live.append(one.target)
            else:
                self._send(self._codec.subscribe(_command(one)))
        if live:
            self._send(self._codec.subscribe(SubscribeCommand(tuple(live), id=SUBSCRIBE_ID)))

    def unsubscribe(self, subjects: Sequence[str]) -> None:
        if self._open:
            for start in range(0, len(subjects), _SUBJECTS_PER_COMMAND):
                some = tuple(subjects[start : start + _SUBJECTS_PER_COMMAND])
                self._send(self._codec.unsubscribe(some, UNSUBSCRIBE_ID))

    def publish(self, publish: Publish) -> bool:
        if self._open:
            self._send(self._codec.publish(publish.command))
        return self._open

    def renew(self, token: str) -> None:
        if self._open:
            self._send(self._codec.connect(token, CONNECT_ID))

    @property
    def can_ping(self) -> bool:
        return True

    def ping(self) -> None:
        if self._open:
            self._send(self._codec.ping(PING_ID))

    def probe(self) -> None:
        self.ping()

    def watch(self, subject: str) -> bool:
        if self._open:
            self._send(self._codec.watch(subject, WATCH_ID))
        return True

    def unwatch(self, subject: str) -> None:
        if self._open:
            self._send(self._codec.unwatch(subject, WATCH_ID))


def _command(wanted: Wanted) -> SubscribeCommand:
    return SubscribeCommand(
        (wanted.target,),
        wanted.after,
        wanted.history or None,
        wanted.conflate_ms or None,
        SUBSCRIBE_ID,
        wanted.pattern_from,
        FOSSIL if wanted.deltas else None,
    )
