"""Calls at later times of the engine's clock. Owner: the engine."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable

SLEPT_AFTER = 5.0
"""Lateness of a timer, in seconds, that means that the device slept or that the program blocked the thread."""


class Timer:
    """One call; ``cancel`` prevents it."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[[], None]) -> None:
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        self.call = None


class Timers:
    """A heap of calls by time, and the clock.

    ``now`` is the clock's time at the latest input. ``awake`` is ``now`` without the time for which the device slept:
    what is late only because the device slept is not late.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, Timer]] = []
        self._order = itertools.count()
        self._slept = 0.0
        self.now = clock()

    @property
    def awake(self) -> float:
        return self.now - self._slept

    def enter(self) -> bool:
        """Reads the clock; returns whether the device slept since the last input."""
        self.now = self._clock()
        due = self.due()
        if due is None or self.now - due <= SLEPT_AFTER:
            return False
        self._slept += self.now - due
        return True

    def after(self, seconds: float, call: Callable[[], None]) -> Timer:
        timer = Timer(call)
        heapq.heappush(self._heap, (self.now + seconds, next(self._order), timer))
        return timer

    def at_awake(self, time: float, call: Callable[[], None]) -> Timer:
        """Schedules a call at a time of ``awake``."""
        return self.after(time - self.awake, call)

    def due(self) -> float | None:
        """Returns the clock's time of the next call; None if there is none."""
        while self._heap and self._heap[0][2].call is None:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def delay(self) -> float | None:
        """Returns the time, in seconds from now, until the next call; None if there is none."""
        due = self.due()
        return None if due is None else max(0.0, due - self._clock())

    def __len__(self) -> int:
        return sum(timer.call is not None for _, _, timer in self._heap)

    def run(self) -> None:
        """Runs the calls that are due. Calls that are added meanwhile run the next time."""
        due: list[Timer] = []
        while self._heap and self._heap[0][0] <= self.now:
            due.append(heapq.heappop(self._heap)[2])
        for timer in due:
            call, timer.call = timer.call, None
            if call is not None:
                call()

    def clear(self) -> None:
        for _, _, timer in self._heap:
            timer.cancel()
        self._heap.clear()
