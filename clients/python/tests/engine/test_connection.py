from __future__ import annotations

import json
import unittest
from random import Random

from belfry._backoff import ReconnectPolicy
from belfry._frames import BINARY, PING
from belfry._options import Timeouts, Transport
from belfry._status import Closed, CommandFailed, Connected, Connecting, Disconnected, ReconnectAsked, Refused, Stale
from harness import Rig, client_frames, server_frame


class ConnectionTest(unittest.TestCase):
    def test_the_handshake_asks_for_the_encoding_and_sends_the_token(self) -> None:
        rig = Rig("ws://server/base", token="secret")
        rig.engine.start()
        rig.engine.connection_opened(rig.connection)
        request = rig.output.written[rig.connection].decode()
        self.assertTrue(request.startswith("GET /base HTTP/1.1\r\nHost: server:8800\r\n"))
        self.assertIn("\r\nAuthorization: Bearer secret\r\n", request)
        self.assertIn("\r\nSec-WebSocket-Protocol: belfry.json.v1\r\n", request)

    def test_the_answer_to_the_handshake_may_arrive_in_any_parts(self) -> None:
        rig = Rig()
        rig.engine.start()
        whole = rig.receive
        rig.receive = lambda data: [whole(data[i : i + 1]) for i in range(len(data))]  # type: ignore[method-assign, assignment]
        rig.greet()
        self.assertEqual(1, len(rig.statuses(Connected)))

    def test_events_right_behind_the_handshake_are_read(self) -> None:
        rig = Rig()
        rig.engine.start()
        later: list[bytes] = []
        whole = rig.receive
        rig.receive = later.append  # type: ignore[method-assign, assignment]
        rig.accept()
        rig.send(op="connected", session="s", node="n")
        whole(b"".join(later))
        self.assertEqual("s", rig.statuses(Connected)[0].session)

    def test_a_wrong_accept_key_is_refused(self) -> None:
        rig = Rig()
        rig.engine.start()
        rig.engine.connection_opened(rig.connection)
        rig.receive(b"HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n")
        self.assertIn("Sec-WebSocket-Accept", rig.statuses(Disconnected)[0].reason)

    def test_a_ping_is_answered_with_its_payload(self) -> None:
        rig = Rig()
        rig.connect()
        rig.commands()
        rig.receive(server_frame(PING, b"abc"))
        self.assertEqual([(0xA, b"abc")], client_frames(rig.output.written[rig.connection]))

    def test_a_frame_of_the_other_encoding_ends_the_connection(self) -> None:
        rig = Rig()
        rig.connect()
        rig.receive(server_frame(BINARY, b"x"))
        self.assertEqual("bad-frame", rig.statuses(Disconnected)[0].code)

    def test_a_lost_connection_is_made_again(self) -> None:
        rig = Rig()
        rig.connect()
        rig.reconnect()
        self.assertEqual(2, len(rig.statuses(Connected)))
        self.assertLessEqual(rig.statuses(Disconnected)[0].retry_in, 0.5)

    def test_input_of_an_old_connection_has_no_effect(self) -> None:
        rig = Rig()
        rig.connect()
        old = rig.connection
        rig.reconnect()
        rig.engine.received(old, b"\xff\xff")
        self.assertEqual(1, len(rig.statuses(Disconnected)))

    def test_a_server_that_does_not_answer_times_out(self) -> None:
        rig = Rig()
        rig.engine.start()
        rig.pass_time(9.9)
        self.assertEqual([], rig.statuses(Disconnected))
        rig.pass_time(0.2)
        self.assertEqual("timed-out", rig.statuses(Disconnected)[0].code)
        self.assertIn(1, rig.output.closed)

    def test_a_close_that_faults_the_client_is_final(self) -> None:
        for code in (1002, 1003, 1007, 1008, 1009, 4014):
            with self.subTest(code):
                rig = Rig()
                rig.connect()
                rig.close(code, "bad-frame: no")
                self.assertEqual("bad-frame", rig.statuses(Refused)[0].code)
                self.assertIsNone(rig.engine.next_wake())

    def test_other_closes_lead_to_another_attempt(self) -> None:
        for code in (1000, 1001, 1011, 1013, 4008, 4009, 4010, 4011, 4012):
            with self.subTest(code):
                rig = Rig()
                rig.connect()
                rig.close(code, "slow-consumer: took nothing")
                self.assertEqual("slow-consumer", rig.statuses(Disconnected)[0].code)
                rig.pass_time(1.0)
                self.assertEqual(2, len(rig.statuses(Connecting)))

    def test_the_time_of_a_reconnect_event_is_used_as_it_is(self) -> None:
        rig = Rig()
        rig.connect()
        rig.send(op="reconnect", after=700, reason="drain")
        rig.close(1001, "drain")
        self.assertEqual(0.7, rig.statuses(ReconnectAsked)[0].after)
        self.assertEqual(0.7, rig.statuses(Disconnected)[0].retry_in)

    def test_a_refusal_with_retry_after_adds_a_random_part(self) -> None:
        rig = Rig()
        rig.engine.start()
        rig.refuse(503, '{"code":"connect-rate","reason":"x"}', "Retry-After: 5")
        pause = rig.statuses(Disconnected)[0].retry_in
        self.assertEqual("connect-rate", rig.statuses(Disconnected)[0].code)
        self.assertGreater(pause, 5.0)
        self.assertLessEqual(pause, 6.0)

    def test_a_connect_refused_for_a_rate_ends_the_attempt_at_once(self) -> None:
        for code in ("command-rate", "token-rate"):
            with self.subTest(code):
                rig = Rig()
                rig.engine.start()
                rig.accept()
                rig.send(op="error", id=-1, code=code, reason="x", after=3000)
                pause = rig.statuses(Disconnected)[0].retry_in
                self.assertEqual(code, rig.statuses(Disconnected)[0].code)
                self.assertGreater(pause, 3.0)
                self.assertLessEqual(pause, 4.0)
                rig.await_attempt()
                rig.greet()
                self.assertEqual(1, len(rig.statuses(Connected)))

    def test_a_connect_refused_for_a_rate_on_an_open_connection_is_a_status(self) -> None:
        rig = Rig()
        rig.connect()
        rig.send(op="error", id=-1, code="token-rate", reason="x", after=3000)
        self.assertEqual([CommandFailed("token-rate", "x")], rig.statuses(CommandFailed))
        self.assertEqual([], rig.statuses(Disconnected))

    def test_a_refusal_without_retry_is_final(self) -> None:
        rig = Rig()
        rig.engine.start()
        rig.refuse(403, '{"code":"origin-denied","reason":"x"}')
        self.assertEqual("origin-denied", rig.statuses(Refused)[0].code)

    def test_a_server_that_is_not_ready_sends_the_client_to_the_next(self) -> None:
        rig = Rig("ws://a", "ws://b")
        rig.engine.start()
        rig.refuse(503, '{"code":"not-ready","reason":"x"}', "Retry-After: 60")
        self.assertLessEqual(rig.statuses(Disconnected)[0].retry_in, 0.5)
        rig.pass_time(1.0)
        servers = {status.server for status in rig.statuses(Connecting)}
        self.assertEqual(2, len(servers))

    def test_pauses_grow_to_the_longest_and_spread_over_the_whole_range(self) -> None:
        policy = ReconnectPolicy()
        draw = Random(5)
        for attempt, bound in [(0, 0.5), (2, 0.5), (3, 1), (4, 2), (5, 4), (7, 16), (8, 30), (1000, 30)]:
            pauses = [policy.pause(attempt, draw) for _ in range(1000)]
            self.assertLess(max(pauses), bound)
            for tenth in range(10):
                inside = sum(bound * tenth / 10 <= pause < bound * (tenth + 1) / 10 for pause in pauses)
                self.assertGreater(inside, 60, f"attempt {attempt}, tenth {tenth}")

    def test_a_short_connection_does_not_reset_the_pauses(self) -> None:
        rig = Rig()
        rig.connect()
        for attempt in range(1, 6):
            rig.reconnect()
            self.assertEqual(attempt, rig.statuses(Connecting)[-1].attempt)
        rig.pass_time(10.0)
        rig.reconnect()
        self.assertEqual(1, rig.statuses(Connecting)[-1].attempt)

    def test_weights_decide_how_often_a_server_is_chosen(self) -> None:
        from belfry._address import Server, ServerAddress
        from belfry._backoff import ServerChoice

        servers = [ServerAddress.parse(Server("ws://a", 3)), ServerAddress.parse("ws://b")]
        choice = ServerChoice(servers, 30, Random(1))
        chosen = [choice.next(0).host for _ in range(4000)]
        self.assertAlmostEqual(3000, chosen.count("a"), delta=150)

    def test_the_server_avoided_longest_is_next_if_all_are_avoided(self) -> None:
        from belfry._address import ServerAddress
        from belfry._backoff import ServerChoice

        a, b = ServerAddress.parse("ws://a"), ServerAddress.parse("ws://b")
        choice = ServerChoice([a, b], 30, Random(1))
        choice.avoid(b, 0, 0)
        choice.avoid(a, 1, 0)
        self.assertEqual(b, choice.next(2))
        self.assertEqual(b, choice.next(30.5))

    def test_statuses_of_the_server_are_passed_on(self) -> None:
        rig = Rig()
        rig.connect()
        rig.send(op="stale", stale=True)
        rig.send(op="later", x=1)
        self.assertEqual([Stale(True)], rig.statuses(Stale))

    def test_close_sends_a_close_frame_and_leaves_no_timer(self) -> None:
        rig = Rig()
        rig.connect()
        rig.engine.close()
        self.assertEqual([rig.connection], rig.output.closed)
        self.assertEqual([Closed()], rig.statuses(Closed))
        self.assertEqual(0, rig.engine.timer_count)
        rig.engine.close()
        self.assertEqual(1, len(rig.statuses(Closed)))


