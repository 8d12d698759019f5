#!/bin/sh
# Installs the tools and builds the JavaScript client and its page; run by verify.sh and by bin/belfry demo.
# Without npm or its registry, prints the reason and exits with 3. Arguments are passed to npm ci.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=steps.sh
. scripts/steps.sh

npm_build "$@"
