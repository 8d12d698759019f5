"""The unacknowledged publishes in their order, and which of them were sent on the current connection.

Owner: the engine; ``admit`` and ``has_room`` may be called by any thread.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ._codec import PublishCommand
from ._errors import PublishError, PublishOutcome
from ._model import Position

PublishResult = Callable[[Position | PublishError], None]

_OVERHEAD_BYTES = 200


@dataclass(frozen=True, slots=True)
class Publish:
    """A message to publish, with the function that receives its result."""

    command: PublishCommand
    done: PublishResult

    @property
    def id(self) -> int:
        assert self.command.id is not None
        return self.command.id

    @property
    def bytes(self) -> int:
        return self.command.size + len(self.command.subject) + _OVERHEAD_BYTES

    @property
    def is_repeatable(self) -> bool:
        """Whether sending it again is safe, because the server detects the repeated msgId."""
        return self.command.msg_id is not None


class PendingPublishes:
    """Bounds, orders and completes publishes."""

    def __init__(self, count_max: int, bytes_max: int) -> None:
        self._count_max = count_max
        self._bytes_max = bytes_max
        self._lock = threading.Lock()
        self._count = 0
        self._bytes = 0
        self._pending: dict[int, tuple[Publish, float]] = {}
        """The publishes by id with their deadlines; in order of both."""
        self._unsent: deque[Publish] = deque()
        self._again: dict[int, Publish] = {}

    def admit(self, size: int) -> bool:
        """Reserves room for a publish; returns False if a bound would be exceeded. Any thread."""
        with self._lock:
            if self._count >= self._count_max or self._bytes + size > self._bytes_max:
                return False
            self._count += 1
            self._bytes += size
            return True

    @property
    def has_room(self) -> bool:
        """Whether there is room for one more small publish. Any thread."""
        return self._count < self._count_max and self._bytes < self._bytes_max

    def __len__(self) -> int:
        return len(self._pending)

    def add(self, publish: Publish, deadline: float) -> None:
        self._pending[publish.id] = publish, deadline
        self._unsent.append(publish)

    def send(self, accepts: Callable[[Publish], bool]) -> None:
        """Sends the unsent publishes in order, until the connection accepts no more."""
        while self._unsent:
            publish = self._unsent[0]
            if publish.id in self._pending and not accepts(publish):
                return
            if self._unsent and self._unsent[0] is publish:
                self._unsent.popleft()

    def acknowledged(self, id: int, at: Position) -> None:
        publish = self._take(id)
        if publish is not None:
            publish.done(at)

    def failed(self, id: int, error: PublishError) -> bool:
        """Fails a publish; returns False if it is no longer pending."""
        publish = self._take(id)
        if publish is not None:
            publish.done(error)
        return publish is not None

    def _take(self, id: int) -> Publish | None:
        entry = self._pending.pop(id, None)
        if entry is None:
            return None
        with self._lock:
            self._count -= 1
            self._bytes -= entry[0].bytes
        return entry[0]

    def repeat_later(self, id: int) -> bool:
        """Marks a publish to be sent again; returns False if it must not be repeated or is no longer pending."""
        entry = self._pending.get(id)
        if entry is None or not entry[0].is_repeatable:
            return False
        self._again[id] = entry[0]
        return True

    def repeat(self) -> None:
        """Queues the marked publishes before the unsent ones, in their order."""
        self._unsent.extendleft(self._again[id] for id in sorted(self._again, reverse=True))
        self._again.clear()

    def disconnected(self) -> list[str]:
        """Queues what may be sent on the next connection; fails the rest, and returns the subjects of those."""
        never_sent = {publish.id for publish in self._unsent}
        self._unsent.clear()
        self._again.clear()
        unknown: list[str] = []
        for publish, _ in list(self._pending.values()):
            if publish.is_repeatable or publish.id in never_sent:
                self._unsent.append(publish)
            else:
                unknown.append(publish.command.subject)
                self.failed(
                    publish.id,
                    PublishError(PublishOutcome.UNKNOWN, "", "the connection broke before the answer"),
                )
        return unknown

    def next_deadline(self) -> float | None:
        """Returns the deadline of the oldest publish; all have the same time limit."""
        for _, deadline in self._pending.values():
            return deadline
        return None

    def fail_late(self, now: float) -> None:
        for id, (_, deadline) in list(self._pending.items()):
            if deadline > now:
                return
            reason = "not acknowledged in time; the message may have been published"
            self.failed(id, PublishError(PublishOutcome.TIMED_OUT, "", reason))

    def fail_all(self, code: str, reason: str) -> None:
        self._unsent.clear()
        for id in list(self._pending):
            self.failed(id, PublishError(PublishOutcome.CLOSED, code, reason))
