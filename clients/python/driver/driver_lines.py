"""Lines of the driver protocol, for both drivers."""

from __future__ import annotations

import base64
import gc
import json
import platform
import sys
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any, TypeAlias

import belfry

Line: TypeAlias = dict[str, Any]

_CAPABILITIES = [
    "webSocket",
    "httpStream",
    "longPoll",
    "json",
    "binary",
    "compression",
    "fallback",
    "patterns",
    "history",
    "conflate",
    "publish",
    "pendingBound",
    "publishOnce",
    "watch",
    "callback",
    "iterator",
    "pause",
    "tokenSource",
    "retry",
    "ping",
    "keepSession",
    "clientName",
    "patternPositions",
    "requests",
    "noEcho",
    "delta",
    "clock",
    "resources",
]
_WITHOUT = {
    "sse": "the client reads NDJSON instead",
    "tabs": "Python has no tabs",
    "pageLife": "Python has no pages",
}
_TRANSPORTS = {"webSocket": "websocket", "httpStream": "http-stream", "longPoll": "long-poll"}
_TRANSPORT_NAMES = {value: name for name, value in _TRANSPORTS.items()}

_lock = threading.Lock()


class UseError(Exception):
    """A command that the driver cannot execute, with the code of the answer."""

    def __init__(self, code: str, reason: str = "") -> None:
        super().__init__(reason or code)
        self.code = code


def write(**line: Any) -> None:
    """Writes one line, without members that are None."""
    text = json.dumps({name: value for name, value in line.items() if value is not None}, ensure_ascii=False)
    with _lock:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def hello(face: str) -> None:
    write(
        op="hello",
        driver=f"python-{face}",
        protocol=1,
        runtime=f"python {platform.python_version()}",
        capabilities=_CAPABILITIES,
        without=_WITHOUT,
    )


def answer(command: Line, **members: Any) -> None:
    write(op="answer", id=command["id"], **members)


def memory_bytes() -> int:
    """Returns the memory of live objects that were made since the first call."""
    if not tracemalloc.is_tracing():
        tracemalloc.start(1)
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def answer_error(command: Line, error: Exception) -> None:
    """Answers a command that the client, or the driver, did not accept."""
    code = error.code if isinstance(error, (UseError, belfry.BelfryError)) else "failed"
    answer(command, error=code or "failed", reason=str(error))


def options_of(command: Line, clock: Callable[[], float]) -> dict[str, Any]:
    """Returns the arguments of ``connect`` except the token and the callback for statuses."""
    options: dict[str, Any] = {}
    if "transports" in command:
        options["transport"] = [_TRANSPORTS[name] for name in command["transports"]]
    if "encoding" in command:
        options["encoding"] = command["encoding"]
    options["compression"] = command.get("compression", False)
    if "retryMaxMillis" in command:
        longest = command["retryMaxMillis"] / 1000
        options["reconnect"] = belfry.ReconnectPolicy(
            quick_pause=min(0.5, longest),
            first_pause=min(1.0, longest),
            longest_pause=longest,
            avoid_failed_for=longest,
        )
    limits = {"connect": "connectTimeoutMillis", "publish": "publishTimeoutMillis", "ping_interval": "pingMillis"}
    given = {name: command[member] / 1000 for name, member in limits.items() if member in command}
    options["timeouts"] = belfry.Timeouts(**given)
    if "pendingCount" in command:
        options["bounds"] = belfry.Bounds(pending_publishes=command["pendingCount"])
    if command.get("keepSession"):
        options["keep_session"] = True
    if "clientName" in command:
        options["client_name"] = command["clientName"]
    if command.get("clock"):
        options["clock"] = clock
    return options


def servers_of(command: Line) -> list[belfry.Server]:
    return [belfry.Server(server["url"], server.get("weight", 1)) for server in command["servers"]]


def subscription_of(command: Line) -> dict[str, Any]:
    """Returns the arguments of ``subscribe`` except the subject and the callback."""
    options: dict[str, Any] = {}
    if "from" in command:
        options["start"] = command["from"]
    if "history" in command:
        options["history"] = command["history"]
    if "conflateMillis" in command:
        options["conflate"] = command["conflateMillis"] / 1000
    if command.get("deltas"):
        options["deltas"] = True
    if "bufferCount" in command:
        options["buffer"] = command["bufferCount"]
    return options


def data_of(command: Line) -> bytes:
    if "text" in command:
        text: str = command["text"]
        return text.encode()
    return base64.b64decode(command["base64"])


