"""Keeps a client connected, without I/O: chooses the server, the transport and the time of each attempt.

Owner: the engine.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable
from random import Random
from typing import Final, Protocol

from ._address import ServerAddress
from ._backoff import ServerChoice
from ._codec import SessionRequest
from ._errors import RefusedError
from ._events import ConnectedEvent, ServerEvent
from ._link import Link
from ._links import new_link
from ._options import Options, TokenReason
from ._refusals import Cause, Ending, connect_refused
from ._silence import Silence
from ._status import (
    CommandFailed,
    Connected,
    Connecting,
    Disconnected,
    ReconnectAsked,
    Refused,
    Status,
    TokenFailed,
    TokenToExpire,
)
from ._subscription import PatternPositions, Wanted
from ._timers import Timer, Timers
from ._tokens import Tokens
from ._transports import TransportChoice

_WAKE_UP_PAUSE: Final = 0.2
"""Maximum pause, in seconds, before the next attempt after the device slept."""


class Network(Protocol):
    """The calls of a connector to its surroundings. No call may call the engine before it returns."""

    def open_connection(self, connection: int, address: ServerAddress) -> None: ...

    def write(self, connection: int, data: bytes) -> None: ...

    def close_connection(self, connection: int) -> None:
        """Closes a connection after the bytes written before; no input of it follows."""

    def ask_token(self, reason: TokenReason) -> None: ...

    def report(self, status: Status) -> None: ...


class Session(Protocol):
    """The user of the connection: it sends requests after the opening and receives the events."""

    def wanted(self, positions: PatternPositions) -> list[Wanted]:
        """Returns all subscriptions to request. Earlier confirmations are void."""
        ...

    def session_request(self) -> SessionRequest | None:
        """Returns what to request for the session of a new connection; None for nothing."""
        ...

    def is_kept(self) -> bool:
        """Whether the server keeps the session of this connection after the connection is lost."""
        ...

    def event(self, event: ServerEvent, only: str | None = None) -> None: ...

    def up(self) -> None:
        """The server has answered."""

    def writable(self) -> None:
        """The connection accepts publishes again."""

    def down(self, ending: Ending) -> None:
        """The connection ended, or the attempt failed."""

    def stopped(self, error: RefusedError) -> None:
        """The server refused the client permanently."""


class Phase(enum.Enum):
    IDLE = "idle"
    CONNECTING = "connecting"
    UP = "up"
    WAITING = "waiting"
    STOPPED = "stopped"


class Connector:
    """One connection after the other."""

    def __init__(self, options: Options, network: Network, session: Session, timers: Timers, random: Random) -> None:
        fixed = options.token if isinstance(options.token, str) else None
        self.link: Link | None = None
        self.phase = Phase.IDLE
        self.message_max: int | None = None
        """Maximum size of a message; None if unknown."""
        self._options = options
        self._network = network
        self._session = session
        self._timers = timers
        self._random = random
        self._tokens = Tokens(fixed, network.ask_token if callable(options.token) else None)
        self._choice = ServerChoice(options.servers, options.reconnect.avoid_failed_for, random)
        self._transports = TransportChoice(options.transports)
        self._silence = Silence(options.timeouts.assumed_ping_interval)
        self._connections = itertools.count(1)
        self._server = options.servers[0]
        self._attempt = 0
        self._plan = 0
        """Incremented with every attempt and end, so that answers to earlier questions have no effect."""
        self._up_since = 0.0
        self._deadline = 0.0
        self._reconnect_after: float | None = None
        self._wait: Timer | None = None
        self._wait_until = 0.0
        self._judging: Timer | None = None
        self._reading_paused = False
        self._reached = False
        """Whether a TCP connection of the current attempt was opened."""

    @property
    def is_up(self) -> bool:
        return self.phase is Phase.UP

    @property
    def transport(self) -> str:
        return self._transports.current.value

    def start(self) -> None:
        if self.phase is Phase.IDLE:
            self._connect()

    def stop(self) -> None:
        """Closes the connection; nothing follows."""
        self.phase = Phase.STOPPED
        self._plan += 1
        link, self.link = self.link, None
        if link is not None:
            link.finish()

    # Attempts

    def _connect(self) -> None:
        self.phase = Phase.CONNECTING
        self._plan += 1
        plan = self._plan
        self._server = self._choice.next(self._timers.now)
        self._reconnect_after = None
        self._reached = False
        self._network.report(Connecting(str(self._server), self.transport, self._attempt))
        self._deadline = self._timers.awake + self._options.timeouts.connect
        self._judge_next()
        self._tokens.request(TokenReason.CONNECT, lambda token, error: self._dial(plan, token, error))

    def _dial(self, plan: int, token: str | None, error: Exception | None) -> None:
        if error is not None:
            self._network.report(TokenFailed(error))
        if plan != self._plan:
            return
        if error is not None:
            self._ended(Ending(Cause.TOKEN_FAILED, f"the token callback failed: {error!r}"))
            return
        self.link = new_link(self._transports.current, self, self._server, self._options, token)
        self.link.open()

    def opened(self, connection: int) -> None:
        if self.link is not None and connection in self.link.connections:
            self._reached = True
            self._silence.read(self._timers.awake)
            self.link.connection_opened(connection)
            self._judge_next()

    def received(self, connection: int, data: bytes) -> None:
        link = self.link
        if link is not None and connection in link.connections:
            self._silence.read(self._timers.awake)
            link.received(connection, data)

    def lost(self, connection: int, ending: Ending) -> None:
        if self.link is not None and connection in self.link.connections:
            self.link.connection_lost(connection, ending)

    def greeted(self, event: ConnectedEvent) -> None:
        """Handles the server's answer to ``connect``."""
        self.ping_interval(event.ping_ms / 1000)
        self.message_max = event.max_message or None
        if self.link is not None:
            self.link.proven = True
        self._up(event.session, event.node)

    def _up(self, session: str, node: str) -> None:
        if self.phase is not Phase.CONNECTING:
            return
        self.phase = Phase.UP
        self._up_since = self._timers.now
        self._choice.worked(self._server)
        self._network.report(Connected(str(self._server), self.transport, session, node))
        self._session.up()
        self._judge_next()

    def connect_failed(self, code: str, reason: str, after: float) -> bool:
        """Handles an error that answers ``connect``. A client refused for a rate or for its name ends the connection.

        Returns False if the error is another one, or the connection is open.
        """
        ending = connect_refused(code, reason, after, has_name=self._options.client_name is not None)
        if ending is None or self.phase is not Phase.CONNECTING:
            return False
        self._abandon(ending)
        return True

    # The owner of the link

    def open_connection(self, address: ServerAddress) -> int:
        connection = next(self._connections)
        self._network.open_connection(connection, address)
        return connection

    def write(self, connection: int, data: bytes) -> None:
        self._network.write(connection, data)

    def close_connection(self, connection: int) -> None:
        self._network.close_connection(connection)

    def after(self, seconds: float, call: Callable[[], None]) -> Timer:
        return self._timers.after(seconds, call)

    def wanted(self, positions: PatternPositions) -> list[Wanted]:
        return self._session.wanted(positions)

    def session_request(self) -> SessionRequest | None:
        return self._session.session_request()

    def link_open(self) -> None:
        self._up("", "")

    def event(self, event: ServerEvent, only: str | None = None) -> None:
        self._session.event(event, only)

    def ping_interval(self, seconds: float) -> None:
        if seconds > 0:
            self._silence.interval = seconds
            self._judge_next()

    def link_writable(self) -> None:
        self._session.writable()

    def link_ended(self, ending: Ending) -> None:
        self._ended(ending)

    def message_arrived(self) -> None:
        self._transports.message_arrived()

    # Ends and pauses

    def _ended(self, ending: Ending) -> None:
        if self.phase not in (Phase.CONNECTING, Phase.UP):
            return
        was_up = self.is_up
        blocked = self._reached and self.link is not None and not self.link.proven
        self.phase = Phase.WAITING
        self.link = None
        self._plan += 1
        self._silence.interval = self._options.timeouts.assumed_ping_interval
        self._session.down(ending)
        if blocked and self._transports.fall_back(ending):
            self._wait_after(ending, 0.0)
            return
        if was_up:
            self._transports.connection_ended()
            if self._timers.now - self._up_since >= self._options.reconnect.stable_after:
                self._attempt = 0
        if ending.is_final and not (self._tokens.renewable and ending.is_about_token):
            self._refused(ending)
        else:
            self._connect_later(ending)

    def _refused(self, ending: Ending) -> None:
        self.phase = Phase.STOPPED
        self._network.report(Refused(str(self._server), ending.shown_code, ending.sentence))
        self._session.stopped(RefusedError(ending.shown_code, ending.sentence))

    def _connect_later(self, ending: Ending) -> None:
        if ending.is_about_token:
            self._tokens.refused()
        self._choice.avoid(self._server, self._timers.now, ending.retry_after)
        self._wait_after(ending, self._pause(ending) if self._reconnect_after is None else self._reconnect_after)

    def _wait_after(self, ending: Ending, pause: float) -> None:
        self._network.report(Disconnected(str(self._server), ending.shown_code, ending.sentence, pause))
        self._wait_for(pause)
        self._judge_next()

    def _wait_for(self, pause: float) -> None:
        if self._wait is not None:
            self._wait.cancel()
        self._wait_until = self._timers.now + pause
        self._wait = self.after(pause, self._wait_over)

    def _wait_over(self) -> None:
        self._wait = None
        if self.phase is Phase.WAITING:
            self._connect()

    def _pause(self, ending: Ending) -> float:
        policy = self._options.reconnect
        leaves = ending.concerns_server_only and self._choice.has_other(self._timers.now)
        asked = 0.0 if leaves else ending.retry_after
        # A refused token needs time to be replaced, and a server that asks clients to wait is overloaded: neither is
        # retried as quickly as a lost connection.
        slow = ending.is_about_token or ending.cause is Cause.TOKEN_FAILED or asked > 0
        counted = max(self._attempt, policy.quick_attempts) if slow else self._attempt
        self._attempt = counted + 1
        floor = policy.first_pause if ending.is_about_token else 0.0
        # Clients that were refused together got the same time to wait; the random pause of each begins after it.
        return asked + max(policy.pause(counted, self._random), floor)

    def retry_pause(self, attempt: int) -> float:
        """Returns the pause before a callback of the program is called again."""
        policy = self._options.reconnect
        return policy.pause(policy.quick_attempts + attempt, self._random)

    def reconnect_asked(self, after: float, reason: str) -> None:
        self._reconnect_after = after
        self._network.report(ReconnectAsked(after, reason))

    # Silence

    def woke_up(self) -> None:
        """Handles the end of the device's sleep: probes a connection that may have died instead of judging it."""
        if self.is_up and self.link is not None:
            self._silence.asked(self._timers.awake, probe=True)
            self.link.probe()
        elif self.phase is Phase.WAITING:
            pause = self._random.random() * _WAKE_UP_PAUSE
            if self._wait_until > self._timers.now + pause:
                self._wait_for(pause)
        self._judge_next()

    def pause_reading(self, paused: bool) -> None:
        """A client that does not read cannot judge the server's silence."""
        self._reading_paused = paused
        self._silence.read(self._timers.awake)
        self._judge_next()

    def _judge_next(self) -> None:
        """Schedules the next check at the earliest time at which something can be late."""
        if self._judging is not None:
            self._judging.cancel()
            self._judging = None
        time: float | None = None
        if self.phase is Phase.CONNECTING:
            time = self._deadline
        elif self.is_up and self.link is not None and self.link.expects_reads and not self._reading_paused:
            time = self._silence.next_check(self.link.can_ping)
        if time is not None:
            self._judging = self._timers.at_awake(time, self._judge)

    def _judge(self) -> None:
        self._judging = None
        awake = self._timers.awake
        if self.phase is Phase.CONNECTING and awake >= self._deadline:
            limit = self._options.timeouts.connect
            self._abandon(Ending(Cause.TIMED_OUT, f"{self._server} did not answer within {limit:g} s"))
        elif self.is_up and self.link is not None and self.link.expects_reads and not self._reading_paused:
            self._judge_silence(self.link, awake)
        self._judge_next()

    def _judge_silence(self, link: Link, awake: float) -> None:
        if self._silence.is_dead(awake, link.can_ping):
            if self._session.is_kept():
                link.keep_session()
            sentence = f"the server sent nothing for {self._silence.length(awake):.1f} s"
            self._abandon(Ending(Cause.TIMED_OUT, sentence))
        elif link.can_ping and self._silence.wants_ping(awake):
            self._silence.asked(awake)
            link.ping()

    def _abandon(self, ending: Ending) -> None:
        """Gives up the connection, or the attempt to connect."""
        if self.link is not None:
            self.link.fail(ending)
        else:
            self._ended(ending)

    # Tokens

    def token_answered(self, token: object, error: Exception | None) -> None:
        self._tokens.answered(token, error)

    def token_to_expire(self, after: float) -> None:
        self._network.report(TokenToExpire(after))
        if self._tokens.renewable:
            self._renew(self._plan, 0)

    def _renew(self, plan: int, attempt: int) -> None:
        if plan == self._plan:
            self._tokens.request(TokenReason.EXPIRING, lambda token, error: self._renewed(plan, attempt, token, error))

    def _renewed(self, plan: int, attempt: int, token: str | None, error: Exception | None) -> None:
        if error is not None:
            self._network.report(TokenFailed(error))
        if plan != self._plan or self.link is None:
            return
        if error is not None:
            self.after(self.retry_pause(attempt), lambda: self._renew(plan, attempt + 1))
        elif token is None:
            self._network.report(CommandFailed("token-to-expire", "the token callback returned no token"))
        else:
            self.link.renew(token)
