from __future__ import annotations

import threading
import time

import pytest

import belfry
from belfry import blocking
from belfry_server import BelfryServer


def texts(subscription: blocking.Subscription[bytes], count: int) -> list[str]:
    found: list[str] = []
    for _ in range(count):
        item = subscription.get(timeout=20)
        found.append(item.data.decode() if isinstance(item, belfry.Message) else f"[{item and item.reason}]")
    return found


def test_a_message_reaches_its_subscribers(server: BelfryServer, subject: str) -> None:
    with blocking.connect(server.url) as client, client.subscribe(subject) as subscription:
        client.ready(10)
        recovery, position = subscription.ready(10)
        assert recovery is belfry.Recovery.NONE
        assert position is not None
        published = client.publish(subject, "hi", retain=True)
        item = next(subscription)
        assert isinstance(item, belfry.Message)
        assert (item.data, item.position) == (b"hi", published)


def test_many_publishes_of_several_threads_are_delivered_in_order(server: BelfryServer, subject: str) -> None:
    with blocking.connect(server.url) as client:
        subscription = client.subscribe(subject)
        subscription.ready(10)

        def publish(name: str) -> None:
            for future in [client.publish_future(subject, f"{name}{i}") for i in range(1000)]:
                future.result(20)

        threads = [threading.Thread(target=publish, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        found = texts(subscription, 3000)
        for thread in threads:
            thread.join()
    for name in "abc":
        assert [text for text in found if text.startswith(name)] == [f"{name}{i}" for i in range(1000)]


def test_a_slow_iterator_costs_a_position(server: BelfryServer, subject: str) -> None:
    with blocking.connect(server.url) as client, blocking.connect(server.url) as publisher:
        slow = client.subscribe(subject, buffer=50)
        slow.ready(10)
        for start in range(0, 10_000, 1000):
            futures = [publisher.publish_future(subject, str(i)) for i in range(start, start + 1000)]
            for future in futures:
                future.result(20)
        assert len(slow._state.buffer) < 5000
        assert texts(slow, 10_000) == [str(i) for i in range(10_000)]


def test_pause_resume_watch_and_callbacks(server: BelfryServer, subject: str) -> None:
    items: list[str] = []
    arrived = threading.Semaphore(0)

    def on_item(item: belfry.Item[str]) -> None:
        assert isinstance(item, belfry.Message)
        items.append(item.data)
        arrived.release()
        raise ValueError("on purpose")

    statuses: list[belfry.Status] = []
    with blocking.connect(server.url, on_status=statuses.append) as client:
        watch = client.watch(subject)
        assert watch.get(10) is False
        subscription = client.subscribe(subject, decode=belfry.text, on_item=on_item)
        subscription.ready(10)
        assert watch.get(10) is True
        client.publish(subject, "1")
        assert arrived.acquire(timeout=10)
        subscription.pause()
        client.publish(subject, "2")
        assert not arrived.acquire(timeout=0.2)
        subscription.resume()
        assert arrived.acquire(timeout=10)
    assert items == ["1", "2"]
    assert sum(isinstance(status, belfry.CallbackFailed) for status in statuses) == 2


def test_a_slow_token_callback_does_not_block_the_client(server: BelfryServer, subject: str) -> None:
    release = threading.Event()

    def token(reason: belfry.TokenReason) -> str:
        release.wait(10)
        return "any"

    with blocking.connect(server.url, token=token) as client:
        started = time.monotonic()
        client.subscribe(subject)
        assert client.is_writable
        assert time.monotonic() - started < 1
        with pytest.raises(TimeoutError):
            client.ready(0.05)
        release.set()
        client.ready(10)


def test_state_is_loaded_on_a_thread_of_its_own(server: BelfryServer, subject: str) -> None:
    with blocking.connect(server.url) as client:
        positions = [client.publish(subject, str(i)) for i in range(3)]
        with client.subscribe(subject, state=lambda: str(positions[0])) as subscription:
            assert texts(subscription, 2) == ["1", "2"]


def test_closing_ends_iterations_and_leaves_no_thread(server: BelfryServer, subject: str) -> None:
    before = set(threading.enumerate())
    client = blocking.connect(server.url)
    subscription = client.subscribe(subject)
    client.start()
    client.ready(10)
    ended: list[int] = []
    iterating = threading.Thread(target=lambda: ended.append(len(list(subscription))))
    iterating.start()
    client.close()
    client.close()
    iterating.join(10)
    assert ended == [0]
    # Threads of callbacks of earlier clients may end meanwhile.
    assert set(threading.enumerate()) <= before
    with pytest.raises(belfry.ClosedError):
        client.subscribe(subject + "/b")
    with pytest.raises(belfry.PublishError):
        client.publish(subject, "x")


def test_a_callback_may_close_its_client(server: BelfryServer, subject: str) -> None:
    client = blocking.connect(server.url)
    subscription = client.subscribe(subject, on_item=lambda item: client.close())
    client.start()
    subscription.ready(10)
    client.publish(subject, "x")
    end = time.monotonic() + 10
    while any(thread.name == "belfry" for thread in threading.enumerate()):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_constructors_start_no_thread() -> None:
    before = set(threading.enumerate())
    client = blocking.connect("ws://127.0.0.1:1", token=lambda reason: "t")
    client.subscribe("/a").unsubscribe()
    client.close()
    assert set(threading.enumerate()) <= before
