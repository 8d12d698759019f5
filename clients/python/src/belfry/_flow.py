"""Stops and restarts the flow of messages to single subscriptions. Owner: the engine.

When a buffer is full, the client first stops reading: a program that is only a moment behind catches up without a
further command. If the buffer is still full after ``PATIENCE``, the subscription is unsubscribed, its position is
remembered, and the others continue. It is requested again, from its position, when half of the buffer was taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ._model import Position
from ._status import CallbackFailed, Paused, Resumed, Status
from ._subscription import Hold
from ._subscriptions import AnySubscription, Subscriptions
from ._timers import Timer

PATIENCE = 0.1
"""Time, in seconds, for which a full buffer may stop the whole connection."""


class FlowOwner(Protocol):
    """The engine as the flow sees it."""

    def after(self, seconds: float, call: Callable[[], None]) -> Timer: ...

    def report(self, status: Status) -> None: ...

    def pause_reading(self, paused: bool) -> None: ...

    def request(self, state: AnySubscription) -> None:
        """Requests a subscription on the current connection, if there is one."""

    def unrequest(self, state: AnySubscription) -> None:
        """Ends a subscription on the current connection, if there is one."""

    def ask_state(self, state: AnySubscription) -> None:
        """Calls the subscription's ``state`` callback; ``state_answered`` follows."""

    def retry_pause(self, attempt: int) -> float: ...


class Flow:
    """Holds and releases subscriptions."""

    def __init__(self, owner: FlowOwner, subscriptions: Subscriptions) -> None:
        self._owner = owner
        self._subscriptions = subscriptions
        self._full: set[AnySubscription] = set()
        self._patience: Timer | None = None
        self._failed_states: dict[AnySubscription, int] = {}

    def delivered(self, state: AnySubscription) -> None:
        """Called after items were added to a subscription's buffer."""
        if state.ended or state.wants_room or not state.buffer.is_full:
            return
        state.wants_room = True
        if Hold.FULL in state.holds:
            return
        self._full.add(state)
        if self._patience is None:
            self._owner.pause_reading(True)
            self._patience = self._owner.after(PATIENCE, self._patience_over)

    def _patience_over(self) -> None:
        full, self._full = self._full, set()
        self._read_again()
        for state in full:
            if not state.buffer.is_half_empty:
                state.wants_room = True
                self.hold(state, Hold.FULL)

    def _read_again(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
            self._owner.pause_reading(False)

    def has_room(self, state: AnySubscription) -> None:
        """Called when half of a full buffer was taken."""
        state.wants_room = False
        self._full.discard(state)
        if not self._full:
            self._read_again()
        self.release(state, Hold.FULL)

    def hold(self, state: AnySubscription, hold: Hold) -> None:
        active = not state.holds
        state.holds.add(hold)
        if active:
            self._owner.report(Paused(state.subject, hold.value))
            self._owner.unrequest(state)

    def release(self, state: AnySubscription, hold: Hold) -> None:
        if hold not in state.holds:
            return
        state.holds.discard(hold)
        if not state.holds and self._subscriptions.find(state.subject) is state:
            self._owner.report(Resumed(state.subject))
            self._owner.request(state)

    def removed(self, state: AnySubscription) -> None:
        """Forgets a subscription that has ended."""
        self._failed_states.pop(state, None)
        self._full.discard(state)
        if not self._full:
            self._read_again()

    def gap_delivered(self, state: AnySubscription) -> None:
        """After a gap the program loads its state again, as soon as it has taken everything before."""
        if state.options.loads_state and Hold.STATE not in state.holds:
            self.hold(state, Hold.STATE)
            state.wants_empty = True

    def is_empty(self, state: AnySubscription) -> None:
        """Called when the program has taken all items of a subscription that waits for this."""
        if state.wants_empty:
            state.wants_empty = False
            self._owner.ask_state(state)

    def state_answered(self, state: AnySubscription, position: Position | None, error: Exception | None) -> None:
        """Handles the position that the program loaded with its state, or the exception of the callback."""
        if self._subscriptions.find(state.subject) is not state:
            return
        if error is not None:
            attempt = self._failed_states[state] = self._failed_states.get(state, -1) + 1
            self._owner.report(CallbackFailed("state", error, state.subject))
            self._owner.after(self._owner.retry_pause(attempt), lambda: self._ask_again(state))
            return
        self._failed_states.pop(state, None)
        if position is not None:
            state.restart(position)
        self.release(state, Hold.STATE)

    def _ask_again(self, state: AnySubscription) -> None:
        if self._subscriptions.find(state.subject) is state:
            self._owner.ask_state(state)
