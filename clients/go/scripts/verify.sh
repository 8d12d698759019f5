#!/bin/sh
# Checks and tests the Go client, and builds its driver for the behaviour suite; run by Maven.
# $1: skip or required, what to do without Go. $2: empty for the long tests too.
set -eu

if ! command -v go >/dev/null; then
    reason="go is not on PATH; to install it: Debian: apt install golang-go"
    if [ "$1" = required ]; then
        echo "clients/go: $reason" >&2
        exit 1
    fi
    # The last module of the build prints this list.
    mkdir -p ../../target
    echo "SKIPPED clients/go: $reason" | tee -a ../../target/skipped-tests.txt
    exit 0
fi

# The module has no dependencies: nothing may be downloaded.
export GOPROXY=off GOTOOLCHAIN=local GOFLAGS=
mkdir -p build

# Prints the output of a step only if it fails.
step() {
    name=$1
    shift
    if ! "$@" >"build/$name.log" 2>&1; then
        cat "build/$name.log" >&2
        exit 1
    fi
}

format() {
    unformatted=$(gofmt -l .)
    [ -z "$unformatted" ] || { echo "gofmt -w . changes $unformatted"; return 1; }
}

step format format
step build go build -o build/driver ./internal/driver
step vet go vet ./...
step test go test ./...
# The race detector needs a C compiler.
if [ -z "${2-}" ] && [ "$(go env CGO_ENABLED)" = 1 ] && command -v "$(go env CC)" >/dev/null; then
    step race go test -race ./...
fi
