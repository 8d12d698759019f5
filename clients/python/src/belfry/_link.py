"""The connection of a client to one server over one transport, without I/O. Owner: the engine."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from ._address import ServerAddress
from ._codec import SessionRequest
from ._events import ServerEvent
from ._publishes import Publish
from ._refusals import Ending
from ._subscription import PatternPositions, Wanted
from ._timers import Timer


class LinkOwner(Protocol):
    """The engine as a link sees it. A link makes no call after ``link_ended``."""

    def open_connection(self, address: ServerAddress) -> int:
        """Begins to open a TCP connection; returns its number."""
        ...

    def write(self, connection: int, data: bytes) -> None: ...

    def close_connection(self, connection: int) -> None:
        """Closes a connection after the bytes written before."""

    def after(self, seconds: float, call: Callable[[], None]) -> Timer: ...

    def wanted(self, positions: PatternPositions) -> list[Wanted]:
        """Returns all subscriptions to request. Earlier confirmations are void."""
        ...

    def session_request(self) -> SessionRequest | None:
        """Returns what to request for the session of a new link; None for nothing."""
        ...

    def link_open(self) -> None:
        """A link without greetings is open, and the subscriptions are requested."""

    def ping_interval(self, seconds: float) -> None:
        """The server named the ping interval of a stream."""

    def event(self, event: ServerEvent, only: str | None = None) -> None:
        """An event arrived; ``only`` is the subscription to which messages and gaps belong, None for all that match."""
        ...

    def link_writable(self) -> None:
        """The link accepts publishes again."""

    def link_ended(self, ending: Ending) -> None: ...


class Link(abc.ABC):
    """Translates between the engine's requests and the bytes of one or more connections."""

    pattern_positions: ClassVar[PatternPositions]

    @property
    def answers_ends(self) -> bool:
        """Whether the server answers each end of a subscription."""
        return False

    def __init__(self, owner: LinkOwner, address: ServerAddress) -> None:
        self.owner = owner
        self.address = address
        self.over = False
        self.proven = False
        """Whether an event arrived, so that nothing between client and server blocks the transport."""
        self.connections: set[int] = set()

    @property
    @abc.abstractmethod
    def expects_reads(self) -> bool:
        """Whether the server must send something within its ping interval."""

    @abc.abstractmethod
    def open(self) -> None:
        """Begins to connect."""

    @abc.abstractmethod
    def connection_opened(self, connection: int) -> None: ...

    @abc.abstractmethod
    def received(self, connection: int, data: bytes) -> None: ...

    @abc.abstractmethod
    def connection_lost(self, connection: int, ending: Ending) -> None: ...

    @abc.abstractmethod
    def subscribe(self, wanted: Sequence[Wanted]) -> None: ...

    @abc.abstractmethod
    def unsubscribe(self, subjects: Sequence[str]) -> None: ...

    @abc.abstractmethod
    def publish(self, publish: Publish) -> bool:
        """Sends a publish. Returns False if the link has no room; ``link_writable`` is called when it has."""

    @abc.abstractmethod
    def renew(self, token: str) -> None:
        """Presents a new token to the server."""

    @property
    def can_ping(self) -> bool:
        """Whether ``ping`` requests a sign of life."""
        return False

    def ping(self) -> None:
        """Requests a sign of life."""
        return

    @abc.abstractmethod
    def probe(self) -> None:
        """Finds out soon whether the connection still works, after the device slept."""

    def end_bridges(self, subjects: Sequence[str]) -> None:
        """Ends temporary subscriptions of patterns."""
        self.unsubscribe(subjects)

    def watch(self, subject: str) -> bool:
        """Requests notices of interest. Returns False if the transport has none."""
        return False

    def unwatch(self, subject: str) -> None:
        """Ends notices of interest."""
        return

    def connect(self) -> int:
        connection = self.owner.open_connection(self.address)
        self.connections.add(connection)
        return connection

    def disconnect(self, connection: int) -> None:
        if connection in self.connections:
            self.connections.discard(connection)
            self.owner.close_connection(connection)

    def finish(self) -> None:
        """Closes the link; the owner is not notified."""
        if not self.over:
            self.over = True
            self.before_close()
            for connection in sorted(self.connections):
                self.disconnect(connection)

    def keep_session(self) -> None:
        """Makes the end of this link a lost connection for the server, which then keeps the session."""
        return

    def before_close(self) -> None:
        """Writes what the transport requires before a close."""
        return

    def fail(self, ending: Ending) -> None:
        """Closes the link and notifies the owner."""
        if not self.over:
            self.finish()
            self.owner.link_ended(ending)
