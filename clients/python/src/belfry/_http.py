"""HTTP/1.1 responses of a client, without I/O."""

from __future__ import annotations

import enum
import json
import re
from dataclasses import dataclass
from typing import Any, TypeAlias, cast
from urllib.parse import quote

from ._refusals import Cause, Ending

HEAD_BYTES_MAX = 64 << 10
_LINE_BYTES_MAX = 8 << 10
_SENTENCE_MAX = 200
_STATUS = re.compile(r"HTTP/1\.[01] (\d{3})(?: .*)?", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


class HttpError(Exception):
    """The server sent something that is not an HTTP/1.1 response."""


@dataclass(slots=True)
class ResponseHead:
    """The status line and the header fields, with names in lower case."""

    status: int
    line: str
    fields: dict[str, str]

    @classmethod
    def parse(cls, head: bytes) -> ResponseHead:
        lines = head.decode("latin-1").split("\r\n")
        match = _STATUS.fullmatch(lines[0])
        if match is None:
            raise HttpError(f"the server did not answer with HTTP: {_shown(lines[0])}")
        parsed = cls(int(match[1]), lines[0], {})
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if colon:
                parsed.fields[name.strip().lower()] = value.strip()
        return parsed

    @property
    def is_chunked(self) -> bool:
        return self.fields.get("transfer-encoding", "").lower().endswith("chunked")

    @property
    def content_length(self) -> int | None:
        text = self.fields.get("content-length")
        if text is None:
            return None
        if not re.fullmatch(r"\d{1,15}", text, re.ASCII):
            raise HttpError(f"the server sent an invalid Content-Length: {_shown(text)}")
        return int(text)

    @property
    def keeps_alive(self) -> bool:
        return self.line.startswith("HTTP/1.1") and self.fields.get("connection", "").lower() != "close"

    @property
    def retry_after(self) -> float:
        text = self.fields.get("retry-after", "")
        return float(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else 0.0

    def refusal(self, body: bytes) -> Ending:
        """Returns the ending for an answer with an error, with the code in its body."""
        shown = _shown(body.decode("utf-8", "replace"))
        sentence = f'the server answered "{_shown(self.line)}"' + (f": {shown}" if shown else "")
        return Ending(Cause.REFUSED, sentence, self.status, error_code(body), self.retry_after)


def error_code(body: bytes) -> str:
    """Returns the code of an error's body; empty if it has none."""
    try:
        members: Any = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    code = cast(dict[str, Any], members).get("code") if isinstance(members, dict) else None
    return code if isinstance(code, str) and re.fullmatch(r"[a-z0-9-]{1,64}", code, re.ASCII) else ""


def _shown(text: str) -> str:
    line = _CONTROL.sub(" ", text.strip())
    return line if len(line) <= _SENTENCE_MAX else line[:_SENTENCE_MAX] + "..."


class BodyEnd:
    """Marks the end of a response."""


BODY_END = BodyEnd()

HttpPart: TypeAlias = ResponseHead | bytes | BodyEnd


class _Phase(enum.Enum):
    HEAD = "head"
    LENGTH = "length"
    CHUNK_SIZE = "chunk-size"
    CHUNK = "chunk"
    CHUNK_END = "chunk-end"
    TRAILERS = "trailers"
    UNTIL_CLOSE = "until-close"


class ResponseReader:
    """Splits received bytes into heads, parts of bodies and ends. Raises HttpError."""

    def __init__(self) -> None:
        self._rest = b""
        self._phase = _Phase.HEAD
        self._left = 0
        self.upgraded = False
        """Whether an answer of status 101 ended HTTP on this connection; ``take_rest`` has the bytes after it."""

    def read(self, data: bytes) -> list[HttpPart]:
        self._rest = self._rest + data if self._rest else data
        parts: list[HttpPart] = []
        while not self.upgraded and self._step(parts):
            pass
        return parts

    def take_rest(self) -> bytes:
        rest, self._rest = self._rest, b""
        return rest

    def ended(self) -> bool:
        """Handles the end of the connection; returns whether it completes the current body."""
        return self._phase is _Phase.UNTIL_CLOSE

    def _step(self, parts: list[HttpPart]) -> bool:
        """Takes one piece of the input; returns False if more input is needed."""
        match self._phase:
            case _Phase.HEAD:
                return self._head(parts)
            case _Phase.LENGTH | _Phase.CHUNK:
                return self._body(parts)
            case _Phase.UNTIL_CLOSE:
                if self._rest:
                    parts.append(self.take_rest())
                return False
            case _:
                return self._line(parts)

    def _head(self, parts: list[HttpPart]) -> bool:
        end = self._rest.find(b"\r\n\r\n")
        if end < 0:
            if len(self._rest) > HEAD_BYTES_MAX:
                raise HttpError("the server sent a head of more than 64 KB")
            return False
        head = ResponseHead.parse(self._rest[:end])
        self._rest = self._rest[end + 4 :]
        if 100 <= head.status < 200 and head.status != 101:
            return True
        parts.append(head)
        self._begin_body(head, parts)
        return True

    def _begin_body(self, head: ResponseHead, parts: list[HttpPart]) -> None:
        if head.status == 101:
            self.upgraded = True
        elif head.status in (204, 304):
            parts.append(BODY_END)
        elif head.is_chunked:
            self._phase = _Phase.CHUNK_SIZE
        else:
            length = head.content_length
            if length == 0:
                parts.append(BODY_END)
            else:
                self._phase = _Phase.UNTIL_CLOSE if length is None else _Phase.LENGTH
                self._left = length or 0

    def _body(self, parts: list[HttpPart]) -> bool:
        if not self._rest:
            return False
        part, self._rest = self._rest[: self._left], self._rest[self._left :]
        self._left -= len(part)
        parts.append(part)
        if self._left == 0:
            if self._phase is _Phase.CHUNK:
                self._phase = _Phase.CHUNK_END
            else:
                self._end(parts)
        return True

    def _end(self, parts: list[HttpPart]) -> None:
        self._phase = _Phase.HEAD
        parts.append(BODY_END)

    def _line(self, parts: list[HttpPart]) -> bool:
        end = self._rest.find(b"\r\n")
        if end < 0:
            if len(self._rest) > _LINE_BYTES_MAX:
                raise HttpError("the server sent a chunk without a valid size")
            return False
        line, self._rest = self._rest[:end], self._rest[end + 2 :]
        if self._phase is _Phase.CHUNK_SIZE:
            self._chunk_size(line)
        elif self._phase is _Phase.CHUNK_END:
            if line:
                raise HttpError("the server sent a chunk that is longer than its size")
            self._phase = _Phase.CHUNK_SIZE
        elif not line:
            self._end(parts)
        return True

    def _chunk_size(self, line: bytes) -> None:
        size = line.partition(b";")[0].strip()
        if not re.fullmatch(rb"[0-9a-fA-F]{1,12}", size):
            raise HttpError("the server sent a chunk without a valid size")
        self._left = int(size, 16)
        self._phase = _Phase.CHUNK if self._left else _Phase.TRAILERS


def request_head(method: str, target: str, host: str, token: str | None, *lines: str) -> bytes:
    """Returns the head of a request; ``lines`` are further header fields."""
    head = [f"{method} {target} HTTP/1.1", f"Host: {host}", "User-Agent: belfry-python"]
    if token:
        head.append(f"Authorization: Bearer {token}")
    return "\r\n".join([*head, *lines, "", ""]).encode("latin-1", "strict")


def query(path: str, *parameters: tuple[str, str]) -> str:
    """Returns a path with percent-encoded parameters."""
    return path + "?" + "&".join(f"{name}={quote(value, safe='/:,')}" for name, value in parameters)
