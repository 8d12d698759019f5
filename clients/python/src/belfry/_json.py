"""The encoding ``belfry.json.v1``, which streams and answers over HTTP share. No state."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from typing import Any, cast

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
from ._frames import TEXT
from ._headers import json_headers
from ._model import POSITION_MAX, MessageType, Position, Recovery, pattern_position_bytes

_Members = dict[str, Any]


def read_event(text: str | bytes) -> ServerEvent | None:
    """Returns the event of one JSON object; None for an event that this client does not know. Raises EventError."""
    try:
        members = json.loads(text)
    except (ValueError, RecursionError):
        raise EventError("the server sent text that is not JSON") from None
    if not isinstance(members, dict):
        raise EventError("the server sent JSON that is not an object")
    return event_of(cast(_Members, members))


def event_of(members: _Members) -> ServerEvent | None:
    """Returns the event of a parsed JSON object."""
    reader = _READERS.get(_text(members, "op"))
    return reader(members) if reader else None


class JsonCodec:
    """Text frames of one JSON object each."""

    subprotocol: str = "belfry.json.v1"
    opcode: int = TEXT

    def decode(self, frame: bytes | str) -> ServerEvent | None:
        if isinstance(frame, bytes):
            raise EventError("a binary frame in the JSON encoding")
        return read_event(frame)

    def connect(
        self,
        token: str | None,
        id: int | None,
        ping_ms: int | None = None,
        session: SessionRequest | None = None,
        client: str | None = None,
    ) -> bytes:
        members: _Members = {}
        if session is not None:
            pairs = [text for subject, at in session.positions for text in (subject, str(at))]
            members = {"session": session.id, "positions": pairs or None}
        return _command("connect", id, token=token or None, ping=ping_ms, **members, client=client)

    def subscribe(self, command: SubscribeCommand) -> bytes:
        after = command.pattern_from if command.after is None else str(command.after)
        return _command(
            "subscribe",
            command.id,
            **_subjects(command.subjects),
            **{"from": after, "history": command.history, "conflate": command.conflate_ms},
            delta=command.delta,
        )

    def unsubscribe(self, subjects: tuple[str, ...], id: int | None) -> bytes:
        return _command("unsubscribe", id, **_subjects(subjects))

    def publish(self, command: PublishCommand) -> bytes:
        data: _Members
        try:
            data = {"data": command.data.decode()}
        except UnicodeDecodeError:
            data = {"base64": base64.b64encode(command.data).decode()}
        retain = True if command.retain else None
        headers = dict(command.headers) or None
        return _command(
            "publish",
            command.id,
            subject=command.subject,
            **data,
            retain=retain,
            msgId=command.msg_id,
            headers=headers,
            ttl=command.ttl_ms or None,
            origin=command.origin,
        )

    def ping(self, id: int | None) -> bytes:
        return _command("ping", id)

    def watch(self, subject: str, id: int | None) -> bytes:
        return _command("watch", id, subject=subject)

    def unwatch(self, subject: str, id: int | None) -> bytes:
        return _command("unwatch", id, subject=subject)


def _subjects(subjects: tuple[str, ...]) -> _Members:
    return {"subject": subjects[0]} if len(subjects) == 1 else {"subjects": subjects}


def _command(op: str, id: int | None, **members: Any) -> bytes:
    given = {"op": op, "id": id, **members}
    present = {name: value for name, value in given.items() if value is not None}
    return json.dumps(present, ensure_ascii=False, separators=(",", ":")).encode()


def _text(members: _Members, name: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise EventError(f"an event has no text {name!r}")
    return value


def _optional_text(members: _Members, name: str) -> str | None:
    return None if members.get(name) is None else _text(members, name)


def _number(members: _Members, name: str, otherwise: int | None = None) -> int:
    value = members.get(name, otherwise)
    if type(value) is not int or not 0 <= value <= POSITION_MAX:
        raise EventError(f"an event has no whole number {name!r} from 0 to 2^53")
    return value


def _id(members: _Members) -> int:
    value = members.get("id")
    return value if type(value) is int else NO_ID


def _flag(members: _Members, name: str) -> bool:
    return members.get(name) is True


def _position(text: str) -> Position:
    try:
        return Position.parse(text)
    except ValueError as bad:
        raise EventError(str(bad)) from None


def _pattern_position(members: _Members) -> str:
    text = _text(members, "at")
    try:
        pattern_position_bytes(text)
    except ValueError as bad:
        raise EventError(str(bad)) from None
    return text


def _data(members: _Members) -> bytes:
    text = members.get("data", members.get("delta"))
    if isinstance(text, str):
        try:
            return text.encode()
        except UnicodeEncodeError:
            raise EventError("a message has text that is not UTF-8") from None
    try:
        return base64.b64decode(_text(members, "base64"), validate=True)
    except (binascii.Error, ValueError):
        raise EventError("a message has invalid base64") from None


def _message(members: _Members) -> ServerEvent:
    seq = _number(members, "seq")
    try:
        type = MessageType(members.get("type", "live"))
    except ValueError:
        raise EventError("a message has an unknown type") from None
    return MessageEvent(
        _text(members, "subject"),
        _data(members),
        _number(members, "epoch"),
        seq,
        seq - 1 if members.get("prev") is None else _number(members, "prev"),
        _number(members, "time", 0),
        type,
        _flag(members, "retained"),
        json_headers(members.get("headers")),
        "data" not in members and "delta" in members,
    )


def _connected(members: _Members) -> ServerEvent:
    return ConnectedEvent(
        _text(members, "session"),
        _text(members, "node"),
        _number(members, "ping", 0),
        _number(members, "maxMessage", 0),
        _id(members),
        _number(members, "keep", 0),
        _flag(members, "resumed"),
    )


def _subscribed(members: _Members) -> ServerEvent:
    try:
        recovery = Recovery(members.get("recovery", "none"))
    except ValueError:
        raise EventError("a subscribed event has an unknown recovery") from None
    at = Position(_number(members, "epoch"), _number(members, "seq")) if "epoch" in members else None
    conflate = _number(members, "conflate", 0)
    pattern_at = _pattern_position(members) if "at" in members else None
    delta = _optional_text(members, "delta")
    return SubscribedEvent(_text(members, "subject"), at, recovery, conflate, _id(members), pattern_at, delta)


def _unsubscribed(members: _Members) -> ServerEvent:
    return UnsubscribedEvent(_text(members, "subject"), _optional_text(members, "reason"), _id(members))


def _published(members: _Members) -> ServerEvent:
    return PublishedEvent(Position(_number(members, "epoch"), _number(members, "seq")), _id(members))


def _gap(members: _Members) -> ServerEvent:
    after = _optional_text(members, "from")
    return GapEvent(
        _text(members, "subject"),
        None if after is None else _position(after),
        _position(_text(members, "to")),
        _text(members, "reason"),
    )


def _pong(members: _Members) -> ServerEvent:
    clock = members.get("clock")
    return PongEvent(clock if type(clock) is int else None, _id(members))


def _error(members: _Members) -> ServerEvent:
    return ErrorEvent(
        _text(members, "code"),
        _optional_text(members, "reason") or "",
        _optional_text(members, "subject"),
        _number(members, "after", 0),
        _id(members),
    )


def _reconnect(members: _Members) -> ServerEvent:
    return ReconnectEvent(_number(members, "after", 0), _optional_text(members, "reason") or "")


def _watched(members: _Members) -> ServerEvent:
    return InterestEvent(_text(members, "subject"), _flag(members, "subscribers"), _id(members), answer=True)


def _interest(members: _Members) -> ServerEvent:
    return InterestEvent(_text(members, "subject"), _flag(members, "subscribers"), _id(members))


def _unwatched(members: _Members) -> ServerEvent:
    return UnwatchedEvent(_text(members, "subject"), _optional_text(members, "reason"), _id(members))


def _token_to_expire(members: _Members) -> ServerEvent:
    return TokenToExpireEvent(_number(members, "after"))


def _stale(members: _Members) -> ServerEvent:
    return StaleEvent(_flag(members, "stale"))


def _reached(members: _Members) -> ServerEvent:
    return PositionEvent(_pattern_position(members), _optional_text(members, "subject"))


_READERS: dict[str, Callable[[_Members], ServerEvent]] = {
    "message": _message,
    "connected": _connected,
    "subscribed": _subscribed,
    "unsubscribed": _unsubscribed,
    "published": _published,
    "gap": _gap,
    "pong": _pong,
    "error": _error,
    "reconnect": _reconnect,
    "watched": _watched,
    "interest": _interest,
    "unwatched": _unwatched,
    "token-to-expire": _token_to_expire,
    "stale": _stale,
    "position": _reached,
}
