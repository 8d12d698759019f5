"""Addresses of servers. Immutable."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

_DEFAULT_PORT = 8800
_DEFAULT_TLS_PORT = 443
_ENCRYPTED = {"ws": False, "http": False, "wss": True, "https": True}


@dataclass(frozen=True, slots=True)
class Server:
    """A server and its share of the clients, relative to the weights of the other servers."""

    url: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The parsed address of one server."""

    encrypted: bool
    host: str
    port: int
    path: str = "/"
    weight: int = 1

    @classmethod
    def parse(cls, server: str | Server) -> ServerAddress:
        """Parses ``ws://host:port``; the schemes ``wss``, ``http`` and ``https`` are accepted too."""
        url, weight = (server.url, server.weight) if isinstance(server, Server) else (server, 1)
        parts = urlsplit(url)
        encrypted = _ENCRYPTED.get(parts.scheme)
        if encrypted is None or not parts.hostname or "@" in parts.netloc:
            raise ValueError(f"a server must be ws://host:port or wss://host:port, not {url!r}")
        if weight < 1:
            raise ValueError(f"a server's weight must be 1 or more, not {weight}")
        port = parts.port or (_DEFAULT_TLS_PORT if encrypted else _DEFAULT_PORT)
        return cls(encrypted, parts.hostname, port, parts.path or "/", weight)

    @property
    def host_header(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def path_of(self, resource: str) -> str:
        """Returns the path of one of the server's HTTP resources."""
        return self.path.rstrip("/") + resource

    def __str__(self) -> str:
        scheme = "wss" if self.encrypted else "ws"
        return f"{scheme}://{self.host_header}{'' if self.path == '/' else self.path}"
