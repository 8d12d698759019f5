"""Pipelined HTTP requests on one connection, without I/O. Owner: a link."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from ._http import BodyEnd, HttpError, ResponseHead, ResponseReader
from ._link import Link
from ._refusals import Cause, Ending

Answered = Callable[[ResponseHead, bytes], None]

_BODY_BYTES_MAX = 64 << 20


class HttpExchange:
    """Opens its connection with the first request. A connection that the server closed while idle is opened again."""

    def __init__(self, link: Link, broken: Callable[[Ending], None]) -> None:
        self._link = link
        self._broken = broken
        self._connection: int | None = None
        self._open = False
        self._unsent: list[bytes] = []
        self._waiting: deque[Answered] = deque()
        self._reader = ResponseReader()
        self._head: ResponseHead | None = None
        self._body: list[bytes] = []
        self._body_bytes = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_open(self) -> bool:
        return self._open

    def owns(self, connection: int) -> bool:
        return connection == self._connection

    def connect(self) -> None:
        if self._connection is None:
            self._connection = self._link.connect()

    def send(self, request: bytes, answered: Answered) -> None:
        self._waiting.append(answered)
        self.connect()
        if self._open and self._connection is not None:
            self._link.owner.write(self._connection, request)
        else:
            self._unsent.append(request)

    def opened(self) -> None:
        self._open = True
        if self._connection is not None and self._unsent:
            self._link.owner.write(self._connection, b"".join(self._unsent))
        self._unsent.clear()

    def received(self, data: bytes) -> None:
        try:
            for part in self._reader.read(data):
                if isinstance(part, ResponseHead):
                    self._head = part
                elif isinstance(part, BodyEnd):
                    self._end_answer()
                else:
                    self._add(part)
                if self._connection is None:
                    return
        except HttpError as error:
            self._broken(Ending(Cause.BAD_FRAME, str(error)))

    def _add(self, part: bytes) -> None:
        self._body.append(part)
        self._body_bytes += len(part)
        if self._body_bytes > _BODY_BYTES_MAX:
            raise HttpError(f"the server sent an answer of more than {_BODY_BYTES_MAX} bytes")

    def _end_answer(self) -> None:
        head, body = self._head, b"".join(self._body)
        self._head = None
        self._body.clear()
        self._body_bytes = 0
        if head is None or not self._waiting:
            # A server reports with 408 that it closes an idle connection.
            self.close()
            return
        answered = self._waiting.popleft()
        if not head.keeps_alive:
            self._closed_by_server()
        answered(head, body)

    def _closed_by_server(self) -> None:
        """Handles an answer that ends the connection; requests behind it were not answered."""
        self.close()
        if self._waiting:
            self._broken(Ending(Cause.LOST, "the server closed the connection before it answered all requests"))

    def lost(self, ending: Ending) -> None:
        """Handles the end of the connection. An idle connection may end."""
        was_idle = self._open and not self._waiting
        if self._reader.ended() and self._head is not None and len(self._waiting) == 1:
            head, answered = self._head, self._waiting.popleft()
            self._reset()
            answered(head, b"".join(self._body))
            return
        self._reset()
        if not was_idle:
            self._broken(ending)

    def _reset(self) -> None:
        self._connection = None
        self._open = False
        self._reader = ResponseReader()
        self._head = None

    def close(self) -> None:
        connection = self._connection
        self._reset()
        if connection is not None:
            self._link.disconnect(connection)
