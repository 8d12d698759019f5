"""The headers of messages: their rules, and their form in the binary encoding. No state."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from ._events import EventError
from ._model import NO_HEADERS

_COUNT_MAX: Final = 16
_NAME_BYTES_MAX: Final = 64
_BYTES_MAX: Final = 0xFFFF
_PAIR_BYTES: Final = 3
_NAME = re.compile("[^$\0-\x1f\x7f-\x9f][^\0-\x1f\x7f-\x9f]*")


def headers_size(headers: Mapping[str, str]) -> int:
    """Returns the bytes of headers as the server counts them."""
    return sum(_PAIR_BYTES + len(name.encode()) + len(value.encode()) for name, value in headers.items())


def checked_headers(headers: Mapping[str, str] | None) -> Mapping[str, str]:
    """Returns a copy of the headers of a publish; raises ValueError if they break a rule of the protocol."""
    if not headers:
        return NO_HEADERS
    if len(headers) > _COUNT_MAX:
        raise ValueError(f"a message may have at most {_COUNT_MAX} headers")
    for name in headers:
        if not _NAME.fullmatch(name) or len(name.encode()) > _NAME_BYTES_MAX:
            raise ValueError(
                f"a header's name must have 1 to {_NAME_BYTES_MAX} bytes without control characters, and must not"
                f" begin with '$': {name!r}"
            )
    if headers_size(headers) > _BYTES_MAX:
        raise ValueError(f"headers may have at most {_BYTES_MAX} bytes")
    return MappingProxyType(dict(headers))


def headers_block(headers: Mapping[str, str]) -> bytes:
    """Returns the block of the binary encoding; empty without headers."""
    if not headers:
        return b""
    pairs = b"".join(_pair(name.encode(), value.encode()) for name, value in headers.items())
    return struct.pack(">H", len(pairs)) + pairs


def _pair(name: bytes, value: bytes) -> bytes:
    return bytes((len(name),)) + name + struct.pack(">H", len(value)) + value


def read_headers(frame: bytes) -> Mapping[str, str]:
    """Returns the headers of the binary event; raises EventError, struct.error or IndexError if it is malformed."""
    (length,) = struct.unpack_from(">H", frame, 2)
    at, end = 4, 4 + length
    headers: dict[str, str] = {}
    while at < end:
        name_end = at + 1 + frame[at]
        (value_length,) = struct.unpack_from(">H", frame, name_end)
        value_end = name_end + 2 + value_length
        headers[frame[at + 1 : name_end].decode()] = frame[name_end + 2 : value_end].decode()
        at = value_end
    if at != end or end > len(frame):
        raise EventError("headers do not end where their length says")
    return MappingProxyType(headers)


def json_headers(members: Any) -> Mapping[str, str]:
    """Returns the member ``headers`` of a message in JSON; raises EventError unless it is an object of strings."""
    if members is None:
        return NO_HEADERS
    if not isinstance(members, dict):
        raise EventError("a message has headers that are not an object")
    headers: dict[str, str] = {}
    for name, value in cast("dict[str, Any]", members).items():
        if not isinstance(value, str):
            raise EventError("a message has headers that are not strings")
        headers[name] = value
    return MappingProxyType(headers)
