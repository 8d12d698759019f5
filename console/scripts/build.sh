#!/bin/sh
# Installs the tools and builds the pages of the console into build/site; run by verify.sh and by bin/belfry.
# Without npm or its registry, prints the reason and exits with 3. Arguments are passed to npm ci.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=../../clients/js/scripts/steps.sh
. ../clients/js/scripts/steps.sh

npm_build "$@"
