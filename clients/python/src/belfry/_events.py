"""The events of a server, as both encodings decode them. Immutable by convention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ._model import NO_HEADERS, MessageType, Position, Recovery

NO_ID = 0
"""The id of an event that answers no command of this client; the client's own ids are never 0."""


class EventError(Exception):
    """The server sent a frame that is not an event of the protocol."""


@dataclass(slots=True)
class MessageEvent:
    subject: str
    data: bytes
    epoch: int
    seq: int
    previous: int
    """The seq of the subject's message before this one."""
    time_ms: int
    type: MessageType
    retained: bool
    headers: Mapping[str, str] = field(default_factory=lambda: NO_HEADERS)
    delta: bool = False
    """Whether the data is a delta from the subject's message before."""


@dataclass(slots=True)
class ConnectedEvent:
    session: str
    node: str
    ping_ms: int
    max_message: int
    id: int = NO_ID
    keep_ms: int = 0
    """Time for which the session is kept after its connection is lost; 0 if it is not kept."""
    resumed: bool = False
    """Whether the session continues with its subscriptions."""


@dataclass(slots=True)
class SubscribedEvent:
    subject: str
    at: Position | None
    recovery: Recovery
    conflate_ms: int = 0
    id: int = NO_ID
    pattern_at: str | None = None
    """The position of a pattern; None if the server has none."""
    delta: str | None = None
    """The format of deltas in which messages may be sent."""


@dataclass(slots=True)
class UnsubscribedEvent:
    subject: str
    reason: str | None
    id: int = NO_ID


@dataclass(slots=True)
class PublishedEvent:
    at: Position
    id: int = NO_ID


@dataclass(slots=True)
class GapEvent:
    subject: str
    after: Position | None
    to: Position
    reason: str


@dataclass(slots=True)
class PongEvent:
    clock_us: int | None
    id: int = NO_ID


@dataclass(slots=True)
class ErrorEvent:
    code: str
    reason: str
    subject: str | None
    after_ms: int
    id: int = NO_ID


@dataclass(slots=True)
class ReconnectEvent:
    after_ms: int
    reason: str


@dataclass(slots=True)
class InterestEvent:
    """The state of a watched subject: the answer to ``watch``, or a change."""

    subject: str
    subscribers: bool
    id: int = NO_ID
    answer: bool = False


@dataclass(slots=True)
class UnwatchedEvent:
    subject: str
    reason: str | None
    id: int = NO_ID


@dataclass(slots=True)
class TokenToExpireEvent:
    after_ms: int


@dataclass(slots=True)
class StaleEvent:
    stale: bool


@dataclass(slots=True)
class PositionEvent:
    """The position that a pattern has reached, or, without a pattern, all confirmed ones of the session."""

    at: str
    pattern: str | None = None


ServerEvent: TypeAlias = (
    MessageEvent
    | ConnectedEvent
    | SubscribedEvent
    | UnsubscribedEvent
    | PublishedEvent
    | GapEvent
    | PongEvent
    | ErrorEvent
    | ReconnectEvent
    | InterestEvent
    | UnwatchedEvent
    | TokenToExpireEvent
    | StaleEvent
    | PositionEvent
)
