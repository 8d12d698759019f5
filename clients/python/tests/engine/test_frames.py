from __future__ import annotations

import random
import struct
import unittest

from belfry._frames import (
    BINARY,
    CLOSE,
    INVALID_TEXT,
    NO_CODE,
    PING,
    PONG,
    PROTOCOL_ERROR,
    TEXT,
    TOO_LARGE,
    FrameWriter,
    close_code,
    mask,
)
from harness import client_frames, read_frames, server_frame


def each_byte(data: bytes) -> list[bytes]:
    return [data[i : i + 1] for i in range(len(data))]


class FramesTest(unittest.TestCase):
    def test_masking_is_that_of_the_rfc(self) -> None:
        self.assertEqual(bytes.fromhex("7f9f4d5158"), mask(b"Hello", bytes.fromhex("37fa213d")))

    def test_masking_twice_restores_any_payload(self) -> None:
        draw = random.Random(1)
        for length in [*range(70), 125, 126, 65535, 65536, 100_003]:
            payload, key = draw.randbytes(length), draw.randbytes(4)
            expected = bytes(byte ^ key[i % 4] for i, byte in enumerate(payload))
            self.assertEqual(expected, mask(payload, key))

    def test_written_frames_have_the_shortest_length_field(self) -> None:
        writer = FrameWriter()
        for length, head in ((0, 6), (125, 6), (126, 8), (65535, 8), (65536, 14)):
            frame = writer.frame(BINARY, b"x" * length)
            self.assertEqual(head + length, len(frame))
            self.assertEqual([(BINARY, b"x" * length)], client_frames(frame))

    def test_every_frame_has_another_masking_key(self) -> None:
        writer = FrameWriter()
        keys = {writer.frame(PING, b"")[2:6] for _ in range(3000)}
        self.assertGreater(len(keys), 2990)

    def test_frames_of_all_lengths_are_read_however_they_are_split(self) -> None:
        draw = random.Random(2)
        payloads = [draw.randbytes(length) for length in (0, 1, 125, 126, 127, 65535, 65536, 70_000)]
        data = b"".join(server_frame(BINARY, payload) for payload in payloads)
        expected = [(BINARY, payload) for payload in payloads]
        for _ in range(60):
            cuts = sorted(draw.randrange(len(data)) for _ in range(draw.randrange(1, 40)))
            parts = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
            self.assertEqual((expected, None), read_frames(*parts))

    def test_every_cut_of_a_few_frames_gives_the_same_result(self) -> None:
        data = server_frame(TEXT, "gruß".encode()) + server_frame(PING, b"p") + server_frame(BINARY, b"b" * 200)
        expected = [(TEXT, "gruß"), (PING, b"p"), (BINARY, b"b" * 200)]
        for cut in range(len(data) + 1):
            self.assertEqual((expected, None), read_frames(data[:cut], data[cut:]))
        self.assertEqual((expected, None), read_frames(*each_byte(data)))

    def test_fragments_are_joined_around_control_frames(self) -> None:
        data = b"\x01\x02ab" + server_frame(PING, b"") + b"\x00\x00" + b"\x80\x01c"
        self.assertEqual(([(PING, b""), (TEXT, "abc")], None), read_frames(data))
        self.assertEqual(([(PING, b""), (TEXT, "abc")], None), read_frames(*each_byte(data)))

    def test_a_character_may_be_split_between_fragments(self) -> None:
        self.assertEqual(([(TEXT, "ß")], None), read_frames(b"\x01\x01\xc3", b"\x80\x01\x9f"))

    def test_invalid_text_is_refused_before_the_frame_is_complete(self) -> None:
        self.assertEqual(([], INVALID_TEXT), read_frames(b"\x81\x05a\xff"))
        self.assertEqual(([], INVALID_TEXT), read_frames(b"\x01\x02a\xc3", b"\x80\x7e\x10\x00", b"\x28"))
        self.assertEqual(([], INVALID_TEXT), read_frames(b"\x81\x01\xc3"))
        self.assertEqual(([], INVALID_TEXT), read_frames(b"\x81\x03\xed\xa0\x80"))

    def test_violations_end_with_a_protocol_error(self) -> None:
        for name, frame in {
            "reserved bit": b"\xc1\x00",
            "unknown opcode": b"\x83\x00",
            "unknown control opcode": b"\x8b\x00",
            "masked": b"\x81\x80\x00\x00\x00\x00",
            "fragmented control frame": b"\x09\x00",
            "long control frame": b"\x89\x7e\x00\x7e",
            "continuation without a beginning": b"\x80\x00",
            "message within a message": b"\x01\x00\x81\x00",
            "close with one byte": b"\x88\x01\x03",
            "close with a reserved code": b"\x88\x02\x03\xed",
            "close with code 999": b"\x88\x02\x03\xe7",
            "close with code 5000": b"\x88\x02\x13\x88",
        }.items():
            with self.subTest(name):
                self.assertEqual(PROTOCOL_ERROR, read_frames(frame)[1])
                self.assertEqual(PROTOCOL_ERROR, read_frames(*each_byte(frame))[1])

    def test_a_close_reason_must_be_utf8(self) -> None:
        self.assertEqual(INVALID_TEXT, read_frames(b"\x88\x03\x03\xe8\xff")[1])

    def test_frames_before_a_violation_are_delivered(self) -> None:
        self.assertEqual(([(BINARY, b"a")], PROTOCOL_ERROR), read_frames(b"\x82\x01a\xf0\x00"))

    def test_nothing_is_read_after_a_violation(self) -> None:
        self.assertEqual(([], PROTOCOL_ERROR), read_frames(b"\xf0\x00", b"\x82\x01a"))

    def test_a_message_over_the_bound_is_refused_by_its_length(self) -> None:
        self.assertEqual(TOO_LARGE, read_frames(struct.pack(">BBQ", 0x82, 127, (1 << 20) + 1))[1])
        self.assertEqual(TOO_LARGE, read_frames(struct.pack(">BBQ", 0x82, 127, 1 << 63))[1])

    def test_fragments_over_the_bound_are_refused(self) -> None:
        part = struct.pack(">BBQ", 0x02, 127, 600_000) + bytes(600_000)
        self.assertEqual(TOO_LARGE, read_frames(part, struct.pack(">BBQ", 0x80, 127, 600_000))[1])

    def test_a_close_frame_has_code_and_reason(self) -> None:
        self.assertEqual((1001, "drain: later"), close_code(b"\x03\xe9drain: later"))
        self.assertEqual((NO_CODE, ""), close_code(b""))
        self.assertEqual([(CLOSE, b"\x03\xe8bye")], client_frames(FrameWriter().close(1000, "bye")))

    def test_an_unsolicited_pong_is_a_frame(self) -> None:
        self.assertEqual(([(PONG, b"x")], None), read_frames(server_frame(PONG, b"x")))
