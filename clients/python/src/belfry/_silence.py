"""Decides whether a silent connection is dead. Owner: the connector. Times are of the clock that stops during sleep."""

from __future__ import annotations

_ANSWER_MAX = 10.0
"""Maximum time for the answer to a ping."""

_PROBE = 2.0
"""Maximum time for the answer to the ping after the device slept."""


class Silence:
    """Time since the last received bytes, and the pings that ask for more."""

    def __init__(self, interval: float) -> None:
        self.interval = interval
        self._last_read = 0.0
        self._asked: float | None = None
        self._limit = 0.0

    def read(self, now: float) -> None:
        """Records received bytes."""
        self._last_read = now
        self._asked = None

    def length(self, now: float) -> float:
        return now - self._last_read

    def asked(self, now: float, probe: bool = False) -> None:
        """Records a ping, whose answer must arrive in time."""
        self._asked = now
        self._limit = now + (_PROBE if probe else min(self.interval, _ANSWER_MAX))

    def next_check(self, can_ping: bool) -> float:
        """Returns the time at which to ask for a sign of life or to give up. Without pings that is two intervals."""
        if self._asked is not None:
            return self._limit
        return self._last_read + (self.interval if can_ping else 2 * self.interval)

    def is_dead(self, now: float, can_ping: bool) -> bool:
        return now >= self.next_check(can_ping) and (self._asked is not None or not can_ping)

    def wants_ping(self, now: float) -> bool:
        return self._asked is None and now >= self._last_read + self.interval
