"""The ends of connections, and what they mean for the next attempt: docs/protocol.md, "Close" and "Codes". Pure."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

_FINAL_STATUSES = frozenset((400, 401, 403, 404, 405, 413, 426, 431, 501))
_FINAL_CLOSES = frozenset((1002, 1003, 1007, 1008, 1009, 4014))
_OF_SUBSCRIPTIONS = frozenset(
    (
        "bad-subject",
        "bad-position",
        "wildcard-not-allowed",
        "subscribe-denied",
        "too-many-subjects",
        "too-many-patterns",
        "patterns-full",
        "subjects-full",
        "unsupported",
    )
)
_OF_CONNECTIONS = frozenset(("drain", "shutdown", "not-ready", "slow-consumer", "ping-timeout", "handshake-timeout"))
_SERVER_ONLY = frozenset(("drain", "shutdown", "not-ready"))
_TRANSIENT = frozenset(("publish-unknown", "cluster-unreachable", "cluster-full"))
_OF_NAMES = {"unsupported": 501, "client-names-full": 503}
_OF_RATES = frozenset({"command-rate", "token-rate"})
_TOO_MANY = 429
"""The codes that refuse the name of a client, each with the HTTP status that belongs to it."""
_CODE = re.compile(r"[a-z0-9-]{1,64}", re.ASCII)


class Cause(enum.Enum):
    """The kind of an ending. The value is its code in a status if the server gave none."""

    UNREACHABLE = "unreachable"
    TIMED_OUT = "timed-out"
    TLS_FAILED = "tls-failed"
    TOKEN_FAILED = "token-failed"
    REFUSED = "refused"
    CLOSED_BY_SERVER = "closed-by-server"
    LOST = "lost"
    BAD_FRAME = "bad-frame"


@dataclass(frozen=True, slots=True)
class Ending:
    """The reason why a connection ended or could not be made.

    ``number`` is the HTTP status of an error or the code of a close frame; 0 if there is none. ``code`` is the server's
    code; empty if it gave none. ``retry_after`` is the time, in seconds, that the server asks the client to wait.
    """

    cause: Cause
    sentence: str
    number: int = 0
    code: str = ""
    retry_after: float = 0.0

    @property
    def shown_code(self) -> str:
        return self.code or self.cause.value

    @property
    def is_final(self) -> bool:
        """Whether the same attempt would be refused again."""
        if self.cause is Cause.REFUSED:
            return self.number in _FINAL_STATUSES
        return self.cause is Cause.CLOSED_BY_SERVER and self.number in _FINAL_CLOSES

    @property
    def is_about_token(self) -> bool:
        return self.number == 401 or self.code == "unauthorized"

    @property
    def concerns_server_only(self) -> bool:
        """Whether other servers may accept the client. An overloaded server does not count."""
        return self.code in _SERVER_ONLY

    @property
    def blames_transport(self) -> bool:
        """Whether another transport may work: something between client and server answered, or swallowed the bytes."""
        return not self.code and self.cause in (Cause.REFUSED, Cause.TIMED_OUT, Cause.LOST, Cause.BAD_FRAME)


def code_of(reason: str) -> str:
    """Returns the code with which the reason of a close frame begins; empty if it begins with none."""
    code = reason.partition(":")[0]
    return code if _CODE.fullmatch(code) else ""


def connect_refused(code: str, reason: str, after: float, *, has_name: bool) -> Ending | None:
    """Returns the ending of an attempt whose ``connect`` the server refused for a rate, or for the name of the client.

    ``after`` is the time, in seconds, that the server asks the client to wait. Returns None for other codes: the server
    closes the connection itself, or accepts it without what was asked.
    """
    if code in _OF_RATES:
        return Ending(Cause.REFUSED, f"the server refused to connect: {code} {reason}", _TOO_MANY, code, after)
    status = _OF_NAMES.get(code)
    if status is None or not has_name:
        return None
    return Ending(Cause.REFUSED, f"the server refused the name of the client: {code} {reason}", status, code)


def is_transient(code: str) -> bool:
    """Whether a publish refused with this code may soon succeed."""
    return code in _TRANSIENT


def is_of_subscription(code: str) -> bool:
    """Whether the code refuses a subscription."""
    return code in _OF_SUBSCRIPTIONS


def is_of_connection(code: str) -> bool:
    """Whether the code concerns the connection, so that the request can be repeated on another one."""
    return code in _OF_CONNECTIONS
