"""Exceptions of this package."""

from __future__ import annotations

import enum


class BelfryError(Exception):
    """The base of all exceptions of this package. ``code`` is the server's code, or empty."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}" if code else reason)
        self.code = code
        self.reason = reason


class ClosedError(BelfryError):
    """The client was closed."""

    def __init__(self, reason: str = "the client was closed") -> None:
        super().__init__("client-closed", reason)


class RefusedError(BelfryError):
    """The server refused the client permanently; the client makes no further attempt."""


class SubscribeError(BelfryError):
    """The server refused a subscription or a watch, or ended it."""


class PublishOutcome(enum.Enum):
    """The outcome of a failed publish, as far as the client knows it."""

    REFUSED = "refused"
    """The server refused the message; it was not published."""
    UNKNOWN = "unknown"
    """The connection broke before the answer, and the publish must not be repeated."""
    TIMED_OUT = "timed-out"
    """No answer arrived in time; the message may have been published."""
    TOO_MANY_PENDING = "too-many-pending"
    """Too many publishes wait for their answers; the message was not sent."""
    CLOSED = "closed"
    """The client was closed or refused before the answer; a message that was sent may have been published."""


class NoReplyError(BelfryError, TimeoutError):
    """No reply to a request arrived in time. A responder may have processed the request."""

    def __init__(self, reason: str) -> None:
        super().__init__("no-reply", reason)


class PublishError(BelfryError):
    """A publish was not acknowledged. ``retry_after`` is the time, in seconds, that the server asks to wait."""

    def __init__(self, outcome: PublishOutcome, code: str, reason: str, retry_after: float = 0.0) -> None:
        super().__init__(code, reason)
        self.outcome = outcome
        self.retry_after = retry_after
