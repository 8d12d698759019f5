"""The client of the server API, against a server that records each request."""

import base64
import http.server
import json
import threading
import unittest
from typing import Any

from belfry.api import Api, ApiError, Publish


class RecordingServer(http.server.ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, str, str, bytes]] = []
        self.answers: list[tuple[int, bytes]] = []


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RecordingServer

    def do_GET(self) -> None:
        self.answer(b"")

    def do_POST(self) -> None:
        self.answer(self.rfile.read(int(self.headers["Content-Length"])))

    def answer(self, body: bytes) -> None:
        self.server.requests.append((self.command, self.path, self.headers["Authorization"], body))
        status, data = self.server.answers.pop(0)
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class ApiTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = RecordingServer()
        thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        thread.start()
        self.api = Api(f"http://127.0.0.1:{self.server.server_port}", "secret")
        self.addCleanup(self.server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.api.close)

    def will_answer(self, answer: object, status: int = 200) -> None:
        self.server.answers.append((status, json.dumps(answer).encode()))

    def request(self) -> tuple[str, str, Any]:
        method, path, authorization, body = self.server.requests.pop(0)
        self.assertEqual(authorization, "Bearer secret")
        return method, path, json.loads(body) if body else None

    def test_a_publish_has_its_position(self) -> None:
        self.will_answer({"subject": "/a", "epoch": 3, "seq": 7})
        outcome = self.api.publish("/a", b"\xff", retain=True, msg_id="m")
        self.assertEqual((outcome.accepted, outcome.epoch, outcome.seq), (True, 3, 7))
        expected = {"subject": "/a", "base64": base64.b64encode(b"\xff").decode(), "retain": True, "msgId": "m"}
        self.assertEqual(self.request(), ("POST", "/v1/publish", expected))

    def test_a_time_to_live_is_sent_in_milliseconds(self) -> None:
        self.will_answer({"subject": "/a", "epoch": 3, "seq": 7})
        self.api.publish("/a", "x", ttl=1.5)
        self.assertEqual(self.request(), ("POST", "/v1/publish", {"subject": "/a", "data": "x", "ttl": 1500}))
        with self.assertRaises(ValueError):
            self.api.publish("/a", "x", ttl=-1)

    def test_a_refusal_has_its_code(self) -> None:
        self.will_answer({"code": "bad-subject", "reason": "a subject must begin with '/'"}, 400)
        with self.assertRaises(ApiError) as raised:
            self.api.publish("a", "x")
        self.assertEqual((raised.exception.status, raised.exception.code), (400, "bad-subject"))
        self.server.answers.append((502, b"<html>"))
        with self.assertRaises(ApiError) as raised:
            self.api.nodes()
        self.assertEqual((raised.exception.status, raised.exception.code), (502, "bad-http"))

    def test_each_message_of_a_batch_has_its_outcome(self) -> None:
        self.server.answers.append((200, b'{"epoch":1,"seq":2}\n{"code":"bad-subject","reason":"r"}\n'))
        outcomes = self.api.publish_all([Publish("/a", "1"), Publish("b", "2")])
        self.assertEqual(
            [(each.subject, each.seq, each.code) for each in outcomes], [("/a", 2, None), ("b", 0, "bad-subject")]
        )
        self.assertEqual(len(self.server.requests[0][3].splitlines()), 2)
        self.assertEqual(self.api.publish_all([]), [])

    def test_a_broadcast_has_an_outcome_for_each_subject(self) -> None:
        results = [{"subject": "/a", "epoch": 1, "seq": 1}, {"subject": "/b", "epoch": 1, "seq": 5}]
        self.will_answer({"results": results})
        self.assertEqual([each.seq for each in self.api.broadcast(["/a", "/b"], "x")], [1, 5])
        self.assertEqual(self.request(), ("POST", "/v1/broadcast", {"subjects": ["/a", "/b"], "data": "x"}))

    def test_lists_are_read_page_by_page(self) -> None:
        self.will_answer({"sessions": [{"session": "1"}], "next": "0-9"})
        self.will_answer({"sessions": [{"session": "2"}]})
        self.assertEqual([each["session"] for each in self.api.sessions(user="a b")], ["1", "2"])
        self.assertEqual(self.request(), ("GET", "/v1/sessions?user=a+b&limit=1000", None))
        self.assertEqual(self.request(), ("GET", "/v1/sessions?user=a+b&limit=1000&after=0-9", None))

    def test_acts_name_their_target(self) -> None:
        self.will_answer({"disconnected": 2})
        self.assertEqual(self.api.disconnect(user="ada", reason="bye", except_session="s"), 2)
        self.assertEqual(self.request(), ("POST", "/v1/disconnect", {"user": "ada", "reason": "bye", "except": "s"}))
        self.will_answer({"unsubscribed": 1})
        self.assertEqual(self.api.unsubscribe(["/a"], session="s"), 1)
        self.will_answer({"overMillis": 5})
        self.api.drain("a/b", over_millis=5)
        self.assertEqual(self.server.requests[1][1], "/v1/nodes/a%2Fb/drain")

    def test_a_wrong_url_is_refused(self) -> None:
        for url in ("ws://localhost", "localhost:4001", "http://"):
            with self.assertRaises(ValueError):
                Api(url, "secret")
