#!/bin/bash
# starts.sh ROUNDS HOME...: milliseconds until 'bin/belfry start' returns, with each installation in turn. SETS: options of start.
set -eu
rounds=$1
shift
times=$(mktemp -d)
trap 'rm -r "$times"' EXIT
for _ in $(seq "$rounds"); do
    for home in "$@"; do
        cd "$home"
        begun=$(date +%s%N)
        # shellcheck disable=SC2086 # words
        bin/belfry start ${SETS:-} >/dev/null
        ended=$(date +%s%N)
        bin/belfry stop >/dev/null
        echo $(((ended - begun) / 1000000)) >>"$times/$(echo "$home" | tr / _)"
        sleep 0.3
    done
done
for home in "$@"; do
    sort -n "$times/$(echo "$home" | tr / _)" | awk -v home="$home" '{ t[NR] = $1 }
        END { print home ": median " t[int((NR + 1) / 2)] ", quartiles " t[int((NR + 3) / 4)] " and " t[int((3 * NR + 3) / 4)] " ms" }'
done
