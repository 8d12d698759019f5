"""The origin of a client, by which it recognises its own messages, as in docs/protocol.md."""

from __future__ import annotations

import base64
import hashlib
from typing import Final

from ._events import MessageEvent
from ._inboxes import new_key
from ._model import MessageType

ORIGIN: Final = "$origin"

_TAG_BYTES: Final = 12
_UNASKED: Final = (MessageType.LIVE, MessageType.RECOVERED)


def tag_of(key: str) -> str:
    """Returns the tag of a key. The server gives it to messages that were published with the key."""
    return base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest()[:_TAG_BYTES]).decode()


class OwnOrigin:
    """The key that a client sends with publishes without echo. It stays for the life of the client. Any thread."""

    def __init__(self) -> None:
        self._key = new_key()
        self._tag = tag_of(self._key)
        self._used = False

    def use(self) -> str:
        """Returns the key. Before the first call no message can be an echo."""
        self._used = True
        return self._key

    def is_echo(self, event: MessageEvent) -> bool:
        """Whether a message is one of this client that nobody asked for.

        Retained messages and history are what the program requested, so they include its own messages.
        """
        return self._used and event.headers.get(ORIGIN) == self._tag and event.type in _UNASKED
