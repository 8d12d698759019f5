"""Makes options, subscriptions and publishes from the arguments of both faces."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from . import _subjects
from ._address import Server, ServerAddress
from ._backoff import ReconnectPolicy
from ._codec import PublishCommand
from ._errors import PublishError, PublishOutcome
from ._headers import checked_headers
from ._inboxes import is_inbox
from ._model import Item, Position, T
from ._options import AUTO, Bounds, Encoding, Options, Timeouts, TokenCallback, Transport
from ._publishes import Publish, PublishResult
from ._runner import Runner
from ._status import CallbackFailed
from ._subscription import SubscribeOptions, SubscriptionState

TransportChoiceArgument: TypeAlias = Transport | str | Sequence[Transport | str]

_MSG_ID_BYTES_MAX = 64
_TTL_MS_MAX = 365 * 24 * 3_600_000


def options_of(
    servers: Sequence[str | Server],
    transport: TransportChoiceArgument,
    encoding: Encoding | str,
    compression: bool,
    keep_session: bool,
    client_name: str | None,
    token: str | TokenCallback | None,
    reconnect: ReconnectPolicy | None,
    timeouts: Timeouts | None,
    bounds: Bounds | None,
) -> Options:
    """Checks the arguments of ``connect``."""
    return Options(
        tuple(ServerAddress.parse(server) for server in servers),
        _transports(transport, client_name is not None),
        Encoding(encoding),
        compression,
        keep_session,
        client_name,
        token,
        reconnect or ReconnectPolicy(),
        timeouts or Timeouts(),
        bounds or Bounds(),
    )


def _transports(argument: TransportChoiceArgument, named: bool) -> tuple[Transport, ...]:
    if argument == "auto":
        return (Transport.WEBSOCKET,) if named else AUTO
    several = (argument,) if isinstance(argument, (Transport, str)) else argument
    try:
        return tuple(Transport(one) for one in several)
    except ValueError:
        known = ", ".join(one.value for one in Transport)
        raise ValueError(f"a transport must be auto or of {known}, not {argument!r}") from None


class SubscriptionMaker:
    """Makes the states of subscriptions from arguments."""

    def __init__(self, runner: Runner, bounds: Bounds) -> None:
        self._runner = runner
        self._bounds = bounds

    def make(
        self,
        subject: str,
        start: Position | str | None,
        history: int,
        conflate: float,
        decode: Callable[[bytes], T] | None,
        load: Callable[[], object] | None,
        buffer: int | None,
        key: str | None = None,
        deltas: bool = False,
    ) -> SubscriptionState[T]:
        if key is None and is_inbox(subject):
            raise ValueError(f"only request() follows an inbox, with its key: {subject!r}")
        pattern_start: str | None = None
        if isinstance(start, str):
            start, pattern_start = (None, start) if _subjects.is_pattern(subject) else (Position.parse(start), None)
        options = SubscribeOptions(
            start,
            history,
            round(conflate * 1000),
            load is not None,
            buffer or self._bounds.buffered_messages,
            self._bounds.buffered_bytes,
            pattern_start,
            deltas,
        )
        state = SubscriptionState(subject, options, decode, self._bounds.followed_subjects, self._decode_failed)
        state.load = load
        state.key = key
        return state

    def _decode_failed(self, subject: str, error: Exception) -> None:
        self._runner.report(CallbackFailed("decode", error, subject))


class PublishMaker:
    """Makes publishes with msgIds that no other client uses. Any thread."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._prefix = secrets.token_hex(8) + "-"
        self._ids = itertools.count(1)

    def make(
        self,
        subject: str,
        data: bytes | str,
        retain: bool,
        msg_id: str | None,
        once: bool,
        headers: Mapping[str, str] | None,
        ttl: float | None,
        done: PublishResult,
        echo: bool = True,
    ) -> Publish | None:
        """Returns an admitted publish; None after a refusal, which was passed to ``done``."""
        broken = _subjects.problem(subject, pattern_allowed=False)
        if broken:
            raise ValueError(f"{broken}: {subject!r}")
        id = next(self._ids)
        payload = data.encode() if isinstance(data, str) else bytes(data)
        chosen = self._msg_id(msg_id, once, id)
        terms = checked_headers(headers)
        origin = None if echo else self._runner.engine.origin.use()
        command = PublishCommand(subject, payload, retain, chosen, id, terms, ttl_ms(ttl), origin)
        publish = Publish(command, done)
        if self._runner.engine.publishes.admit(publish.bytes):
            return publish
        done(PublishError(PublishOutcome.TOO_MANY_PENDING, "", "too many publishes, or bytes, wait for their answers"))
        return None

    def _msg_id(self, chosen: str | None, once: bool, id: int) -> str | None:
        if chosen is None:
            return None if once else f"{self._prefix}{id:x}"
        if once:
            raise ValueError("a publish with a msg_id may be repeated; once and msg_id exclude each other")
        if not 1 <= len(chosen.encode()) <= _MSG_ID_BYTES_MAX:
            raise ValueError(f"a msg_id must have 1 to {_MSG_ID_BYTES_MAX} bytes")
        return chosen


def ttl_ms(ttl: float | None) -> int:
    """Returns the milliseconds of a time to live in seconds; raises ValueError if the server would refuse it."""
    millis = 0 if ttl is None else max(round(ttl * 1000), 1 if ttl > 0 else 0)
    if ttl is not None and not 0 <= ttl * 1000 <= _TTL_MS_MAX:
        raise ValueError(f"a ttl must be from 0 to {_TTL_MS_MAX // 1000} seconds, not {ttl}")
    return millis


def drain_to(runner: Runner, state: SubscriptionState[T], callback: Callable[[Item[T]], object]) -> None:
    """Passes the items of a buffer to a callback, until the subscription is paused."""
    while not state.is_paused:
        try:
            item = state.buffer.take()
        except IndexError:
            break
        try:
            callback(item)
        except Exception as error:
            runner.report(CallbackFailed("on_item", error, state.subject))
    if state.wants_room or state.wants_empty:
        runner.taken(state)
