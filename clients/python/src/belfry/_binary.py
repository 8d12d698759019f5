"""The encoding ``belfry.binary.v1``: docs/protocol.md, "Binary encoding". Owner: one connection."""

from __future__ import annotations

import struct
from typing import Final

from ._codec import PublishCommand, SessionRequest, SubscribeCommand
from ._events import (
    NO_ID,
    ConnectedEvent,
    ErrorEvent,
    EventError,
    GapEvent,
    InterestEvent,
    MessageEvent,
    PongEvent,
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
from ._frames import BINARY
from ._headers import headers_block, read_headers
from ._model import (
    NO_HEADERS,
    PATTERN_POSITION_BYTES_MAX,
    POSITION_MAX,
    MessageType,
    Position,
    Recovery,
    pattern_position_bytes,
    pattern_position_text,
)

_CONNECT: Final = 0x01
_SUBSCRIBE: Final = 0x02
_UNSUBSCRIBE: Final = 0x03
_PUBLISH: Final = 0x04
_PING: Final = 0x06
_WATCH: Final = 0x09
_UNWATCH: Final = 0x0A
_INTEREST: Final = 0x0B
_EPOCH: Final = 0x0C
_HEADERS: Final = 0x10

_TYPES = (MessageType.LIVE, MessageType.SNAPSHOT, MessageType.HISTORY, MessageType.RECOVERED)
_RECOVERIES = (Recovery.COMPLETE, Recovery.GAP, Recovery.NONE)
# head, index, seq as u8 u16 u32, time as u16 u32, length of the subject
_MESSAGE = struct.Struct(">BBBHIHIB")
_MESSAGE_HEAD_BYTES: Final = 16
_RETAINED: Final = 0x04
_PREVIOUS: Final = 0x08
_LONG_BACK: Final = 0x10
_HAS_HEADERS: Final = 0x20
_DELTA: Final = 0x40


def _short(text: str) -> bytes:
    encoded = text.encode()
    if len(encoded) > 255:
        raise ValueError(f"a text must have at most 255 bytes, not {len(encoded)}")
    return bytes((len(encoded),)) + encoded


def _head(op: int, flags: int, id: int | None) -> bytes:
    return bytes((op, flags)) if id is None else struct.pack(">BBq", op, flags | 0x01, id)


class _Fields:
    """Reads the fields of an event in order."""

    def __init__(self, frame: bytes) -> None:
        self._frame = frame
        self._at = 2

    def number(self, size: int) -> int:
        end = self._at + size
        if end > len(self._frame):
            raise EventError("a binary event ends before its fields")
        value = int.from_bytes(self._frame[self._at : end], "big")
        self._at = end
        return value

    def id(self) -> int:
        value = self.number(8)
        return value - (1 << 64) if value >= 1 << 63 else value

    def short(self) -> str:
        return self._take(self.number(1)).decode()

    def _take(self, length: int) -> bytes:
        end = self._at + length
        if end > len(self._frame):
            raise EventError("a binary event ends before its fields")
        taken = self._frame[self._at : end]
        self._at = end
        return taken

    def pattern_position(self) -> str:
        length = self.number(2)
        if not 1 <= length <= PATTERN_POSITION_BYTES_MAX:
            raise EventError(f"a position of patterns has {length} bytes")
        return pattern_position_text(self._take(length))

    def position(self) -> Position:
        epoch, seq = self.number(8), self.number(8)
        if epoch > POSITION_MAX or seq > POSITION_MAX:
            raise EventError("a position is beyond 2^53")
        return Position(epoch, seq)


class BinaryCodec:
    """Keeps the connection's epoch table, and the headers of the next message."""

    subprotocol: str = "belfry.binary.v1"
    opcode: int = BINARY

    def __init__(self) -> None:
        self.epochs: dict[int, int] = {}
        self._headers = NO_HEADERS

    def decode(self, frame: bytes | str) -> ServerEvent | None:
        if isinstance(frame, str):
            raise EventError("a text frame in the binary encoding")
        try:
            if frame[0] & 0x80:
                return self._message(frame)
            return self._event(frame)
        except (IndexError, struct.error):
            raise EventError("a binary event ends before its fields") from None
        except UnicodeDecodeError:
            raise EventError("a binary event has text that is not UTF-8") from None

    def _message(self, frame: bytes) -> MessageEvent:
        values: tuple[int, ...] = _MESSAGE.unpack_from(frame)
        head, index, seq6, seq4, seq0, time4, time0, length = values
        seq = seq6 << 48 | seq4 << 32 | seq0
        at = _MESSAGE_HEAD_BYTES + length
        subject = frame[_MESSAGE_HEAD_BYTES:at]
        if len(subject) < length:
            raise EventError("a message ends within its subject")
        previous = seq - 1
        if head & _PREVIOUS:
            size = 7 if head & _LONG_BACK else 4
            if len(frame) < at + size:
                raise EventError("a message ends within its distance")
            previous = seq - int.from_bytes(frame[at : at + size], "big")
            at += size
        epoch = self.epochs.get(index)
        if epoch is None or seq > POSITION_MAX:
            raise EventError(f"a message has the undeclared epoch index {index} or a seq beyond 2^53")
        headers = self._headers if head & _HAS_HEADERS else NO_HEADERS
        self._headers = NO_HEADERS
        return MessageEvent(
            subject.decode(),
            frame[at:],
            epoch,
            seq,
            previous,
            time4 << 32 | time0,
            _TYPES[head & 0x03],
            head & _RETAINED != 0,
            headers,
            head & _DELTA != 0,
        )

    def _event(self, frame: bytes) -> ServerEvent | None:
        op, flags = frame[0], frame[1]
        fields = _Fields(frame)
        id = fields.id() if flags & 0x01 else NO_ID
        if op == _EPOCH:
            index = fields.number(1)
            self.epochs[index] = fields.number(8)
            return None
        if op == _HEADERS:
            self._headers = read_headers(frame)
            return None
        reader = _READERS.get(op)
        return reader(fields, flags, id) if reader else None

    def connect(
        self,
        token: str | None,
        id: int | None,
        ping_ms: int | None = None,
        session: SessionRequest | None = None,
        client: str | None = None,
    ) -> bytes:
        encoded = (token or "").encode()
        ping = b"" if ping_ms is None else struct.pack(">I", ping_ms)
        continued, positions = (b"", b"") if session is None else (_short(session.id), _positions(session))
        name = b"" if client is None else _short(client)
        options = ((0x02, ping), (0x04, continued), (0x08, positions), (0x10, name))
        flags = sum(flag for flag, option in options if option)
        return b"".join(
            (_head(_CONNECT, flags, id), ping, struct.pack(">H", len(encoded)), encoded, continued, positions, name)
        )

    def subscribe(self, command: SubscribeCommand) -> bytes:
        flags = 0
        options = b""
        if command.after is not None:
            flags |= 0x02
            options += struct.pack(">QQ", *command.after)
        if command.history is not None:
            flags |= 0x04
            options += struct.pack(">I", command.history)
        if command.conflate_ms is not None:
            flags |= 0x08
            options += struct.pack(">I", command.conflate_ms)
        if command.pattern_from is not None:
            flags |= 0x10
            encoded = pattern_position_bytes(command.pattern_from)
            options += struct.pack(">H", len(encoded)) + encoded
        if command.delta is not None:
            flags |= 0x20
            options += _short(command.delta)
        return _head(_SUBSCRIBE, flags, command.id) + options + _subjects(command.subjects)

    def unsubscribe(self, subjects: tuple[str, ...], id: int | None) -> bytes:
        return _head(_UNSUBSCRIBE, 0, id) + _subjects(subjects)

    def publish(self, command: PublishCommand) -> bytes:
        flags = (0x02 if command.retain else 0) | (0x04 if command.msg_id is not None else 0)
        flags |= 0x08 if command.headers else 0
        flags |= (0x10 if command.ttl_ms else 0) | (0 if command.origin is None else 0x20)
        msg_id = b"" if command.msg_id is None else _short(command.msg_id)
        headers = headers_block(command.headers)
        ttl = struct.pack(">q", command.ttl_ms) if command.ttl_ms else b""
        origin = b"" if command.origin is None else _short(command.origin)
        head = _head(_PUBLISH, flags, command.id)
        return b"".join((head, _short(command.subject), msg_id, headers, ttl, origin, command.data))

    def ping(self, id: int | None) -> bytes:
        return _head(_PING, 0, id)

    def watch(self, subject: str, id: int | None) -> bytes:
        return _head(_WATCH, 0, id) + _short(subject)

    def unwatch(self, subject: str, id: int | None) -> bytes:
        return _head(_UNWATCH, 0, id) + _short(subject)


def _subjects(subjects: tuple[str, ...]) -> bytes:
    return struct.pack(">H", len(subjects)) + b"".join(map(_short, subjects))


def _positions(session: SessionRequest) -> bytes:
    """Returns the positions of a session; empty without positions."""
    pairs = [_short(subject) + struct.pack(">QQ", *at) for subject, at in session.positions]
    return struct.pack(">H", len(pairs)) + b"".join(pairs) if pairs else b""


def _connected(fields: _Fields, flags: int, id: int) -> ServerEvent:
    ping, largest = fields.number(4), fields.number(4)
    session, node = fields.short(), fields.short()
    keep = fields.number(4) if flags & 0x02 else 0
    return ConnectedEvent(session, node, ping, largest, id, keep, flags & 0x04 != 0)


def _subscribed(fields: _Fields, flags: int, id: int) -> ServerEvent:
    recovery = flags >> 2 & 0x03
    if recovery == len(_RECOVERIES):
        raise EventError("a subscribed event has an unknown recovery")
    subject = fields.short()
    at = fields.position() if flags & 0x02 else None
    conflate = fields.number(4) if flags & 0x10 else 0
    pattern_at = fields.pattern_position() if flags & 0x20 else None
    delta = fields.short() if flags & 0x40 else None
    return SubscribedEvent(subject, at, _RECOVERIES[recovery], conflate, id, pattern_at, delta)


def _unsubscribed(fields: _Fields, flags: int, id: int) -> ServerEvent:
    return UnsubscribedEvent(fields.short(), fields.short() if flags & 0x02 else None, id)


def _unwatched(fields: _Fields, flags: int, id: int) -> ServerEvent:
    return UnwatchedEvent(fields.short(), fields.short() if flags & 0x02 else None, id)


def _published(fields: _Fields, flags: int, id: int) -> ServerEvent:
    return PublishedEvent(fields.position(), id)


def _gap(fields: _Fields, flags: int, id: int) -> ServerEvent:
    subject = fields.short()
    after = fields.position() if flags & 0x02 else None
    return GapEvent(subject, after, fields.position(), fields.short())


def _pong(fields: _Fields, flags: int, id: int) -> ServerEvent:
    return PongEvent(fields.number(8) if flags & 0x02 else None, id)


def _error(fields: _Fields, flags: int, id: int) -> ServerEvent:
    code = fields.short()
    subject = fields.short() if flags & 0x02 else None
    reason = fields.short()
    return ErrorEvent(code, reason, subject, fields.number(4) if flags & 0x04 else 0, id)


def _reconnect(fields: _Fields, flags: int, id: int) -> ServerEvent:
    return ReconnectEvent(fields.number(4), fields.short())


def _watched(fields: _Fields, flags: int, id: int) -> ServerEvent:
    return InterestEvent(fields.short(), flags & 0x02 != 0, id, answer=True)


def _interest(fields: _Fields, flags: int, id: int) -> ServerEvent:
    return InterestEvent(fields.short(), flags & 0x02 != 0, id)


def _token_to_expire(fields: _Fields, flags: int, id: int) -> ServerEvent:
    return TokenToExpireEvent(fields.number(4))


def _stale(fields: _Fields, flags: int, id: int) -> ServerEvent:
    return StaleEvent(flags & 0x02 != 0)


def _reached(fields: _Fields, flags: int, id: int) -> ServerEvent:
    pattern = fields.short() if flags & 0x02 else None
    return PositionEvent(fields.pattern_position(), pattern)


_READERS = {
    _CONNECT: _connected,
    _SUBSCRIBE: _subscribed,
    _UNSUBSCRIBE: _unsubscribed,
    _PUBLISH: _published,
    0x05: _gap,
    _PING: _pong,
    0x07: _error,
    0x08: _reconnect,
    _WATCH: _watched,
    _UNWATCH: _unwatched,
    _INTEREST: _interest,
    0x0D: _token_to_expire,
    0x0E: _stale,
    0x0F: _reached,
}
