"""The requests of a client and their replies. Owner: the thread of the engine, except for ``make``."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from . import _subjects
from ._errors import BelfryError, ClosedError, NoReplyError, PublishError, PublishOutcome
from ._headers import checked_headers
from ._inboxes import CORRELATION_ID, REPLY_TO, inbox_of, new_key
from ._model import Message, Position
from ._runner import Runner
from ._settings import PublishMaker, SubscriptionMaker, ttl_ms
from ._subscription import SubscriptionState
from ._timers import Timer

ReplyResult: TypeAlias = Callable[[Message[bytes] | BelfryError], None]

_ID_BYTES = 12


@dataclass(slots=True)
class Request:
    """A request and the function that receives its reply."""

    subject: str
    data: bytes | str
    headers: Mapping[str, str]
    timeout: float
    done: ReplyResult
    id: str
    timer: Timer | None = field(default=None)
    sent: bool = False


class Requests:
    """Sends requests, and relates the messages of the client's inbox to them.

    The client subscribes to its inbox with the first request, and keeps the subscription: after a lost connection it
    continues like any other one, so replies that arrive meanwhile are received.
    """

    def __init__(
        self, runner: Runner, subscriptions: SubscriptionMaker, publishes: PublishMaker, waiting_max: int
    ) -> None:
        self._runner = runner
        self._subscriptions = subscriptions
        self._publishes = publishes
        self._waiting_max = waiting_max
        self._key = new_key()
        self._inbox = inbox_of(self._key)
        self._state: SubscriptionState[bytes] | None = None
        self._waiting: dict[str, Request] = {}

    def make(
        self,
        subject: str,
        data: bytes | str,
        timeout: float,
        headers: Mapping[str, str] | None,
        done: ReplyResult,
    ) -> Request:
        """Checks the arguments of a request. Any thread."""
        broken = _subjects.problem(subject, pattern_allowed=False)
        if broken:
            raise ValueError(f"{broken}: {subject!r}")
        if timeout <= 0:
            raise ValueError(f"a timeout must be more than 0 seconds, not {timeout}")
        ttl_ms(timeout)
        id = secrets.token_urlsafe(_ID_BYTES)
        terms = checked_headers({**(headers or {}), REPLY_TO: self._inbox, CORRELATION_ID: id})
        return Request(subject, data, terms, timeout, done, id)

    def begin(self, request: Request) -> None:
        """Sends a request, at the latest when the server has confirmed the inbox."""
        if len(self._waiting) >= self._waiting_max:
            request.done(PublishError(PublishOutcome.TOO_MANY_PENDING, "", "too many requests wait for their replies"))
            return
        if self._state is None:
            state: SubscriptionState[bytes] = self._subscriptions.make(
                self._inbox, None, 0, 0.0, None, None, None, self._key
            )
            state.notify = self._changed
            self._runner.engine.subscribe(state)
            self._state = state
        self._waiting[request.id] = request
        request.timer = self._runner.engine.call_after(request.timeout, lambda: self._expire(request))
        if self._state.confirmation is not None:
            self._send(request)

    def _send(self, request: Request) -> None:
        request.sent = True

        def published(result: Position | PublishError) -> None:
            if isinstance(result, PublishError):
                self._end(request, result)

        publish = self._publishes.make(
            request.subject, request.data, False, None, False, request.headers, request.timeout, published
        )
        if publish is not None:
            self._runner.engine.publish(publish)

    def _expire(self, request: Request) -> None:
        self._end(request, NoReplyError(f"no reply to {request.subject} within {request.timeout:g} s"))

    def forget(self, request: Request) -> None:
        """Waits no longer for the reply to a request; has no effect after its end."""
        if self._waiting.pop(request.id, None) is not None and request.timer is not None:
            request.timer.cancel()

    def _end(self, request: Request, result: Message[bytes] | BelfryError) -> None:
        if request.id in self._waiting:
            self.forget(request)
            request.done(result)

    def _changed(self) -> None:
        state = self._state
        if state is None:
            return
        self._take(state)
        if state.ended:
            # The next request begins again.
            self._state = None
            for request in list(self._waiting.values()):
                self._end(request, state.error or ClosedError())
        elif state.confirmation is not None:
            for request in [one for one in self._waiting.values() if not one.sent]:
                self._send(request)

    def _take(self, state: SubscriptionState[bytes]) -> None:
        while True:
            try:
                item = state.buffer.take()
            except IndexError:
                break
            if isinstance(item, Message):
                request = self._waiting.get(item.headers.get(CORRELATION_ID, ""))
                if request is not None:
                    self._end(request, item)
        if state.wants_room or state.wants_empty:
            self._runner.taken(state)
