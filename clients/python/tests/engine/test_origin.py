from __future__ import annotations

import unittest

from belfry._origin import tag_of
from belfry._settings import PublishMaker
from harness import Rig
from test_vectors import vectors


class OriginTest(unittest.TestCase):
    def setUp(self) -> None:
        self.rig = Rig()
        self.own = {"$origin": self.rig.engine.origin._tag}
        self.other = {"$origin": "AAAAAAAAAAAAAAAA"}

    def test_tags_are_as_the_vectors_say(self) -> None:
        for vector in vectors("origins"):
            self.assertEqual(vector["tag"], tag_of(vector["key"]))

    def test_an_echo_is_omitted_after_its_position_is_recorded(self) -> None:
        rig = self.rig
        state = rig.subscribe("/a")
        pattern = rig.subscribe("/*")
        rig.connect()
        rig.subscribed("/a", 3)
        rig.subscribed("/*")
        # Nothing was published without echo yet.
        rig.message("/a", 4, headers=self.own)
        rig.engine.origin.use()
        rig.message("/a", 5, headers=self.own)
        rig.message("/a", 6, headers=self.other)
        rig.message("/a", 7, headers=self.own)
        self.assertEqual(["4", "6"], rig.texts(state))
        self.assertEqual(["4", "6"], rig.texts(pattern))
        self.assertEqual("7:7", next(one["from"] for one in rig.reconnect() if "from" in one))
        rig.subscribed("/a", 9, "complete")
        rig.message("/a", 8, type="recovered", headers=self.own)
        rig.message("/a", 9, type="recovered", headers=self.other)
        self.assertEqual(["9"], rig.texts(state))

    def test_requested_messages_include_own_ones(self) -> None:
        rig = self.rig
        state = rig.subscribe("/a", history=2)
        rig.connect()
        rig.engine.origin.use()
        rig.subscribed("/a", 3)
        rig.message("/a", 1, type="snapshot", retained=True, headers=self.own)
        rig.message("/a", 2, type="history", headers=self.own)
        rig.message("/a", 3, type="history", headers=self.own)
        rig.message("/a", 4, headers=self.own)
        self.assertEqual(["1", "2", "3"], rig.texts(state))

    def test_only_a_publish_without_echo_has_the_key(self) -> None:
        # The maker uses only the engine of the runner.
        maker = PublishMaker(self.rig)  # type: ignore[arg-type]
        plain = maker.make("/a", b"", False, None, False, None, None, lambda result: None)
        silent = maker.make("/a", b"", False, None, False, None, None, lambda result: None, echo=False)
        assert plain is not None
        assert silent is not None
        assert silent.command.origin is not None
        self.assertIsNone(plain.command.origin)
        self.assertEqual(self.rig.engine.origin._tag, tag_of(silent.command.origin))
