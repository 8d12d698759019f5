"""RFC 6455 frames of a client: masked frames out, unmasked frames in. No I/O."""

from __future__ import annotations

import codecs
import os
import struct
import zlib
from collections.abc import Callable
from typing import Final

from ._deflate import deflate, inflate

CONTINUATION: Final = 0x0
TEXT: Final = 0x1
BINARY: Final = 0x2
CLOSE: Final = 0x8
PING: Final = 0x9
PONG: Final = 0xA

PROTOCOL_ERROR: Final = 1002
INVALID_TEXT: Final = 1007
TOO_LARGE: Final = 1009
NO_CODE: Final = 1005
"""Stands for a close frame without a code."""

MESSAGE_BYTES_MAX: Final = 64 << 20
"""Maximum length of a received message, far above any MaxMessageSize in use."""

_RSV1: Final = 0x40
"""The first reserved bit of a frame, set if the message is compressed."""

_FRAGMENTS_MAX: Final = 65_536
_CONTROL_BYTES_MAX: Final = 125
_KEY_BLOCK: Final = 4096
_CLOSE_CODES: Final = frozenset((1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014))

Frame = tuple[int, bytes | str]
"""An opcode with its payload: text as str, everything else as bytes."""


class FrameError(Exception):
    """A violation of RFC 6455, with the close code that reports it."""

    def __init__(self, close_code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.close_code = close_code
        self.sentence = sentence


def mask(payload: bytes, key: bytes) -> bytes:
    """Applies a masking key of 4 bytes by one XOR of two large integers."""
    length = len(payload)
    repeated = (key * (length // 4 + 1))[:length]
    return (int.from_bytes(payload, "little") ^ int.from_bytes(repeated, "little")).to_bytes(length, "little")


class FrameWriter:
    """Writes masked frames. Reads random masking keys in blocks, because each read is a system call."""

    def __init__(self, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self.compresses = False
        """Whether compression was agreed."""
        self._entropy = entropy
        self._keys = b""
        self._used = 0

    def message(self, opcode: int, payload: bytes) -> bytes:
        """Returns the frame of a message, compressed if that is agreed and makes it smaller."""
        packed = deflate(payload) if self.compresses else None
        return self.frame(opcode, payload) if packed is None else self.frame(opcode | _RSV1, packed)

    def frame(self, opcode: int, payload: bytes) -> bytes:
        """Returns one final frame."""
        length = len(payload)
        first = 0x80 | opcode
        if length < 126:
            head = struct.pack(">BB", first, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack(">BBH", first, 0x80 | 126, length)
        else:
            head = struct.pack(">BBQ", first, 0x80 | 127, length)
        key = self._next_key()
        return head + key + mask(payload, key)

    def close(self, code: int, reason: str = "") -> bytes:
        """Returns a close frame."""
        return self.frame(CLOSE, struct.pack(">H", code) + reason.encode()[: _CONTROL_BYTES_MAX - 2])

    def _next_key(self) -> bytes:
        if self._used >= len(self._keys):
            self._keys = self._entropy(_KEY_BLOCK)
            self._used = 0
        key = self._keys[self._used : self._used + 4]
        self._used += 4
        return key


def close_code(payload: bytes) -> tuple[int, str]:
    """Returns the code and the reason of a close frame that a reader accepted."""
    if not payload:
        return NO_CODE, ""
    return int.from_bytes(payload[:2], "big"), payload[2:].decode()


class FrameReader:
    """Joins received bytes into messages and control frames.

    After a violation ``problem`` is set, the frames before it are still returned, and later bytes are ignored.
    """

    def __init__(self, message_bytes_max: int = MESSAGE_BYTES_MAX) -> None:
        self.problem: FrameError | None = None
        self.inflates = False
        """Whether compression was agreed."""
        self._bytes_max = message_bytes_max
        self._chunks: list[bytes] = []
        self._have = 0
        self._need = 2
        self._message_opcode = CONTINUATION
        self._packed = False
        self._fragments: list[bytes] = []
        self._fragment_bytes = 0
        self._text_check = codecs.getincrementaldecoder("utf-8")()
        self._checked = 0
        self._partial_text = False

    def read(self, data: bytes) -> list[Frame]:
        """Returns the frames that ``data`` completes."""
        frames: list[Frame] = []
        if self.problem is not None:
            return frames
        try:
            self._have += len(data)
            if self._chunks:
                self._chunks.append(data)
                if self._have < self._need:
                    self._check_partial_text(data)
                    return frames
                data = b"".join(self._chunks)
                self._chunks.clear()
            start = self._frames(data, frames)
            self._have = len(data) - start
            if self._have:
                self._carry(data[start:] if start else data)
        except FrameError as problem:
            self.problem = problem
        except UnicodeDecodeError:
            self.problem = FrameError(INVALID_TEXT, "the server sent text that is not UTF-8")
        return frames

    def _carry(self, rest: bytes) -> None:
        """Keeps the bytes of an incomplete frame until the known part of its length has arrived."""
        self._chunks.append(rest)
        head = self._head(rest, 0)
        if head is None:
            self._need = 2 if len(rest) < 2 else 4 if rest[1] & 0x7F == 126 else 10
            return
        offset, length = head
        self._need = offset + length
        opcode = rest[0] & 0x0F
        if opcode == CONTINUATION:
            self._partial_text = self._message_opcode == TEXT and not self._packed
        else:
            self._partial_text = opcode == TEXT and not rest[0] & _RSV1
        self._check_partial_text(rest[offset:])

    def _check_partial_text(self, part: bytes) -> None:
        """Checks text before its frame is complete, so that an endless invalid frame is refused early."""
        if self._partial_text:
            self._text_check.decode(part)
            self._checked += len(part)

    def _frames(self, data: bytes, frames: list[Frame]) -> int:
        """Reads whole frames; returns the index of the first incomplete one."""
        start = 0
        size = len(data)
        while size - start >= 2:
            # The usual frame first: a whole short or medium binary message.
            second = data[start + 1]
            if data[start] == 0x82 and second < 127 and self._message_opcode == CONTINUATION:
                if second < 126:
                    offset = start + 2
                    end = offset + second
                elif size - start >= 4:
                    offset = start + 4
                    end = offset + (data[start + 2] << 8 | data[start + 3])
                else:
                    break
                if end > size:
                    break
                frames.append((BINARY, data[offset:end]))
                start = end
                continue
            head = self._head(data, start)
            if head is None or head[0] + head[1] > size:
                break
            self._frame(data[start], data[head[0] : head[0] + head[1]], frames)
            start = head[0] + head[1]
        return start

    def _head(self, data: bytes, start: int) -> tuple[int, int] | None:
        """Checks a frame's head; returns the payload's offset and length, or None if the head is incomplete."""
        if len(data) - start < 2:
            return None
        first, second = data[start], data[start + 1]
        self._check_head(first, second)
        length = second & 0x7F
        if length < 126:
            return start + 2, self._checked_length(first, length)
        size = 2 if length == 126 else 8
        if len(data) - start < 2 + size:
            return None
        length = int.from_bytes(data[start + 2 : start + 2 + size], "big")
        return start + 2 + size, self._checked_length(first, length)

    def _check_head(self, first: int, second: int) -> None:
        opcode = first & 0x0F
        reserved = first & 0x70
        if self.inflates and opcode in (TEXT, BINARY):
            reserved &= ~_RSV1
        if reserved or second & 0x80 or 0x3 <= opcode <= 0x7 or opcode > PONG:
            raise FrameError(
                PROTOCOL_ERROR,
                f"the server sent a frame that violates RFC 6455; its first bytes are {first:#x} {second:#x}",
            )
        if opcode >= CLOSE:
            if not first & 0x80 or second & 0x7F > _CONTROL_BYTES_MAX:
                raise FrameError(PROTOCOL_ERROR, "the server sent a control frame that is fragmented or too long")
        elif (opcode == CONTINUATION) != (self._message_opcode != CONTINUATION):
            raise FrameError(PROTOCOL_ERROR, "the server sent fragments in the wrong order")

    def _checked_length(self, first: int, length: int) -> int:
        if first & 0x0F < CLOSE and self._fragment_bytes + length > self._bytes_max:
            raise self._too_large()
        return length

    def _too_large(self) -> FrameError:
        return FrameError(TOO_LARGE, f"the server sent a message of more than {self._bytes_max} bytes")

    def _frame(self, first: int, payload: bytes, frames: list[Frame]) -> None:
        opcode = first & 0x0F
        if opcode >= CLOSE:
            if opcode == CLOSE:
                _check_close(payload)
            frames.append((opcode, payload))
            return
        if opcode != CONTINUATION:
            self._message_opcode = opcode
            self._packed = bool(first & _RSV1)
        final = bool(first & 0x80)
        if self._message_opcode == TEXT and not self._packed:
            self._text_check.decode(payload[self._checked :], final)
        self._checked = 0
        self._partial_text = False
        self._fragments.append(payload)
        self._fragment_bytes += len(payload)
        if len(self._fragments) > _FRAGMENTS_MAX:
            raise FrameError(TOO_LARGE, "the server sent a message in too many fragments")
        if final:
            self._end_message(frames)

    def _end_message(self, frames: list[Frame]) -> None:
        whole = b"".join(self._fragments)
        if self._packed:
            whole = self._inflated(whole)
        frames.append((self._message_opcode, whole.decode() if self._message_opcode == TEXT else whole))
        self._message_opcode = CONTINUATION
        self._fragments.clear()
        self._fragment_bytes = 0
        self._text_check.reset()

    def _inflated(self, packed: bytes) -> bytes:
        try:
            message = inflate(packed, self._bytes_max)
        except zlib.error:
            raise FrameError(INVALID_TEXT, "the server sent a compressed message that is no deflate stream") from None
        if len(message) > self._bytes_max:
            raise self._too_large()
        return message


def _check_close(payload: bytes) -> None:
    if not payload:
        return
    code = int.from_bytes(payload[:2], "big")
    if len(payload) == 1 or not (code in _CLOSE_CODES or 3000 <= code <= 4999):
        raise FrameError(PROTOCOL_ERROR, "the server sent an invalid close frame")
    payload[2:].decode()