class SilenceTest(unittest.TestCase):
    def test_a_silent_server_is_asked_and_then_given_up(self) -> None:
        rig = Rig()
        rig.connect()
        rig.commands()
        rig.pass_time(24.9)
        self.assertEqual(0, rig.pings())
        rig.pass_time(0.2)
        self.assertEqual(1, rig.pings())
        rig.pass_time(9.7)
        self.assertEqual([], rig.statuses(Disconnected))
        rig.pass_time(0.4)
        self.assertIn("sent nothing for 35.0 s", rig.statuses(Disconnected)[0].reason)

    def test_the_interval_is_that_of_the_server(self) -> None:
        rig = Rig(timeouts=Timeouts(ping_interval=5))
        rig.connect()
        rig.commands()
        rig.pass_time(20)
        self.assertEqual(0, rig.pings())

    def test_the_requested_interval_is_sent_and_the_answer_counts(self) -> None:
        rig = Rig(timeouts=Timeouts(ping_interval=300))
        rig.engine.start()
        rig.accept()
        frames = client_frames(rig.output.written.pop(rig.connection))
        self.assertEqual({"op": "connect", "id": -1, "ping": 300_000}, json.loads(frames[0][1]))
        rig.send(op="connected", id=-1, session="s", node="n", ping=600_000, maxMessage=65536)
        rig.pass_time(599)
        self.assertEqual(0, rig.pings())
        rig.pass_time(2)
        self.assertEqual(1, rig.pings())

    def test_an_interval_that_the_protocol_cannot_express_is_refused(self) -> None:
        for interval in (0.0, -1.0, 0.0001, 50 * 86_400.0):
            with self.assertRaises(ValueError):
                Timeouts(ping_interval=interval)

    def test_any_received_bytes_are_a_sign_of_life(self) -> None:
        rig = Rig()
        rig.connect()
        for _ in range(10):
            rig.pass_time(26)
            rig.send(op="pong")
        self.assertEqual([], rig.statuses(Disconnected))

    def test_after_sleep_the_connection_is_probed_before_it_is_judged(self) -> None:
        rig = Rig()
        rig.connect()
        rig.commands()
        rig.sleep(3600)
        self.assertEqual(1, rig.pings())
        self.assertEqual([], rig.statuses(Disconnected))
        rig.pass_time(1)
        rig.send(op="pong")
        rig.pass_time(20)
        self.assertEqual([], rig.statuses(Disconnected))

    def test_a_connection_that_died_during_sleep_is_given_up_after_two_seconds(self) -> None:
        rig = Rig()
        rig.connect()
        rig.sleep(3600)
        rig.pass_time(2.1)
        self.assertEqual("timed-out", rig.statuses(Disconnected)[0].code)

    def test_a_handshake_that_completed_during_sleep_is_used(self) -> None:
        rig = Rig()
        rig.engine.start()
        rig.clock.now += 3600
        rig.greet()
        self.assertEqual([], rig.statuses(Disconnected))
        self.assertTrue(rig.engine.is_up)

    def test_a_pause_that_ended_during_sleep_is_over(self) -> None:
        rig = Rig()
        rig.connect()
        rig.lose()
        rig.sleep(3600)
        self.assertEqual(2, len(rig.statuses(Connecting)))

    def test_time_asleep_does_not_fail_a_publish(self) -> None:
        rig = Rig()
        rig.connect()
        id = rig.publish("/a")
        rig.sleep(3600)
        self.assertEqual({}, rig.results)
        rig.send(op="published", id=id, epoch=7, seq=1)
        self.assertEqual((7, 1), rig.results[id])


