"""Runs Autobahn's fuzzing server in Jython. Arguments: PORT FOLDER CASE..."""
import sys

from autobahntestsuite import wstest

port, folder = sys.argv[1:3]
wstest.start({'mode': 'fuzzingserver', 'debug': False}, {
    'url': 'ws://127.0.0.1:' + port,
    'outdir': folder,
    'webport': 0,
    'cases': sys.argv[3:],
    'exclude-cases': [],
    'exclude-agent-cases': {},
    'options': {'failByDrop': False},
})
