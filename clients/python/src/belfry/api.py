"""The server API of Belfry for backends: publish, batches, lists, disconnect.

The client blocks, and uses only the standard library. The calls are described in ``docs/server-api.md`` of the project.
With ``Api.Nodes`` calls about sessions and subjects concern all nodes, otherwise the node that is called.
"""

from __future__ import annotations

import base64
import http.client
import json
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final

from ._settings import ttl_ms

__all__ = ["Api", "ApiError", "IncompleteError", "Outcome", "Publish"]

_JSON: Final = "application/json"
_LINES: Final = "application/x-ndjson"


class ApiError(Exception):
    """A call was refused. ``code`` is stable, and ``status`` is that of HTTP."""

    def __init__(self, status: int, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.status = status
        self.code = code
        self.reason = reason


class IncompleteError(ApiError):
    """Some nodes did not execute the call; the others did. ``failed`` has the nodes with code and reason.

    ``done`` is what the call would have returned. Repeat the call until no node is missing.
    """

    def __init__(self, done: int, failed: list[dict[str, Any]]) -> None:
        super().__init__(503, "node-unreachable", "; ".join(f"{each['node']}: {each['reason']}" for each in failed))
        self.done = done
        self.failed = failed


@dataclass(frozen=True, slots=True)
class Publish:
    """A message to publish. A repeat of ``msg_id`` on the subject is not delivered again."""

    subject: str
    data: str | bytes
    retain: bool = False
    msg_id: str | None = None
    ttl: float | None = None
    """Time in seconds after which the message is not delivered any more."""
    headers: Mapping[str, str] | None = None
    """Headers of the message, which the server checks."""

    def members(self) -> dict[str, object]:
        """Returns the members of the JSON object of this message."""
        return {"subject": self.subject, **_content(self.data, self.retain, self.msg_id, self.ttl, self.headers)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one publish: a position, or the code and the reason of a refusal."""

    subject: str
    epoch: int = 0
    seq: int = 0
    code: str | None = None
    reason: str | None = None

    @property
    def accepted(self) -> bool:
        """Whether the message is in the history."""
        return self.code is None


class Api:
    """One connection to the server API of one node. Not for several threads at the same time.

    ``url`` is the address of ``Api.Listen``, such as ``http://127.0.0.1:4001``; ``key`` is one of ``Api.KeyFile``. The
    connection is opened by the first call and again after it was closed. No call is repeated: after an ``OSError`` the
    outcome of a publish is unknown, and a repeat with the same ``msg_id`` is delivered once.
    """

    def __init__(self, url: str, key: str, *, timeout: float = 30.0) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"url must be http://HOST:PORT or https://HOST:PORT, not {url!r}")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=timeout)
        self._path = parts.path.rstrip("/")
        self._key = key

    def __enter__(self) -> Api:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def publish(
        self,
        subject: str,
        data: str | bytes,
        *,
        retain: bool = False,
        msg_id: str | None = None,
        ttl: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Publishes one message and returns its position; raises :class:`ApiError` if it is refused."""
        answer = self._post("/v1/publish", Publish(subject, data, retain, msg_id, ttl, headers).members())
        return _outcome(subject, answer)

    def publish_all(self, messages: Iterable[Publish]) -> list[Outcome]:
        """Publishes a batch, at most ``Api.BatchLines`` messages, and returns an outcome for each, in order."""
        batch = list(messages)
        if not batch:
            return []
        body = "".join(json.dumps(each.members()) + "\n" for each in batch).encode()
        lines = self._call("POST", "/v1/publish", body, _LINES).decode().splitlines()
        return [_outcome(each.subject, json.loads(line)) for each, line in zip(batch, lines, strict=True)]

    def broadcast(
        self,
        subjects: Iterable[str],
        data: str | bytes,
        *,
        retain: bool = False,
        msg_id: str | None = None,
        ttl: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> list[Outcome]:
        """Publishes one message to at most 1,000 subjects and returns an outcome for each, in order."""
        names = list(subjects)
        answer = self._post("/v1/broadcast", {"subjects": names, **_content(data, retain, msg_id, ttl, headers)})
        return [_outcome(name, each) for name, each in zip(names, answer["results"], strict=True)]

    def subjects(self, pattern: str | None = None) -> Iterator[dict[str, Any]]:
        """Yields the subjects, page after page; raises :class:`IncompleteError` where a node did not answer."""
        return self._pages("/v1/subjects", "subjects", {"pattern": pattern})

    def subjects_named(self, subjects: Iterable[str]) -> list[dict[str, Any]]:
        """Returns those of at most 1,000 subjects that exist."""
        answer = self._post("/v1/subjects", {"subjects": list(subjects)})
        found: list[dict[str, Any]] = answer["subjects"]
        if answer.get("failed"):
            raise IncompleteError(len(found), answer["failed"])
        return found

    def sessions(
        self, *, user: str | None = None, subject: str | None = None, state: str | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yields the sessions, page after page; raises :class:`IncompleteError` where those of a node are missing."""
        return self._pages("/v1/sessions", "sessions", {"user": user, "subject": subject, "state": state})

    def session(self, name: str) -> dict[str, Any]:
        """Returns one session with its subscriptions."""
        return self._get("/v1/sessions/" + urllib.parse.quote(name, safe=""), {})

    def history(self, subject: str, *, after: str | None = None, limit: int = 100) -> dict[str, Any]:
        """Returns stored messages of a subject, oldest first, after the position ``epoch:seq``."""
        return self._get("/v1/history", {"subject": subject, "after": after, "limit": str(limit)})

    def presence(self, subject: str) -> dict[str, Any]:
        """Returns the members of a subject with presence; without ``members`` there are more than followers get."""
        return self._get("/v1/presence", {"subject": subject})

    def remove_history(self, subject: str) -> Outcome:
        """Removes the stored messages of a subject, on all nodes; returns the position of the removal."""
        target = "/v1/history?" + urllib.parse.urlencode({"subject": subject})
        return _outcome(subject, json.loads(self._call("DELETE", target)))

    def disconnect(
        self,
        *,
        user: str | None = None,
        session: str | None = None,
        reason: str | None = None,
        reconnect: bool = False,
        except_session: str | None = None,
    ) -> int:
        """Closes the sessions of a user, or one session; returns their number."""
        answer = self._post(
            "/v1/disconnect",
            _present(user=user, session=session, reason=reason)
            | _present(**{"except": except_session})
            | ({"reconnect": True} if reconnect else {}),
        )
        return _number(answer, "disconnected")

    def subscribe(self, subjects: Iterable[str], *, user: str | None = None, session: str | None = None) -> int:
        """Subscribes the sessions of a user, or one session, within their permissions; returns the begun ones."""
        answer = self._post("/v1/subscribe", {"subjects": list(subjects), **_present(user=user, session=session)})
        return _number(answer, "subscribed")

    def unsubscribe(self, subjects: Iterable[str], *, user: str | None = None, session: str | None = None) -> int:
        """Ends subscriptions of a user, or of one session; returns their number."""
        answer = self._post("/v1/unsubscribe", {"subjects": list(subjects), **_present(user=user, session=session)})
        return _number(answer, "unsubscribed")

    def revoke(
        self,
        until_millis: int,
        *,
        user: str | None = None,
        jti: str | None = None,
        issued_before_millis: int | None = None,
    ) -> int:
        """Revokes the tokens of a user, one token, or all that were issued before a time; returns the closed sessions.

        ``until_millis`` is the time, in ms since 1970, at which the last of these tokens has expired.
        """
        times: dict[str, object] = {"until": until_millis}
        if issued_before_millis is not None:
            times["issuedBefore"] = issued_before_millis
        return _number(self._post("/v1/revoke", {**_present(user=user, jti=jti), **times}), "disconnected")

    def nodes(self) -> list[dict[str, Any]]:
        """Returns the nodes that this node knows."""
        nodes: list[dict[str, Any]] = self._get("/v1/nodes", {})["nodes"]
        return nodes

    def drain(self, node: str, *, over_millis: int = 10_000) -> None:
        """Asks the sessions of a node to reconnect elsewhere."""
        self._post(f"/v1/nodes/{urllib.parse.quote(node, safe='')}/drain", {"overMillis": over_millis})

    def _pages(self, path: str, name: str, parameters: Mapping[str, str | None]) -> Iterator[dict[str, Any]]:
        after: str | None = None
        while True:
            page = self._get(path, {**parameters, "limit": "1000", "after": after})
            yield from page[name]
            if page.get("failed"):
                raise IncompleteError(len(page[name]), page["failed"])
            after = page.get("next")
            if after is None:
                return

    def _get(self, path: str, parameters: Mapping[str, str | None]) -> dict[str, Any]:
        query = urllib.parse.urlencode({name: value for name, value in parameters.items() if value is not None})
        answer: dict[str, Any] = json.loads(self._call("GET", path + ("?" + query if query else "")))
        return answer

    def _post(self, path: str, members: Mapping[str, object]) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._call("POST", path, json.dumps(members).encode(), _JSON))
        return answer

    def _call(self, method: str, target: str, body: bytes | None = None, kind: str | None = None) -> bytes:
        headers = {"Authorization": "Bearer " + self._key}
        if kind is not None:
            headers["Content-Type"] = kind
        try:
            self._connection.request(method, self._path + target, body, headers)
            response = self._connection.getresponse()
            data = response.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise
        if response.status != 200:
            raise _fault(response.status, data)
        return data


def _content(
    data: str | bytes, retain: bool, msg_id: str | None, ttl: float | None, headers: Mapping[str, str] | None
) -> dict[str, object]:
    members: dict[str, object] = (
        {"data": data} if isinstance(data, str) else {"base64": base64.b64encode(data).decode("ascii")}
    )
    if retain:
        members["retain"] = True
    if msg_id is not None:
        members["msgId"] = msg_id
    if ttl is not None:
        members["ttl"] = ttl_ms(ttl)
    if headers:
        members["headers"] = dict(headers)
    return members


def _present(**members: str | None) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}


def _number(answer: Mapping[str, Any], name: str) -> int:
    number = int(answer[name])
    if answer.get("failed"):
        raise IncompleteError(number, list(answer["failed"]))
    return number


def _outcome(subject: str, answer: Mapping[str, Any]) -> Outcome:
    if "code" in answer:
        return Outcome(subject, code=answer["code"], reason=answer.get("reason"))
    return Outcome(subject, answer["epoch"], answer["seq"])


def _fault(status: int, data: bytes) -> ApiError:
    try:
        answer: Any = json.loads(data)
        return ApiError(status, str(answer["code"]), str(answer["reason"]))
    except (ValueError, KeyError, TypeError):
        return ApiError(status, "bad-http", "the answer is not one of the server API")
