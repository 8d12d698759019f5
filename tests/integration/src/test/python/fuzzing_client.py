"""Runs Autobahn's fuzzing client in Jython and writes the report to FOLDER/index.json. Arguments: URL FOLDER CASE..."""
import sys

from autobahntestsuite import fuzzing, wstest

url, folder = sys.argv[1:3]

# The cases with large messages wait 10 s and more for the echo, which a busy machine exceeds. A shorter delay is part of its case.
close_after = fuzzing.FuzzingProtocol.closeAfter
fuzzing.FuzzingProtocol.closeAfter = lambda self, delay: close_after(self, delay if delay < 10 else delay * 10)

wstest.start({'mode': 'fuzzingclient'}, {
    'failByDrop': False,
    'outdir': folder,
    'servers': [{'agent': 'Belfry', 'url': url, 'options': {}}],
    'cases': sys.argv[3:],
    'exclude-cases': [],
    'exclude-agent-cases': {},
})
