"""Runs a Belfry server for tests: on a free port, in a folder of its own, ended by its process id."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
_START_MAX = 60.0

# Processes that run at the same time search in different places.
_SEARCHED = itertools.count(random.randrange(5_000))


def free_port() -> int:
    """Returns a free port of loopback.

    A server binds it later, and again after a restart. It is therefore below the ports that an operating system gives
    to outgoing connections and for port 0, of which other tests take thousands.
    """
    while True:
        port = 10_000 + next(_SEARCHED) % 5_000
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def is_built() -> bool:
    """Whether ``mvn package`` has built the server."""
    return any((ROOT / "server/target").glob("*.jar"))


class BelfryServer:
    """One server process. It can be stopped, killed and started again on the same port."""

    def __init__(self, port: int | None = None, **settings: str) -> None:
        self.port = port or free_port()
        self.settings = settings
        self.url = f"ws://127.0.0.1:{self.port}"
        self._name = f"python-test-{self.port}"
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def _folder(self) -> str:
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="belfry-test-")
        return self._temporary.name

    def start(self) -> BelfryServer:
        fixed = {
            "Listen": f"127.0.0.1:{self.port}",
            "MonitorJMX.Listen": f"127.0.0.1:{free_port()}",
            "LogFolder": f"{self._folder}/logs",
            "Memory": "128MB",
            "Workgroups": "1",
        }
        command = [str(ROOT / "bin/belfry"), "run", "--name", self._name]
        for key, value in {**fixed, **self.settings}.items():
            command += ["--set", f"{key}={value}"]
        with open(f"{self._folder}/output", "ab") as output:
            environment = {**os.environ, "BELFRY_AOT_CACHE": "keep"}
            self._process = subprocess.Popen(command, cwd=self._folder, env=environment, stdout=output, stderr=output)
        self._await_ready()
        return self

    def _await_ready(self) -> None:
        end = time.monotonic() + _START_MAX
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health/ready", timeout=2):
                    return
            except OSError:
                time.sleep(0.1)
            if self._process is not None and self._process.poll() is not None:
                break
        raise RuntimeError("the server did not start:\n" + Path(f"{self._folder}/output").read_text()[-3000:])

    def stop(self) -> None:
        self._end(kill=False)

    def kill(self) -> None:
        self._end(kill=True)

    def _end(self, kill: bool) -> None:
        if self._process is not None:
            (self._process.kill if kill else self._process.terminate)()
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def __enter__(self) -> BelfryServer:
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        self.stop()
        for left in (ROOT / "run").glob(f"{self._name}.*"):
            left.unlink(missing_ok=True)
        if self._temporary is not None:
            self._temporary.cleanup()


def required() -> bool:
    """Whether a missing program fails the tests instead of skipping them."""
    return os.environ.get("TEST_TOOLS") == "required"
