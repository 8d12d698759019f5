"""The session that the server keeps after a lost connection. Owner: the engine.

The next connection continues it with one command if client and server agree on the subjects. Otherwise the client
requests a new session and subscribes again. The server keeps no patterns, so they are requested again from their
positions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from ._codec import SessionRequest
from ._events import ConnectedEvent
from ._subjects import is_pattern
from ._subscriptions import AnySubscription

_POSITIONS_MAX: Final = 1000
_TAKEN: Final = "session-taken"

_POSITION_BYTES: Final = 40
"""Maximum bytes of a position in a command, with what separates it from the next one."""

Served: TypeAlias = dict[str, AnySubscription | None]
"""The confirmed subscriptions by subject; None for a bridge."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A session whose connection was lost, and the time at which the server ends it."""

    session: str
    until: float
    served: Served


class Continuation:
    """Compares the subscriptions of the server with those of the program."""

    def __init__(self, is_wanted: bool) -> None:
        self._is_wanted = is_wanted
        self._session = ""
        """The id of the session of this connection; empty if the server does not keep it."""
        self._keep = 0.0
        self._positions_bytes_max = 0
        self._unanswered = 0
        """Number of subjects of commands without an answer, without patterns.

        Until it is 0 the server's subscriptions are unknown.
        """
        self._kept: _Kept | None = None
        self.served: Served = {}
        """The subscriptions that the server confirmed in this session, without patterns."""

    @property
    def is_kept(self) -> bool:
        """Whether the server keeps the session of this connection."""
        return bool(self._session)

    def subscribes_again(self) -> None:
        """A new session begins without subscriptions."""
        self.served = {}
        self._unanswered = 0

    def asked(self, subjects: Iterable[str]) -> None:
        """Subjects were sent in commands to subscribe or unsubscribe; each has an answer."""
        self._unanswered += sum(not is_pattern(subject) for subject in subjects)

    def answered(self, subject: str) -> None:
        if not is_pattern(subject):
            self._unanswered -= 1

    def subscribed(self, subject: str, state: AnySubscription | None) -> None:
        if not is_pattern(subject):
            self._unanswered -= 1
            self.served[subject] = state

    def connected(self, event: ConnectedEvent) -> None:
        if event.resumed and self._kept is not None:
            self.subscribes_again()
            self.served = self._kept.served
        self._kept = None
        self._session = event.session if event.keep_ms else ""
        self._keep = event.keep_ms / 1000
        # The server closes a connection whose command is larger than six of its largest messages.
        self._positions_bytes_max = 4 * event.max_message

    def lost(self, now: float, code: str) -> None:
        """Handles the end of a connection or a failed attempt, which leaves an earlier session as it is."""
        if code == _TAKEN:
            self._kept = None
        elif self._session and not self._unanswered:
            self._kept = _Kept(self._session, now + self._keep, self.served)
        self._session = ""

    def request(self, now: float, subscriptions: Iterable[AnySubscription]) -> SessionRequest | None:
        """Returns the request of a new connection; None if the program does not want a kept session."""
        if not self._is_wanted:
            return None
        kept = self._kept
        if kept is None or now > kept.until:
            return SessionRequest()
        requested = [state for state in subscriptions if not state.holds]
        active = {state.subject: state for state in requested if not state.is_pattern}
        # A pattern without a position needs bridges.
        resumable = all(state.at is not None for state in requested if state.is_pattern)
        known = ((subject, state.tracker.resume_from()) for subject, state in active.items())
        positions = tuple((subject, at) for subject, at in known if at is not None)
        agree = resumable and active == kept.served and 0 < len(positions) == len(active) <= _POSITIONS_MAX
        size = sum(len(subject.encode()) + _POSITION_BYTES for subject, _ in positions)
        fits = size <= self._positions_bytes_max
        return SessionRequest(kept.session, positions) if agree and fits else SessionRequest()
