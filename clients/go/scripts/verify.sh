#!/bin/sh
# Checks and tests the Go client, and builds its driver for the behaviour suite; run by Maven.
# $1: skip or required, what to do without Go. $2: complete to omit the long tests.
set -eu
# shellcheck disable=SC2034 # steps.sh reads them
module=clients/go root=../.. tools=${1-skip}
# shellcheck source=../../js/scripts/steps.sh
. ../js/scripts/steps.sh

command -v go >/dev/null || skip "go is not on PATH; to install it: Debian: apt install golang-go"

# The module has no dependencies: nothing may be downloaded.
export GOPROXY=off GOTOOLCHAIN=local GOFLAGS=
mkdir -p build

format() {
    unformatted=$(gofmt -l .)
    [ -z "$unformatted" ] || { echo "gofmt -w . changes $unformatted"; return 1; }
}

step format format
step build go build -o build/driver ./internal/driver
step vet go vet ./...
step test go test ./...
# The race detector needs a C compiler.
if [ "${2-}" != complete ] && [ "$(go env CGO_ENABLED)" = 1 ] && command -v "$(go env CC)" >/dev/null; then
    step race go test -race ./...
fi
