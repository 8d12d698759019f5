from __future__ import annotations

import unittest
from typing import Any

from belfry._model import Gap, Position, Recovery
from belfry._options import Bounds, Transport
from belfry._settings import SubscriptionMaker
from belfry._status import GapFound, Subscribed, SubscribeRefused
from belfry._subjects import overlap
from belfry._subscriptions import AnySubscription
from harness import Rig

FIRST = "AQAAAYvP5WgABfv_"
SECOND = "AQAAAYvP5WgABfwA"
THIRD = "AQAAAYvP5WgABfwB"


def requests(commands: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    return [(command["subject"], command.get("from")) for command in commands if command["op"] == "subscribe"]


class PatternPositionTest(unittest.TestCase):
    def live(self, **options: Any) -> tuple[Rig, AnySubscription]:
        """Returns a pattern that received two messages after its confirmation."""
        rig = Rig()
        state = rig.subscribe("/p/*", **options)
        rig.connect()
        rig.subscribed("/p/*", at=FIRST)
        rig.message("/p/a", 3)
        rig.message("/p/b", 9)
        self.assertEqual(["3", "9"], rig.texts(state))
        return rig, state

    def position(self, rig: Rig, at: str) -> None:
        rig.send(op="position", at=at)

    def test_after_a_disconnect_the_pattern_resumes_from_its_position(self) -> None:
        rig, state = self.live()
        commands = rig.reconnect()
        self.assertEqual([{"op": "subscribe", "id": -2, "subject": "/p/*", "from": FIRST}], commands)
        rig.message("/p/a", 3, type="recovered")
        rig.message("/p/a", 4, type="recovered")
        rig.message("/p/b", 9, type="recovered")
        rig.message("/p/new", 1, type="recovered")
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        rig.message("/p/a", 5)
        self.assertEqual(["4", "1", "5"], rig.texts(state))
        self.assertEqual([], rig.statuses(GapFound))
        self.assertEqual(Subscribed("/p/*", Recovery.COMPLETE, None), rig.statuses(Subscribed)[-1])
        self.assertEqual([("/p/*", SECOND)], requests(rig.reconnect()))

    def test_a_position_event_replaces_the_position_of_all_confirmed_patterns(self) -> None:
        rig, _state = self.live()
        rig.subscribe("/q/**")
        rig.commands()
        self.position(rig, SECOND)
        self.assertEqual([("/p/*", SECOND), ("/q/**", None)], requests(rig.reconnect()))
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        rig.subscribed("/q/**", at=SECOND)
        self.position(rig, THIRD)
        self.assertEqual([("/p/*", THIRD), ("/q/**", THIRD)], requests(rig.reconnect()))

    def test_a_cut_before_the_confirmation_resumes_from_the_same_position(self) -> None:
        rig, state = self.live()
        rig.reconnect()
        rig.message("/p/a", 4, type="recovered")
        self.assertEqual([("/p/*", FIRST)], requests(rig.reconnect()))
        rig.message("/p/a", 4, type="recovered")
        rig.message("/p/a", 5, type="recovered")
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual(["4", "5"], rig.texts(state))

    def test_a_lost_recovery_continues_from_its_progress(self) -> None:
        rig, state = self.live()
        rig.reconnect()
        rig.message("/p/a", 4, type="recovered")
        rig.send(op="position", subject="/p/*", at=SECOND)
        rig.message("/p/a", 5, type="recovered")
        self.assertEqual([("/p/*", SECOND)], requests(rig.reconnect()))
        rig.message("/p/a", 5, type="recovered")
        rig.message("/p/a", 6, type="recovered")
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual(["4", "5", "6"], rig.texts(state))
        self.assertEqual([], rig.statuses(GapFound))

    def test_the_progress_of_one_of_several_overlapping_patterns_is_ignored(self) -> None:
        rig, _state = self.live()
        rig.subscribe("/*/a")
        rig.reconnect()
        rig.send(op="position", subject="/p/*", at=SECOND)
        self.assertEqual([("/p/*", FIRST), ("/*/a", None)], requests(rig.reconnect()))

    def test_recovered_messages_of_an_announced_gap_are_dropped(self) -> None:
        rig, state = self.live()
        rig.send(op="gap", subject="/p/a", **{"from": "7:3"}, to="7:6", reason="slow-consumer")
        rig.reconnect()
        for seq in range(3, 8):
            rig.message("/p/a", seq, type="recovered")
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual(["[slow-consumer]", "7"], rig.texts(state))

    def test_an_announced_gap_has_the_pattern_and_no_range(self) -> None:
        rig, state = self.live()
        rig.reconnect()
        rig.send(op="gap", subject="/p/*", to="0:0", reason="history-gone")
        rig.message("/p/a", 3, type="recovered")
        rig.message("/p/a", 8, type="recovered")
        rig.message("/p/b", 11, type="recovered")
        rig.subscribed("/p/*", recovery="gap", at=SECOND)
        rig.message("/p/a", 9)
        items = rig.items(state)
        self.assertEqual(Gap("/p/*", None, None, "history-gone"), items.pop(0))
        self.assertEqual([Position(7, 8), Position(7, 11), Position(7, 9)], [item.position for item in items])  # type: ignore[union-attr]
        self.assertEqual(1, len(rig.statuses(GapFound)))
        self.assertEqual(Recovery.GAP, rig.statuses(Subscribed)[-1].recovery)

    def test_messages_of_another_epoch_follow_the_gap_of_the_pattern(self) -> None:
        rig, state = self.live()
        rig.reconnect()
        rig.send(op="gap", subject="/p/*", to="0:0", reason="epoch-changed")
        rig.subscribed("/p/*", recovery="gap", at=SECOND)
        rig.message("/p/a", 1, epoch=8)
        rig.message("/p/a", 3, epoch=8)
        self.assertEqual(["[epoch-changed]", "1", "[not-recovered]", "3"], rig.texts(state))

    def test_a_given_position_is_requested(self) -> None:
        rig = Rig()
        state = rig.subscribe("/p/*", pattern_start=FIRST)
        self.assertEqual([("/p/*", FIRST)], requests(rig.connect()))
        rig.message("/p/a", 4, type="recovered")
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        rig.message("/p/a", 5)
        self.assertEqual(["4", "5"], rig.texts(state))
        self.assertEqual((Recovery.COMPLETE, None), state.confirmation)

    def test_positions_of_the_wrong_kind_are_refused(self) -> None:
        maker = SubscriptionMaker(None, Bounds())  # type: ignore[arg-type]
        for subject, start in (
            ("/p/*", "7:42"),
            ("/p/*", Position(7, 42)),
            ("/p/*", ""),
            ("/p/*", "AQ=="),
            ("/p/*", "AR"),
            ("/p/*", "+/+/"),
            ("/p/*", "Ä"),
            ("/p/*", "A" * 1028),
            ("/a", FIRST),
        ):
            with self.subTest(subject, start=start), self.assertRaises(ValueError):
                maker.make(subject, start, 0, 0, None, None, None)
        self.assertEqual("A" * 1024, maker.make("/p/*", "A" * 1024, 0, 0, None, None, None).at)

    def test_the_program_reads_the_position_after_it_took_the_messages_before(self) -> None:
        rig = Rig()
        state = rig.subscribe("/p/*")
        rig.connect()
        self.assertIsNone(state.buffer.position)
        rig.subscribed("/p/*", at=FIRST)
        self.assertEqual(FIRST, state.buffer.position)
        rig.message("/p/a", 3)
        self.position(rig, SECOND)
        rig.message("/p/a", 4)
        rig.engine.take_touched()
        self.position(rig, THIRD)
        self.assertEqual([state], rig.engine.take_touched())
        self.assertEqual(FIRST, state.buffer.position)
        state.buffer.take()
        self.assertEqual(FIRST, state.buffer.position)
        state.buffer.take()
        self.assertEqual(SECOND, state.buffer.position)
        with self.assertRaises(IndexError):
            state.buffer.take()
        self.assertEqual(THIRD, state.buffer.position)
        self.assertEqual([("/p/*", THIRD)], requests(rig.reconnect()))

    def test_positions_that_wait_for_the_program_are_bounded(self) -> None:
        rig, state = self.live()
        rig.message("/p/a", 4)
        for _ in range(100):
            self.position(rig, SECOND)
        self.assertEqual(1, len(state.buffer._marks))

    def test_a_pattern_without_a_position_takes_none(self) -> None:
        rig, _state = self.live()
        rig.subscribe("/q/*", conflate_ms=100)
        rig.subscribed("/q/*")
        self.position(rig, SECOND)
        self.assertEqual([("/p/*", SECOND), ("/q/*", None)], requests(rig.reconnect()))

    def test_another_server_without_positions_leads_to_bridges_and_a_gap(self) -> None:
        rig, state = self.live()
        rig.reconnect()
        rig.send(op="error", id=-2, code="wildcard-not-allowed", reason="no positions", subject="/p/*")
        self.assertEqual([("/p/a", "7:3"), ("/p/b", "7:9"), ("/p/*", None)], requests(rig.commands()))
        rig.subscribed("/p/*")
        self.assertEqual(["[not-recovered]"], rig.texts(state))
        self.assertEqual([], rig.statuses(SubscribeRefused))
        self.assertIsNone(state.buffer.position)

    def test_a_position_counts_only_after_the_bridges(self) -> None:
        rig, state = self.live()
        rig.reconnect()
        rig.send(op="error", id=-2, code="wildcard-not-allowed", reason="no positions", subject="/p/*")
        self.bridged(rig)
        self.position(rig, SECOND)
        self.assertEqual(["[not-recovered]", "4"], rig.texts(state))
        self.assertIsNone(state.buffer.position, "a message of a bridge is missing")
        self.assertEqual([("/p/b", "7:9"), ("/p/a", "7:4"), ("/p/*", None)], requests(rig.reconnect()))
        self.bridged(rig)
        rig.message("/p/a", 5, type="recovered")
        self.assertEqual(["[not-recovered]", "5"], rig.texts(state))
        self.assertEqual([("/p/*", FIRST)], requests(rig.reconnect()))

    @staticmethod
    def bridged(rig: Rig) -> None:
        rig.subscribed("/p/b", recovery="complete", epoch=7, seq=9)
        rig.subscribed("/p/a", recovery="complete", epoch=7, seq=5)
        rig.subscribed("/p/*", at=FIRST)
        rig.message("/p/a", 4, type="recovered")

    def test_a_given_position_that_the_server_has_no_use_for_leads_to_a_gap(self) -> None:
        rig = Rig()
        state = rig.subscribe("/p/*", pattern_start=FIRST)
        rig.connect()
        rig.send(op="error", id=-2, code="wildcard-not-allowed", reason="no positions", subject="/p/*")
        self.assertEqual([("/p/*", None)], requests(rig.commands()))
        rig.subscribed("/p/*")
        self.assertEqual(["[not-recovered]"], rig.texts(state))

    def test_a_position_of_another_kind_of_server_ends_the_subscription(self) -> None:
        rig = Rig()
        state = rig.subscribe("/p/*", pattern_start=FIRST)
        rig.connect()
        rig.send(op="error", id=-2, code="bad-position", reason="malformed", subject="/p/*")
        self.assertTrue(state.ended)

    def test_a_new_subscription_begins_without_the_position_of_the_last_one(self) -> None:
        rig, state = self.live()
        rig.engine.unsubscribe(state)
        rig.subscribe("/p/*")
        self.assertEqual([("/p/*", None)], requests(rig.commands()))

    def test_over_http_a_stream_begins_at_the_position(self) -> None:
        rig = Rig(transports=(Transport.HTTP_STREAM,))
        state = rig.subscribe("/p/*", pattern_start=FIRST)
        rig.engine.start()
        rig.engine.connection_opened(rig.connection)
        target = f"GET /subscribe?subject=/p/%2A&from={FIRST} HTTP"
        self.assertIn(target.encode(), rig.output.written[rig.connection])
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n"
        rig.receive(head + b'{"op":"subscribed","subject":"/p/*","recovery":"none"}\n')
        self.assertEqual(["[not-recovered]"], rig.texts(state))


class HeldPatternTest(unittest.TestCase):
    def live(self, *others: str) -> tuple[Rig, AnySubscription]:
        rig = Rig()
        state = rig.subscribe("/p/*")
        for other in others:
            rig.subscribe(other)
        rig.connect()
        rig.subscribed("/p/*", at=FIRST)
        for other in others:
            rig.subscribed(other, None if "*" in other else 0, at=FIRST if "*" in other else None)
        rig.message("/p/a", 3)
        self.assertEqual(["3"], rig.texts(state))
        return rig, state

    def test_pause_keeps_the_position(self) -> None:
        rig, state = self.live()
        rig.engine.pause(state)
        rig.send(op="unsubscribed", id=-3, subject="/p/*")
        rig.send(op="position", at=SECOND)
        rig.engine.resume(state)
        self.assertEqual([("/p/*", FIRST)], requests(rig.commands()))
        rig.message("/p/a", 3, type="recovered")
        rig.message("/p/a", 4, type="recovered")
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual(["4"], rig.texts(state))

    def test_messages_before_the_answer_are_of_the_earlier_subscription(self) -> None:
        rig, state = self.live()
        rig.engine.pause(state)
        rig.message("/p/a", 4)
        rig.engine.resume(state)
        rig.message("/p/a", 5)
        rig.send(op="position", at=THIRD)
        rig.send(op="unsubscribed", id=-3, subject="/p/*")
        for seq in (3, 4, 5):
            rig.message("/p/a", seq, type="recovered")
        self.assertEqual([("/p/*", FIRST)], requests(rig.reconnect()))
        for seq in (3, 4, 5):
            rig.message("/p/a", seq, type="recovered")
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual(["4", "5"], rig.texts(state))

    def test_messages_that_a_subject_took_are_announced(self) -> None:
        rig, state = self.live("/p/a")
        rig.engine.pause(state)
        rig.send(op="unsubscribed", id=-3, subject="/p/*")
        rig.engine.resume(state)
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual(["[not-recovered]"], rig.texts(state))

    def test_messages_that_a_pattern_without_a_position_took_are_announced(self) -> None:
        rig, state = self.live()
        rig.subscribe("/**", conflate_ms=100)
        rig.subscribed("/**")
        rig.engine.pause(state)
        rig.send(op="unsubscribed", id=-3, subject="/p/*")
        rig.engine.resume(state)
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual(["[not-recovered]"], rig.texts(state))

    def test_patterns_that_overlap_are_requested_again_after_one_that_is_behind(self) -> None:
        rig, state = self.live("/**", "/q/*")
        other = rig.engine._subscriptions.find("/**")
        assert other is not None
        self.assertEqual(["3"], rig.texts(other))
        rig.engine.pause(state)
        rig.send(op="unsubscribed", id=-3, subject="/p/*")
        rig.message("/p/a", 4)
        rig.send(op="position", at=SECOND)
        rig.commands()
        rig.engine.resume(state)
        commands = rig.commands()
        self.assertEqual({"op": "unsubscribe", "id": -3, "subject": "/**"}, commands[0])
        self.assertEqual([("/p/*", FIRST), ("/**", SECOND)], requests(commands))
        rig.message("/p/a", 5)
        rig.message("/q/x", 1)
        rig.send(op="unsubscribed", id=-3, subject="/**")
        for seq in (3, 4, 5, 6):
            rig.message("/p/a", seq, type="recovered")
        rig.subscribed("/p/*", recovery="complete", at=THIRD)
        rig.message("/q/x", 2, type="recovered")
        rig.subscribed("/**", recovery="complete", at=THIRD)
        rig.message("/p/a", 7)
        self.assertEqual(["4", "5", "6", "7"], rig.texts(state))
        self.assertEqual(["4", "5", "1", "6", "2", "7"], rig.texts(other))
        self.assertEqual([], rig.statuses(GapFound))

    def test_after_a_disconnect_the_pattern_that_lacks_most_is_requested_first(self) -> None:
        rig, state = self.live()
        rig.engine.unsubscribe(state)
        first, second = rig.subscribe("/p/*"), rig.subscribe("/p/**")
        for one in (first, second):
            rig.subscribed(one.subject, at=FIRST)
        rig.engine.pause(second)
        rig.send(op="position", at=SECOND)
        rig.lose()
        rig.engine.resume(second)
        rig.await_attempt()
        self.assertEqual([("/p/**", FIRST), ("/p/*", SECOND)], requests(rig.greet()))
        for one in (second, first):
            rig.subscribed(one.subject, recovery="complete", at=THIRD)
            self.assertEqual([], rig.texts(one))

    def test_other_subjects_do_not_matter(self) -> None:
        rig, state = self.live("/q", "/q/*", "/p/*/c", "/q/**")
        rig.engine.pause(state)
        rig.send(op="unsubscribed", id=-3, subject="/p/*")
        rig.engine.resume(state)
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual([], rig.texts(state))

    def test_after_a_disconnect_the_subscriptions_recover_together(self) -> None:
        rig, state = self.live("/p/a", "/*/a", "/**")
        rig.reconnect()
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual([], rig.texts(state))

    def test_patterns_that_resume_are_requested_before_new_ones(self) -> None:
        rig, state = self.live()
        rig.lose()
        rig.engine.unsubscribe(state)
        rig.subscribe("/**")
        rig.subscribe("/p/*", pattern_start=FIRST)
        rig.await_attempt()
        self.assertEqual([("/p/*", FIRST), ("/**", None)], requests(rig.greet()))

    def test_patterns_that_begin_at_different_positions_are_announced_where_they_overlap(self) -> None:
        for other, start, expected in (
            ("/**", FIRST, []),
            ("/**", SECOND, ["[not-recovered]"]),
            ("/q/*", SECOND, []),
        ):
            with self.subTest(other, start=start):
                rig = Rig()
                states = [rig.subscribe("/p/*", pattern_start=FIRST), rig.subscribe(other, pattern_start=start)]
                rig.connect()
                for state in states:
                    rig.subscribed(state.subject, recovery="complete", at=THIRD)
                    self.assertEqual(expected, rig.texts(state))

    def test_messages_of_bridges_are_announced_to_a_pattern_that_was_held(self) -> None:
        rig, state = self.live()
        rig.subscribe("/**", conflate_ms=100)
        rig.subscribed("/**")
        rig.engine.pause(state)
        rig.message("/p/b", 1)
        rig.lose()
        rig.engine.resume(state)
        rig.await_attempt()
        self.assertEqual([("/p/b", "7:1"), ("/p/*", FIRST), ("/**", None)], requests(rig.greet()))
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual(["[not-recovered]"], rig.texts(state))

    def test_different_positions_are_announced_on_a_live_connection_too(self) -> None:
        rig = Rig()
        rig.connect()
        states = [rig.subscribe("/p/*", pattern_start=FIRST), rig.subscribe("/**", pattern_start=SECOND)]
        rig.send(op="unsubscribed", id=-3, subject="/p/*")
        for state in states:
            rig.subscribed(state.subject, recovery="complete", at=THIRD)
            self.assertEqual(["[not-recovered]"], rig.texts(state))

    def test_a_subject_that_is_subscribed_while_the_pattern_recovers(self) -> None:
        rig, state = self.live()
        rig.reconnect()
        rig.subscribe("/p/b")
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual(["[not-recovered]"], rig.texts(state))
        rig.reconnect()
        rig.subscribed("/p/*", recovery="complete", at=SECOND)
        self.assertEqual(["[not-recovered]"], rig.texts(state), "/p/b had no position yet")

    def test_patterns_and_subjects_overlap(self) -> None:
        for one, other, expected in (
            ("/a/*", "/a/b", True),
            ("/a/*", "/a/b/c", False),
            ("/a/**", "/a/b/c", True),
            ("/a/**", "/a", False),
            ("/*/b", "/a/*", True),
            ("/*/b", "/a/c", False),
            ("/a/**", "/*/b/c", True),
            ("/a/**", "/b/**", False),
            ("/**", "/a", True),
        ):
            with self.subTest(one, other=other):
                self.assertEqual(expected, overlap(one, other))
                self.assertEqual(expected, overlap(other, one))
