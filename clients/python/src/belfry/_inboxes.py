"""Inboxes: the subjects to which replies are published, as in docs/protocol.md. Pure functions."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Mapping
from typing import Final

REPLY_TO: Final = "replyTo"
CORRELATION_ID: Final = "correlationId"

_NAME_BYTES: Final = 16
_KEY_BYTES: Final = 24
_INBOX = re.compile(r"/\$inbox/[A-Za-z0-9_-]{22}")


def new_key() -> str:
    """Returns a secret with which one client may subscribe to its inbox."""
    return secrets.token_urlsafe(_KEY_BYTES)


def inbox_of(key: str) -> str:
    """Returns the inbox of a key. Publishers need the name of the inbox, and a subscriber needs the key."""
    name = hashlib.sha256(key.encode()).digest()[:_NAME_BYTES]
    return "/$inbox/" + base64.urlsafe_b64encode(name).decode().rstrip("=")


def is_inbox(subject: str) -> bool:
    """Whether a subject is an inbox."""
    return _INBOX.fullmatch(subject) is not None


def reply_terms(request_headers: Mapping[str, str], headers: Mapping[str, str] | None) -> tuple[str, Mapping[str, str]]:
    """Returns the subject and the headers of the reply to a request; raises ValueError if it asks for none.

    The subject must be an inbox. Otherwise a requester could make the program publish where only the program may.
    """
    to = request_headers.get(REPLY_TO, "")
    if not is_inbox(to):
        raise ValueError(f"the message asks for no reply: its header {REPLY_TO} names no inbox")
    id = request_headers.get(CORRELATION_ID)
    return to, {**(headers or {}), **({} if id is None else {CORRELATION_ID: id})}
