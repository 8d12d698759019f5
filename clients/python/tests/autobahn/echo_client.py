"""Echoes messages with the client's own framing, as Autobahn's fuzzing server requires of a client under test."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os

from belfry import _frames
from belfry._frames import Frame, FrameReader, FrameWriter
from belfry._handshake import accept_of
from belfry._http import ResponseHead, ResponseReader, request_head


class EchoClient:
    """One connection: returns every message and answers pings and closes as :class:`WebSocketLink` does."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._frames = FrameReader()
        self._out = FrameWriter()
        self.messages: list[str | bytes] = []

    async def run(self, target: str, host: str) -> None:
        data = await self._handshake(target, host)
        open_ = self._answer(data)
        while open_ and (data := await self._reader.read(1 << 18)):
            open_ = self._answer(data)
            await self._writer.drain()
        await self._await_end()

    async def _await_end(self) -> None:
        """Lets the server close the connection: after a reset or half a close the suite records no result."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2):
                while await self._reader.read(1 << 18):
                    pass

    async def _handshake(self, target: str, host: str) -> bytes:
        key = base64.b64encode(os.urandom(16)).decode()
        fields = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}")
        self._writer.write(request_head("GET", target, host, None, *fields))
        answer = ResponseReader()
        while not answer.upgraded:
            for part in answer.read(await self._reader.read(4096)):
                assert isinstance(part, ResponseHead)
                assert part.status == 101
                assert part.fields["sec-websocket-accept"] == accept_of(key)
        return answer.take_rest()

    def _answer(self, data: bytes) -> bool:
        """Answers the frames in some input; returns False after a close."""
        for frame in self._frames.read(data):
            if not self._answer_frame(frame):
                return False
        problem = self._frames.problem
        if problem is not None:
            self._writer.write(self._out.close(problem.close_code))
        return problem is None

    def _answer_frame(self, frame: Frame) -> bool:
        opcode, payload = frame
        if opcode == _frames.CLOSE:
            assert isinstance(payload, bytes)
            code, _ = _frames.close_code(payload)
            self._writer.write(self._out.close(1000 if code == _frames.NO_CODE else code))
            return False
        if opcode == _frames.PING:
            assert isinstance(payload, bytes)
            self._writer.write(self._out.frame(_frames.PONG, payload))
        elif opcode != _frames.PONG:
            self.messages.append(payload)
            data = payload.encode() if isinstance(payload, str) else payload
            self._writer.write(self._out.frame(opcode, data))
        return True


async def call(port: int, target: str) -> list[str | bytes]:
    """Opens one connection and echoes until it ends; returns the received messages."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    client = EchoClient(reader, writer)
    try:
        await client.run(target, f"127.0.0.1:{port}")
    except ConnectionError:
        pass
    finally:
        writer.transport.abort()
    return client.messages


async def run_all_cases(port: int, agent: str) -> int:
    """Runs the cases of a fuzzing server and lets it write its report; returns their number."""
    count = int((await call(port, "/getCaseCount"))[0])
    for case in range(1, count + 1):
        await call(port, f"/runCase?case={case}&agent={agent}")
    await call(port, f"/updateReports?agent={agent}")
    return count