class FallbackTest(unittest.TestCase):
    def rig(self) -> Rig:
        return Rig(transports=tuple(Transport))

    def test_a_swallowed_upgrade_leads_to_the_next_transport_at_once(self) -> None:
        for status in (200, 400, 403, 404, 502):
            with self.subTest(status):
                rig = self.rig()
                rig.engine.start()
                rig.refuse(status, "<html>")
                rig.pass_time(0.01)
                tried = [status.transport for status in rig.statuses(Connecting)]
                self.assertEqual(["websocket", "http-stream"], tried)

    def test_a_refusal_of_the_server_itself_keeps_the_transport(self) -> None:
        rig = self.rig()
        rig.engine.start()
        rig.refuse(503, '{"code":"not-ready"}')
        rig.pass_time(1)
        self.assertEqual(["websocket"] * 2, [status.transport for status in rig.statuses(Connecting)])

    def test_a_server_that_accepts_no_connection_is_no_fault_of_the_transport(self) -> None:
        rig = self.rig()
        rig.engine.start()
        rig.pass_time(11)
        self.assertEqual(["websocket"] * 2, [status.transport for status in rig.statuses(Connecting)])

    def test_an_unreachable_server_is_no_fault_of_the_transport(self) -> None:
        from belfry._refusals import Cause, Ending

        rig = self.rig()
        rig.engine.start()
        rig.engine.connection_lost(rig.connection, Ending(Cause.UNREACHABLE, "no"))
        rig.pass_time(1)
        self.assertEqual(["websocket"] * 2, [status.transport for status in rig.statuses(Connecting)])

    def test_pauses_begin_when_every_transport_failed(self) -> None:
        rig = self.rig()
        rig.subscribe("/a")
        rig.engine.start()
        for attempt in (1, 2, 3):
            self.assertEqual(attempt, len(rig.statuses(Connecting)))
            rig.engine.connection_opened(rig.connection)
            rig.pass_time(10.0)
        pauses = [status.retry_in for status in rig.statuses(Disconnected)]
        self.assertEqual([0.0, 0.0], pauses[:2])
        self.assertGreater(pauses[2], 0)


if __name__ == "__main__":
    unittest.main()
