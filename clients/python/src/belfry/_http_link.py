"""The common part of both HTTP links: publishes on a connection of their own, and changes of the subscriptions."""

from __future__ import annotations

import abc
import json
from collections.abc import Sequence
from typing import Any, Final, cast

from ._address import ServerAddress
from ._events import ErrorEvent, EventError, PublishedEvent
from ._exchange import HttpExchange
from ._http import ResponseHead, query, request_head
from ._json import event_of
from ._link import Link, LinkOwner
from ._model import Position
from ._options import Timeouts
from ._publishes import Publish
from ._refusals import Cause, Ending, is_of_connection
from ._subscription import Wanted
from ._timers import Timer

_OUTSTANDING_MAX: Final = 64
"""Maximum number of publishes that wait for answers on one connection."""

_CHANGES: Final = 0.01
"""Time, in seconds, within which changes of subscriptions lead to one new request."""


class HttpLink(Link, abc.ABC):
    """Publishes, and collects changes of the subscriptions."""

    def __init__(self, owner: LinkOwner, address: ServerAddress, token: str | None, timeouts: Timeouts) -> None:
        super().__init__(owner, address)
        self.token = token
        self.timeouts = timeouts
        self.opened = False
        self._publisher = HttpExchange(self, self.fail)
        self._changing: Timer | None = None

    def now_open(self) -> None:
        if not self.opened and not self.over:
            self.opened = True
            self.owner.link_open()

    def proved(self) -> None:
        """Called for the first event or answer: nothing between client and server blocks the transport."""
        self.proven = True
        self.now_open()

    def open(self) -> None:
        wanted = self.owner.wanted(self.pattern_positions)
        if wanted:
            self.request(wanted)
        else:
            self._publisher.connect()

    @abc.abstractmethod
    def request(self, wanted: Sequence[Wanted]) -> None:
        """Requests these subscriptions instead of the current ones."""

    @abc.abstractmethod
    def own_opened(self, connection: int) -> None: ...

    @abc.abstractmethod
    def own_received(self, connection: int, data: bytes) -> None: ...

    @abc.abstractmethod
    def own_lost(self, connection: int, ending: Ending) -> None: ...

    def connection_opened(self, connection: int) -> None:
        if self._publisher.owns(connection):
            self._publisher.opened()
            if self.opened:
                self.owner.link_writable()
            elif self.connections == {connection}:
                self.now_open()
        else:
            self.own_opened(connection)

    def received(self, connection: int, data: bytes) -> None:
        if self._publisher.owns(connection):
            self._publisher.received(data)
            if not self.over:
                self.owner.link_writable()
        else:
            self.own_received(connection, data)

    def connection_lost(self, connection: int, ending: Ending) -> None:
        self.connections.discard(connection)
        if self._publisher.owns(connection):
            self._publisher.lost(ending)
        else:
            self.own_lost(connection, ending)

    # Subscriptions

    def subscribe(self, wanted: Sequence[Wanted]) -> None:
        self.changed()

    def unsubscribe(self, subjects: Sequence[str]) -> None:
        self.changed()

    def end_bridges(self, subjects: Sequence[str]) -> None:
        """They remain until the next change, which would cost more than they do."""

    def renew(self, token: str) -> None:
        """A request keeps its token, so a new token needs new requests, from the current positions."""
        self.token = token
        self.changed()

    def changed(self) -> None:
        if self._changing is None:
            self._changing = self.owner.after(_CHANGES, self._change)

    def _change(self) -> None:
        self._changing = None
        if not self.over:
            self.request(self.owner.wanted(self.pattern_positions))

    # Publishes

    def head(self, method: str, target: str, *lines: str) -> bytes:
        return request_head(method, target, self.address.host_header, self.token, *lines)

    def publish(self, publish: Publish) -> bool:
        self._publisher.connect()
        if not self._publisher.is_open or len(self._publisher) >= _OUTSTANDING_MAX:
            return False
        command = publish.command
        parameters = [("subject", command.subject)]
        if command.retain:
            parameters.append(("retain", "true"))
        if command.msg_id is not None:
            parameters.append(("msgId", command.msg_id))
        if command.ttl_ms:
            parameters.append(("ttl", f"{command.ttl_ms}ms"))
        if command.origin is not None:
            parameters.append(("origin", command.origin))
        parameters.extend(("header", f"{name}={value}") for name, value in command.headers.items())
        target = query(self.address.path_of("/publish"), *parameters)
        head = self.head("POST", target, f"Content-Length: {len(command.data)}")
        self._publisher.send(head + command.data, lambda answer, body: self._published(publish.id, answer, body))
        return True

    def _published(self, id: int, head: ResponseHead, body: bytes) -> None:
        if self.over:
            return
        if head.status == 200:
            answer = members_of(body)
            epoch, seq = answer.get("epoch"), answer.get("seq")
            if isinstance(epoch, int) and isinstance(seq, int):
                self.owner.event(PublishedEvent(Position(epoch, seq), id))
                return
        refusal = head.refusal(body)
        if head.status in (408, 503) and is_of_connection(refusal.code):
            self.fail(refusal)
            return
        after = members_of(body).get("after", 0)
        code = refusal.code or f"http-{head.status}"
        self.owner.event(ErrorEvent(code, refusal.sentence, None, after if isinstance(after, int) else 0, id))
        if head.status == 401:
            self.fail(refusal)

    def before_close(self) -> None:
        if self._changing is not None:
            self._changing.cancel()

    def pass_events(self, events: object, only: str | None = None) -> None:
        """Passes the objects of an answer on, to ``only`` this subscription. Raises EventError."""
        if isinstance(events, list):
            for members in cast(list[object], events):
                event = event_of(cast(dict[str, Any], members)) if isinstance(members, dict) else None
                if event is not None and not self.over:
                    self.owner.event(event, only)


def members_of(body: bytes) -> dict[str, Any]:
    """Returns the members of a JSON object; none for anything else."""
    try:
        members: Any = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], members) if isinstance(members, dict) else {}


def bad_answer(error: EventError) -> Ending:
    return Ending(Cause.BAD_FRAME, f"the server sent an invalid event: {error}")
