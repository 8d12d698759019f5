from __future__ import annotations

import unittest
from typing import Any

from belfry._frames import CLOSE
from belfry._model import Position
from belfry._options import Transport
from belfry._status import Disconnected, GapFound, Subscribed
from belfry._subscriptions import AnySubscription
from harness import Rig, client_frames

Commands = list[dict[str, Any]]

NEW: dict[str, Any] = {"op": "connect", "id": -1, "session": ""}
KEEP_MS = 60_000


def continuing(*positions: str, session: str = "s1") -> dict[str, Any]:
    return {"op": "connect", "id": -1, "session": session, "positions": list(positions)}


def subscribe(subject: str, after: str | None = None) -> dict[str, Any]:
    return {"op": "subscribe", "id": -2, "subject": subject, **({"from": after} if after else {})}


class ContinuationTest(unittest.TestCase):
    def setUp(self) -> None:
        self.rig = Rig(keep_session=True)

    def kept(self, *subjects: str, **options: Any) -> list[AnySubscription]:
        """Connects with subscriptions, each of which gets its message 6, and the session s1."""
        states = [self.rig.subscribe(subject, **options) for subject in subjects]
        self.rig.engine.start()
        self.rig.accept()
        self.assertEqual(NEW, self.rig.all_commands()[0])
        self.rig.connected("s1", keep=KEEP_MS)
        for subject in subjects:
            self.rig.subscribed(subject, 5)
            self.rig.message(subject, 6)
        return states

    def returns(self, lost: bool = True) -> Commands:
        """Loses the connection, and returns the commands before ``connected`` of the next one."""
        if lost:
            self.rig.lose()
        self.rig.await_attempt()
        self.rig.accept()
        return self.rig.all_commands()

    def test_without_the_option_nothing_is_requested(self) -> None:
        rig = Rig()
        rig.engine.start()
        rig.accept()
        self.assertEqual([{"op": "connect", "id": -1}], rig.all_commands())

    def test_positions_that_exceed_a_command_begin_a_new_session(self) -> None:
        self.kept("/a", "/b")
        self.rig.connected("s1", keep=KEEP_MS, maxMessage=20)
        self.assertEqual(NEW, self.returns()[0])

    def test_a_session_continues_with_one_command(self) -> None:
        a, b = self.kept("/a", "/b")
        self.assertEqual([continuing("/a", "7:6", "/b", "7:6")], self.returns())
        self.rig.connected("s2", keep=KEEP_MS, resumed=True)
        self.assertEqual([], self.rig.commands())
        self.rig.message("/a", 6)
        self.rig.message("/a", 7, type="recovered")
        self.rig.message("/a", 8)
        self.rig.send(op="gap", subject="/b", **{"from": "7:6"}, to="7:9", reason="history-gone")
        self.rig.message("/b", 10, type="recovered")
        self.assertEqual(["6", "7", "8"], self.rig.texts(a))
        self.assertEqual(["6", "[history-gone]", "10"], self.rig.texts(b))
        self.assertEqual(2, len(self.rig.statuses(Subscribed)))
        self.assertEqual([continuing("/a", "7:8", "/b", "7:10", session="s2")], self.returns())

    def silence(self) -> list[int]:
        """Lets the server be silent until the client gives the connection up; returns the opcodes that it sent."""
        connection = self.rig.connection
        self.rig.pass_time(34)
        self.rig.output.written.clear()
        self.rig.pass_time(2)
        self.assertEqual("timed-out", self.rig.statuses(Disconnected)[-1].code)
        return [opcode for opcode, _ in client_frames(self.rig.output.written.get(connection, b""))]

    def test_a_silent_connection_ends_without_a_close_frame(self) -> None:
        self.kept("/a")
        self.assertEqual([], self.silence())
        self.assertEqual([continuing("/a", "7:6")], self.returns(lost=False))

    def test_a_silent_connection_without_a_kept_session_is_closed(self) -> None:
        self.rig = Rig()
        self.rig.connect()
        self.assertEqual([CLOSE], self.silence())

    def test_a_session_that_the_server_does_not_have_is_subscribed_again(self) -> None:
        (state,) = self.kept("/a")
        self.assertEqual([continuing("/a", "7:6")], self.returns())
        self.rig.connected("s2", keep=KEEP_MS)
        self.assertEqual([subscribe("/a", "7:6")], self.rig.commands())
        self.rig.subscribed("/a", 7, "complete")
        self.rig.message("/a", 7, type="recovered")
        self.assertEqual(["6", "7"], self.rig.texts(state))
        self.assertEqual([], self.rig.statuses(GapFound))
        self.assertEqual([continuing("/a", "7:7", session="s2")], self.returns())

    def test_changes_while_offline_need_a_new_session(self) -> None:
        def replaced(state: AnySubscription) -> None:
            self.rig.engine.unsubscribe(state)
            self.rig.subscribe("/a", start=Position(7, 6), conflate_ms=100)

        changes = {
            "subscribed": lambda state: self.rig.subscribe("/b", start=Position(7, 1)),
            "pattern": lambda state: self.rig.subscribe("/p/*"),
            "unsubscribed": lambda state: self.rig.engine.unsubscribe(state),
            "paused": lambda state: self.rig.engine.pause(state),
            "replaced": replaced,
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.rig = Rig(keep_session=True)
                state, _ = self.kept("/a", "/c")
                self.rig.lose()
                change(state)
                commands = self.returns(lost=False)
                self.assertEqual(NEW, commands[0])
                self.assertIn(subscribe("/c", "7:6"), commands)

    def test_a_pause_that_ended_while_offline_changes_nothing(self) -> None:
        (state,) = self.kept("/a")
        self.rig.lose()
        self.rig.engine.pause(state)
        self.rig.engine.resume(state)
        self.assertEqual([continuing("/a", "7:6")], self.returns(lost=False))

    def test_commands_without_an_answer_need_a_new_session(self) -> None:
        def paused_and_resumed(state: AnySubscription) -> None:
            self.rig.engine.pause(state)
            self.rig.engine.resume(state)

        def answered_once(state: AnySubscription) -> None:
            paused_and_resumed(state)
            self.rig.send(op="unsubscribed", id=-3, subject="/a")

        changes = {
            "subscribed": lambda state: self.rig.subscribe("/b"),
            "unsubscribed": lambda state: self.rig.engine.unsubscribe(state),
            "paused and resumed": paused_and_resumed,
            "answered once": answered_once,
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.rig = Rig(keep_session=True)
                state, _ = self.kept("/a", "/c")
                change(state)
                self.assertEqual(NEW, self.returns()[0])

    def test_answered_commands_keep_the_session(self) -> None:
        a, b, _ = self.kept("/a", "/b", "/c")
        self.rig.engine.pause(a)
        self.rig.engine.resume(a)
        self.rig.engine.unsubscribe(b)
        self.rig.subscribe("/d")
        self.rig.send(op="unsubscribed", id=-3, subject="/a")
        self.rig.subscribed("/a", 6, "complete")
        self.rig.send(op="unsubscribed", id=-3, subject="/b")
        self.rig.send(op="error", id=-2, code="subscribe-denied", reason="no", subject="/d")
        self.assertEqual([continuing("/a", "7:6", "/c", "7:6")], self.returns())

    def test_a_subscription_that_the_server_ended_is_not_continued(self) -> None:
        self.kept("/a", "/b")
        self.rig.send(op="unsubscribed", subject="/a", reason="subscribe-denied")
        self.assertEqual([continuing("/b", "7:6")], self.returns())

    def test_a_subscription_without_a_position_needs_a_new_session(self) -> None:
        self.rig.subscribe("/a", history=3)
        self.rig.engine.start()
        self.rig.accept()
        self.rig.connected("s1", keep=KEEP_MS)
        self.rig.subscribed("/a", 5)
        self.assertEqual(NEW, self.returns()[0])

    def test_patterns_are_requested_again_from_their_positions(self) -> None:
        state, _ = self.kept("/a/b", "/c")
        pattern = self.rig.subscribe("/a/*")
        self.rig.subscribed("/a/*", at="AQAA")
        paused = self.rig.subscribe("/p/*")
        self.rig.subscribed("/p/*", at="AQAA")
        self.rig.engine.pause(paused)
        self.assertEqual([continuing("/a/b", "7:6", "/c", "7:6")], self.returns())
        self.rig.connected("s2", keep=KEEP_MS, resumed=True)
        self.assertEqual([subscribe("/a/*", "AQAA")], self.rig.commands())
        self.rig.message("/a/b", 7, type="recovered")
        self.rig.message("/a/new", 1, type="recovered")
        self.rig.subscribed("/a/*", recovery="complete", at="AQAB")
        self.rig.message("/a/b", 8)
        self.assertEqual(["6", "7", "8"], self.rig.texts(state))
        self.assertEqual(["7", "1", "8"], self.rig.texts(pattern))
        for session in ("s2", "s3"):
            # At the second time the pattern is not confirmed yet.
            self.assertEqual([continuing("/a/b", "7:8", "/c", "7:6", session=session)], self.returns())
            self.rig.connected("s3", keep=KEEP_MS, resumed=True)
            self.assertEqual([subscribe("/a/*", "AQAB")], self.rig.commands())
        self.returns()
        self.rig.connected("s4", keep=KEEP_MS)
        again = [subscribe("/a/b", "7:8"), subscribe("/c", "7:6"), subscribe("/a/*", "AQAB")]
        self.assertEqual(again, self.rig.commands())

    def test_a_pattern_without_a_position_needs_a_new_session(self) -> None:
        self.kept("/a")
        self.rig.subscribe("/p/*")
        self.rig.subscribed("/p/*")
        self.assertEqual(NEW, self.returns()[0])

    def test_at_most_1000_subjects_are_continued(self) -> None:
        for count, session in ((1000, "s1"), (1001, "")):
            with self.subTest(count):
                self.rig = Rig(keep_session=True)
                self.kept(*(f"/s/{i}" for i in range(count)))
                self.assertEqual(session, self.returns()[0]["session"])

    def test_the_session_is_forgotten_after_its_time(self) -> None:
        for seconds, session in ((59, "s1"), (61, "")):
            with self.subTest(seconds):
                self.rig = Rig(keep_session=True)
                self.kept("/a")
                self.rig.lose()
                self.rig.clock.now += seconds
                self.assertEqual(session, self.returns(lost=False)[0]["session"])

    def test_failed_attempts_do_not_forget_the_session(self) -> None:
        self.kept("/a")
        self.rig.lose()
        self.rig.await_attempt()
        self.rig.lose()
        other = self.rig.subscribe("/b")
        self.assertEqual(NEW, self.returns(lost=False)[0])
        self.rig.engine.unsubscribe(other)
        for _ in range(2):
            self.assertEqual([continuing("/a", "7:6")], self.returns())
        self.rig.lose()
        self.rig.clock.now += 61
        self.assertEqual(NEW, self.returns(lost=False)[0])

    def test_a_renewed_token_keeps_the_session(self) -> None:
        for more, session in (({"keep": KEEP_MS}, "s9"), ({}, "")):
            with self.subTest(session):
                self.rig = Rig(keep_session=True)
                self.kept("/a")
                self.rig.connected("s9", **more)
                self.assertEqual([], self.rig.commands())
                self.assertEqual(session, self.returns()[0]["session"])

    def test_a_session_that_another_connection_took_is_forgotten(self) -> None:
        self.kept("/a")
        self.rig.close(4013, "session-taken: another connection continues the session")
        self.assertEqual([NEW, subscribe("/a", "7:6")], self.returns(lost=False))

    def test_changes_before_the_answer_are_requested_after_it(self) -> None:
        for resumed in (True, False):
            with self.subTest(resumed):
                self.rig = Rig(keep_session=True)
                a, b, c = self.kept("/a", "/b", "/c")
                self.returns()
                self.rig.engine.unsubscribe(a)
                self.rig.engine.pause(b)
                self.rig.engine.unsubscribe(c)
                self.rig.subscribe("/c", start=Position(7, 6), conflate_ms=100)
                self.rig.subscribe("/d")
                self.assertEqual([], self.rig.commands())
                self.rig.connected("s2", keep=KEEP_MS, **({"resumed": True} if resumed else {}))
                ended = [{"op": "unsubscribe", "id": -3, "subjects": ["/a", "/b", "/c"]}] if resumed else []
                requested = [{**subscribe("/c", "7:6"), "conflate": 100}, subscribe("/d")]
                self.assertEqual([*ended, *requested], self.rig.commands())

    def test_publishes_wait_for_the_answer_and_are_repeated(self) -> None:
        self.kept("/a")
        self.rig.publish("/a")
        self.rig.commands()
        self.assertEqual([continuing("/a", "7:6")], self.returns())
        self.rig.connected("s2", keep=KEEP_MS, resumed=True)
        self.assertEqual(["publish"], [command["op"] for command in self.rig.commands()])

    def test_http_ignores_the_option(self) -> None:
        rig = Rig(keep_session=True, transports=(Transport.HTTP_STREAM,))
        rig.subscribe("/a")
        rig.engine.start()
        rig.engine.connection_opened(rig.connection)
        self.assertIn(b"GET /subscribe?subject=/a", rig.output.written[rig.connection])
