#!/bin/sh
# Installs the tools and builds the pages of the console into build/site; run by verify.sh and by bin/belfry.
# Without npm or its registry, prints the reason and exits with 3. Arguments are passed to npm ci.
set -eu
cd "$(dirname "$0")/.."

absent() {
    echo "$1"
    exit 3
}

for program in node npm; do
    command -v "$program" >/dev/null || absent "$program is not on PATH; to install it: Debian: apt install nodejs npm"
done

mkdir -p build
if ! cmp -s package-lock.json build/installed.json; then
    if ! npm ci --ignore-scripts --no-audit --no-fund "$@" >build/npm.log 2>&1; then
        if grep -Eq 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENOTCACHED' build/npm.log; then
            absent "npm cannot reach its registry"
        fi
        cat build/npm.log >&2
        exit 1
    fi
    cp package-lock.json build/installed.json
fi

# Prints the output of the build only if the build fails.
if ! npm run --silent build >build/build.log 2>&1; then
    cat build/build.log >&2
    exit 1
fi
