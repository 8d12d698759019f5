"""A proxy that blocks WebSockets, and holds back streams if asked. Owner: the loop of the test."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType


class MeddlingProxy:
    """Answers upgrades itself with 200 and a page, like a proxy for web pages."""

    def __init__(self, target: int, holds_streams: bool) -> None:
        self.target = target
        self.port = 0
        self.requests: list[str] = []
        self._holds_streams = holds_streams
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    async def __aenter__(self) -> MeddlingProxy:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._serve(reader, writer)
        writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.requests.append(head.decode().split("\r\n")[0])
        if b"Upgrade: websocket" in head:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")
            await writer.drain()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        far_writer.write(head)
        try:
            await asyncio.gather(self._pump(reader, far_writer, False), self._pump(far_reader, writer, True))
        finally:
            far_writer.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, from_server: bool) -> None:
        held = False
        while data := await reader.read(65536):
            held = held or (self._holds_streams and from_server and b"ransfer-Encoding: chunked" in data)
            if not held:
                writer.write(data)
                await writer.drain()
        raise ConnectionError
