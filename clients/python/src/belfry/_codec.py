"""The interface of the two encodings. Each codec belongs to one connection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ._events import ServerEvent
from ._headers import headers_size
from ._model import NO_HEADERS, Position


@dataclass(frozen=True, slots=True)
class SubscribeCommand:
    """Subjects to subscribe, with the options that they share."""

    subjects: tuple[str, ...]
    after: Position | None = None
    history: int | None = None
    conflate_ms: int | None = None
    id: int | None = None
    pattern_from: str | None = None
    """A position of patterns, for one pattern; excludes ``after``."""
    delta: str | None = None
    """The format of deltas in which messages may be sent."""


@dataclass(frozen=True, slots=True)
class PublishCommand:
    """A message to publish."""

    subject: str
    data: bytes
    retain: bool = False
    msg_id: str | None = None
    id: int | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: NO_HEADERS)
    ttl_ms: int = 0
    """Time after which the message is not delivered any more; 0 for no end."""
    origin: str | None = None
    """The key of the client's origin; None for a message that the client's own subscriptions receive too."""

    @property
    def size(self) -> int:
        """The bytes of data and headers, which the server's limit of a message concerns."""
        return len(self.data) + headers_size(self.headers)


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """Keeps the new session after its connection is lost, and continues an earlier one."""

    id: str = ""
    """The session to continue; empty for none."""
    positions: tuple[tuple[str, Position], ...] = ()
    """The subjects of the session, each with the last position that was received."""


class Codec(Protocol):
    """Encodes commands and decodes events. A frame is bytes in the binary encoding and text in JSON."""

    subprotocol: str
    opcode: int

    def decode(self, frame: bytes | str) -> ServerEvent | None:
        """Returns the event of a frame; None for an event that this client does not know. Raises EventError."""

    def connect(
        self,
        token: str | None,
        id: int | None,
        ping_ms: int | None = None,
        session: SessionRequest | None = None,
        client: str | None = None,
    ) -> bytes: ...

    def subscribe(self, command: SubscribeCommand) -> bytes: ...

    def unsubscribe(self, subjects: tuple[str, ...], id: int | None) -> bytes: ...

    def publish(self, command: PublishCommand) -> bytes: ...

    def ping(self, id: int | None) -> bytes: ...

    def watch(self, subject: str, id: int | None) -> bytes: ...

    def unwatch(self, subject: str, id: int | None) -> bytes: ...
