#!/bin/sh
# Prints the processor time of a server, in hundredths of a second, while 15,000 clients connect: total, and of the threads of the
# collector. The first wave meets code that is not compiled yet, the second compiled code.
#   connect.sh HOME PORT NAME [OPTIONS_OF_THE_JVM]      with load beside it, see resident.py
set -u
here=$(dirname "$0")
work=$(mktemp -d)
BELFRY_JAVA_OPTIONS="-Xlog:gc:file=$work/gc.log ${4:-}" BELFRY_RUN_FOLDER=$work "$1/bin/belfry" run --name connect \
    --set "Listen=127.0.0.1:$2" --set MonitorJMX.Listen=127.0.0.1:0 --set "LogFolder=$work" >"$work/out" 2>&1 &
server=$!
collector() {
    cat /proc/$server/task/*/stat 2>/dev/null | grep -E '\((GC Thread|G1 )' | sed 's/.*) //' | awk '{ s += $12 + $13 } END { print s }'
}
sleep 14
for wave in 1 2; do
    gc=$(collector)
    before=$(awk '{ print $14 + $15 }' /proc/$server/stat)
    "$here/load" "$2" $server hold 15000 1 >/dev/null
    after=$(awk '{ print $14 + $15 }' /proc/$server/stat)
    sleep 4
    echo "$3 wave $wave: total $((after - before)), collector $(($(collector) - gc))"
done
echo "$3: $(grep -c Pause "$work/gc.log") pauses, $(grep -c 'Pause Remark' "$work/gc.log") marks"
kill $server
wait $server
rm -rf "$work"
