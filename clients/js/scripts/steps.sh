# shellcheck shell=sh
# Shared by the scripts of clients/js, clients/go and console. POSIX sh; sourced in the folder of the module, not executed.
# verify.sh sets `module`, the name in messages, `root`, the folder of the repository, and `tools`, skip or required.

# Prints why the build cannot run, and exits with 3.
absent() {
    echo "$1"
    exit 3
}

# npm_build ARGUMENT...: installs the tools with npm ci and these arguments, and runs the script "build" of package.json.
npm_build() {
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
    step build npm run --silent build
}

# Runs scripts/build.sh. Skips all tests if npm or its registry is missing.
build_or_skip() {
    reason=$(sh scripts/build.sh) || { [ $? = 3 ] && skip "$reason"; } || exit 1
}

# Skips the remaining tests if Chromium is missing.
chromium_or_skip() {
    [ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip "no Chromium; to install it: Debian: apt install chromium"
}

# Reports tests that cannot run; ends the build if they are required.
omit() {
    if [ "$tools" = required ]; then
        echo "$module: $1" >&2
        exit 1
    fi
    # The last module of the build prints this list.
    mkdir -p "$root/target"
    echo "SKIPPED $module: $1" | tee -a "$root/target/skipped-tests.txt"
}

# Reports tests that cannot run, and ends the script.
skip() {
    omit "$1"
    exit 0
}

# step NAME COMMAND...: runs a command, and prints its output only if it fails.
step() {
    log=build/$1.log
    shift
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        exit 1
    fi
}

# npm_step NAME: runs a script of package.json as a step.
npm_step() {
    step "$1" npm run --silent "$1"
}
