#!/bin/sh
# Installs the tools, builds, checks and tests the pages of the console; run by Maven.
# $1: skip or required, what to do without npm or its registry. $2: empty for the tests in Chromium too.
set -eu

# Reports tests that cannot run; ends the build if they are required.
skip() {
    if [ "$1" = required ]; then
        echo "console: $2" >&2
        exit 1
    fi
    # The last module of the build prints this list.
    echo "SKIPPED console: $2" | tee -a ../target/skipped-tests.txt
    exit 0
}

absent=$(sh scripts/build.sh) || { [ $? = 3 ] && skip "$1" "$absent"; } || exit 1
grep '^console:' build/build.log

# Prints the output of a step only if it fails.
step() {
    if ! npm run --silent "$1" >"build/$1.log" 2>&1; then
        cat "build/$1.log" >&2
        exit 1
    fi
}

step check
step test
if [ -z "${2-}" ]; then
    [ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip "$1" "no Chromium; to install it: Debian: apt install chromium"
    step test:browser
fi
