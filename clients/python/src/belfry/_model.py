"""Positions, messages and gaps: the values that a program receives. Immutable by convention."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

POSITION_MAX = 2**53
_POSITION = re.compile(r"(\d{1,16}):(\d{1,16})", re.ASCII)

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
