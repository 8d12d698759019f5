"""Statuses: the events of a client other than messages. All are immutable. Times are in seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ._model import Gap, Position, Recovery


@dataclass(frozen=True, slots=True)
class Connecting:
    """An attempt to connect begins. The first attempt after a stable connection is number 0."""

    server: str
    transport: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Connected:
    """The server has answered, and the subscriptions are requested. Over HTTP, session and node are empty."""

    server: str
    transport: str
    session: str
    node: str


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection ended, or an attempt failed. The next attempt begins after ``retry_in``."""

    server: str
    code: str
    reason: str
    retry_in: float


@dataclass(frozen=True, slots=True)
class Refused:
    """The server refused the client permanently; the client makes no further attempt."""

    server: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReconnectAsked:
    """The server asked the client to reconnect; a disconnect follows."""

    after: float
    reason: str


@dataclass(frozen=True, slots=True)
class TokenToExpire:
    """The token expires soon. A token callback is called for a new one."""

    after: float


@dataclass(frozen=True, slots=True)
class TokenFailed:
    """The token callback raised an exception, or returned something that is not a token."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Stale:
    """The server is behind its cluster, so messages may be late; or it is current again."""

    stale: bool


@dataclass(frozen=True, slots=True)
class Subscribed:
    """The server confirmed the subscription. ``position`` is None for a pattern."""

    subject: str
    recovery: Recovery
    position: Position | None


@dataclass(frozen=True, slots=True)
class SubscribedByServer:
    """The application's backend began this subscription by the server API.

    Its messages are dropped until the program subscribes to the subject; with ``start=position`` it also gets the
    messages since then. ``position`` is None for a pattern.
    """

    subject: str
    position: Position | None


@dataclass(frozen=True, slots=True)
class SubscribeRefused:
    """The server refused the subscription, or ended it because a new token does not allow it."""

    subject: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unsubscribed:
    """The subscription ended, as the program requested."""

    subject: str


@dataclass(frozen=True, slots=True)
class Paused:
    """The client unsubscribed for a while: ``paused`` by the program, ``full`` buffer, or loading ``state``."""

    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """The client requests a paused subscription again, from its position."""

    subject: str


@dataclass(frozen=True, slots=True)
class GapFound:
    """A gap was detected or announced; it is also among the items of the subscription."""

    gap: Gap


@dataclass(frozen=True, slots=True)
class PublishUnknown:
    """The connection broke before the answer to a publish that must not be repeated."""

    subject: str


@dataclass(frozen=True, slots=True)
class CommandFailed:
    """A command failed for another reason."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class CallbackFailed:
    """A callback of the program raised an exception; ``callback`` is the name of the option."""

    callback: str
    error: Exception
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Closed:
    """The client was closed; the last status."""


Status: TypeAlias = (
    Connecting
    | Connected
    | Disconnected
    | Refused
    | ReconnectAsked
    | TokenToExpire
    | TokenFailed
    | Stale
    | Subscribed
    | SubscribedByServer
    | SubscribeRefused
    | Unsubscribed
    | Paused
    | Resumed
    | GapFound
    | PublishUnknown
    | CommandFailed
    | CallbackFailed
    | Closed
)
"""An event of the client other than a message."""
