#!/bin/sh
# Installs the tools, builds, checks and tests the pages of the console; run by Maven.
# $1: skip or required, what to do without npm or its registry. $2: complete to omit the tests in Chromium.
set -eu
# shellcheck disable=SC2034 # steps.sh reads them
module=console root=.. tools=${1-skip}
# shellcheck source=../../clients/js/scripts/steps.sh
. ../clients/js/scripts/steps.sh

build_or_skip
grep '^console:' build/build.log
npm_step check
npm_step test
if [ "${2-}" != complete ]; then
    chromium_or_skip
    npm_step test:browser
fi
