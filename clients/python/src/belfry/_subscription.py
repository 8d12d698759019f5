"""The state of one subscription: the requested options, the confirmed position and the delivered items."""

from __future__ import annotations

import enum
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from . import _subjects
from ._buffer import ItemBuffer
from ._errors import BelfryError
from ._events import MessageEvent
from ._model import DECODE_FAILED, Gap, Item, Message, Position, Recovery, T, pattern_position_bytes
from ._tracker import Tracker

CONFLATE_MS_MAX = 3_600_000
HISTORY_MAX = 2**31 - 1


class PatternPositions(enum.Enum):
    """Which patterns share a session of the server, and so a position."""

    OF_SESSION = "session"
    """One session serves all subscriptions, and each pattern is requested from a position of its own."""
    OF_STREAM = "stream"
    """One session serves all subscriptions, which are requested together: there is one position for all patterns."""
    OF_PATTERN = "pattern"
    """Each subscription has a session of its own, so none receives a message instead of another one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One subject to request from the server, with its options."""

    subject: str
    after: Position | None = None
    history: int = 0
    conflate_ms: int = 0
    temporary: bool = False
    """Whether only the messages missed so far are wanted, for a pattern."""
    pattern_from: str | None = None
    """The position from which a pattern resumes."""
    key: str | None = None
    """The key of an inbox."""
    deltas: bool = False

    @property
    def target(self) -> str:
        """The subject as the request names it: an inbox with its key."""
        return self.subject if self.key is None else f"{self.subject}/{self.key}"

    @property
    def is_plain_live(self) -> bool:
        """Whether the request has no options, so that one command can combine several."""
        begins = self.after is None and self.pattern_from is None and not self.history
        return begins and not self.conflate_ms and not self.deltas

    @property
    def is_pattern(self) -> bool:
        return _subjects.is_pattern(self.subject)


@dataclass(frozen=True, slots=True)
class SubscribeOptions:
    """Which messages a subscription begins with, and the bounds of its buffer."""

    start: Position | None = None
    history: int = 0
    conflate_ms: int = 0
    loads_state: bool = False
    buffer_count: int = 1000
    buffer_bytes: int = 4 << 20
    pattern_start: str | None = None
    deltas: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.history <= HISTORY_MAX:
            raise ValueError(f"history must be from 0 to {HISTORY_MAX}, not {self.history}")
        if not 0 <= self.conflate_ms <= CONFLATE_MS_MAX:
            raise ValueError(f"conflate must be from 0 to one hour, not {self.conflate_ms} ms")
        if self.pattern_start is not None:
            pattern_position_bytes(self.pattern_start)
        if self.buffer_count < 1 or self.buffer_bytes < 1:
            raise ValueError("the bounds of the buffer must be 1 or more")

    @property
    def are_for_plain_subjects(self) -> bool:
        return self.start is not None or self.history > 0 or self.loads_state


class Hold(enum.Enum):
    """A reason for which a subscription is not requested from the server. The value is the reason in a status."""

    PAUSED = "paused"
    FULL = "full"
    STATE = "state"


