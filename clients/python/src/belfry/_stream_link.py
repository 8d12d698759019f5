"""A link over an HTTP stream of NDJSON lines, without I/O. Owner: the engine.

When the set of subscriptions changes, a new stream is opened that resumes at the current positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ._address import ServerAddress
from ._events import ErrorEvent, EventError
from ._http import BodyEnd, HttpError, ResponseHead, ResponseReader, query
from ._http_link import HttpLink, bad_answer
from ._json import read_event
from ._link import LinkOwner
from ._options import Timeouts
from ._refusals import Cause, Ending
from ._subscription import PatternPositions, Wanted
from ._timers import Timer

_CONTENT_TYPE: Final = "application/x-ndjson"
_LINE_BYTES_MAX: Final = 64 << 20
_REFUSAL_BYTES_MAX: Final = 4096


class StreamLink(HttpLink):
    """At most one stream at a time."""

    pattern_positions = PatternPositions.OF_STREAM

    def __init__(self, owner: LinkOwner, address: ServerAddress, token: str | None, timeouts: Timeouts) -> None:
        super().__init__(owner, address, token, timeouts)
        self._proof: Timer | None = None
        self._stream: int | None = None
        self._target = ""
        self._reader = ResponseReader()
        self._refusal: ResponseHead | None = None
        self._partial = b""
        self._last_code = ""

    @property
    def expects_reads(self) -> bool:
        return self._stream is not None

    def probe(self) -> None:
        """A stream cannot be asked, so another one is opened."""
        if self._stream is not None:
            self.changed()

    def request(self, wanted: Sequence[Wanted]) -> None:
        if self._stream is not None:
            old, self._stream = self._stream, None
            self.disconnect(old)
        if wanted:
            self._reader = ResponseReader()
            self._refusal = None
            self._partial = b""
            self._target = self._target_of(wanted)
            self._stream = self.connect()
            if self._proof is None and not self.proven:
                self._proof = self.owner.after(self.timeouts.connect, self._require_proof)

    def _require_proof(self) -> None:
        """Gives up streams that something between client and server holds back."""
        self._proof = None
        if self._stream is not None and not self.proven and not self.over:
            self.fail(Ending(Cause.TIMED_OUT, f"the stream had no event within {self.timeouts.connect:g} s"))

    def _target_of(self, wanted: Sequence[Wanted]) -> str:
        plain = [one for one in wanted if not one.is_pattern]
        parameters = [("subject", one.target) for one in wanted]
        positions = [str(one.after or "") for one in plain]
        # The position of all patterns is the last one.
        positions += {one.pattern_from for one in wanted if one.pattern_from is not None}
        if any(positions):
            parameters.append(("from", ",".join(positions)))
        history = max((one.history for one in plain), default=0)
        if history:
            parameters.append(("history", str(history)))
        # A stream has one interval for all subjects: the shortest of them, or none if one of them wants all messages.
        conflate = min(one.conflate_ms for one in wanted)
        if conflate:
            parameters.append(("conflate", str(conflate)))
        if self.timeouts.ping_ms is not None:
            parameters.append(("ping", str(self.timeouts.ping_ms)))
        return query(self.address.path_of("/subscribe"), *parameters)

    def own_opened(self, connection: int) -> None:
        if connection == self._stream:
            self.owner.write(connection, self.head("GET", self._target, f"Accept: {_CONTENT_TYPE}"))

    def own_lost(self, connection: int, ending: Ending) -> None:
        if connection == self._stream:
            self._stream = None
            self.fail(self._refusal.refusal(self._partial) if self._refusal else ending)

    def own_received(self, connection: int, data: bytes) -> None:
        if connection != self._stream:
            return
        try:
            for part in self._reader.read(data):
                if isinstance(part, ResponseHead):
                    self._head(part)
                elif isinstance(part, BodyEnd):
                    self._end()
                elif self._refusal is not None:
                    self._partial = (self._partial + part)[:_REFUSAL_BYTES_MAX]
                else:
                    self._lines(part)
                if self.over:
                    return
        except HttpError as error:
            self.fail(Ending(Cause.BAD_FRAME, str(error)))
        except EventError as error:
            self.fail(bad_answer(error))

    def _head(self, head: ResponseHead) -> None:
        if head.status != 200:
            self._refusal = head
        elif not head.fields.get("content-type", "").startswith(_CONTENT_TYPE):
            self.fail(Ending(Cause.BAD_FRAME, "the answer is not an NDJSON stream"))
        elif head.fields.get("belfry-ping", "").isdecimal():
            self.owner.ping_interval(int(head.fields["belfry-ping"]) / 1000)

    def _end(self) -> None:
        if self._refusal is not None:
            self.fail(self._refusal.refusal(self._partial))
        else:
            self.fail(Ending(Cause.CLOSED_BY_SERVER, "the server ended the stream", code=self._last_code))

    def _lines(self, part: bytes) -> None:
        first, *rest = part.split(b"\n")
        lines = [self._partial + first, *rest]
        self._partial = lines.pop()
        if len(self._partial) > _LINE_BYTES_MAX:
            raise HttpError(f"the server sent a line of more than {_LINE_BYTES_MAX} bytes")
        for line in lines:
            if line.startswith(b"{"):
                self._line(line)
                if self.over:
                    return

    def _line(self, line: bytes) -> None:
        self.proved()
        event = read_event(line)
        if isinstance(event, ErrorEvent) and event.subject is None:
            self._last_code = event.code
        if event is not None:
            self.owner.event(event)
