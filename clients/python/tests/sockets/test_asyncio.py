from __future__ import annotations

import asyncio
import gc
import random

import pytest

import belfry
from belfry_server import BelfryServer
from cutting_proxy import CuttingProxy

FAST = belfry.ReconnectPolicy(quick_pause=0.02, first_pause=0.02, longest_pause=0.05, avoid_failed_for=0.05)


async def take(subscription: belfry.Subscription[bytes], count: int) -> list[belfry.Item[bytes]]:
    async with asyncio.timeout(20):
        return [await anext(subscription) for _ in range(count)]


def texts(items: list[belfry.Item[bytes]]) -> list[str]:
    return [item.data.decode() if isinstance(item, belfry.Message) else f"[{item.reason}]" for item in items]


@pytest.mark.parametrize("encoding", ["binary", "json"])
async def test_a_message_reaches_its_subscribers(server: BelfryServer, subject: str, encoding: str) -> None:
    async with belfry.connect(server.url, encoding=encoding) as client, client.subscribe(subject) as subscription:
        recovery, position = await subscription.ready()
        assert recovery is belfry.Recovery.NONE
        assert position is not None
        published = await client.publish(subject, b"\x00\xff" * 40_00)
        match await anext(subscription):
            case belfry.Message(subject=s, data=d, position=p, type=t):
                assert (s, d, p, t) == (subject, b"\x00\xff" * 40_00, published, belfry.MessageType.LIVE)
            case gap:
                pytest.fail(f"unexpected {gap}")


async def test_messages_between_subscribing_and_iterating_are_kept(server: BelfryServer, subject: str) -> None:
    async with belfry.connect(server.url) as client:
        subscription = client.subscribe(subject)
        await subscription.ready()
        for i in range(100):
            await client.publish(subject, str(i))
        assert texts(await take(subscription, 100)) == [str(i) for i in range(100)]


async def test_history_snapshot_conflate_and_decode(server: BelfryServer, subject: str) -> None:
    async with belfry.connect(server.url) as client:
        await client.publish(subject, '{"n": 0}', retain=True)
        for n in range(1, 4):
            await client.publish(subject, f'{{"n": {n}}}')
        async with client.subscribe(subject, history=2, decode=belfry.json) as subscription:
            found = [await anext(subscription) for _ in range(3)]
            assert [(item.data["n"], item.type.value) for item in found if isinstance(item, belfry.Message)] == [
                (0, "snapshot"),
                (2, "history"),
                (3, "history"),
            ]
        async with client.subscribe(subject, conflate=0.2) as conflated:
            await conflated.ready()
            for n in range(50):
                await client.publish(subject, str(n))
            seen = []
            async with asyncio.timeout(10):
                async for item in conflated:
                    assert isinstance(item, belfry.Message)
                    seen.append(item.data)
                    if item.data == b"49":
                        break
            assert len(seen) < 25


async def test_a_decode_that_raises_becomes_a_status_and_a_gap(server: BelfryServer, subject: str) -> None:
    statuses: list[belfry.Status] = []
    async with belfry.connect(server.url, on_status=statuses.append) as client:
        subscription = client.subscribe(subject, decode=belfry.json)
        await subscription.ready()
        await client.publish(subject, "no json")
        await client.publish(subject, "1")
        first, second = await anext(subscription), await anext(subscription)
        assert isinstance(first, belfry.Gap)
        assert first.reason == "decode-failed"
        assert isinstance(second, belfry.Message)
        assert second.data == 1
    assert [s.callback for s in statuses if isinstance(s, belfry.CallbackFailed)] == ["decode"]


async def test_callbacks_that_raise_become_statuses(server: BelfryServer, subject: str) -> None:
    statuses: list[belfry.Status] = []
    items: list[belfry.Item[bytes]] = []

    def on_status(status: belfry.Status) -> None:
        statuses.append(status)
        raise ValueError("status")

    def on_item(item: belfry.Item[bytes]) -> None:
        items.append(item)
        raise ValueError("item")

    async with belfry.connect(server.url, on_status=on_status) as client:
        subscription = client.subscribe(subject, on_item=on_item)
        await subscription.ready()
        await client.publish(subject, "1")
        await client.publish(subject, "2")
    assert texts(items) == ["1", "2"]
    failed = [s.callback for s in statuses if isinstance(s, belfry.CallbackFailed)]
    assert failed.count("on_item") == 2
    assert failed.count("on_status") > 2


