"""A network between a client and a server that can be cut. Owner: the loop of the test."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType


def _abort(writers: set[asyncio.StreamWriter]) -> None:
    for writer in writers:
        writer.transport.abort()


class CuttingProxy:
    """Forwards connections. ``cut`` breaks them; ``cut_after`` breaks the next one after some bytes of the server."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self.cut_after: int | None = None
        self.swallow = False
        """Whether bytes of the server are dropped, as by a half-open connection."""
        self.connections = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    async def __aenter__(self) -> CuttingProxy:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        while self._tasks:
            self.cut()
            await asyncio.wait(self._tasks, timeout=0.1)

    def cut(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepting = asyncio.current_task()
        assert accepting is not None
        self._tasks.add(accepting)
        accepting.add_done_callback(self._tasks.discard)
        self.connections += 1
        limit, self.cut_after = self.cut_after, None
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, far_writer}
        self._writers |= ends
        for task in (
            asyncio.create_task(self._pump(reader, far_writer, None, False)),
            asyncio.create_task(self._pump(far_reader, writer, limit, True)),
        ):
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            task.add_done_callback(lambda _: _abort(ends))

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limit: int | None, from_server: bool
    ) -> None:
        with contextlib.suppress(ConnectionError, OSError):
            while data := await reader.read(65536):
                if from_server and self.swallow:
                    continue
                writer.write(data if limit is None else data[:limit])
                await writer.drain()
                if limit is not None:
                    limit -= len(data)
                    if limit <= 0:
                        return
        self._writers.discard(writer)
