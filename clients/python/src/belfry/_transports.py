"""The choice of the transport. Owner: the engine."""

from __future__ import annotations

from collections.abc import Sequence

from ._options import Transport
from ._refusals import Ending


class TransportChoice:
    """Begins with the first transport, and continues with the next one when something between blocks it.

    A transport is remembered only after a message arrived through it: a network may accept a connection and hold back
    what follows.
    """

    def __init__(self, transports: Sequence[Transport]) -> None:
        self._transports = list(dict.fromkeys(transports))
        self._start = 0
        self._tried = 0
        self._remembered = False

    @property
    def current(self) -> Transport:
        return self._transports[(self._start + self._tried) % len(self._transports)]

    def fall_back(self, ending: Ending) -> bool:
        """Handles an attempt that failed. Returns whether another transport should be tried at once."""
        if not ending.blames_transport:
            return False
        self._tried += 1
        if self._tried < len(self._transports):
            return True
        self._tried = 0
        return False

    def connection_ended(self) -> None:
        """Handles the end of a connection that had been open: the next attempt begins with the remembered transport."""
        self._tried = 0

    def message_arrived(self) -> None:
        """Remembers the current transport."""
        self._start = self._transports.index(self.current)
        self._tried = 0
        self._remembered = True
