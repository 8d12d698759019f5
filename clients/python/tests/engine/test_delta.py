from __future__ import annotations

import random
import unittest

from belfry._delta import RESULT_MAX, DeltaBases, apply_delta
from belfry._events import EventError, MessageEvent
from belfry._model import MessageType
from test_vectors import vectors

DELTA = b"6\n2:hi4@0,3WsNHa;"


def message(seq: int, data: bytes, delta: bool = False, previous: int | None = None) -> MessageEvent:
    before = seq - 1 if previous is None else previous
    return MessageEvent("/a", data, 7, seq, before, 0, MessageType.LIVE, False, delta=delta)


class DeltaTest(unittest.TestCase):
    def test_deltas_become_the_recorded_results(self) -> None:
        for vector in vectors("deltas"):
            base, delta = bytes.fromhex(vector["base"]), bytes.fromhex(vector["delta"])
            most = vector.get("max", RESULT_MAX)
            with self.subTest(vector["name"]):
                if vector["result"] is None:
                    self.assertRaises(EventError, apply_delta, base, delta, most)
                else:
                    self.assertEqual(vector["result"], apply_delta(base, delta, most).hex())

    def test_no_delta_raises_anything_but_a_bad_event(self) -> None:
        draw = random.Random(3)
        pairs = [(bytes.fromhex(each["base"]), bytes.fromhex(each["delta"])) for each in vectors("deltas")]
        for _ in range(5000):
            base, whole = draw.choice(pairs)
            damaged = bytearray(whole)
            for _ in range(draw.randrange(1, 4)):
                if damaged:
                    damaged[draw.randrange(len(damaged))] = draw.choice(b"0129AZ_az~@:,;\n\xff")
            try:
                result = apply_delta(base, bytes(damaged[: draw.randrange(len(damaged) + 1)]), 4000)
            except EventError:
                continue
            self.assertLessEqual(len(result), 4000)

    def test_a_delta_needs_the_message_before_it(self) -> None:
        bases = DeltaBases()
        bases.whole(message(1, b"text"), wanted=False)
        self.assertRaises(EventError, bases.whole, message(2, DELTA, delta=True), True)
        bases.whole(message(1, b"text"), wanted=True)
        self.assertEqual(b"hitext", bases.whole(message(4, DELTA, True, previous=1), True).data)
        self.assertRaises(EventError, bases.whole, message(5, DELTA, True, previous=1), True)
        bases.clear()
        self.assertRaises(EventError, bases.whole, message(5, DELTA, True), True)


if __name__ == "__main__":
    unittest.main()
