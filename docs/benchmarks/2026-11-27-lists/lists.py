"""Measures pages of sessions over one connection in windows of time, with and without calls, beside a running fan-out.

    python3 lists.py PORT KEY WINDOW_SECONDS PAIRS OUTPUT

Windows with lists (ten calls a second for 1,000 sessions each) and without alternate; which one is first alternates too. In all
windows the small call GET /v1/nodes, ten a second, shows what any call costs on this machine. OUTPUT gets one JSON line for each window.
"""

import http.client
import json
import sys
import time

INTERVAL = 0.1


def call(connection, key, target):
    start = time.monotonic()
    connection.request("GET", target, None, {"Authorization": "Bearer " + key})
    answer = connection.getresponse()
    data = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{answer.status} {data[:200]}")
    return (time.monotonic() - start) * 1000, data


def window(connection, key, seconds, listing):
    begun, begun_wall = time.monotonic(), time.time()
    after, pages, small, sizes = "", [], [], []
    turn = 0
    while time.monotonic() - begun < seconds:
        if listing:
            millis, data = call(connection, key, "/v1/sessions?limit=1000" + after)
            # Parsing the page would take more processor time than the server needs for it.
            pages.append(round(millis, 2))
            sizes.append(data.count(b'"session":'))
            _, found, cursor = data.rpartition(b'],"next":"')
            after = "&after=" + cursor.split(b'"')[0].decode() if found else ""
        time.sleep(INTERVAL / 2)
        small.append(round(call(connection, key, "/v1/nodes")[0], 2))
        turn += 1
        time.sleep(max(0.0, begun + turn * INTERVAL - time.monotonic()))
    return {
        "from": begun_wall,
        "to": time.time(),
        "lists": listing,
        "millis": pages,
        "small": small,
        "sizes": sorted(set(sizes)),
        "load": open("/proc/loadavg", encoding="ascii").read().split()[0],
    }


def main():
    port, key, seconds, pairs, output = sys.argv[1:6]
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
    for _ in range(60):
        call(connection, key, "/v1/sessions?limit=1000")
    with open(output, "w", encoding="ascii") as out:
        for pair in range(int(pairs)):
            order = [True, False] if pair % 2 == 0 else [False, True]
            for listing in order:
                print(json.dumps(window(connection, key, float(seconds), listing)), file=out, flush=True)


if __name__ == "__main__":
    main()
