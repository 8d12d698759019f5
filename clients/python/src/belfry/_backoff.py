"""The pauses between attempts to connect, and the choice of the server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from ._address import ServerAddress


@dataclass(frozen=True, slots=True)
class ReconnectPolicy:
    """The pauses between attempts to connect, in seconds.

    The first ``quick_attempts`` attempts wait up to ``quick_pause`` each. For later ones the upper bound doubles from
    ``first_pause`` to ``longest_pause``. A pause is drawn from the whole range, so that clients which lost the same
    server do not return together. A connection of ``stable_after`` resets the sequence. A failed server is avoided for
    ``avoid_failed_for`` while others are available.
    """

    quick_attempts: int = 3
    quick_pause: float = 0.5
    first_pause: float = 1.0
    longest_pause: float = 30.0
    stable_after: float = 10.0
    avoid_failed_for: float = 30.0

    def __post_init__(self) -> None:
        if self.quick_attempts < 0 or self.quick_pause < 0 or self.first_pause < 0:
            raise ValueError("attempts and pauses must not be negative")
        if self.longest_pause <= 0 or self.longest_pause < self.first_pause:
            raise ValueError("the longest pause must be positive and not shorter than the first")

    def pause(self, attempt: int, random: Random) -> float:
        """Returns the pause before an attempt; attempt 0 is the first after the last stable connection."""
        return random.random() * self._bound(attempt)

    def _bound(self, attempt: int) -> float:
        if attempt < self.quick_attempts:
            return self.quick_pause
        return min(self.longest_pause, self.first_pause * 2.0 ** min(attempt - self.quick_attempts, 64))


class ServerChoice:
    """Chooses the next server at random, by weight. Owner: the engine.

    Servers that failed recently are avoided; if all are, the one that has been avoided the longest is next.
    """

    def __init__(self, servers: Sequence[ServerAddress], avoid_for: float, random: Random) -> None:
        self._servers = list(servers)
        self._avoid_for = avoid_for
        self._random = random
        self._until: dict[ServerAddress, float] = {}

    def next(self, now: float) -> ServerAddress:
        for server in [server for server, until in self._until.items() if until <= now]:
            del self._until[server]
        free = [server for server in self._servers if server not in self._until]
        if not free:
            return min(self._until, key=lambda server: self._until[server])
        return self._random.choices(free, [server.weight for server in free])[0]

    def avoid(self, server: ServerAddress, now: float, at_least: float) -> None:
        """Avoids a server that failed or asked its clients to leave, at least for the time that it asked for."""
        self._until[server] = now + max(self._avoid_for, at_least)

    def has_other(self, now: float) -> bool:
        """Whether some server is not avoided."""
        return any(self._until.get(server, now) <= now for server in self._servers)

    def worked(self, server: ServerAddress) -> None:
        """Ends the avoidance of a server, because a connection to it succeeded."""
        self._until.pop(server, None)
