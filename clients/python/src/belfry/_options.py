"""The options of a client. Immutable."""

from __future__ import annotations

import enum
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from ._address import ServerAddress
from ._backoff import ReconnectPolicy
from ._binary import BinaryCodec
from ._codec import Codec
from ._json import JsonCodec
from ._status import Status

_PING_MS_MAX = 0xFFFF_FFFF
_TOKEN = re.compile(r"[\x21-\x7e]+", re.ASCII)
_CLIENT_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


class Transport(enum.Enum):
    """The ways to receive messages."""

    WEBSOCKET = "websocket"
    HTTP_STREAM = "http-stream"
    """NDJSON lines in one long answer; publishes are requests on a second connection."""
    LONG_POLL = "long-poll"
    """One request per subject and answer; for networks that hold back streams."""


AUTO = (Transport.WEBSOCKET, Transport.HTTP_STREAM, Transport.LONG_POLL)
"""The default: each transport is tried after the one before it failed."""


class Encoding(enum.Enum):
    """The encodings over WebSocket. HTTP always uses JSON."""

    BINARY = "binary"
    JSON = "json"

    def codec(self) -> Codec:
        return BinaryCodec() if self is Encoding.BINARY else JsonCodec()


class TokenReason(enum.Enum):
    """The reason for which a token is requested."""

    CONNECT = "connect"
    EXPIRING = "expiring"
    REFUSED = "refused"


TokenCallback: TypeAlias = Callable[[TokenReason], "str | Awaitable[str | None] | None"]
StatusCallback: TypeAlias = Callable[[Status], None]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time limits in seconds."""

    connect: float = 10.0
    """Maximum time for the token, the name lookup, TCP, TLS and the handshake together."""
    publish: float = 30.0
    """Maximum time until a publish is acknowledged, across all connections used."""
    ping_interval: float | None = None
    """Interval of silence, in seconds, to request from the server, which applies the nearest one within its bounds.
    After it the server is asked for a sign of life. None: the interval of the server, 25 s over HTTP."""

    def __post_init__(self) -> None:
        if min(self.connect, self.publish, self.assumed_ping_interval) <= 0:
            raise ValueError("timeouts must be positive")
        if self.ping_ms is not None and not 1 <= self.ping_ms <= _PING_MS_MAX:
            raise ValueError("a ping interval must be 1 ms to 49 days")

    @property
    def assumed_ping_interval(self) -> float:
        """The interval that counts until the server names one."""
        return 25.0 if self.ping_interval is None else self.ping_interval

    @property
    def ping_ms(self) -> int | None:
        """The interval to request, in milliseconds; None for no request."""
        return None if self.ping_interval is None else round(self.ping_interval * 1000)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Maximum sizes of everything that a server or a program can make grow."""

    pending_publishes: int = 10_000
    """Maximum number of publishes that wait for acknowledgement."""
    pending_bytes: int = 16 << 20
    """Maximum size of publishes that wait for acknowledgement."""
    buffered_messages: int = 1_000
    """Number of messages in the buffer of a subscription at which the flow stops."""
    buffered_bytes: int = 4 << 20
    """Size of the buffer of a subscription at which the flow stops."""
    followed_subjects: int = 100_000
    """Maximum number of subjects per pattern whose order is tracked."""
    recovered_subjects: int = 500
    """Maximum number of subjects of all patterns together that are recovered after a disconnect."""

    def __post_init__(self) -> None:
        if min(self.pending_publishes, self.buffered_messages, self.buffered_bytes, self.followed_subjects) < 1:
            raise ValueError("bounds must be 1 or more")


@dataclass(frozen=True, slots=True)
class Options:
    """All options that the engine uses."""

    servers: tuple[ServerAddress, ...]
    transports: tuple[Transport, ...] = AUTO
    encoding: Encoding = Encoding.BINARY
    compression: bool = False
    keep_session: bool = False
    client_name: str | None = None
    token: str | TokenCallback | None = None
    reconnect: ReconnectPolicy = field(default_factory=ReconnectPolicy)
    timeouts: Timeouts = field(default_factory=Timeouts)
    bounds: Bounds = field(default_factory=Bounds)

    def __post_init__(self) -> None:
        if not self.servers:
            raise ValueError("a client needs at least one server")
        if not self.transports:
            raise ValueError("a client needs at least one transport")
        if self.client_name is not None:
            self._check_name(self.client_name)
        if isinstance(self.token, str):
            checked_token(self.token)

    def _check_name(self, name: str) -> None:
        if not _CLIENT_NAME.fullmatch(name):
            raise ValueError(
                f"client_name must have 1 to 64 of the characters A-Z, a-z, 0-9, '.', '_', '-', not {name!r}"
            )
        if Transport.WEBSOCKET not in self.transports:
            raise ValueError("client_name needs the transport websocket, because clients have no names over HTTP")


def checked_token(token: object) -> str | None:
    """Returns a token that can be sent in a header field; raises ValueError for anything else."""
    if token is None or (isinstance(token, str) and _TOKEN.fullmatch(token)):
        return token
    raise ValueError("a token must be a text of visible ASCII characters, or None")
