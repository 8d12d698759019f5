"""Tests Belfry with the package websockets: PORT COMPRESSED [SCHEME]. Prints 'ok', or fails with a traceback."""
import asyncio
import json
import sys

import websockets
from websockets.asyncio.client import connect
from websockets.sync.client import connect as connect_sync

PORT = int(sys.argv[1])
COMPRESSED = sys.argv[2] == "true"
SCHEME = sys.argv[3] if len(sys.argv) > 3 else "ws"
URL = f"{SCHEME}://127.0.0.1:{PORT}/"
JSON = "belfry.json.v1"
COUNT = 1000


async def receive(socket, op):
    event = json.loads(await asyncio.wait_for(socket.recv(), 30))
    assert event["op"] == op, event
    return event


async def messages_are_delivered_in_order():
    async with connect(URL, subprotocols=[JSON]) as subscriber, connect(URL) as publisher:
        assert subscriber.subprotocol == JSON
        assert publisher.subprotocol is None
        assert bool(subscriber.protocol.extensions) == COMPRESSED, subscriber.protocol.extensions
        await subscriber.send(json.dumps({"op": "subscribe", "id": 1, "subject": "/python"}))
        assert (await receive(subscriber, "subscribed"))["id"] == 1
        for i in range(COUNT):
            await publisher.send(json.dumps({"op": "publish", "subject": "/python", "data": f"message {i} \u00fc \U0001f514"}))
        last = None
        for i in range(COUNT):
            message = await receive(subscriber, "message")
            assert message["data"] == f"message {i} \u00fc \U0001f514", message
            assert last is None or message["seq"] == last + 1, message
            last = message["seq"]


async def a_ping_and_a_close_are_answered():
    async with connect(URL, subprotocols=[JSON]) as socket:
        await asyncio.wait_for(await socket.ping(), 30)
        await socket.send(json.dumps({"op": "ping", "id": 5}))
        assert (await receive(socket, "pong"))["id"] == 5
    assert socket.close_code == 1000, socket.close_code


async def fragments_form_one_command():
    command = json.dumps({"op": "publish", "id": 2, "subject": "/python/parts", "data": "x" * 60000})
    async with connect(URL, subprotocols=[JSON]) as socket:
        await socket.send(command[i:i + 1000] for i in range(0, len(command), 1000))
        assert (await receive(socket, "published"))["id"] == 2


async def a_binary_frame_closes_a_json_session():
    async with connect(URL, subprotocols=[JSON]) as socket:
        await socket.send(b"\x00 binary on a text session")
        try:
            await asyncio.wait_for(socket.recv(), 30)
            raise AssertionError("no close")
        except websockets.exceptions.ConnectionClosedError as closed:
            assert closed.rcvd.code == 1003, closed


async def many_clients_receive_a_message():
    async with connect(URL) as publisher:
        clients = [await connect(URL, subprotocols=[JSON]) for _ in range(100)]
        for client in clients:
            await client.send(json.dumps({"op": "subscribe", "id": 1, "subjects": ["/python/many", "/python/m/*"]}))
        for client in clients:
            await receive(client, "subscribed")
            await receive(client, "subscribed")
        await publisher.send(json.dumps({"op": "publish", "id": 1, "subject": "/python/many", "data": "one"}))
        await receive(publisher, "published")
        for client in clients:
            assert (await receive(client, "message"))["data"] == "one"
            await client.close()


def the_blocking_client_connects():
    with connect_sync(URL, subprotocols=[JSON]) as socket:
        socket.send(json.dumps({"op": "connect", "id": 1}))
        assert json.loads(socket.recv(timeout=30))["op"] == "connected"


async def main():
    await messages_are_delivered_in_order()
    await a_ping_and_a_close_are_answered()
    await fragments_form_one_command()
    await a_binary_frame_closes_a_json_session()
    await many_clients_receive_a_message()


asyncio.run(main())
the_blocking_client_connects()
print("ok")