@pytest.mark.parametrize("encoding", ["binary", "json"])
async def test_a_pattern_loses_and_repeats_nothing_of_old_and_new_subjects_under_cuts(
    server: BelfryServer, subject: str, encoding: str
) -> None:
    draw = random.Random(5)
    subjects = [f"{subject}/{i % (1 + i // 50)}" for i in range(600)]
    found: dict[str, list[str]] = {}
    async with (
        CuttingProxy(server.port) as proxy,
        belfry.connect(server.url) as publisher,
        belfry.connect(proxy.url, reconnect=FAST, transport="websocket", encoding=encoding) as client,
    ):
        pattern = client.subscribe(subject + "/**")
        await pattern.ready()
        for i, one in enumerate(subjects):
            if i % 20 == 10:
                proxy.cut_after = draw.randrange(1, 3000)
                proxy.cut()
                await asyncio.sleep(0.02)
            await publisher.publish(one, str(i))
        for item in await take(pattern, 600):
            assert isinstance(item, belfry.Message), item
            found.setdefault(item.subject, []).append(item.data.decode())
    assert proxy.connections > 10
    assert found == {one: [str(i) for i, other in enumerate(subjects) if other == one] for one in subjects}


async def test_a_later_run_continues_at_the_position_of_a_pattern(server: BelfryServer, subject: str) -> None:
    async with belfry.connect(server.url) as client:
        async with client.subscribe(subject + "/*") as pattern:
            await pattern.ready()
            position = pattern.position
            assert position is not None
        await client.publish(subject + "/a", "1")
        await client.publish(subject + "/b", "2")
    async with belfry.connect(server.url) as client, client.subscribe(subject + "/*", start=position) as pattern:
        assert await pattern.ready() == (belfry.Recovery.COMPLETE, None)
        items = await take(pattern, 2)
        assert sorted(texts(items)) == ["1", "2"]
        await client.publish(subject + "/a", "3")
        assert texts(await take(pattern, 1)) == ["3"]


async def test_the_position_of_another_history_is_a_gap(server: BelfryServer, subject: str) -> None:
    async with (
        belfry.connect(server.url) as client,
        client.subscribe(subject + "/*", start="AQAAAYvP5WgABfv_") as pattern,
    ):
        assert await pattern.ready() == (belfry.Recovery.GAP, None)
        await client.publish(subject + "/a", "1")
        gap, message = await take(pattern, 2)
        assert gap == belfry.Gap(subject + "/*", None, None, "epoch-changed")
        assert texts([message]) == ["1"]


async def test_nothing_is_lost_or_repeated_under_cuts_after_any_byte(server: BelfryServer, subject: str) -> None:
    draw = random.Random(4)
    async with CuttingProxy(server.port) as proxy, belfry.connect(server.url) as publisher:
        async with belfry.connect(proxy.url, reconnect=FAST, transport="websocket") as client:
            subscription = client.subscribe(subject)
            pattern = client.subscribe(subject + "/*")
            await subscription.ready()
            await pattern.ready()

            async def publish() -> None:
                for i in range(1500):
                    await publisher.publish(subject, str(i))

            publishing = asyncio.create_task(publish())
            found: list[str] = []
            while len(found) < 1500:
                if draw.random() < 0.02:
                    proxy.cut_after = draw.randrange(1, 3000)
                    proxy.cut()
                found += texts(await take(subscription, 1))
            await publishing
        assert found == [str(i) for i in range(1500)]
        assert proxy.connections > 5


async def test_publishes_under_cuts_are_delivered_once(server: BelfryServer, subject: str) -> None:
    async with CuttingProxy(server.port) as proxy, belfry.connect(server.url) as reader:
        subscription = reader.subscribe(subject)
        await subscription.ready()
        async with belfry.connect(proxy.url, reconnect=FAST) as client:
            draw = random.Random(5)
            futures = []
            for i in range(600):
                futures.append(client.publish(subject, str(i)))
                if draw.random() < 0.03:
                    await asyncio.sleep(0.01)
                    proxy.cut_after = draw.randrange(1, 2000)
                    proxy.cut()
                await asyncio.sleep(0)
            async with asyncio.timeout(20):
                positions = await asyncio.gather(*futures)
        found = await take(subscription, 600)
        assert sorted(texts(found), key=int) == [str(i) for i in range(600)]
        assert {item.position for item in found if isinstance(item, belfry.Message)} == set(positions)


