from __future__ import annotations

import asyncio
import random

import pytest

import belfry
from belfry_server import BelfryServer
from cutting_proxy import CuttingProxy
from meddling_proxy import MeddlingProxy
from test_asyncio import FAST, take, texts

TRANSPORTS = ["http-stream", "long-poll"]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_messages_history_and_snapshots(server: BelfryServer, subject: str, transport: str) -> None:
    async with belfry.connect(server.url) as other, belfry.connect(server.url, transport=transport) as client:
        await other.publish(subject, "kept", retain=True)
        await other.publish(subject, "1")
        last = await other.publish(subject, "2")
        subscription = client.subscribe(subject, history=1)
        recovery, position = await asyncio.wait_for(subscription.ready(), 10)
        assert recovery is belfry.Recovery.NONE
        assert position == last
        published = await client.publish(subject, "grün & 100% + #", msg_id="a/b?c&d")
        assert published.seq == last.seq + 1
        found = await take(subscription, 3)
        assert texts(found) == ["kept", "2", "grün & 100% + #"]
        assert [item.type.value for item in found if isinstance(item, belfry.Message)][:2] == ["snapshot", "history"]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_nothing_is_lost_or_repeated_under_cuts(server: BelfryServer, subject: str, transport: str) -> None:
    draw = random.Random(6)
    async with (
        CuttingProxy(server.port) as proxy,
        belfry.connect(server.url) as publisher,
        belfry.connect(proxy.url, transport=transport, reconnect=FAST) as client,
    ):
        first, second = client.subscribe(subject), client.subscribe(subject + "/2")
        await asyncio.wait_for(first.ready(), 10)
        await asyncio.wait_for(second.ready(), 10)

        async def publish() -> None:
            for i in range(500):
                await publisher.publish(subject, str(i))
                await publisher.publish(subject + "/2", str(i))

        publishing = asyncio.create_task(publish())
        found: list[str] = []
        while len(found) < 500:
            if draw.random() < 0.02:
                proxy.cut_after = draw.randrange(1, 3000)
                proxy.cut()
            found += texts(await take(first, 1))
        await publishing
        assert found == [str(i) for i in range(500)]
        assert texts(await take(second, 500)) == found


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_publishes_are_repeated_and_delivered_once(server: BelfryServer, subject: str, transport: str) -> None:
    draw = random.Random(7)
    async with CuttingProxy(server.port) as proxy, belfry.connect(server.url) as reader:
        subscription = reader.subscribe(subject)
        await subscription.ready()
        async with belfry.connect(proxy.url, transport=transport, reconnect=FAST) as client:
            futures = []
            for i in range(300):
                futures.append(client.publish(subject, str(i)))
                if draw.random() < 0.03:
                    await asyncio.sleep(0.02)
                    proxy.cut()
                await asyncio.sleep(0)
            async with asyncio.timeout(30):
                await asyncio.gather(*futures)
        assert sorted(texts(await take(subscription, 300)), key=int) == [str(i) for i in range(300)]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_pattern_loses_and_repeats_nothing_of_old_and_new_subjects(
    server: BelfryServer, subject: str, transport: str
) -> None:
    async with (
        CuttingProxy(server.port) as proxy,
        belfry.connect(server.url) as publisher,
        belfry.connect(proxy.url, transport=transport, reconnect=FAST) as client,
    ):
        subscription = client.subscribe(subject + "/*")
        await asyncio.wait_for(subscription.ready(), 10)
        for number in range(60):
            if number % 10 == 5:
                proxy.cut()
            await publisher.publish(f"{subject}/{number // 10}", str(number))
            await asyncio.sleep(0.02)
        items = await take(subscription, 60)
        await asyncio.sleep(0.3)
        assert not len(subscription._buffer)
    assert sorted(texts(items), key=int) == [str(number) for number in range(60)]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_subscriptions_change_without_loss(server: BelfryServer, subject: str, transport: str) -> None:
    async with belfry.connect(server.url) as publisher, belfry.connect(server.url, transport=transport) as client:
        subscription = client.subscribe(subject)
        await asyncio.wait_for(subscription.ready(), 10)
        for i in range(60):
            await publisher.publish(subject, str(i))
            if i % 10 == 0:
                client.subscribe(f"{subject}/{i}")
            if i % 10 == 5:
                await asyncio.sleep(0.02)
        assert texts(await take(subscription, 60)) == [str(i) for i in range(60)]


@pytest.mark.parametrize(("holds_streams", "expected"), [(False, "http-stream"), (True, "long-poll")])
async def test_the_client_falls_back_to_what_works(
    server: BelfryServer, subject: str, holds_streams: bool, expected: str
) -> None:
    statuses: list[belfry.Status] = []
    async with MeddlingProxy(server.port, holds_streams) as proxy:
        client = belfry.connect(
            proxy.url, on_status=statuses.append, reconnect=FAST, timeouts=belfry.Timeouts(connect=0.5)
        )
        async with client:
            subscription = client.subscribe(subject)
            await asyncio.wait_for(subscription.ready(), 10)
            await client.publish(subject, "1")
            assert texts(await take(subscription, 1)) == ["1"]
            assert [s.transport for s in statuses if isinstance(s, belfry.Connected)] == [expected]
            # A message arrived: the next attempt begins with this transport.
            attempts = len([s for s in statuses if isinstance(s, belfry.Connecting)])
            client._runner.connection_lost(max(client._runner._connections), None)
            await client.publish(subject, "2")
            later = [s.transport for s in statuses if isinstance(s, belfry.Connecting)][attempts:]
            assert later in ([], [expected])


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_refused_subject_ends_its_subscription_only(server: BelfryServer, subject: str, transport: str) -> None:
    async with belfry.connect(server.url, transport=transport) as client:
        watch = client.watch(subject)
        with pytest.raises(belfry.SubscribeError, match="unsupported"):
            await asyncio.wait_for(anext(watch), 10)


@pytest.mark.own_server
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_wrong_token_may_not_publish(subject: str, transport: str) -> None:
    with BelfryServer(EntitlementAllowToken="right-token") as own:
        async with belfry.connect(own.url, token="wrong-token", transport=transport) as client:
            client.subscribe(subject)
            with pytest.raises(belfry.PublishError):
                await asyncio.wait_for(client.publish(subject, "x"), 10)
