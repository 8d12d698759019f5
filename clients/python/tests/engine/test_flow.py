from __future__ import annotations

import unittest

from belfry._model import Gap, Position
from belfry._status import CallbackFailed, Paused, Resumed
from belfry._subscriptions import AnySubscription
from harness import Rig


class FlowTest(unittest.TestCase):
    def full(self) -> tuple[Rig, AnySubscription]:
        rig = Rig()
        state = rig.subscribe("/a", buffer_count=4)
        rig.subscribe("/b")
        rig.connect()
        rig.subscribed("/a", 0)
        rig.subscribed("/b", 0)
        for seq in range(1, 5):
            rig.message("/a", seq)
        return rig, state

    def test_a_full_buffer_stops_reading_for_a_moment(self) -> None:
        rig, state = self.full()
        self.assertEqual([True], rig.output.paused)
        self.assertEqual(["1", "2", "3", "4"], rig.texts(state))
        rig.engine.has_room(state)
        self.assertEqual([True, False], rig.output.paused)
        rig.pass_time(1)
        self.assertEqual([], rig.statuses(Paused))
        rig.message("/a", 5)
        self.assertEqual(["5"], rig.texts(state))

    def test_a_buffer_that_stays_full_costs_a_position_not_a_queue(self) -> None:
        rig, state = self.full()
        rig.pass_time(0.2)
        self.assertEqual([True, False], rig.output.paused)
        self.assertEqual([{"op": "unsubscribe", "id": -3, "subject": "/a"}], rig.commands())
        for seq in range(5, 1000):
            rig.message("/a", seq)
        self.assertEqual(4, len(state.buffer))
        self.assertEqual(["1", "2", "3", "4"], rig.texts(state))
        rig.engine.has_room(state)
        self.assertEqual([{"op": "subscribe", "id": -2, "subject": "/a", "from": "7:4"}], rig.commands())
        rig.message("/a", 1000)
        rig.subscribed("/a", 1000, "complete")
        rig.message("/a", 5, type="recovered")
        self.assertEqual(["5"], rig.texts(state))
        self.assertEqual(1, len(rig.statuses(Resumed)))

    def test_a_paused_subscription_is_not_requested_by_a_new_connection(self) -> None:
        rig, _state = self.full()
        rig.pass_time(0.2)
        self.assertEqual(["/b"], [command["subject"] for command in rig.reconnect()])

    def test_the_bytes_of_a_buffer_are_bounded_too(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a", buffer_bytes=2000)
        rig.connect()
        rig.subscribed("/a", 0)
        rig.message("/a", 1, "x" * 1700)
        self.assertEqual([True], rig.output.paused)
        rig.items(state)
        self.assertTrue(state.buffer.is_half_empty)

    def test_pause_and_resume_keep_the_position(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a")
        rig.connect()
        rig.subscribed("/a", 5)
        rig.engine.pause(state)
        rig.engine.pause(state)
        rig.message("/a", 6)
        rig.engine.resume(state)
        rig.engine.resume(state)
        self.assertEqual(
            [("unsubscribe", None), ("subscribe", "7:5")],
            [(command["op"], command.get("from")) for command in rig.commands()],
        )
        rig.message("/a", 7)
        rig.send(op="unsubscribed", id=-3, subject="/a")
        rig.subscribed("/a", 7, "complete")
        rig.message("/a", 6, type="recovered")
        rig.message("/a", 7, type="recovered")
        self.assertEqual(["6", "7"], rig.texts(state))

    def test_a_paused_pattern_recovers_its_subjects_and_announces_the_rest(self) -> None:
        rig = Rig()
        state = rig.subscribe("/p/*")
        other = rig.subscribe("/p/**")
        rig.connect()
        rig.subscribed("/p/*")
        rig.subscribed("/p/**")
        rig.message("/p/a", 3)
        rig.engine.pause(state)
        rig.message("/p/a", 4)
        rig.engine.resume(state)
        rig.message("/p/a", 5)
        self.assertEqual(
            [("unsubscribe", "/p/*"), ("subscribe", "/p/a"), ("subscribe", "/p/*")],
            [(command["op"], command["subject"]) for command in rig.commands()],
        )
        rig.subscribed("/p/a", 5, "complete")
        rig.message("/p/a", 4, type="recovered")
        rig.message("/p/a", 5, type="recovered")
        rig.subscribed("/p/*")
        rig.message("/p/a", 6)
        self.assertEqual(["3", "4", "5", "[not-recovered]", "6"], rig.texts(state))
        self.assertEqual(["3", "4", "5", "6"], rig.texts(other))


class StateTest(unittest.TestCase):
    def test_the_state_is_loaded_before_the_first_subscribe(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a", loads_state=True)
        self.assertEqual([], rig.connect())
        self.assertEqual([state], rig.output.states)
        rig.engine.state_answered(state, Position(7, 3), None)
        self.assertEqual("7:3", rig.commands()[0]["from"])

    def test_the_state_is_loaded_again_when_a_gap_was_taken(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a", loads_state=True)
        rig.connect()
        rig.engine.state_answered(state, Position(7, 3), None)
        rig.subscribed("/a", 9, "gap")
        rig.commands()
        rig.send(op="gap", subject="/a", **{"from": "7:3"}, to="7:8", reason="history-gone")
        rig.message("/a", 9)
        self.assertEqual([{"op": "unsubscribe", "id": -3, "subject": "/a"}], rig.commands())
        self.assertEqual(1, len(rig.output.states))
        items = rig.items(state)
        self.assertEqual([Gap("/a", Position(7, 3), Position(7, 8), "history-gone")], items)
        self.assertTrue(state.wants_empty)
        rig.engine.is_empty(state)
        self.assertEqual(2, len(rig.output.states))
        rig.engine.state_answered(state, Position(7, 8), None)
        self.assertEqual("7:8", rig.commands()[0]["from"])

    def test_a_failing_state_is_reported_and_asked_again(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a", loads_state=True)
        rig.engine.state_answered(state, None, OSError("no database"))
        self.assertEqual("state", rig.statuses(CallbackFailed)[0].callback)
        rig.pass_time(1.1)
        self.assertEqual(2, len(rig.output.states))

    def test_an_answer_after_the_end_has_no_effect(self) -> None:
        rig = Rig()
        state = rig.subscribe("/a", loads_state=True)
        rig.connect()
        rig.engine.unsubscribe(state)
        rig.engine.state_answered(state, Position(7, 3), None)
        self.assertEqual([], rig.commands())
