"""Positions, messages and gaps: the values that a program receives. Immutable by convention."""

from __future__ import annotations

import base64
import binascii
import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

POSITION_MAX = 2**53
_POSITION = re.compile(r"(\d{1,16}):(\d{1,16})", re.ASCII)
PATTERN_POSITION_BYTES_MAX = 768
NO_HEADERS: Mapping[str, str] = MappingProxyType({})

NOT_RECOVERED = "not-recovered"
"""The reason of a gap that the client itself detected."""

DECODE_FAILED = "decode-failed"
"""The reason of a gap that replaces a message whose ``decode`` function raised an exception."""


class Position(NamedTuple):
    """The place of a message in its subject. Positions of different epochs cannot be compared."""

    epoch: int
    seq: int

    def __str__(self) -> str:
        return f"{self.epoch}:{self.seq}"

    @classmethod
    def parse(cls, text: str) -> Position:
        """Returns the position that is written as ``epoch:seq``."""
        match = _POSITION.fullmatch(text)
        if match is None or int(match[1]) > POSITION_MAX or int(match[2]) > POSITION_MAX:
            raise ValueError(f"a position must be epoch:seq, two whole numbers up to 2^53, not {text!r}")
        return cls(int(match[1]), int(match[2]))


def pattern_position_bytes(text: str) -> bytes:
    """Returns the bytes of a position of patterns; raises ValueError unless the text is their only base64url form."""
    try:
        decoded = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        decoded = b""
    if not 1 <= len(decoded) <= PATTERN_POSITION_BYTES_MAX or pattern_position_text(decoded) != text:
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        raise ValueError(f"a position of a pattern must be base64url of 1 to 768 bytes, not {shown!r}")
    return decoded


def pattern_position_text(position: bytes) -> str:
    """Returns the text of a position of patterns, of which only the server interprets the bytes."""
    return base64.urlsafe_b64encode(position).decode().rstrip("=")


class MessageType(enum.Enum):
    """The reason why a message was delivered."""

    LIVE = "live"
    """The message was published now."""
    SNAPSHOT = "snapshot"
    """The retained message, sent after subscribing."""
    HISTORY = "history"
    """An earlier message, requested by ``history``."""
    RECOVERED = "recovered"
    """An earlier message after the position from which the subscription resumed."""


class Recovery(enum.Enum):
    """The result of resuming from a position."""

    COMPLETE = "complete"
    """All later messages follow."""
    GAP = "gap"
    """A gap follows: some later messages are no longer stored."""
    NONE = "none"
    """The subscription did not resume from a position."""


@dataclass(slots=True)
class Message(Generic[T_co]):
    """One message. ``data`` is the result of the subscription's ``decode``, or bytes."""

    subject: str
    data: T_co
    position: Position
    type: MessageType
    retained: bool
    time_ms: int
    """Time at which the server accepted the message, in milliseconds since 1970."""
    headers: Mapping[str, str] = field(default_factory=lambda: NO_HEADERS)
    """The texts beside the data, by name, in the order of the publisher. Names with ``$`` are of the server."""

    @property
    def publisher(self) -> str | None:
        """The user who published the message, set by the server; None if the subject or the publisher has no name."""
        return self.headers.get("$publisher")

    @property
    def time(self) -> datetime:
        """The time at which the server accepted the message, in UTC."""
        return datetime.fromtimestamp(self.time_ms / 1000, UTC)


@dataclass(frozen=True, slots=True)
class Gap:
    """A range of messages that were not delivered and will not be."""

    subject: str
    """Subject of the missing messages; a pattern if the subjects are unknown."""
    after: Position | None
    """Last position before the gap; None if unknown."""
    to: Position | None
    """Last position of the gap; None if unknown."""
    reason: str
    """A code of docs/protocol.md, ``not-recovered`` or ``decode-failed``."""


Item: TypeAlias = Message[T] | Gap
"""What a subscription delivers."""
