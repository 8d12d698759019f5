from __future__ import annotations

import unittest
from typing import Any

from belfry._errors import SubscribeError
from belfry._model import Gap, Position, Recovery
from belfry._options import Bounds
from belfry._status import GapFound, Subscribed, SubscribeRefused
from belfry._subscriptions import AnySubscription
from harness import Rig


class PlainSubjectTest(unittest.TestCase):
    def test_subscriptions_before_the_connection_share_one_command(self) -> None:
        rig = Rig()
        rig.subscribe("/a")
        rig.subscribe("/b")
        rig.subscribe("/c", history=3)
        self.assertEqual(
            [
                {"op": "subscribe", "id": -2, "subjects": ["/a", "/b"]},
                {"op": "subscribe", "id": -2, "subject": "/c", "history": 3},
            ],
            rig.connect(),
        )

    def test_messages_before_the_confirmation_are_of_an_earlier_subscription(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a")
        rig.connect()
        rig.message("/a", 5)
        rig.subscribed("/a", 5)
        rig.message("/a", 6)
        self.assertEqual(["6"], rig.texts(state))

    def test_after_a_disconnect_the_subject_resumes_from_its_position(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a")
        rig.connect()
        rig.subscribed("/a", 5)
        rig.message("/a", 6)
        self.assertEqual([{"op": "subscribe", "id": -2, "subject": "/a", "from": "7:6"}], rig.reconnect())
        rig.subscribed("/a", 8, "complete")
        rig.message("/a", 7, type="recovered")
        rig.message("/a", 8, type="recovered")
        rig.message("/a", 8)
        rig.message("/a", 9)
        self.assertEqual(["6", "7", "8", "9"], rig.texts(state))
        self.assertEqual([], rig.statuses(GapFound))
        self.assertEqual(Recovery.COMPLETE, rig.statuses(Subscribed)[-1].recovery)

    def test_an_announced_gap_is_in_place(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a", start=Position(7, 3))
        self.assertEqual("7:3", rig.connect()[0]["from"])
        rig.subscribed("/a", 9, "gap")
        rig.send(op="gap", subject="/a", **{"from": "7:3"}, to="7:7", reason="history-gone")
        rig.message("/a", 8, type="recovered")
        items = rig.items(state)
        self.assertEqual(Gap("/a", Position(7, 3), Position(7, 7), "history-gone"), items[0])
        self.assertEqual(2, len(items))

    def test_a_missing_message_becomes_a_gap_of_the_client(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a")
        rig.connect()
        rig.subscribed("/a", 1)
        rig.message("/a", 2)
        rig.message("/a", 5)
        rig.message("/a", 9, prev=5)
        items = rig.items(state)
        self.assertEqual(Gap("/a", Position(7, 2), Position(7, 4), "not-recovered"), items[1])
        self.assertEqual(4, len(items))

    def test_conflated_messages_may_skip_others(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a", conflate_ms=100)
        self.assertEqual(100, rig.connect()[0]["conflate"])
        rig.subscribed("/a", 1)
        rig.message("/a", 5)
        rig.message("/a", 9)
        self.assertEqual(["5", "9"], rig.texts(state))

    def test_a_new_epoch_is_a_gap(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a")
        rig.connect()
        rig.subscribed("/a", 5)
        rig.reconnect()
        rig.subscribed("/a", 2, "gap", epoch=8)
        rig.send(op="gap", subject="/a", **{"from": "7:5"}, to="8:2", reason="epoch-changed")
        rig.message("/a", 3, epoch=8)
        self.assertEqual(["[epoch-changed]", "3"], rig.texts(state))

    def test_history_that_was_cut_off_is_requested_again(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a", history=3)
        rig.connect()
        rig.subscribed("/a", 5)
        self.assertEqual([{"op": "subscribe", "id": -2, "subject": "/a", "history": 3}], rig.reconnect())
        rig.subscribed("/a", 5)
        rig.message("/a", 3, type="history")
        self.assertEqual("7:3", rig.reconnect()[0]["from"])
        self.assertEqual(["3"], rig.texts(state))

    def test_a_snapshot_proves_nothing_and_is_delivered_once(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a")
        rig.connect()
        rig.subscribed("/a", 5)
        rig.message("/a", 4, type="snapshot", retained=True)
        rig.message("/a", 4, type="snapshot", retained=True)
        rig.message("/a", 6)
        self.assertEqual(["4", "6"], rig.texts(state))

    def test_a_truncated_log_is_always_reported(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a")
        rig.connect()
        rig.subscribed("/a", 5)
        rig.send(op="gap", subject="/a", **{"from": "7:5"}, to="7:5", reason="log-cut")
        rig.send(op="gap", subject="/a", **{"from": "7:4"}, to="7:5", reason="history-gone")
        self.assertEqual(["[log-cut]"], rig.texts(state))

    def test_a_refused_subscription_ends_with_its_code(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a")
        rig.connect()
        rig.send(op="error", id=-2, code="subscribe-denied", reason="no", subject="/a")
        assert state.error is not None
        self.assertEqual("subscribe-denied", state.error.code)
        self.assertEqual(1, len(rig.statuses(SubscribeRefused)))
        rig.subscribe("/a")
        self.assertEqual([{"op": "subscribe", "id": -2, "subject": "/a"}], rig.commands())

    def test_a_subscription_that_a_new_token_does_not_allow_ends(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a")
        rig.connect()
        rig.subscribed("/a", 5)
        rig.send(op="unsubscribed", subject="/a", reason="subscribe-denied")
        self.assertTrue(state.ended)

    def test_a_rate_limit_repeats_the_request_later(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a")
        rig.connect()
        rig.send(op="error", id=-2, code="command-rate", reason="x", subject="/a", after=120)
        rig.pass_time(0.9)
        self.assertEqual([], rig.commands())
        rig.pass_time(0.2)
        self.assertEqual([{"op": "subscribe", "id": -2, "subject": "/a"}], rig.commands())
        self.assertFalse(state.ended)

    def test_a_subject_can_be_subscribed_once(self) -> None:
        rig = Rig()
        rig.subscribe("/a")
        with self.assertRaises(SubscribeError):
            rig.subscribe("/a")

    def test_unsubscribe_and_subscribe_again_across_a_cut(self) -> None:
        rig = Rig()
        first = rig.subscribe("/a")
        rig.connect()
        rig.subscribed("/a", 5)
        rig.engine.unsubscribe(first)
        second = rig.subscribe("/a")
        self.assertEqual(["unsubscribe", "subscribe"], [command["op"] for command in rig.commands()])
        rig.message("/a", 6)
        self.assertEqual([{"op": "subscribe", "id": -2, "subject": "/a"}], rig.reconnect())
        rig.subscribed("/a", 7)
        rig.message("/a", 8)
        self.assertEqual([], rig.texts(first))
        self.assertEqual(["8"], rig.texts(second))
        self.assertTrue(first.ended)

    def test_more_than_256_subjects_are_requested_in_several_commands(self) -> None:
        rig = Rig()
        for i in range(600):
            rig.subscribe(f"/s/{i}")
        self.assertEqual([256, 256, 88], [len(command["subjects"]) for command in rig.connect()])


class PatternTest(unittest.TestCase):
    def pattern(self, **options: Any) -> tuple[Rig, AnySubscription]:
        rig = Rig(**options)
        state = rig.subscribe("/p/*")
        rig.connect()
        rig.subscribed("/p/*")
        rig.message("/p/a", 3)
        rig.message("/p/b", 9)
        self.assertEqual(["3", "9"], rig.texts(state))
        return rig, state

    def test_received_subjects_are_recovered_before_the_pattern(self) -> None:
        rig, state = self.pattern()
        self.assertEqual(
            [("/p/a", "7:3"), ("/p/b", "7:9"), ("/p/*", None)],
            [(command["subject"], command.get("from")) for command in rig.reconnect()],
        )
        rig.subscribed("/p/a", 4, "complete")
        rig.message("/p/a", 4, type="recovered")
        rig.subscribed("/p/b", 9, "complete")
        rig.subscribed("/p/*")
        self.assertEqual(["4", "[not-recovered]"], rig.texts(state))

    def test_a_bridge_ends_when_everything_arrived(self) -> None:
        rig, state = self.pattern()
        rig.reconnect()
        rig.subscribed("/p/a", 4, "complete")
        rig.subscribed("/p/b", 9, "complete")
        self.assertEqual([], rig.commands())
        rig.subscribed("/p/*")
        self.assertEqual([{"op": "unsubscribe", "id": -3, "subject": "/p/b"}], rig.commands())
        rig.message("/p/a", 4, type="recovered")
        self.assertEqual([{"op": "unsubscribe", "id": -3, "subject": "/p/a"}], rig.commands())
        rig.message("/p/a", 5)
        self.assertEqual(["[not-recovered]", "4", "5"], rig.texts(state))

    def test_a_refused_bridge_is_announced_as_a_gap(self) -> None:
        rig, state = self.pattern()
        rig.reconnect()
        rig.send(op="error", id=-2, code="subscribe-denied", reason="no", subject="/p/a")
        gap = rig.items(state)[0]
        self.assertEqual(Gap("/p/a", Position(7, 3), None, "not-recovered"), gap)
        self.assertEqual([], rig.statuses(SubscribeRefused))

    def test_a_bridge_over_a_rate_is_announced_and_does_not_block_the_pattern(self) -> None:
        rig, state = self.pattern()
        rig.reconnect()
        rig.send(op="error", id=-2, code="command-rate", reason="x", subject="/p/a", after=100)
        rig.subscribed("/p/b", 9, "complete")
        rig.subscribed("/p/*")
        rig.message("/p/a", 4)
        self.assertEqual(["[not-recovered]", "[not-recovered]", "4"], rig.texts(state))

    def test_the_number_of_bridges_is_bounded(self) -> None:
        rig, state = self.pattern(bounds=Bounds(recovered_subjects=1))
        self.assertEqual(["/p/a", "/p/*"], [command["subject"] for command in rig.reconnect()])
        rig.subscribed("/p/a", 3, "complete")
        rig.subscribed("/p/*")
        rig.message("/p/b", 11)
        self.assertEqual(["[not-recovered]", "[not-recovered]", "11"], rig.texts(state))

    def test_subscribing_to_the_subject_of_a_bridge_replaces_it(self) -> None:
        rig, _state = self.pattern()
        rig.reconnect()
        rig.subscribe("/p/a")
        self.assertEqual(["unsubscribe", "subscribe"], [command["op"] for command in rig.commands()])

    def test_a_live_message_reaches_both_subscriptions_once(self) -> None:
        rig = Rig()
        pattern = rig.subscribe("/p/**")
        plain = rig.subscribe("/p/a", history=1)
        rig.connect()
        rig.subscribed("/p/a", 3)
        rig.subscribed("/p/**")
        rig.message("/p/a", 3, type="history")
        rig.message("/p/a", 4)
        self.assertEqual(["4"], rig.texts(pattern))
        self.assertEqual(["3", "4"], rig.texts(plain))

    def test_followed_subjects_are_bounded(self) -> None:
        rig = Rig()
        state = rig.subscribe("/p/*")
        rig.connect()
        rig.subscribed("/p/*")
        for i in range(150):
            rig.message(f"/p/{i}", 1)
        self.assertEqual(100, len(state.trackers))
        self.assertIn("/p/149", state.trackers)
