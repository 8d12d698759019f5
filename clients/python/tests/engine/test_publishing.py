from __future__ import annotations

import unittest

from belfry._errors import PublishError, PublishOutcome, SubscribeError
from belfry._model import Position
from belfry._options import Bounds
from belfry._publishes import PendingPublishes
from belfry._status import CommandFailed, PublishUnknown
from belfry._watches import WatchState
from harness import Rig


class PublishTest(unittest.TestCase):
    def outcome(self, rig: Rig, id: int) -> PublishOutcome:
        result = rig.results[id]
        assert isinstance(result, PublishError), result
        return result.outcome

    def test_a_publish_waits_for_the_connection_and_returns_its_position(self) -> None:
        rig = Rig()
        id = rig.publish("/a", b"hi")
        self.assertEqual([], rig.connect())
        self.assertEqual([{"op": "publish", "id": id, "subject": "/a", "data": "hi", "msgId": "m1"}], rig.commands())
        rig.send(op="published", id=id, epoch=7, seq=42)
        self.assertEqual(Position(7, 42), rig.results[id])

    def test_publishes_are_sent_in_order(self) -> None:
        rig = Rig()
        rig.publish("/a")
        rig.connect()
        rig.publish("/a")
        rig.publish("/a")
        self.assertEqual([1, 2, 3], [command["id"] for command in rig.commands()])

    def test_a_publish_without_an_answer_is_repeated_with_its_msg_id(self) -> None:
        rig = Rig()
        rig.connect()
        rig.publish("/a")
        rig.publish("/a")
        rig.send(op="published", id=1, epoch=7, seq=1)
        rig.reconnect()
        self.assertEqual([(2, "m2")], [(command["id"], command["msgId"]) for command in rig.commands()])

    def test_a_publish_that_must_not_be_repeated_has_an_unknown_outcome(self) -> None:
        rig = Rig()
        rig.connect()
        id = rig.publish("/a", msg_id=None)
        rig.lose()
        never_sent = rig.publish("/a", msg_id=None)
        self.assertEqual(PublishOutcome.UNKNOWN, self.outcome(rig, id))
        self.assertEqual([PublishUnknown("/a")], rig.statuses(PublishUnknown))
        self.assertNotIn(never_sent, rig.results)

    def test_a_refused_publish_has_the_code_and_the_time_to_wait(self) -> None:
        rig = Rig()
        rig.connect()
        id = rig.publish("/a")
        rig.send(op="error", id=id, code="publish-rate", reason="x", after=250, subject="/a")
        error = rig.results[id]
        assert isinstance(error, PublishError)
        self.assertEqual((PublishOutcome.REFUSED, "publish-rate", 0.25), (error.outcome, error.code, error.retry_after))

    def test_a_publish_times_out(self) -> None:
        rig = Rig()
        id = rig.publish("/a")
        rig.pass_time(29)
        self.assertEqual({}, rig.results)
        rig.pass_time(2)
        self.assertEqual(PublishOutcome.TIMED_OUT, self.outcome(rig, id))

    def test_a_publish_the_cluster_could_not_take_is_repeated(self) -> None:
        rig = Rig()
        rig.connect()
        first, second = rig.publish("/a"), rig.publish("/a")
        rig.commands()
        rig.send(op="error", id=second, code="publish-unknown", reason="x")
        rig.send(op="error", id=first, code="cluster-full", reason="x")
        rig.pass_time(0.6)
        self.assertEqual([first, second], [command["id"] for command in rig.commands()])
        self.assertEqual({}, rig.results)

    def test_a_message_over_the_servers_limit_is_not_sent(self) -> None:
        rig = Rig()
        rig.connect()
        id = rig.publish("/a", bytes(65537))
        error = rig.results[id]
        assert isinstance(error, PublishError)
        self.assertEqual("message-too-large", error.code)
        self.assertEqual([], rig.commands())

    def test_close_fails_what_waits(self) -> None:
        rig = Rig()
        rig.connect()
        id = rig.publish("/a")
        rig.engine.close()
        self.assertEqual(PublishOutcome.CLOSED, self.outcome(rig, id))
        late = rig.publish("/a")
        self.assertEqual(PublishOutcome.CLOSED, self.outcome(rig, late))

    def test_a_late_refusal_does_not_end_a_subscription_of_the_subject(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a")
        rig.connect()
        rig.subscribed("/a", 0)
        id = rig.publish("/a")
        rig.pass_time(20)
        rig.send(op="pong")
        rig.pass_time(11)
        self.assertEqual(PublishOutcome.TIMED_OUT, self.outcome(rig, id))
        rig.send(op="error", id=id, code="subjects-full", reason="x", subject="/a")
        self.assertFalse(state.ended)
        self.assertEqual("subjects-full", rig.statuses(CommandFailed)[0].code)

    def test_count_and_bytes_are_bounded(self) -> None:
        pending = PendingPublishes(2, 1000)
        self.assertTrue(pending.admit(400))
        self.assertFalse(pending.admit(700))
        self.assertTrue(pending.admit(600))
        self.assertFalse(pending.has_room)
        self.assertFalse(pending.admit(1))

    def test_room_returns_with_the_answers(self) -> None:
        rig = Rig(bounds=Bounds(pending_publishes=1))
        rig.connect()
        id = rig.publish("/a")
        self.assertFalse(rig.engine.publishes.has_room)
        rig.send(op="published", id=id, epoch=7, seq=1)
        self.assertTrue(rig.engine.publishes.has_room)

    def test_repeated_publishes_precede_later_ones(self) -> None:
        rig = Rig()
        rig.connect()
        rig.publish("/a")
        rig.lose()
        rig.publish("/a")
        rig.pass_time(1)
        rig.greet()
        self.assertEqual([1, 2], [command["id"] for command in rig.commands()])


class WatchTest(unittest.TestCase):
    def test_interest_is_requested_again_after_a_disconnect(self) -> None:
        rig = Rig()
        watch = WatchState("/a")
        rig.engine.watch(watch)
        rig.connect()
        self.assertEqual([{"op": "watch", "id": -5, "subject": "/a"}], rig.commands())
        rig.send(op="watched", id=-5, subject="/a", subscribers=False)
        rig.send(op="interest", subject="/a", subscribers=True)
        rig.reconnect()
        self.assertEqual("watch", rig.commands()[0]["op"])
        rig.send(op="watched", id=-5, subject="/a", subscribers=True)
        self.assertEqual((2, True), (watch.changes, watch.subscribers))

    def test_a_refused_watch_does_not_end_a_subscription_of_the_subject(self) -> None:
        rig = Rig()
        watch = WatchState("/a")
        state = rig.subscribe("/a")
        rig.engine.watch(watch)
        rig.connect()
        rig.send(op="error", id=-5, code="unsupported", reason="off", subject="/a")
        assert isinstance(watch.error, SubscribeError)
        self.assertFalse(state.ended)

    def test_unwatch_is_sent(self) -> None:
        rig = Rig()
        watch = WatchState("/a")
        rig.engine.watch(watch)
        rig.connect()
        rig.engine.unwatch(watch)
        self.assertEqual(["watch", "unwatch"], [command["op"] for command in rig.commands()])
        self.assertTrue(watch.ended)
