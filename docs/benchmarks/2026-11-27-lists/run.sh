#!/bin/sh
# One round: a server with 15,000 sessions; lists without fan-out, then lists and no lists in turns beside fan-out.
# Arguments: folder for the output, pairs of windows. Uses the ports 18931 and 14931. NICE=-15 gives all its processes a priority over other
# programs of the machine.
set -eu
renice -n "${NICE:-0}" $$ > /dev/null
out=$1
pairs=$2
home=$(CDPATH='' cd -- "$(dirname "$0")/../../.." && pwd -P)
mkdir -p "$out"
key=0123456789abcdef0123456789abcdef
printf 'reader read %s\n' "$key" > "$out/keys"
chmod 600 "$out/keys"
export BELFRY_RUN_FOLDER="$out/run"
# shellcheck disable=SC2016 # the trap expands later
server='' sub='' pub=''
trap 'kill $server $sub $pub 2> /dev/null || true' EXIT
BELFRY_AOT_CACHE=off BELFRY_JAVA_OPTIONS="-Xms512m -Xmx512m" "$home/bin/belfry" run --set Listen=127.0.0.1:18931 --set Memory=512MB --set Entitlement=None \
    --set Monitor=none --set Api.Listen=127.0.0.1:14931 --set Api.KeyFile="$out/keys" --set LogFolder="$out/logs" > "$out/server.out" 2>&1 &
server=$!
until grep -q 'server API' "$out/server.out" && curl -s -o "$out/answer" http://127.0.0.1:18931/; do sleep 0.5; done
"$home/bin/benchsub" --set ServerAddresses=127.0.0.1:18931 --set Clients=15000 --set ConnectRate=5000 --set Duration=$((40 + pairs * 7))s \
    --set HistogramLog="$out/sub.hlog" > "$out/sub.out" 2>&1 &
sub=$!
sleep 12
python3 "$home/docs/benchmarks/2026-11-27-lists/lists.py" 14931 "$key" 5 1 "$out/quiet.json"
"$home/bin/benchpub" --set ServerAddresses=127.0.0.1:18931 --set Frequency=20 --set Duration=$((8 + pairs * 6))s > "$out/pub.out" 2>&1 &
pub=$!
sleep 5
python3 "$home/docs/benchmarks/2026-11-27-lists/lists.py" 14931 "$key" 3 "$pairs" "$out/beside.json"
kill "$sub"
wait "$sub" || true
sub=''
echo "without fan-out:"
python3 "$home/docs/benchmarks/2026-11-27-lists/summary.py" "$out/quiet.json"
echo "beside fan-out:"
python3 "$home/docs/benchmarks/2026-11-27-lists/summary.py" "$out/beside.json" "$out/sub.hlog"
