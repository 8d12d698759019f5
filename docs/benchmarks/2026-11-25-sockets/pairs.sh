#!/bin/sh
# Compares two kinds of sockets of one build: starts a server with each, and applies the load to them in turn.
#
#   pairs.sh HOME PORT PAIRS fan|burst|relay|churn
#
# Prints the server's CPU for each message or connection with channels and without, and the ratio, for each pair.
set -eu
home=$1
port=$2
pairs=$3
what=$4
work=$(mktemp -d)
cc -O2 -o "$work/load" "$home/tests/floor/load.c" -lpthread

start() {
    mkdir -p "$work/$1"
    BELFRY_RUN_FOLDER=$work/$1 "$home/bin/belfry" run --name "pairs-$1" --set BenchmarkMode=true --set CacheSize=0 --set LogLevel=WARN \
        --set Monitor=HTTP --set MonitorHTTP.Listen=127.0.0.1:0 --set "LogFolder=$work/$1" --set "Listen=127.0.0.1:$2" \
        --set "X.Native.Io=$1" >"$work/$1/out" 2>&1 &
}
start channels "$port"
channels=$!
start true $((port + 1))
plain=$!
trap 'kill $channels $plain 2>/dev/null; wait $channels $plain 2>/dev/null || true; rm -rf "$work"' EXIT
for server in "$port $channels" "$((port + 1)) $plain"; do
    # shellcheck disable=SC2086 # the port and the process
    until "$work/load" $server hold 1 0 >/dev/null 2>&1; do sleep 0.2; done
done

cost() {
    case $what in
        fan) "$work/load" "$1" "$2" fan 10000 10 1 2 5 ;;
        burst) "$work/load" "$1" "$2" fan 10000 160 16 2 5 ;;
        relay) "$work/load" "$1" "$2" relay 10000 60000 60 2 5 ;;
        churn) "$work/load" "$1" "$2" churn 8 48 ;;
    esac
}

cost "$port" $channels >/dev/null
cost $((port + 1)) $plain >/dev/null
pair=0
while [ $pair -lt "$pairs" ]; do
    pair=$((pair + 1))
    if [ $((pair % 2)) = 1 ]; then
        a=$(cost "$port" $channels)
        b=$(cost $((port + 1)) $plain)
    else
        b=$(cost $((port + 1)) $plain)
        a=$(cost "$port" $channels)
    fi
    printf '%s | channels: %s | plain: %s\n' "$what" "$a" "$b"
done
