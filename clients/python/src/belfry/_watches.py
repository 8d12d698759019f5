"""Notices of interest: whether watched subjects have subscribers. Owner: the engine."""

from __future__ import annotations

from collections.abc import Callable

from . import _subjects
from ._errors import BelfryError, SubscribeError


class WatchState:
    """One watched subject. Only the latest state is kept, so a slow program cannot make it grow."""

    def __init__(self, subject: str) -> None:
        broken = _subjects.problem(subject, pattern_allowed=False)
        if broken:
            raise ValueError(f"{broken}: {subject!r}")
        self.subject = subject
        self.subscribers: bool | None = None
        self.changes = 0
        """Number of changes of ``subscribers``, the first state included."""
        self.ended = False
        self.error: BelfryError | None = None
        self.notify: Callable[[], None] = lambda: None

    def update(self, subscribers: bool) -> None:
        if subscribers is not self.subscribers:
            self.subscribers = subscribers
            self.changes += 1
            self.notify()

    def end(self, error: BelfryError | None) -> None:
        if not self.ended:
            self.error = error
            self.ended = True
            self.notify()


class Watches:
    """The watched subjects."""

    def __init__(self) -> None:
        self._by_subject: dict[str, WatchState] = {}

    def add(self, watch: WatchState) -> None:
        if watch.subject in self._by_subject:
            raise SubscribeError("already-subscribed", f"the client already watches {watch.subject}")
        self._by_subject[watch.subject] = watch

    def remove(self, watch: WatchState) -> bool:
        """Removes a watch; returns False if it was removed before."""
        if self._by_subject.get(watch.subject) is not watch:
            return False
        del self._by_subject[watch.subject]
        return True

    def subjects(self) -> list[str]:
        return list(self._by_subject)

    def interest(self, subject: str, subscribers: bool) -> None:
        watch = self._by_subject.get(subject)
        if watch is not None:
            watch.update(subscribers)

    def refused(self, subject: str, code: str, reason: str) -> None:
        watch = self._by_subject.pop(subject, None)
        if watch is not None:
            watch.end(SubscribeError(code, reason))

    def end_all(self, error: BelfryError | None) -> None:
        for watch in list(self._by_subject.values()):
            watch.end(error)
        self._by_subject.clear()
