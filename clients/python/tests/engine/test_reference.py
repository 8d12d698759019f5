"""The reference is generated from the sources, and every public name is documented."""

import runpy
import unittest
from pathlib import Path

import belfry
import belfry.blocking

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "reference.py"


class ReferenceTest(unittest.TestCase):
    def test_every_public_name_is_in_the_reference(self) -> None:
        reference = runpy.run_path(str(SCRIPT))["text"]()
        asynchronous, blocking = reference.split("## belfry.blocking\n")
        for module, part in ((belfry, asynchronous), (belfry.blocking, blocking)):
            for name in module.__all__:
                self.assertEqual(part.count(f"\n### {name}\n\n"), 1, name)

    def test_the_reference_has_signatures_and_texts_of_fields(self) -> None:
        reference = runpy.run_path(str(SCRIPT))["text"]()
        self.assertIn("    async def ready(self) -> None:\n", reference)
        self.assertIn('    """Maximum size of publishes that wait for acknowledgement."""\n', reference)
        self.assertNotIn("def _", reference)
