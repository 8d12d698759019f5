"""A link over long polling, without I/O. Owner: the engine. For networks that hold back streams.

Each subject or pattern has a connection of its own and continues from its position, so nothing is missed. Its polls are
a session of their own, whose messages belong to it alone. A server without history gives a pattern no position: then
each new poll of the pattern is confirmed again, and the engine announces the possible loss as a gap.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, Final, cast

from ._address import ServerAddress
from ._events import EventError, PositionEvent, SubscribedEvent
from ._exchange import HttpExchange
from ._http import ResponseHead, query
from ._http_link import HttpLink, bad_answer, members_of
from ._link import LinkOwner
from ._model import Position, Recovery, pattern_position_bytes
from ._options import Timeouts
from ._refusals import Ending, is_of_subscription
from ._subscription import PatternPositions, Wanted

_FIRST_WAIT: Final = 0.1
"""Time, in seconds, after which the first poll of a subject ends with the subject's position."""

_WAIT_MAX: Final = 20.0


class PollLink(HttpLink):
    """One poller per subject, and one connection for the requests that are answered at once."""

    pattern_positions = PatternPositions.OF_PATTERN

    def __init__(self, owner: LinkOwner, address: ServerAddress, token: str | None, timeouts: Timeouts) -> None:
        super().__init__(owner, address, token, timeouts)
        self.wait = min(_WAIT_MAX, 0.8 * timeouts.assumed_ping_interval)
        """Time, in seconds, after which a poll ends without a message; less than the ping interval."""
        self.history = HttpExchange(self, self.fail)
        self._pollers: list[_Poller] = []

    @property
    def expects_reads(self) -> bool:
        return bool(self._pollers)

    def probe(self) -> None:
        """The answer to any request is a sign of life."""
        if self._pollers:
            target = self.address.path_of("/health/live")
            self.history.send(self.head("GET", target), lambda head, body: None)

    def request(self, wanted: Sequence[Wanted]) -> None:
        for old in self._pollers:
            old.end()
        # Patterns first: messages that they deliver are not missing from the history requested after them.
        begun = [self._poller(one) for one in sorted(wanted, key=lambda one: not one.is_pattern)]
        self._pollers = [poller for poller in begun if not poller.wanted.temporary]
        for poller in begun:
            poller.begin()

    def _poller(self, wanted: Wanted) -> _Poller:
        return _PatternPoller(self, wanted) if wanted.is_pattern else _SubjectPoller(self, wanted)

    def own_opened(self, connection: int) -> None:
        exchange = self._exchange(connection)
        if exchange is not None:
            exchange.opened()

    def own_received(self, connection: int, data: bytes) -> None:
        exchange = self._exchange(connection)
        if exchange is not None:
            exchange.received(data)

    def own_lost(self, connection: int, ending: Ending) -> None:
        exchange = self._exchange(connection)
        if exchange is not None:
            exchange.lost(ending)

    def _exchange(self, connection: int) -> HttpExchange | None:
        exchanges = [self.history, *(poller.exchange for poller in self._pollers)]
        return next((exchange for exchange in exchanges if exchange.owns(connection)), None)

    def drop(self, poller: _Poller) -> None:
        if poller in self._pollers:
            self._pollers.remove(poller)


class _Poller(abc.ABC):
    """The requests for one subject or pattern."""

    def __init__(self, link: PollLink, wanted: Wanted) -> None:
        self.link = link
        self.wanted = wanted
        self.exchange = HttpExchange(link, link.fail)
        self._over = False

    @abc.abstractmethod
    def begin(self) -> None: ...

    def end(self) -> None:
        self._over = True
        self.exchange.close()

    @property
    def is_over(self) -> bool:
        return self._over or self.link.over

    @property
    def only(self) -> str | None:
        """The subscription to which messages belong; None for a bridge, whose messages belong to patterns."""
        return None if self.wanted.temporary else self.wanted.subject

    def pass_events(self, events: object) -> None:
        self.link.pass_events(events, self.only)

    def poll(self, after: Position | str | None, wait: float) -> None:
        parameters = [("subject", self.wanted.target), ("wait", f"{round(wait * 1000)}ms")]
        if after is not None:
            parameters.append(("from", str(after)))
        target = query(self.link.address.path_of("/poll"), *parameters)
        self.exchange.send(self.link.head("GET", target), self._answered)

    def _answered(self, head: ResponseHead, body: bytes) -> None:
        if self.is_over or not self.accepted(head, body):
            return
        self.link.proved()
        try:
            self.polled(members_of(body))
        except EventError as error:
            self.link.fail(bad_answer(error))

    def accepted(self, head: ResponseHead, body: bytes) -> bool:
        """Checks an answer. A refused subject ends its poller, any other refusal the link."""
        if head.status == 200:
            return True
        refusal = head.refusal(body)
        if is_of_subscription(refusal.code):
            self.link.proved()
            self.end()
            self.link.drop(self)
            self.link.pass_events(
                [{"op": "error", "code": refusal.code, "reason": refusal.sentence, "subject": self.wanted.subject}]
            )
        else:
            self.link.fail(refusal)
        return False

    @abc.abstractmethod
    def polled(self, answer: dict[str, Any]) -> None: ...


