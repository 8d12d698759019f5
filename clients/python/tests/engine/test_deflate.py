from __future__ import annotations

import json
import random
import unittest
import zlib

from belfry._deflate import OFFER, deflate, inflate, is_accepted
from belfry._frames import BINARY, INVALID_TEXT, PING, PROTOCOL_ERROR, TEXT, TOO_LARGE, FrameWriter
from belfry._status import Disconnected
from harness import Rig, read_frames, server_frame

RSV1 = 0x40
LONG = b"text that repeats itself, " * 40


def packed(message: bytes) -> bytes:
    """Returns a message as a server compresses it."""
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return (compressor.compress(message) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]


class DeflateTest(unittest.TestCase):
    def test_deflated_messages_are_inflated(self) -> None:
        for message in (LONG, b"x" * 10_000, random.Random(1).randbytes(100) * 4):
            result = deflate(message)
            assert result is not None
            self.assertLess(len(result), len(message))
            self.assertEqual(message, inflate(result, len(message)))

    def test_messages_that_do_not_profit_are_not_deflated(self) -> None:
        self.assertIsNone(deflate(b"x" * 255))
        self.assertIsNone(deflate(random.Random(2).randbytes(10_000)))

    def test_a_large_message_with_a_suspicious_ratio_is_not_deflated(self) -> None:
        self.assertIsNotNone(deflate(b"x" * (16 << 10)))
        self.assertIsNone(deflate(b"x" * (16 << 10) + b"x"))

    def test_a_message_above_the_maximum_is_cut(self) -> None:
        self.assertEqual(1001, len(inflate(packed(bytes(1 << 20)), 1000)))

    def test_the_offer_is_accepted_only_without_context_takeover(self) -> None:
        for extensions, accepted in {
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover": True,
            "permessage-deflate;server_no_context_takeover": True,
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=12": True,
            "permessage-deflate": False,
            "permessage-deflate; client_no_context_takeover": False,
            "permessage-deflate; server_no_context_takeover, x-other": False,
            "x-webkit-deflate-frame; server_no_context_takeover": False,
        }.items():
            with self.subTest(extensions):
                self.assertEqual(accepted, is_accepted(extensions))


class DeflatedFramesTest(unittest.TestCase):
    def test_compressed_frames_are_read_however_they_are_split(self) -> None:
        text = "größe ".encode() * 50
        data = (
            server_frame(BINARY | RSV1, packed(LONG))
            + server_frame(BINARY, b"not compressed")
            + server_frame(TEXT | RSV1, packed(text))
            + server_frame(BINARY | RSV1, packed(b""))
        )
        expected = [(BINARY, LONG), (BINARY, b"not compressed"), (TEXT, text.decode()), (BINARY, b"")]
        for cut in range(len(data) + 1):
            self.assertEqual((expected, None), read_frames(data[:cut], data[cut:], inflates=True))

    def test_fragments_of_a_compressed_message_are_joined_around_control_frames(self) -> None:
        whole = packed(LONG)
        data = bytes((TEXT | RSV1, 5)) + whole[:5] + server_frame(PING, b"") + bytes((0x80, len(whole) - 5)) + whole[5:]
        expected = [(PING, b""), (TEXT, LONG.decode())]
        for cut in range(len(data) + 1):
            self.assertEqual((expected, None), read_frames(data[:cut], data[cut:], inflates=True))

    def test_violations_have_their_close_code(self) -> None:
        for name, frames, code in (
            ("no deflate stream", server_frame(BINARY | RSV1, b"\xff\xff\xff"), INVALID_TEXT),
            ("no text", server_frame(TEXT | RSV1, packed(b"\xff" * 300)), INVALID_TEXT),
            ("a control frame", server_frame(PING | RSV1, b""), PROTOCOL_ERROR),
            ("a continuation", bytes((TEXT, 1)) + b"a" + bytes((0x80 | RSV1, 1)) + b"b", PROTOCOL_ERROR),
            ("another reserved bit", server_frame(BINARY | 0x20, b""), PROTOCOL_ERROR),
            ("more than the maximum", server_frame(BINARY | RSV1, packed(bytes((1 << 20) + 1))), TOO_LARGE),
        ):
            with self.subTest(name):
                self.assertEqual(code, read_frames(frames, inflates=True)[1])

    def test_a_writer_compresses_messages_only_if_that_was_agreed(self) -> None:
        writer = FrameWriter()
        self.assertEqual(0x80 | BINARY, writer.message(BINARY, LONG)[0])
        writer.compresses = True
        self.assertEqual(0x80 | RSV1 | BINARY, writer.message(BINARY, LONG)[0])
        self.assertEqual(0x80 | BINARY, writer.message(BINARY, b"short")[0])


class NegotiationTest(unittest.TestCase):
    ACCEPTED = f"Sec-WebSocket-Extensions: {OFFER}"

    def test_only_the_option_offers_compression(self) -> None:
        for option in (False, True):
            rig = Rig(compression=option)
            rig.engine.start()
            rig.engine.connection_opened(rig.connection)
            self.assertEqual(option, self.ACCEPTED.encode() in rig.output.written[rig.connection])

    def test_compression_that_was_not_offered_is_refused(self) -> None:
        rig = Rig()
        rig.engine.start()
        rig.accept(self.ACCEPTED)
        self.assertIn("extensions", rig.statuses(Disconnected)[0].reason)

    def test_messages_are_compressed_in_both_directions_once_agreed(self) -> None:
        rig = Rig(compression=True)
        state = rig.subscribe("/a")
        rig.engine.start()
        rig.accept(self.ACCEPTED)
        rig.send(op="connected", id=-1, session="s", node="n")
        rig.commands()
        event = {"op": "message", "subject": "/a", "data": LONG.decode(), "epoch": 7, "seq": 1, "time": 1}
        rig.subscribed("/a", 0)
        rig.receive(server_frame(TEXT | RSV1, packed(json.dumps(event).encode())))
        self.assertEqual([LONG.decode()], rig.texts(state))
        rig.publish("/a", LONG)
        frame = rig.output.written[rig.connection]
        self.assertEqual(0x80 | RSV1 | TEXT, frame[0])
        self.assertLess(len(frame), len(LONG) // 2)

    def test_a_server_without_compression_gets_and_sends_plain_messages(self) -> None:
        rig = Rig(compression=True)
        rig.connect()
        rig.publish("/a", LONG)
        self.assertEqual(LONG.decode(), rig.commands()[-1]["data"])
