"""Measures how many messages per second one client receives on one core: binary encoding, 100 bytes each.

Arguments: URL of a server [--messages N] [--face asyncio|blocking|both] [--rounds N]. The messages are in the history
of the server before the measured subscription begins, so the server and the publisher do not limit the client.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import statistics
import time
import uuid

import belfry
from belfry import blocking

_BURST = 500


async def publish(url: str, subject: str, messages: int, size: int) -> None:
    """Fills the history of a subject."""
    async with belfry.connect(url) as client:
        for start in range(0, messages, _BURST):
            count = min(_BURST, messages - start)
            await asyncio.gather(*(client.publish(subject, bytes(size)) for _ in range(count)))


async def receive(url: str, subject: str, messages: int) -> None:
    async with belfry.connect(url, transport="websocket") as client:
        left = messages
        async for item in client.subscribe(subject, history=messages):
            assert isinstance(item, belfry.Message), item
            left -= 1
            if not left:
                return


def receive_blocking(url: str, subject: str, messages: int) -> None:
    with blocking.connect(url, transport="websocket") as client:
        left = messages
        for item in client.subscribe(subject, history=messages):
            assert isinstance(item, belfry.Message), item
            left -= 1
            if not left:
                return


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(face: str, url: str, subject: str, messages: int) -> tuple[float, float]:
    """Returns messages per second of time and per second of CPU."""
    began, cpu = time.perf_counter(), cpu_seconds()
    if face == "asyncio":
        asyncio.run(receive(url, subject, messages))
    else:
        receive_blocking(url, subject, messages)
    return messages / (time.perf_counter() - began), messages / (cpu_seconds() - cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--messages", type=int, default=300_000)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--face", choices=["asyncio", "blocking", "both"], default="both")
    options = parser.parse_args()
    subject = f"/throughput/{uuid.uuid4().hex}"
    asyncio.run(publish(options.url, subject, options.messages, options.size))
    faces = ["asyncio", "blocking"] if options.face == "both" else [options.face]
    for face in faces:
        rates = []
        for _ in range(options.rounds):
            by_time, by_cpu = measure(face, options.url, subject, options.messages)
            rates.append(by_time)
            print(f"{face}: {by_time:,.0f} messages/s, {by_cpu:,.0f} messages per second of CPU")
        load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
        print(f"{face}: median {statistics.median(rates):,.0f} messages/s; load average {load}")


if __name__ == "__main__":
    main()
