from __future__ import annotations

import json
import unittest
from typing import Any

from belfry._errors import PublishError
from belfry._http import HttpError, ResponseHead, ResponseReader
from belfry._model import Position
from belfry._options import Timeouts, Transport
from belfry._status import Connected, Connecting, Disconnected, GapFound, Refused, Subscribed, SubscribeRefused
from harness import Rig

STREAM = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"


def answer(status: int = 200, *fields: str, **members: Any) -> bytes:
    body = json.dumps(members)
    lines = "".join(field + "\r\n" for field in fields)
    return f"HTTP/1.1 {status} X\r\n{lines}Content-Length: {len(body)}\r\n\r\n{body}".encode()


def line(**event: Any) -> bytes:
    text = json.dumps(event) + "\n"
    return f"{len(text):x}\r\n{text}\r\n".encode()


def message(seq: int, subject: str = "/a", type: str = "live") -> dict[str, Any]:
    return {"op": "message", "subject": subject, "data": str(seq), "epoch": 7, "seq": seq, "time": 1, "type": type}


class HttpRig(Rig):
    """A rig whose requests can be read."""

    def request(self) -> str:
        """Opens the latest connection and takes its request line."""
        self.engine.connection_opened(self.connection)
        return self.target(self.connection)

    def target(self, connection: int) -> str:
        return self.output.written.pop(connection).decode().split("\r\n")[0]


