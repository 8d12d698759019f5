"""Runs Autobahn's fuzzing server in Jython. Arguments: PORT FOLDER CASE..."""
import sys

from autobahntestsuite import fuzzing, wstest

port, folder = sys.argv[1:3]

# The cases with large messages wait 10 s and more for the echo, which a busy machine exceeds. A shorter delay is part of its case.
close_after = fuzzing.FuzzingProtocol.closeAfter
fuzzing.FuzzingProtocol.closeAfter = lambda self, delay: close_after(self, delay if delay < 10 else delay * 10)

wstest.start({'mode': 'fuzzingserver', 'debug': False}, {
    'url': 'ws://127.0.0.1:' + port,
    'outdir': folder,
    'webport': 0,
    'cases': sys.argv[3:],
    'exclude-cases': [],
    'exclude-agent-cases': {},
    'options': {'failByDrop': False},
})
