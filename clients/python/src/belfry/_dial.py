"""Opens TCP connections. ``loop.create_connection`` with staggered attempts leaks a socket when it is cancelled."""

from __future__ import annotations

import asyncio
import ipaddress
import itertools
import socket
from typing import Final

_ADDRESS_MAX: Final = 2.0
"""Maximum time, in seconds, for an address that is not the last one."""

AddressInfo = tuple[int, tuple[object, ...]]
"""The family and the address of a socket."""


async def dial(host: str, port: int) -> socket.socket:
    """Returns a connected socket to the first of the host's addresses that accepts the connection."""
    addresses = await _addresses(host, port)
    failures: list[str] = []
    for index, (family, address) in enumerate(addresses):
        last = index == len(addresses) - 1
        try:
            return await _connected(family, address, None if last else _ADDRESS_MAX)
        except (OSError, TimeoutError) as error:
            failures.append(f"{address[0]}: {error or 'no answer'}")
    raise OSError("; ".join(failures))


async def _addresses(host: str, port: int) -> list[AddressInfo]:
    """Returns the addresses of a host, those of IPv6 and IPv4 in turn. An address in digits needs no lookup."""
    try:
        version = ipaddress.ip_address(host).version
    except ValueError:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    else:
        return [(socket.AF_INET6, (host, port, 0, 0))] if version == 6 else [(socket.AF_INET, (host, port))]
    families: dict[int, list[AddressInfo]] = {}
    for family, _, _, _, address in found:
        families.setdefault(family, []).append((family, address))
    turns = itertools.zip_longest(*families.values())
    return [info for turn in turns for info in turn if info is not None]


async def _connected(family: int, address: tuple[object, ...], seconds: float | None) -> socket.socket:
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setblocking(False)
        async with asyncio.timeout(seconds):
            await asyncio.get_running_loop().sock_connect(opened, address)
    except BaseException:
        opened.close()
        raise
    return opened
