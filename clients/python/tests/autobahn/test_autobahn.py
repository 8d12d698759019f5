"""Autobahn's cases for clients, against the client's framing.

Needs a JDK, and in TEST_AUTOBAHN the class path of the suite and of Jython, joined by ``:``.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from belfry_server import free_port
from echo_client import call, run_all_cases

GROUPS = ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "10.*"]
SOME_LARGE = ["9.1.1", "9.1.2", "9.1.3", "9.2.1", "9.2.2", "9.2.3"]
WELL = {"OK", "INFORMATIONAL"}


@pytest.mark.skipif(not os.environ.get("TEST_AUTOBAHN"), reason="TEST_AUTOBAHN does not name the suite")
async def test_every_case_of_the_suite_passes_strictly(tmp_path: Path) -> None:
    full = os.environ.get("TEST_AUTOBAHN_CASES") == "full"
    port, server = await _fuzzing_server(tmp_path, [*GROUPS, *(["9.*"] if full else SOME_LARGE)])
    try:
        async with asyncio.timeout(1200 if full else 400):
            count = await run_all_cases(port, "belfry-python")
    finally:
        server.kill()
        server.wait()
    results = json.loads((tmp_path / "index.json").read_text())["belfry-python"]
    summary = Counter((result["behavior"], result["behaviorClose"]) for result in results.values())
    print(f"{count} cases: {dict(summary)}")
    failed = {case: result for case, result in results.items() if {result["behavior"], result["behaviorClose"]} - WELL}
    assert failed == {}
    assert count == len(results) >= 247


async def _fuzzing_server(folder: Path, cases: list[str]) -> tuple[int, subprocess.Popen[bytes]]:
    """Starts the fuzzing server. Another program may take the port before the server opens it, which takes seconds."""
    for _ in range(5):
        port = free_port()
        command = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dpython.cachedir.skip=true", "-cp"]
        command += [
            os.environ["TEST_AUTOBAHN"],
            "org.python.util.jython",
            str(Path(__file__).parent / "fuzzing_server.py"),
        ]
        with open(folder / "output", "wb") as output:  # noqa: ASYNC230 - nothing else runs on the loop
            server = subprocess.Popen(  # noqa: ASYNC220
                [*command, str(port), str(folder), *cases], stdout=output, stderr=output, cwd=folder
            )
        if await _is_open(port, server):
            return port, server
    raise AssertionError("the fuzzing server ended:\n" + (folder / "output").read_text()[-3000:])


async def _is_open(port: int, server: subprocess.Popen[bytes]) -> bool:
    """Waits until the server answers; returns whether it does."""
    async with asyncio.timeout(120):
        while server.poll() is None:
            try:
                await call(port, "/getCaseCount")
            except OSError:
                await asyncio.sleep(0.5)
            else:
                return server.poll() is None
    return False