class _PatternPoller(_Poller):
    def __init__(self, link: PollLink, wanted: Wanted) -> None:
        super().__init__(link, wanted)
        self._at = wanted.pattern_from
        self._confirmed = False

    def begin(self) -> None:
        self.poll(self._at, _FIRST_WAIT)

    def polled(self, answer: dict[str, Any]) -> None:
        messages = _objects(answer.get("messages"))
        self.pass_events(messages)
        if self.is_over:
            return
        after, self._at = self._at, _pattern_position(answer)
        self.poll(self._at, self.link.wait)
        subject = self.wanted.subject
        if self._confirmed and after is not None and self._at is not None:
            self.link.owner.event(PositionEvent(self._at, subject))
        else:
            self._confirmed = True
            self.link.owner.event(SubscribedEvent(subject, None, _recovery(after, messages), pattern_at=self._at))


class _SubjectPoller(_Poller):
    """First the position, then earlier messages, then polls from the position."""

    def __init__(self, link: PollLink, wanted: Wanted) -> None:
        super().__init__(link, wanted)
        self._confirmed = False
        self._after = wanted.after
        self._first: list[dict[str, Any]] = []
        """The messages of the first poll."""

    def begin(self) -> None:
        if self.wanted.after is None:
            self.poll(None, _FIRST_WAIT)
        else:
            self._request_history(("from", str(self.wanted.after)))

    def _request_history(self, parameter: tuple[str, str]) -> None:
        target = query(self.link.address.path_of("/history"), ("subject", self.wanted.target), parameter)
        self.link.history.send(self.link.head("GET", target), self._history)

    def _history(self, head: ResponseHead, body: bytes) -> None:
        if self.is_over or not self.accepted(head, body):
            return
        self.link.proved()
        try:
            messages = _objects(members_of(body).get("messages"))
            if self.wanted.after is not None:
                self._recovered(self.wanted.after, messages)
            elif self._after is not None:
                self._earlier(self._after, messages)
        except EventError as error:
            self.link.fail(bad_answer(error))
        if not self.is_over and not self.wanted.temporary:
            self.poll(self._after, self.link.wait)

    def _recovered(self, after: Position, messages: list[dict[str, Any]]) -> None:
        recovery = _recovery(after, messages)
        for message in messages:
            after = _end_of(message)
        self._after = after
        self._confirm(after, recovery)
        self.pass_events(messages)

    def _earlier(self, start: Position, messages: list[dict[str, Any]]) -> None:
        """Begins at the end of the requested history; without one at the position before the first poll."""
        if self.wanted.history:
            ends = [_end_of(one) for one in messages if one.get("type") != "snapshot"]
            self._after = max([start, *ends])
            self._confirm(self._after, Recovery.NONE)
            self.pass_events(messages)
            return
        first = self._first[0] if self._first else {}
        previous = first.get("prev", first.get("seq", start.seq + 1) - 1)
        self._confirm(Position(start.epoch, previous), Recovery.NONE)
        self.pass_events(messages)
        self.pass_events(self._first)

    def _confirm(self, at: Position, recovery: Recovery) -> None:
        self._confirmed = True
        self.link.owner.event(SubscribedEvent(self.wanted.subject, at, recovery))

    def polled(self, answer: dict[str, Any]) -> None:
        messages = _objects(answer.get("messages"))
        epoch, seq = answer.get("epoch"), answer.get("seq")
        if isinstance(epoch, int) and isinstance(seq, int):
            self._after = Position(epoch, seq)
        if self._after is None:
            self.poll(None, _FIRST_WAIT)
        elif not self._confirmed:
            self._first = messages
            self._request_history(("count", str(self.wanted.history)))
        else:
            self.pass_events(messages)
            if not self.is_over:
                self.poll(self._after, self.link.wait)


def _pattern_position(answer: dict[str, Any]) -> str | None:
    at = answer.get("at")
    if at is None:
        return None
    try:
        pattern_position_bytes(at)
    except (TypeError, ValueError):
        raise EventError("an answer has an invalid position of patterns") from None
    return cast(str, at)


def _recovery(after: object, messages: list[dict[str, Any]]) -> Recovery:
    if after is None:
        return Recovery.NONE
    gap = bool(messages) and messages[0].get("op") == "gap"
    return Recovery.GAP if gap else Recovery.COMPLETE


def _objects(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        return []
    return [cast(dict[str, Any], one) for one in cast(list[object], value) if isinstance(one, dict)]


def _end_of(members: dict[str, Any]) -> Position:
    """Returns the position of a message, or the end of a gap."""
    try:
        if members.get("op") == "gap":
            return Position.parse(members["to"])
        return Position(int(members["epoch"]), int(members["seq"]))
    except (KeyError, TypeError, ValueError):
        raise EventError("an answer has an element without a position") from None
