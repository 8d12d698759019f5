from __future__ import annotations

import unittest

from belfry import _subjects
from belfry._errors import NoReplyError
from belfry._inboxes import inbox_of, is_inbox, new_key, reply_terms
from harness import Rig
from test_vectors import vectors

KEY = "k" * 32


class InboxTest(unittest.TestCase):
    def test_inboxes_are_named_as_the_vectors_say(self) -> None:
        for vector in vectors("inboxes"):
            if "key" in vector:
                self.assertEqual(vector["inbox"], inbox_of(vector["key"]))
                self.assertTrue(is_inbox(vector["inbox"]))
                self.assertFalse(is_inbox(vector["follow"]))
        self.assertIsNone(_subjects.problem(inbox_of(new_key()), pattern_allowed=False))
        for other in ("/$inbox/short", "/$node/a", inbox_of(KEY) + "/" + KEY):
            self.assertIsNotNone(_subjects.problem(other, pattern_allowed=False))

    def test_an_inbox_is_requested_with_its_key_on_each_connection(self) -> None:
        rig = Rig()
        inbox = inbox_of(KEY)
        rig.subscribe(inbox).key = KEY
        self.assertEqual([f"{inbox}/{KEY}"], [command["subject"] for command in rig.connect()])
        rig.subscribed(inbox, 3)
        rig.message(inbox, 4)
        commands = rig.reconnect()
        self.assertEqual([(f"{inbox}/{KEY}", "7:4")], [(one["subject"], one["from"]) for one in commands])

    def test_a_reply_goes_to_inboxes_only(self) -> None:
        inbox = inbox_of(KEY)
        self.assertEqual(
            (inbox, {"type": "x", "correlationId": "7"}),
            reply_terms({"replyTo": inbox, "correlationId": "7"}, {"type": "x"}),
        )
        self.assertEqual((inbox, {}), reply_terms({"replyTo": inbox}, None))
        for other in ({}, {"replyTo": "/admin"}, {"replyTo": f"{inbox}/{KEY}"}):
            with self.assertRaises(ValueError):
                reply_terms(other, None)

    def test_a_missing_reply_is_a_timeout_with_a_code(self) -> None:
        error = NoReplyError("no reply")
        self.assertIsInstance(error, TimeoutError)
        self.assertEqual(("no-reply", "no-reply: no reply"), (error.code, str(error)))