def publish_options(command: Line) -> dict[str, Any]:
    return {
        "retain": command.get("retain", False),
        "msg_id": command.get("msgId"),
        "once": command.get("once", False),
        "headers": command.get("headers"),
        "ttl": command["ttl"] / 1000 if "ttl" in command else None,
        "echo": not command.get("noEcho", False),
    }


def write_item(client: str, sub: str, item: belfry.Item[bytes]) -> None:
    if isinstance(item, belfry.Gap):
        members = {"from": item.after and str(item.after), "to": item.to and str(item.to)}
        write(op="gap", client=client, sub=sub, subject=item.subject, reason=item.reason, **members)
        return
    try:
        data = {"text": item.data.decode()}
    except UnicodeDecodeError:
        data = {"base64": base64.b64encode(item.data).decode()}
    write(
        op="message",
        client=client,
        sub=sub,
        subject=item.subject,
        position=str(item.position),
        type=item.type.value,
        retained=item.retained,
        headers=dict(item.headers),
        publisher=item.publisher,
        **data,
    )


def write_result(command: Line, result: belfry.Position | BaseException) -> None:
    """Writes the outcome of a publish."""
    if isinstance(result, belfry.Position):
        write(op="acked", id=command["id"], client=command["client"], position=str(result))
    elif isinstance(result, belfry.PublishError):
        kind = result.outcome.value
        members = {"kind": kind, "code": result.code or None, "reason": result.reason}
        write(op="failed", id=command["id"], client=command["client"], **members)


def write_reply(command: Line, result: belfry.Message[bytes] | BaseException) -> None:
    """Writes the outcome of a request."""
    if isinstance(result, belfry.Message):
        write(
            op="replied", id=command["id"], client=command["client"], subject=result.subject, text=result.data.decode()
        )
    elif isinstance(result, belfry.NoReplyError):
        members = {"kind": "timed-out", "code": result.code, "reason": result.reason}
        write(op="failed", id=command["id"], client=command["client"], **members)
    elif isinstance(result, belfry.BelfryError):
        kind = "closed" if isinstance(result, belfry.ClosedError) else "refused"
        if isinstance(result, belfry.PublishError):
            kind = result.outcome.value
        code = result.code or None
        write(op="failed", id=command["id"], client=command["client"], kind=kind, code=code, reason=result.reason)


def write_status(client: str, status: belfry.Status) -> None:  # noqa: C901 - one line per status
    match status:
        case belfry.Connecting() | belfry.Connected():
            state = "connecting" if isinstance(status, belfry.Connecting) else "connected"
            _status(client, state, server=status.server, transport=_TRANSPORT_NAMES[status.transport])
        case belfry.Disconnected():
            millis = round(status.retry_in * 1000)
            _status(client, "disconnected", code=status.code, reason=status.reason, retryMillis=millis)
        case belfry.Refused():
            _status(client, "refused", code=status.code, reason=status.reason)
        case belfry.SubscribedByServer():
            _status(client, "subscribedByServer", subject=status.subject)
        case belfry.Stale():
            _status(client, "stale", stale=status.stale)
        case belfry.TokenToExpire():
            _status(client, "tokenToExpire", afterMillis=round(status.after * 1000))
        case belfry.ReconnectAsked():
            _status(client, "reconnectAsked", afterMillis=round(status.after * 1000), reason=status.reason)
        case belfry.Closed():
            _status(client, "closed")
        case belfry.Subscribed():
            position = status.position and str(status.position)
            recovery = status.recovery.value
            write(op="subscribed", client=client, subject=status.subject, recovery=recovery, position=position)
        case belfry.SubscribeRefused():
            write(op="ended", client=client, subject=status.subject, code=status.code, reason=status.reason)
        case belfry.CallbackFailed():
            write(op="error", client=client, kind="listener", code=status.callback, reason=repr(status.error))
        case belfry.TokenFailed():
            write(op="error", client=client, kind="token", code="token-failed", reason=repr(status.error))
        case belfry.CommandFailed():
            write(op="error", client=client, kind="command", code=status.code, reason=status.reason)
        case _:
            pass


def _status(client: str, state: str, **members: Any) -> None:
    write(op="status", client=client, state=state, **members)


class Thrower:
    """Writes items, and raises an exception after every Nth message if the command asks for it."""

    def __init__(self, command: Line) -> None:
        self._client = command["client"]
        self._subject = command["subject"]
        self._every = command.get("throwsEvery", 0)
        self._count = 0

    def __call__(self, item: belfry.Item[bytes]) -> None:
        write_item(self._client, self._subject, item)
        if isinstance(item, belfry.Message):
            self._count += 1
            if self._every and self._count % self._every == 0:
                raise ValueError(f"message {self._count}, as the command asks")