@pytest.mark.parametrize("encoding", ["binary", "json"])
async def test_a_kept_session_continues_without_subscribing(server: BelfryServer, subject: str, encoding: str) -> None:
    statuses: list[belfry.Status] = []
    async with (
        CuttingProxy(server.port) as proxy,
        belfry.connect(
            proxy.url, encoding=encoding, keep_session=True, reconnect=FAST, on_status=statuses.append
        ) as client,
        belfry.connect(server.url) as publisher,
    ):
        subscriptions = [client.subscribe(f"{subject}/{i}") for i in range(20)]
        for each in subscriptions:
            await each.ready()
        for i in range(2000):
            await publisher.publish(f"{subject}/{i % 20}", str(i))
            if i % 400 == 399:
                proxy.cut()
        for n, each in enumerate(subscriptions):
            assert texts(await take(each, 100)) == [str(i) for i in range(n, 2000, 20)]
    assert sum(isinstance(status, belfry.Connected) for status in statuses) > 2
    assert sum(isinstance(status, belfry.Subscribed) for status in statuses) == 20


@pytest.mark.own_server
async def test_a_restarted_server_is_a_gap(subject: str, server: BelfryServer) -> None:
    with BelfryServer() as own:
        async with belfry.connect(own.url, reconnect=FAST) as client:
            subscription = client.subscribe(subject)
            await subscription.ready()
            await client.publish(subject, "before")
            await asyncio.to_thread(own.kill)
            await asyncio.to_thread(own.start)
            async with asyncio.timeout(20):
                await client.publish(subject, "after")
            assert texts(await take(subscription, 3)) == ["before", "[epoch-changed]", "after"]


async def test_a_slow_iterator_costs_a_position(server: BelfryServer, subject: str) -> None:
    statuses: list[belfry.Status] = []
    async with (
        belfry.connect(server.url, on_status=statuses.append) as client,
        belfry.connect(server.url) as publisher,
    ):
        slow = client.subscribe(subject, buffer=50)
        other = client.subscribe(subject + "/other")
        await slow.ready()
        await other.ready()
        for start in range(0, 20_000, 500):
            await asyncio.gather(*(publisher.publish(subject, str(i)) for i in range(start, start + 500)))
        async with asyncio.timeout(5):
            await publisher.publish(subject + "/other", "x")
            await anext(other)
        assert any(isinstance(s, belfry.Paused) and s.reason == "full" for s in statuses)
        assert len(slow._buffer) < 10_000
        assert texts(await take(slow, 20_000)) == [str(i) for i in range(20_000)]


async def test_pause_and_resume(server: BelfryServer, subject: str) -> None:
    async with belfry.connect(server.url) as client:
        subscription = client.subscribe(subject)
        await subscription.ready()
        await client.publish(subject, "1")
        subscription.pause()
        await client.publish(subject, "2")
        assert texts(await take(subscription, 1)) == ["1"]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(subscription), 0.2)
        subscription.resume()
        await client.publish(subject, "3")
        assert texts(await take(subscription, 2)) == ["2", "3"]


async def test_state_is_loaded_before_subscribing(server: BelfryServer, subject: str) -> None:
    async with belfry.connect(server.url) as client:
        positions = [await client.publish(subject, str(i)) for i in range(5)]

        async def load() -> belfry.Position:
            await asyncio.sleep(0)
            return positions[2]

        async with client.subscribe(subject, state=load) as subscription:
            assert texts(await take(subscription, 2)) == ["3", "4"]


async def test_interest_is_reported(server: BelfryServer, subject: str) -> None:
    async with belfry.connect(server.url) as client, client.watch(subject) as watch:
        async with asyncio.timeout(10):
            assert await anext(watch) is False
            async with client.subscribe(subject):
                assert await anext(watch) is True
            assert await anext(watch) is False


