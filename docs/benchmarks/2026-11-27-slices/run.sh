#!/bin/sh
# Measures the latencies of messages to single sessions for one build: beside messages to all sessions, and while all are reset, twice.
# Usage: run.sh HOME, a checkout that is built. The programs that publish and measure have precedence over the others.
set -eu
home=$1 load=$(mktemp) folder=$(mktemp -d) port=8895
cc -O2 -o "$load" "$(dirname "$0")/../../../tests/floor/load.c" -lpthread
BELFRY_RUN_FOLDER=$folder "$home/bin/belfry" run --name slices --set Listen="127.0.0.1:$port" --set BenchmarkMode=true \
    --set LogFolder="$folder" >"$folder/out" 2>&1 &
server=$!
trap 'kill "$server"; rm -rf "$folder" "$load"' EXIT
until "$load" "$port" "$server" hold 1 0 >/dev/null 2>&1; do sleep 0.3; done
nice -n -15 "$load" "$port" "$server" mixed 15000 200 1000 5
nice -n -15 "$load" "$port" "$server" reset 15000 1000
nice -n -15 "$load" "$port" "$server" reset 15000 1000