class StreamTest(unittest.TestCase):
    def rig(self) -> HttpRig:
        rig = HttpRig(transports=(Transport.HTTP_STREAM,))
        self.state = rig.subscribe("/a")
        rig.engine.start()
        return rig

    def opened(self) -> HttpRig:
        rig = self.rig()
        rig.request()
        rig.receive(STREAM.encode() + line(op="subscribed", subject="/a", epoch=7, seq=3, recovery="none"))
        return rig

    def test_one_request_has_all_subjects_and_positions(self) -> None:
        rig = HttpRig(transports=(Transport.HTTP_STREAM,), token="t")
        rig.subscribe("/ä b", start=Position(7, 3))
        rig.subscribe("/c", history=5, conflate_ms=100)
        rig.subscribe("/d/*", conflate_ms=50)
        rig.engine.start()
        expected = "GET /subscribe?subject=/%C3%A4%20b&subject=/c&subject=/d/%2A&from=7:3,&history=5 HTTP/1.1"
        self.assertEqual(expected, rig.request())

    def test_the_client_is_connected_with_the_first_event(self) -> None:
        rig = self.rig()
        rig.request()
        rig.receive(STREAM.encode())
        self.assertEqual([], rig.statuses(Connected))
        rig.receive(line(op="subscribed", subject="/a", epoch=7, seq=3, recovery="none"))
        self.assertEqual("http-stream", rig.statuses(Connected)[0].transport)
        part = line(**message(4))
        rig.receive(part[:20])
        rig.receive(part[20:] + b"1\r\n\n\r\n" + line(**message(5)))
        self.assertEqual(["4", "5"], rig.texts(self.state))

    def test_a_stream_requests_the_interval_and_uses_that_of_the_answer(self) -> None:
        rig = HttpRig(transports=(Transport.HTTP_STREAM,), timeouts=Timeouts(ping_interval=5))
        rig.subscribe("/a")
        rig.engine.start()
        self.assertEqual("GET /subscribe?subject=/a&ping=5000 HTTP/1.1", rig.request())
        head = STREAM.replace("\r\n\r\n", "\r\nBelfry-Ping: 60000\r\n\r\n")
        rig.receive(head.encode() + line(op="subscribed", subject="/a", epoch=7, seq=3, recovery="none"))
        rig.pass_time(119)
        self.assertEqual([], rig.statuses(Disconnected))
        rig.pass_time(2)
        self.assertIn("sent nothing for 120", rig.statuses(Disconnected)[0].reason)

    def test_a_changed_set_resumes_on_another_stream(self) -> None:
        rig = self.opened()
        old = rig.connection
        rig.receive(line(**message(4)))
        rig.subscribe("/b")
        rig.subscribe("/c")
        rig.pass_time(0.02)
        self.assertEqual([old], rig.output.closed)
        expected = "GET /subscribe?subject=/a&subject=/b&subject=/c&from=7:4,, HTTP/1.1"
        self.assertEqual(expected, rig.request())
        rig.engine.received(old, line(**message(9)))
        self.assertEqual(["4"], rig.texts(self.state))

    def test_the_end_of_the_stream_leads_to_another_attempt(self) -> None:
        rig = self.opened()
        rig.receive(line(op="error", code="token-expired", reason="x") + b"0\r\n\r\n")
        self.assertEqual("token-expired", rig.statuses(Disconnected)[0].code)

    def test_a_refused_stream_ends_the_client(self) -> None:
        rig = self.rig()
        rig.request()
        rig.receive(answer(401, code="unauthorized", reason="no"))
        self.assertEqual("unauthorized", rig.statuses(Refused)[0].code)

    def test_a_page_instead_of_a_stream_is_refused(self) -> None:
        rig = self.rig()
        rig.request()
        rig.receive(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")
        self.assertIn("not an NDJSON stream", rig.statuses(Disconnected)[0].reason)

    def test_a_stream_that_is_held_back_leads_to_long_polling(self) -> None:
        rig = HttpRig(transports=(Transport.HTTP_STREAM, Transport.LONG_POLL))
        rig.engine.start()
        rig.engine.connection_opened(rig.connection)
        self.assertEqual(1, len(rig.statuses(Connected)))
        rig.subscribe("/a")
        rig.pass_time(0.02)
        rig.request()
        rig.pass_time(10.1)
        self.assertIn("no event within 10 s", rig.statuses(Disconnected)[0].reason)
        self.assertEqual("long-poll", rig.statuses(Connecting)[-1].transport)

    def test_invalid_lines_end_the_stream(self) -> None:
        for part in (line(op="message"), b"zz\r\n", b"2\r\n{x\r\n2\r\n}\n\r\n"):
            with self.subTest(part):
                rig = self.opened()
                rig.receive(part)
                self.assertEqual("bad-frame", rig.statuses(Disconnected)[0].code)

    def test_a_silent_stream_is_given_up_after_two_intervals(self) -> None:
        rig = self.opened()
        rig.pass_time(49)
        self.assertEqual([], rig.statuses(Disconnected))
        rig.pass_time(2)
        self.assertEqual("timed-out", rig.statuses(Disconnected)[0].code)

    def test_a_stream_opened_later_is_judged_too(self) -> None:
        rig = HttpRig(transports=(Transport.HTTP_STREAM,))
        rig.engine.start()
        rig.engine.connection_opened(rig.connection)
        rig.subscribe("/a")
        rig.pass_time(0.02)
        rig.request()
        rig.receive(STREAM.encode() + line(op="subscribed", subject="/a", epoch=7, seq=3, recovery="none"))
        rig.pass_time(51)
        self.assertEqual("timed-out", rig.statuses(Disconnected)[0].code)

    def test_after_sleep_another_stream_is_opened(self) -> None:
        rig = self.opened()
        rig.sleep(3600)
        rig.pass_time(0.02)
        self.assertEqual("GET /subscribe?subject=/a&from=7:3 HTTP/1.1", rig.request())


class PublishTest(unittest.TestCase):
    def rig(self) -> HttpRig:
        rig = HttpRig(transports=(Transport.HTTP_STREAM,))
        rig.engine.start()
        rig.engine.connection_opened(rig.connection)
        return rig

    def test_publishes_are_pipelined_requests(self) -> None:
        rig = self.rig()
        first, second = rig.publish("/a", b"hi"), rig.publish("/b", b"")
        written = rig.output.written[rig.connection].decode()
        self.assertIn("POST /publish?subject=/a&msgId=m1 HTTP/1.1", written)
        self.assertIn("Content-Length: 2\r\n\r\nhiPOST /publish?subject=/b&msgId=m2", written)
        rig.receive(answer(subject="/a", epoch=7, seq=1) + answer(429, code="publish-rate", reason="x", after=250))
        self.assertEqual(Position(7, 1), rig.results[first])
        error = rig.results[second]
        assert isinstance(error, PublishError)
        self.assertEqual(("publish-rate", 0.25), (error.code, error.retry_after))

    def test_at_most_64_publishes_wait_for_answers(self) -> None:
        rig = self.rig()
        for _ in range(70):
            rig.publish("/a")
        self.assertEqual(64, rig.output.written.pop(rig.connection).count(b"POST"))
        rig.receive(answer(epoch=7, seq=1))
        self.assertEqual(1, rig.output.written.pop(rig.connection).count(b"POST"))

    def test_an_idle_connection_that_ends_is_opened_again(self) -> None:
        rig = self.rig()
        rig.publish("/a")
        rig.receive(answer(200, "Connection: close", epoch=7, seq=1))
        self.assertEqual([], rig.statuses(Disconnected))
        rig.publish("/a")
        self.assertEqual(2, len(rig.output.opened))
        self.assertIn("msgId=m2", rig.request())

    def test_a_draining_server_leaves_the_outcome_unknown(self) -> None:
        rig = self.rig()
        id = rig.publish("/a")
        rig.receive(answer(503, code="drain", reason="x"))
        self.assertNotIn(id, rig.results)
        self.assertEqual("drain", rig.statuses(Disconnected)[0].code)

    def test_an_answer_without_a_request_ends_an_idle_connection(self) -> None:
        rig = self.rig()
        rig.receive(answer(408, code="handshake-timeout", reason="x"))
        self.assertEqual([rig.connection], rig.output.closed)
        self.assertEqual([], rig.statuses(Disconnected))
        rig.publish("/a")
        self.assertIn("POST /publish", rig.request())


class PollTest(unittest.TestCase):
    def rig(self, **options: Any) -> HttpRig:
        rig = HttpRig(transports=(Transport.LONG_POLL,))
        self.state = rig.subscribe("/a", **options)
        rig.engine.start()
        return rig

    def test_the_first_poll_finds_the_position_and_the_next_ones_continue(self) -> None:
        rig = self.rig()
        self.assertEqual("GET /poll?subject=/a&wait=100ms HTTP/1.1", rig.request())
        poll = rig.connection
        rig.receive(answer(subject="/a", epoch=7, seq=3, messages=[message(3)]))
        self.assertEqual("GET /history?subject=/a&count=0 HTTP/1.1", rig.request())
        rig.receive(answer(messages=[message(1, type="snapshot")]))
        self.assertEqual("GET /poll?subject=/a&wait=20000ms&from=7:3 HTTP/1.1", rig.target(poll))
        rig.engine.received(poll, answer(subject="/a", epoch=7, seq=4, messages=[message(4)]))
        self.assertEqual("GET /poll?subject=/a&wait=20000ms&from=7:4 HTTP/1.1", rig.target(poll))
        self.assertEqual(["1", "3", "4"], rig.texts(self.state))

    def test_an_answer_without_a_position_is_asked_again(self) -> None:
        rig = self.rig()
        rig.request()
        rig.receive(answer(messages=[]))
        self.assertEqual("GET /poll?subject=/a&wait=100ms HTTP/1.1", rig.target(rig.connection))

    def test_a_position_is_resumed_by_history(self) -> None:
        rig = self.rig(start=Position(7, 3))
        self.assertEqual("GET /history?subject=/a&from=7:3 HTTP/1.1", rig.request())
        gap = {"op": "gap", "subject": "/a", "from": "7:3", "to": "7:5", "reason": "history-gone"}
        rig.receive(answer(messages=[gap, message(6, type="recovered")]))
        self.assertEqual("GET /poll?subject=/a&wait=20000ms&from=7:6 HTTP/1.1", rig.request())
        self.assertEqual(["[history-gone]", "6"], rig.texts(self.state))

    def test_a_refused_subject_ends_alone(self) -> None:
        rig = self.rig()
        rig.request()
        rig.receive(answer(403, code="subscribe-denied", reason="no"))
        self.assertEqual("subscribe-denied", rig.statuses(SubscribeRefused)[0].code)
        self.assertEqual([], rig.statuses(Disconnected))

    def test_a_silent_poll_is_given_up(self) -> None:
        rig = self.rig()
        rig.request()
        rig.receive(answer(subject="/a", epoch=7, seq=3, messages=[]))
        rig.request()
        rig.receive(answer(messages=[]))
        rig.pass_time(51)
        self.assertEqual("timed-out", rig.statuses(Disconnected)[0].code)
        self.assertEqual(2, len(rig.statuses(Connecting)))

    def test_after_sleep_any_answer_is_a_sign_of_life(self) -> None:
        rig = self.rig()
        rig.request()
        rig.receive(answer(subject="/a", epoch=7, seq=3, messages=[]))
        rig.request()
        rig.receive(answer(messages=[]))
        history = rig.connection
        rig.sleep(3600)
        self.assertEqual("GET /health/live HTTP/1.1", rig.target(history))
        rig.engine.received(history, answer(live=True))
        rig.pass_time(10)
        self.assertEqual([], rig.statuses(Disconnected))


class PatternPositionTest(unittest.TestCase):
    """Positions of patterns over HTTP."""

    def rig(self, transport: Transport, *subjects: str, **options: Any) -> HttpRig:
        rig = HttpRig(transports=(transport,))
        self.states = [rig.subscribe(subject, **options) for subject in subjects]
        rig.engine.start()
        return rig

    def returns(self, rig: HttpRig) -> str:
        """Loses the connection and returns the request line of the next attempt."""
        rig.lose()
        rig.await_attempt()
        return rig.request()

    def streaming(self, *subjects: str, **options: Any) -> HttpRig:
        """Opens a stream whose last pattern confirms the position AQAA of all patterns."""
        rig = self.rig(Transport.HTTP_STREAM, *subjects, **options)
        rig.request()
        rig.receive(STREAM.encode())
        self.confirm(rig, *subjects)
        return rig

    def confirm(self, rig: HttpRig, *subjects: str, recovery: str = "none", at: str = "AQAA") -> None:
        """Sends the events of a stream that confirm the subjects; the last one has the position of all patterns."""
        events: list[dict[str, Any]] = []
        for subject in subjects:
            last = {"at": at} if subject == subjects[-1] else {}
            position = last if "*" in subject else {"epoch": 7, "seq": 3}
            events.append({"op": "subscribed", "subject": subject, "recovery": recovery, **position})
        rig.receive(b"".join(line(**event) for event in events))

    def test_a_stream_resumes_all_patterns_from_their_position(self) -> None:
        rig = self.streaming("/n", "/a/*", "/b/*")
        rig.receive(line(**message(4, "/a/x")))
        self.assertEqual(["AQAA", "AQAA"], [state.at for state in self.states[1:]])
        rig.receive(line(op="position", at="AQAB"))
        expected = "GET /subscribe?subject=/n&subject=/a/%2A&subject=/b/%2A&from=7:3,AQAB HTTP/1.1"
        self.assertEqual(expected, self.returns(rig))
        rig.receive(STREAM.encode())
        rig.receive(line(**message(4, "/a/x", "recovered")) + line(**message(1, "/a/new", "recovered")))
        self.confirm(rig, "/n", "/a/*", "/b/*", recovery="complete", at="AQAC")
        self.assertEqual(["4", "1"], rig.texts(self.states[1]))
        self.assertEqual([], rig.statuses(GapFound))
        self.assertEqual("AQAC", self.states[1].at)

    def test_a_stream_without_names_resumes_from_the_position_alone(self) -> None:
        rig = self.streaming("/a/*")
        self.assertEqual("GET /subscribe?subject=/a/%2A&from=AQAA HTTP/1.1", self.returns(rig))

    def test_a_name_without_a_position_is_nothing_between_commas(self) -> None:
        rig = self.streaming("/a/*")
        rig.subscribe("/n")
        rig.subscribe("/m")
        rig.pass_time(0.02)
        self.assertEqual("GET /subscribe?subject=/n&subject=/m&subject=/a/%2A&from=,,AQAA HTTP/1.1", rig.request())

    def test_a_stream_that_ends_during_the_recovery_resumes_from_the_same_position(self) -> None:
        rig = self.streaming("/a/*", "/b/*")
        self.returns(rig)
        rig.receive(STREAM.encode() + line(op="subscribed", subject="/a/*", recovery="complete"))
        self.assertIn("&from=AQAA ", self.returns(rig))

    def test_patterns_of_different_positions_are_recovered_by_their_subjects(self) -> None:
        rig = self.streaming("/a/*")
        rig.receive(line(**message(4, "/a/x")))
        self.states.append(rig.subscribe("/b/*"))
        rig.pass_time(0.02)
        target = "GET /subscribe?subject=/a/x&subject=/b/%2A&subject=/a/%2A&from=7:4 HTTP/1.1"
        self.assertEqual(target, rig.request())
        rig.receive(STREAM.encode())
        self.confirm(rig, "/a/x", "/b/*", "/a/*", at="AQAB")
        self.assertEqual(["4", "[not-recovered]"], rig.texts(self.states[0]))
        self.assertEqual(["AQAB", "AQAB"], [state.at for state in self.states])
        self.assertIn("&from=AQAB ", self.returns(rig))

    def test_the_program_gives_a_stream_its_position(self) -> None:
        rig = self.rig(Transport.HTTP_STREAM, "/a/*", pattern_start="AQAA")
        self.assertEqual("GET /subscribe?subject=/a/%2A&from=AQAA HTTP/1.1", rig.request())

    def test_a_gap_of_the_pattern_in_a_stream_is_announced_once(self) -> None:
        rig = self.streaming("/a/*")
        self.returns(rig)
        rig.receive(STREAM.encode() + line(op="gap", subject="/a/*", to="0:0", reason="history-gone"))
        rig.receive(line(op="subscribed", subject="/a/*", recovery="gap", at="AQAB"))
        self.assertEqual(["[history-gone]"], rig.texts(self.states[0]))

    def polling(self, *subjects: str, **options: Any) -> HttpRig:
        rig = self.rig(Transport.LONG_POLL, *subjects, **options)
        self.polls = [connection for connection, _ in rig.output.opened]
        for poll in self.polls:
            rig.engine.connection_opened(poll)
        self.first = [rig.target(poll) for poll in self.polls]
        return rig

    def test_polls_of_a_pattern_continue_from_its_position(self) -> None:
        rig = self.polling("/a/*")
        self.assertEqual(["GET /poll?subject=/a/%2A&wait=100ms HTTP/1.1"], self.first)
        rig.receive(answer(subject="/a/*", at="AQAA", messages=[message(1, "/a/x")]))
        self.assertEqual("GET /poll?subject=/a/%2A&wait=20000ms&from=AQAA HTTP/1.1", rig.target(rig.connection))
        again = [message(1, "/a/x", "recovered"), message(1, "/a/new", "recovered")]
        rig.receive(answer(subject="/a/*", at="AQAB", messages=again))
        self.assertEqual("GET /poll?subject=/a/%2A&wait=20000ms&from=AQAB HTTP/1.1", rig.target(rig.connection))
        rig.receive(answer(subject="/a/*", at="AQAB", messages=[]))
        self.assertEqual(["1", "1"], rig.texts(self.states[0]))
        self.assertEqual(1, len(rig.statuses(Subscribed)))
        self.assertEqual("AQAB", self.states[0].at)
        self.assertEqual("GET /poll?subject=/a/%2A&wait=100ms&from=AQAB HTTP/1.1", self.returns(rig))
        rig.receive(answer(subject="/a/*", at="AQAC", messages=[message(2, "/a/new", "recovered")]))
        self.assertEqual(["2"], rig.texts(self.states[0]))
        self.assertEqual("complete", rig.statuses(Subscribed)[-1].recovery.value)
        self.assertEqual([], rig.statuses(GapFound))

    def test_a_gap_that_a_poll_begins_with_is_the_result_of_the_recovery(self) -> None:
        rig = self.polling("/a/*", pattern_start="AQAA")
        gap = {"op": "gap", "subject": "/a/*", "to": "0:0", "reason": "epoch-changed"}
        rig.receive(answer(subject="/a/*", at="AQAB", messages=[gap]))
        self.assertEqual(["[epoch-changed]"], rig.texts(self.states[0]))
        self.assertEqual("gap", rig.statuses(Subscribed)[0].recovery.value)

    def test_a_server_without_history_has_a_gap_after_each_poll(self) -> None:
        rig = self.polling("/a/*")
        for _ in range(3):
            rig.receive(answer(subject="/a/*", messages=[]))
            self.assertEqual("GET /poll?subject=/a/%2A&wait=20000ms HTTP/1.1", rig.target(rig.connection))
        self.assertEqual(["[not-recovered]"] * 2, rig.texts(self.states[0]))

    def test_messages_of_a_poll_belong_to_its_pattern(self) -> None:
        rig = self.polling("/a/*", "/**")
        wide, narrow = self.states[1], self.states[0]
        for poll in self.polls:
            rig.engine.received(poll, answer(at="AQAA", messages=[]))
            rig.target(poll)
        order = dict(zip(self.first, self.polls, strict=True))
        of_wide = order["GET /poll?subject=/%2A%2A&wait=100ms HTTP/1.1"]
        of_narrow = order["GET /poll?subject=/a/%2A&wait=100ms HTTP/1.1"]
        rig.engine.received(of_wide, answer(at="AQAB", messages=[message(5, "/a/x", "recovered")]))
        self.assertEqual(["5"], rig.texts(wide))
        self.assertEqual([], rig.texts(narrow))
        later = [message(4, "/a/x", "recovered"), message(5, "/a/x", "recovered")]
        rig.engine.received(of_narrow, answer(at="AQAB", messages=later))
        self.assertEqual(["4", "5"], rig.texts(narrow))
        self.assertEqual([], rig.statuses(GapFound))

    def test_an_answer_with_an_invalid_position_ends_the_connection(self) -> None:
        for at in ("7:1", "A", 5, ""):
            with self.subTest(at):
                rig = self.polling("/a/*")
                rig.receive(answer(at=at, messages=[]))
                self.assertEqual("bad-frame", rig.statuses(Disconnected)[0].code)


class ResponseReaderTest(unittest.TestCase):
    def test_answers_that_are_not_http_are_refused(self) -> None:
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for data in (
            b"SSH-2.0\r\n\r\n",
            b"HTTP/2 200\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            b"x" * 70_000,
            chunked + b"-1\r\n",
            chunked + b"1\r\nab\r\n",
            chunked + b"5" * 9000,
        ):
            with self.subTest(data[:60]), self.assertRaises(HttpError):
                ResponseReader().read(data)

    def test_interim_answers_and_trailers_are_skipped(self) -> None:
        data = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        parts = ResponseReader().read(data + b"2;x=y\r\nab\r\n0\r\nTrailer: 1\r\n\r\n" + b"HTTP/1.1 204 No\r\n\r\n")
        self.assertEqual(
            ["ResponseHead", "bytes", "BodyEnd", "ResponseHead", "BodyEnd"], [type(p).__name__ for p in parts]
        )
        self.assertTrue(isinstance(parts[0], ResponseHead) and parts[0].status == 200)
