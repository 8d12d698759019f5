from __future__ import annotations

import unittest

import belfry
from belfry._options import AUTO, Encoding, Transport
from belfry._settings import options_of
from belfry._status import CommandFailed, Connected, Disconnected, Refused
from harness import Rig


def refuse(rig: Rig, code: str) -> None:
    rig.accept()
    rig.send(op="error", id=-1, code=code, reason="no names here")


class ClientNamesTest(unittest.TestCase):
    def test_each_connection_sends_the_name(self) -> None:
        rig = Rig(client_name="desk-7")
        rig.engine.start()
        for _ in range(2):
            rig.accept()
            self.assertEqual([{"op": "connect", "id": -1, "client": "desk-7"}], rig.all_commands())
            rig.connected()
            rig.lose()
            rig.await_attempt()

    def test_a_kept_session_is_continued_with_the_name(self) -> None:
        rig = Rig(client_name="desk-7", keep_session=True)
        rig.subscribe("/a")
        rig.engine.start()
        rig.accept()
        rig.connected("s1", keep=60_000)
        rig.subscribed("/a", 5)
        rig.message("/a", 6)
        rig.lose()
        rig.await_attempt()
        rig.output.written.clear()
        rig.accept()
        wanted = {"op": "connect", "id": -1, "session": "s1", "positions": ["/a", "7:6"], "client": "desk-7"}
        self.assertEqual([wanted], rig.all_commands())

    def test_another_client_that_takes_the_name_ends_the_client(self) -> None:
        rig = Rig(client_name="desk-7", keep_session=True)
        rig.connect()
        rig.close(4014, "client-taken: another connection has taken the name")
        self.assertEqual("client-taken", rig.statuses(Refused)[0].code)
        self.assertIsNone(rig.engine.next_wake())

    def test_a_server_without_names_ends_the_client(self) -> None:
        rig = Rig(client_name="desk-7")
        rig.engine.start()
        refuse(rig, "unsupported")
        self.assertEqual("unsupported", rig.statuses(Refused)[0].code)
        self.assertEqual([], rig.statuses(Connected))
        self.assertIsNone(rig.engine.next_wake())

    def test_a_server_without_room_for_the_name_is_tried_again(self) -> None:
        rig = Rig(client_name="desk-7")
        rig.engine.start()
        refuse(rig, "client-names-full")
        self.assertEqual("client-names-full", rig.statuses(Disconnected)[0].code)
        rig.await_attempt()
        rig.greet()
        self.assertEqual(1, len(rig.statuses(Connected)))

    def test_without_a_name_an_error_of_connect_is_a_status(self) -> None:
        rig = Rig()
        rig.engine.start()
        refuse(rig, "unsupported")
        self.assertEqual([CommandFailed("unsupported", "no names here")], rig.statuses(CommandFailed))
        self.assertEqual([], rig.statuses(Refused))

    def test_a_refusal_after_the_connection_is_open_is_a_status(self) -> None:
        rig = Rig(client_name="desk-7")
        rig.connect()
        rig.send(op="error", id=-1, code="unsupported", reason="later")
        self.assertEqual([], rig.statuses(Refused))

    def test_the_binary_encoding_has_the_name(self) -> None:
        frame = Encoding.BINARY.codec().connect(None, None, client="desk-7")
        self.assertEqual("0110000006" + b"desk-7".hex(), frame.hex())

    def test_malformed_names_are_rejected(self) -> None:
        for name in ("", "a b", "a/b", "gr\u00fc\u00df", "n" * 65, "a\n"):
            with self.subTest(name), self.assertRaisesRegex(ValueError, "client_name"):
                belfry.connect("ws://server", client_name=name)
        belfry.connect("ws://server", client_name="A-z.0_9" + "n" * 57)

    def test_a_name_needs_a_websocket(self) -> None:
        with self.assertRaisesRegex(ValueError, "client_name needs the transport websocket"):
            belfry.connect("ws://server", client_name="desk-7", transport="http-stream")
        belfry.connect("ws://server", client_name="desk-7", transport=["long-poll", "websocket"])

    def test_with_a_name_the_default_is_websocket_only(self) -> None:
        def transports(name: str | None) -> tuple[Transport, ...]:
            arguments = (("ws://server",), "auto", "binary", False, False, name, None, None, None, None)
            return options_of(*arguments).transports

        self.assertEqual((Transport.WEBSOCKET,), transports("desk-7"))
        self.assertEqual(AUTO, transports(None))

    def test_over_http_no_name_is_sent(self) -> None:
        rig = Rig(client_name="desk-7", transports=(Transport.HTTP_STREAM, Transport.WEBSOCKET))
        rig.subscribe("/a")
        rig.engine.start()
        rig.engine.connection_opened(rig.connection)
        self.assertNotIn(b"desk-7", rig.output.written[rig.connection])
        self.assertEqual([], rig.statuses(Refused))
