"""Compression of WebSocket messages (permessage-deflate, RFC 7692), without context takeover. No I/O.

Messages are independent of each other, so that the server can compress a message once for all its subscribers.
"""

from __future__ import annotations

import zlib
from typing import Final

OFFER: Final = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

_BYTES_MIN: Final = 256
"""Size below which messages hardly shrink."""

_FREE_BYTES: Final = 16 << 10
"""Size up to which servers accept any ratio; larger messages may be subject to Limit.InflateRatio."""

_RATIO_MAX: Final = 10
"""Below any sensible Limit.InflateRatio, so that a message is sent uncompressed rather than refused."""

_TAIL: Final = b"\x00\x00\xff\xff"
"""The bytes that the sender removes from the end of each message."""


def is_accepted(extensions: str) -> bool:
    """Tells whether a server accepted the offer. With context takeover, a message could not be inflated alone."""
    name, *parameters = extensions.replace(" ", "").split(";")
    return name == "permessage-deflate" and "server_no_context_takeover" in parameters and "," not in extensions


def inflate(payload: bytes, bytes_max: int) -> bytes:
    """Returns the inflated message, or one byte more than the maximum of a larger one. Raises zlib.error."""
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(payload + _TAIL, bytes_max + 1)


def deflate(payload: bytes) -> bytes | None:
    """Returns the compressed message, or None if it is better sent as it is."""
    if len(payload) < _BYTES_MIN:
        return None
    compressor = zlib.compressobj(zlib.Z_BEST_SPEED, wbits=-zlib.MAX_WBITS)
    packed = (compressor.compress(payload) + compressor.flush(zlib.Z_SYNC_FLUSH))[: -len(_TAIL)]
    is_suspicious = len(payload) > _FREE_BYTES and len(packed) * _RATIO_MAX < len(payload)
    return None if len(packed) >= len(payload) or is_suspicious else packed
