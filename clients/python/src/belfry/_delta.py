"""Deltas in the format of Fossil: docs/protocol.md, "Deltas". Owner: the engine."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from typing import Final

from ._events import EventError, MessageEvent

FOSSIL: Final = "fossil"
"""The name of the format in commands and events."""

RESULT_MAX: Final = 1 << 20
"""The longest result that a delta may announce."""

_DIGITS: Final = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
_VALUES: Final = {digit: value for value, digit in enumerate(_DIGITS)}
_NUMBER: Final = re.compile(rb"([0-9A-Z_a-z~]{1,6})([\n@:,;])")
"""A number and the operator after it."""


def _checksum(data: bytes) -> int:
    padded = data + bytes(-len(data) % 4)
    numbers: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(numbers) & 0xFFFF_FFFF


class _Reader:
    """Reads the numbers of one delta, each with the operator after it."""

    def __init__(self, delta: bytes) -> None:
        self.delta = delta
        self.at = 0

    def number(self, operators: bytes) -> tuple[int, bytes]:
        found = _NUMBER.match(self.delta, self.at)
        if found is None or found[2] not in operators:
            raise EventError("a delta is malformed")
        self.at = found.end()
        value = 0
        for digit in found[1]:
            value = value << 6 | _VALUES[digit]
        if value >= 1 << 32:
            raise EventError("a delta has a number above 2^32")
        return value, found[2]

    def literal(self, count: int) -> bytes:
        part = self.delta[self.at : self.at + count]
        self.at += count
        return part


def apply_delta(base: bytes, delta: bytes, bytes_max: int) -> bytes:
    """Returns what a delta makes of the base.

    Raises EventError if it is malformed, does not fit the base, or announces more than ``bytes_max`` bytes.
    """
    reader = _Reader(delta)
    length, _ = reader.number(b"\n")
    if length > bytes_max:
        raise EventError(f"a delta announces {length} bytes")
    parts: list[bytes] = []
    filled = 0
    count, operator = reader.number(b"@:;")
    while operator != b";":
        if operator == b"@":
            start, _ = reader.number(b",")
            part = base[start : start + count]
        else:
            part = reader.literal(count)
        filled += count
        if len(part) < count or filled > length:
            raise EventError("a delta does not fit its base")
        parts.append(part)
        count, operator = reader.number(b"@:;")
    result = b"".join(parts)
    if reader.at != len(delta) or filled != length or count != _checksum(result):
        raise EventError("a delta does not become its message")
    return result


class DeltaBases:
    """The latest message of each subject that a subscription with deltas follows on the present connection."""

    def __init__(self) -> None:
        self._bases: dict[str, tuple[int, int, bytes]] = {}

    def whole(self, event: MessageEvent, wanted: bool) -> MessageEvent:
        """Returns the message with its whole data; ``wanted`` is whether a subscription to the subject has deltas.

        Raises EventError for a delta whose base is not the message before it.
        """
        # A subscription that has ended may still be sent deltas, which belong to a pattern too.
        base = self._bases.get(event.subject)
        if event.delta:
            if base is None or base[:2] != (event.epoch, event.previous):
                raise EventError("a delta without its base")
            event = replace(event, data=apply_delta(base[2], event.data, RESULT_MAX), delta=False)
        if wanted or base is not None:
            self._bases[event.subject] = (event.epoch, event.seq, event.data)
        return event

    def ended(self, subject: str) -> None:
        """The server has ended the subscription to this subject."""
        self._bases.pop(subject, None)

    def clear(self) -> None:
        """A new connection begins."""
        self._bases.clear()
