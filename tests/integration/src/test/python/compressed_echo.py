"""Tests permessage-deflate as Autobahn's groups 12 and 13 do, with the package websockets.

Arguments: PORT ROUNDS. Prints 'ok' on success. For each kind of offer it sends texts and bytes of many sizes, whole and
in fragments. The path /echo must return them unchanged.
"""
import asyncio
import random
import sys

from websockets.asyncio.client import connect
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory as Deflate

URL = f"ws://127.0.0.1:{sys.argv[1]}/echo"
ROUNDS = int(sys.argv[2])
SIZES = [0, 1, 16, 64, 255, 256, 1024, 4096, 8192, 16384, 32768, 65536, 131072]
FRAGMENTS = [None, 1, 256, 1024, 32768]
ACCEPTED = [
    Deflate(),
    Deflate(client_max_window_bits=True),
    Deflate(client_max_window_bits=9),
    Deflate(client_no_context_takeover=True),
    Deflate(server_no_context_takeover=True),
    Deflate(server_no_context_takeover=True, client_no_context_takeover=True, client_max_window_bits=10),
    Deflate(server_max_window_bits=15),
]
DECLINED = [Deflate(server_max_window_bits=9), Deflate(server_max_window_bits=14, client_no_context_takeover=True)]

words = random.Random(12)


def json_like(size):
    text = "".join('{"name":"%s","value":%d},' % (words.choice(["bid", "ask", "größe", "🔔"]), words.randrange(10**6))
                   for _ in range(size // 20 + 1))
    return text[:size]


def half_random(size):
    return words.randbytes(size // 2) + bytes(size - size // 2)


def messages():
    for size in SIZES:
        yield json_like(size)
        yield "x" * size
        yield half_random(size)
        yield words.randbytes(size)


def fragments(message, size):
    return message if size is None else [message[i:i + size] for i in range(0, len(message), size)] or [message]


async def every_message_is_echoed(offer, compressed):
    async with connect(URL, extensions=[offer], compression=None, max_size=None) as socket:
        assert bool(socket.protocol.extensions) == compressed, (offer.get_request_params(), socket.protocol.extensions)
        for message in messages():
            # The server accepts 1,000 fragments or one per 64 bytes, so only short messages have fragments of one byte.
            for fragment in FRAGMENTS if len(message) <= 1024 else [None, 256, 1024, 32768]:
                await socket.send(fragments(message, fragment))
                assert await asyncio.wait_for(socket.recv(), 30) == message, (len(message), fragment)
    assert socket.close_code == 1000, socket.close_code


async def main():
    for _ in range(ROUNDS):
        for offer in ACCEPTED:
            await every_message_is_echoed(offer, True)
        for offer in DECLINED:
            await every_message_is_echoed(offer, False)


asyncio.run(main())
print("ok")
