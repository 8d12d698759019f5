from __future__ import annotations

import unittest
from typing import Any

from belfry._options import TokenReason
from belfry._status import Connecting, Disconnected, Refused, TokenFailed, TokenToExpire
from harness import Rig

UNAUTHORIZED = '{"code":"unauthorized","reason":"no"}'


def never_called(reason: TokenReason) -> str:
    raise AssertionError("the engine does not call the callback itself")


class TokensTest(unittest.TestCase):
    def rig(self, **options: Any) -> Rig:
        return Rig(token=never_called, **options)

    def test_a_token_is_requested_before_each_connection(self) -> None:
        rig = self.rig()
        rig.engine.start()
        self.assertEqual(([TokenReason.CONNECT], []), (rig.output.asked, rig.output.opened))
        rig.engine.token_answered("t1", None)
        rig.engine.connection_opened(rig.connection)
        self.assertIn(b"Bearer t1\r\n", rig.output.written[rig.connection])
        rig.lose()
        rig.pass_time(1)
        self.assertEqual([TokenReason.CONNECT] * 2, rig.output.asked)

    def test_a_refused_token_is_replaced_after_a_pause(self) -> None:
        rig = self.rig()
        rig.engine.start()
        rig.engine.token_answered("t1", None)
        rig.refuse(401, UNAUTHORIZED)
        self.assertGreaterEqual(rig.statuses(Disconnected)[0].retry_in, 1.0)
        rig.pass_time(1.1)
        self.assertEqual([TokenReason.CONNECT, TokenReason.REFUSED], rig.output.asked)

    def test_a_refused_fixed_token_ends_the_attempts(self) -> None:
        rig = Rig(token="fixed")
        rig.engine.start()
        rig.refuse(401, UNAUTHORIZED)
        self.assertEqual("unauthorized", rig.statuses(Refused)[0].code)
        self.assertIsNone(rig.engine.next_wake())

    def test_a_failing_callback_is_reported_and_asked_again(self) -> None:
        rig = self.rig()
        rig.engine.start()
        rig.engine.token_answered(None, OSError("no token service"))
        self.assertEqual(1, len(rig.statuses(TokenFailed)))
        self.assertEqual("token-failed", rig.statuses(Disconnected)[0].code)
        rig.pass_time(2)
        self.assertEqual(2, len(rig.output.asked))

    def test_a_token_that_breaks_the_header_is_a_failure(self) -> None:
        for token in ("a\r\nX: y", "", "ä", 5):
            with self.subTest(token):
                rig = self.rig()
                rig.engine.start()
                rig.engine.token_answered(token, None)
                self.assertIsInstance(rig.statuses(TokenFailed)[0].error, ValueError)
        with self.assertRaises(ValueError):
            Rig(token="a b")

    def test_an_expiring_token_is_replaced_on_the_connection(self) -> None:
        rig = self.rig()
        rig.engine.start()
        rig.engine.token_answered("t1", None)
        rig.greet()
        rig.send(op="token-to-expire", after=60000)
        self.assertEqual(60.0, rig.statuses(TokenToExpire)[0].after)
        self.assertEqual(TokenReason.EXPIRING, rig.output.asked[-1])
        rig.engine.token_answered("t2", None)
        self.assertIn(b"t2", b"".join(payload for _, payload in self.frames(rig)))

    def frames(self, rig: Rig) -> list[tuple[int, bytes]]:
        from harness import client_frames

        return client_frames(rig.output.written[rig.connection])

    def test_two_questions_are_never_open_at_once(self) -> None:
        rig = self.rig()
        rig.engine.start()
        rig.engine.token_answered("t1", None)
        rig.greet()
        rig.send(op="token-to-expire", after=60000)
        rig.lose()
        rig.pass_time(1)
        self.assertEqual(2, len(rig.output.asked))
        rig.engine.token_answered("t2", None)
        rig.engine.connection_opened(rig.connection)
        self.assertIn(b"Bearer t2\r\n", rig.output.written[rig.connection])

    def test_a_failed_renewal_is_repeated(self) -> None:
        rig = self.rig()
        rig.engine.start()
        rig.engine.token_answered("t1", None)
        rig.greet()
        rig.send(op="token-to-expire", after=60000)
        rig.engine.token_answered(None, OSError("no"))
        rig.pass_time(1.1)
        self.assertEqual(3, len(rig.output.asked))
        self.assertEqual([], rig.statuses(Disconnected))

    def test_an_expired_token_leads_to_a_new_connection(self) -> None:
        rig = Rig(token="fixed")
        rig.connect()
        rig.close(4012, "token-expired: x")
        rig.pass_time(31)
        self.assertGreaterEqual(len(rig.statuses(Connecting)), 2)

    def test_a_late_answer_does_not_open_a_second_connection(self) -> None:
        rig = self.rig()
        rig.engine.start()
        rig.pass_time(10.0)
        self.assertEqual("timed-out", rig.statuses(Disconnected)[0].code)
        rig.engine.token_answered("t1", None)
        self.assertEqual([], rig.output.opened)
