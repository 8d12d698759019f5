"""Tracks the positions of one subject for one subscription; drops duplicates and detects gaps. Owner: the engine.

Two numbers suffice. *Proven*: up to this seq every message was delivered or announced as missing. *Seen*: the highest
seq delivered; it is lower than proven after a gap, and while history is still to arrive.
"""

from __future__ import annotations

from ._events import MessageEvent
from ._model import MessageType, Position, Recovery

_NONE = -1
_LIVE = MessageType.LIVE


class Missing:
    """A range of missing messages that precedes the message or the answer just handled."""

    __slots__ = ("after", "to")

    def __init__(self, after: Position | None, to: Position) -> None:
        self.after = after
        self.to = to

    @property
    def other_epoch(self) -> bool:
        return self.after is not None and self.after.epoch != self.to.epoch


class Tracker:
    """Begins without a position, or at one up to which everything was delivered.

    With ``conflating``, live messages may skip others without a gap.
    """

    __slots__ = ("_conflating", "_epoch", "_history_coming", "_proven", "_seen", "missing")

    def __init__(self, conflating: bool, start: Position | None = None) -> None:
        self._conflating = conflating
        self._epoch = start.epoch if start else _NONE
        self._proven = start.seq if start else _NONE
        self._seen = self._proven
        self._history_coming = False
        self.missing: Missing | None = None
        """Set by ``message`` if messages are missing before the delivered one."""

    def message(self, event: MessageEvent) -> bool:
        """Records a message; returns False for one that was delivered before."""
        seq = event.seq
        self.missing = None
        if event.epoch == self._epoch:
            if seq <= self._seen:
                return False
            if event.type is _LIVE and event.previous <= self._proven < seq:
                self._history_coming = False
                self._proven = seq
                self._seen = seq
                return True
        return self._unusual(event)

    def _unusual(self, event: MessageEvent) -> bool:
        if event.type is MessageType.SNAPSHOT:
            self._snapshot(event)
            return True
        same_epoch = event.epoch == self._epoch
        reached = same_epoch and event.seq <= self._proven
        if reached and not self._history_coming:
            # It was announced as missing. A pattern that is resumed from an older position is sent it again.
            return False
        self._history_coming = self._history_coming and reached
        skipping = self._conflating and event.type is _LIVE
        whole = self._proven == _NONE or (same_epoch and (skipping or event.previous <= self._proven))
        if not whole:
            after = Position(self._epoch, self._proven)
            self.missing = Missing(after, Position(event.epoch, max(event.previous, 0)))
        self._proven = max(self._proven, event.seq) if same_epoch else event.seq
        self._seen = event.seq
        self._epoch = event.epoch
        return True

    def _snapshot(self, event: MessageEvent) -> None:
        """A snapshot is outside the order: it is recorded so that it is not delivered twice, and proves nothing."""
        if self._proven == _NONE or event.epoch == self._epoch:
            self._epoch = event.epoch
            self._seen = event.seq

    def subscribed(self, at: Position, recovery: Recovery, history_asked: bool) -> Missing | None:
        """Handles the confirmation of a plain subject; returns the messages that are missing before it."""
        if recovery is not Recovery.NONE:
            return None
        known = self._proven != _NONE
        self._history_coming = history_asked and at.seq > 0
        if known and at.epoch == self._epoch:
            return None
        after = Position(self._epoch, self._proven) if known else None
        if at.epoch != self._epoch:
            self._seen = _NONE
        self._epoch = at.epoch
        self._proven = at.seq
        return Missing(after, at) if known else None

    def gap(self, to: Position, truncated: bool) -> bool:
        """Handles an announced gap. Returns False for a range already delivered, unless it was ``truncated`` since."""
        if to.epoch == self._epoch and to.seq <= self._proven:
            return truncated
        if to.epoch != self._epoch:
            self._seen = _NONE
        self._epoch = to.epoch
        self._proven = to.seq
        return True

    def lose(self) -> None:
        """Handles a gap of unknown range: the next message may follow any other, but none is delivered twice."""
        self._proven = _NONE
        self._history_coming = False

    def resume_from(self) -> Position | None:
        """Returns the position to resume after; None if unknown, or if the history must be requested again."""
        if self._proven == _NONE or (self._history_coming and self._seen == _NONE):
            return None
        return Position(self._epoch, self._seen if self._history_coming and self._seen < self._proven else self._proven)

    def reached(self, at: Position) -> bool:
        """Whether everything up to a position was delivered or announced as missing."""
        return self._epoch == at.epoch and self._proven >= at.seq