class SubscriptionState(Generic[T]):
    """One subscription. Owner: the engine, except for ``buffer.take`` and the ends, which the program reads."""

    def __init__(
        self,
        subject: str,
        options: SubscribeOptions,
        decode: Callable[[bytes], T] | None,
        followed_max: int,
        decode_failed: Callable[[str, Exception], None],
    ) -> None:
        broken = _subjects.problem(subject, pattern_allowed=True)
        if broken:
            raise ValueError(f"{broken}: {subject!r}")
        self.subject = subject
        self.key: str | None = None
        """The key, if the subject is an inbox of this client."""
        self.options = options
        self.is_pattern = _subjects.is_pattern(subject)
        if self.is_pattern and options.are_for_plain_subjects:
            raise ValueError(f"history, state and epoch:seq require a plain subject, not the pattern {subject}")
        if not self.is_pattern and options.pattern_start is not None:
            raise ValueError(f"a position of patterns requires a pattern, not the plain subject {subject}")
        self.buffer: ItemBuffer[T] = ItemBuffer(options.buffer_count, options.buffer_bytes)
        self.holds: set[Hold] = {Hold.STATE} if options.loads_state else set()
        self.requested = False
        self.confirmed = False
        self.ever_confirmed = False
        self.is_paused = False
        """Whether the program paused the subscription, so that a callback receives no items."""
        self.wants_room = False
        """Whether the engine waits until half of the buffer was taken."""
        self.wants_empty = False
        """Whether the engine waits until the buffer is empty."""
        self.ended = False
        self.error: BelfryError | None = None
        self.notify: Callable[[], None] = lambda: None
        """Called by the engine's thread, between two inputs, after items were added and when other states changed."""
        self.load: Callable[[], Any] | None = None
        """The program's ``state`` callback."""
        self.confirmation: tuple[Recovery, Position | None] | None = None
        """The result of the first confirmation."""
        self._decode = decode
        self._decode_failed = decode_failed
        self._followed_max = followed_max
        self.tracker = Tracker(options.conflate_ms > 0, options.start)
        self.trackers: OrderedDict[str, Tracker] = OrderedDict()
        """The trackers of a pattern by subject, the most recently used last."""
        self.at = options.pattern_start
        """The latest position of a pattern; None if the server gave none."""
        self.at_order = 0
        """Number of the position among those of the client, which cannot be compared; 0 if the program gave it."""
        self.after_bridges: tuple[str, int] | None = None
        """The position that a pattern has once its bridges have ended, and its number."""
        self.resumes = False
        """Whether a pattern was requested from its position on the current connection."""
        self.is_behind = self.at is not None
        """Whether a pattern was held or is new, so that other subscriptions may be ahead of it."""
        self.is_unproven = False
        """Whether the server may omit recovered messages of a pattern, because another subscription received them."""
        self.stale: set[str] = set()
        """Patterns whose end has no answer yet; until then messages are those of an earlier subscription."""

    @property
    def takes(self) -> bool:
        """Whether messages belong to this subscription.

        Messages of a plain subject before its confirmation belong to an earlier subscription. Those of a pattern that
        resumes precede its confirmation.
        """
        return (self.requested and not self.stale) if self.is_pattern else self.confirmed

    def unrequest(self) -> None:
        """Records that the subscription is not requested on the current connection."""
        self.requested = False
        self.confirmed = False

    def restart(self, position: Position) -> None:
        """Continues from another position, which the program chose."""
        self.tracker = Tracker(self.options.conflate_ms > 0, position)

    def tracker_of(self, subject: str) -> Tracker:
        if not self.is_pattern:
            return self.tracker
        tracker = self.trackers.get(subject)
        if tracker is None:
            tracker = self.trackers[subject] = Tracker(self.options.conflate_ms > 0)
            if len(self.trackers) > self._followed_max:
                self.trackers.popitem(last=False)
        else:
            self.trackers.move_to_end(subject)
        return tracker

    def wanted(self) -> Wanted:
        after = None if self.is_pattern else self.tracker.resume_from()
        history = self.options.history if after is None else 0
        pattern_from = self.at if self.resumes else None
        return Wanted(
            self.subject,
            after,
            history,
            self.options.conflate_ms,
            pattern_from=pattern_from,
            key=self.key,
            deltas=self.options.deltas and not self.is_pattern,
        )

    def reached(self, at: str | None, order: int) -> None:
        """Records the position of a pattern; the program gets it after the items before it."""
        self.at = at
        self.at_order = order
        self.buffer.mark(at)

    def deliver(self, event: MessageEvent) -> None:
        """Adds a message to the buffer. A message that cannot be decoded becomes a gap, never a silent loss."""
        position = Position(event.epoch, event.seq)
        data = event.data
        item: Item[T]
        if self._decode is None:
            item = self._message(event, data, position)  # type: ignore[arg-type]
        else:
            try:
                item = self._message(event, self._decode(data), position)
            except Exception as error:
                self._decode_failed(event.subject, error)
                item = Gap(event.subject, Position(event.epoch, max(event.previous, 0)), position, DECODE_FAILED)
        self.buffer.put(item, len(data))

    @staticmethod
    def _message(event: MessageEvent, data: T, position: Position) -> Message[T]:
        return Message(event.subject, data, position, event.type, event.retained, event.time_ms, event.headers)

    def deliver_gap(self, gap: Gap) -> None:
        self.buffer.put(gap, 0)

    def end(self, error: BelfryError | None) -> None:
        """Ends the iteration after the items in the buffer."""
        if not self.ended:
            self.error = error
            self.ended = True
