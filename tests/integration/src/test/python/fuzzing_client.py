"""Runs Autobahn's fuzzing client in Jython and writes the report to FOLDER/index.json. Arguments: URL FOLDER CASE..."""
import sys

from autobahntestsuite import wstest

url, folder = sys.argv[1:3]
wstest.start({'mode': 'fuzzingclient'}, {
    'failByDrop': False,
    'outdir': folder,
    'servers': [{'agent': 'Belfry', 'url': url, 'options': {}}],
    'cases': sys.argv[3:],
    'exclude-cases': [],
    'exclude-agent-cases': {},
})
