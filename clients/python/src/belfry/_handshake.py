"""The WebSocket handshake of a client, without I/O."""

from __future__ import annotations

import base64
import hashlib

from . import _deflate
from ._address import ServerAddress
from ._http import ResponseHead, request_head

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def accept_of(key: str) -> str:
    """Returns the Sec-WebSocket-Accept that belongs to a key."""
    return base64.b64encode(hashlib.sha1((key + _GUID).encode(), usedforsecurity=False).digest()).decode()


class Handshake:
    """One handshake: the request, and the check of the answer."""

    def __init__(
        self, address: ServerAddress, subprotocol: str, token: str | None, random: bytes, compression: bool = False
    ) -> None:
        self._address = address
        self._subprotocol = subprotocol
        self._token = token
        self._compression = compression
        self._key = base64.b64encode(random).decode()

    def request(self) -> bytes:
        return request_head(
            "GET",
            self._address.path,
            self._address.host_header,
            self._token,
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {self._key}",
            f"Sec-WebSocket-Protocol: {self._subprotocol}",
            *([f"Sec-WebSocket-Extensions: {_deflate.OFFER}"] if self._compression else []),
        )

    def problem(self, head: ResponseHead) -> str | None:
        """Returns what is wrong with an answer of status 101, or None if it is valid."""
        if head.fields.get("upgrade", "").lower() != "websocket":
            return "the server's answer has no valid Upgrade field"
        if "upgrade" not in [option.strip() for option in head.fields.get("connection", "").lower().split(",")]:
            return "the server's answer has no valid Connection field"
        if head.fields.get("sec-websocket-accept") != accept_of(self._key):
            return "the server's Sec-WebSocket-Accept is wrong"
        extensions = head.fields.get("sec-websocket-extensions")
        if extensions and not (self._compression and _deflate.is_accepted(extensions)):
            return "the server accepted extensions that were not offered"
        agreed = head.fields.get("sec-websocket-protocol")
        if agreed != self._subprotocol:
            return f"the server chose the subprotocol {agreed} instead of {self._subprotocol}"
        return None