async def test_publishes_over_the_bound_fail_at_once(server: BelfryServer, subject: str) -> None:
    async with belfry.connect(server.url, bounds=belfry.Bounds(pending_publishes=2)) as client:
        futures = [client.publish(subject, "x") for _ in range(3)]
        assert not client.is_writable
        with pytest.raises(belfry.PublishError) as failed:
            await futures[2]
        assert failed.value.outcome is belfry.PublishOutcome.TOO_MANY_PENDING
        async with asyncio.timeout(10):
            await client.writable()
            await asyncio.gather(*futures[:2])


@pytest.mark.own_server
async def test_a_final_refusal_is_raised_everywhere(server: BelfryServer, subject: str) -> None:
    with BelfryServer(EntitlementAllowToken="right-token") as own:
        async with belfry.connect(own.url, token="wrong-token") as client:
            subscription = client.subscribe(subject)
            with pytest.raises(belfry.RefusedError):
                await asyncio.wait_for(client.ready(), 10)
            with pytest.raises(belfry.RefusedError):
                await anext(subscription)
            with pytest.raises(belfry.RefusedError):
                await subscription.ready()
            with pytest.raises(belfry.PublishError):
                await client.publish(subject, "x")
        asked: list[belfry.TokenReason] = []

        async def token(reason: belfry.TokenReason) -> str:
            asked.append(reason)
            await asyncio.sleep(0)
            return "right-token" if len(asked) > 1 else "wrong-token"

        async with belfry.connect(own.url, token=token) as client:
            async with asyncio.timeout(10):
                await client.ready()
        assert asked == [belfry.TokenReason.CONNECT, belfry.TokenReason.REFUSED]


async def test_a_half_open_connection_is_given_up(server: BelfryServer, subject: str) -> None:
    statuses: list[belfry.Status] = []
    offset = 0.0
    real_time = asyncio.get_running_loop().time
    async with CuttingProxy(server.port) as proxy:
        client = belfry.connect(
            proxy.url, on_status=statuses.append, clock=lambda: real_time() + offset, reconnect=FAST
        )
        async with client:
            await client.ready()
            proxy.swallow = True
            for _ in range(12):
                offset += 4.0
                client._runner.wake()
            assert any(isinstance(s, belfry.Disconnected) and s.code == "timed-out" for s in statuses)


async def test_a_cancelled_iteration_can_be_continued(server: BelfryServer, subject: str) -> None:
    async with belfry.connect(server.url) as client:
        subscription = client.subscribe(subject)
        await subscription.ready()
        waiting = asyncio.create_task(anext(subscription))
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await client.publish(subject, "1")
        assert texts(await take(subscription, 1)) == ["1"]


async def test_cancelling_leaves_no_task_behind(server: BelfryServer, subject: str) -> None:
    before = asyncio.all_tasks()

    async def program() -> None:
        async with belfry.connect(server.url, "ws://127.0.0.1:1") as client, client.subscribe(subject) as subscription:
            async for _ in subscription:
                pass

    for delay in (0.0, 0.001, 0.01, 0.2):
        task = asyncio.create_task(program())
        await asyncio.sleep(delay)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == before
    gc.collect()


async def test_leaving_the_context_ends_the_iteration(server: BelfryServer, subject: str) -> None:
    async with belfry.connect(server.url) as client:
        subscription = client.subscribe(subject)
        await subscription.ready()
        await client.publish(subject, "1")
    assert [item async for item in subscription] != []
    with pytest.raises(belfry.ClosedError):
        client.subscribe(subject)


def test_constructors_touch_no_loop() -> None:
    client = belfry.connect("ws://127.0.0.1:1", token=lambda reason: "t")
    subscription = client.subscribe("/a")
    subscription.unsubscribe()
    client.subscribe("/a", state=lambda: None)
    assert not client.is_connected


def test_invalid_arguments_are_refused_with_the_rule() -> None:
    with pytest.raises(ValueError, match="at least one server"):
        belfry.connect()
    with pytest.raises(ValueError, match="ws://host:port"):
        belfry.connect("ftp://host")
    with pytest.raises(ValueError, match="transport"):
        belfry.connect("ws://host", transport="pigeon")
    client = belfry.connect("ws://host")
    with pytest.raises(ValueError, match="begin with '/'"):
        client.subscribe("a")
    with pytest.raises(ValueError, match="plain subject"):
        client.subscribe("/a/*", history=1)
    with pytest.raises(ValueError, match="one hour"):
        client.subscribe("/a", conflate=3601)
