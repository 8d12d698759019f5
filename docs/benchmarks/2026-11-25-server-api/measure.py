"""Measures the server API over one connection: batches of publishes with their outcomes, or pages of sessions.

    python3 measure.py PORT KEY batch SECONDS [DATA_BYTES]
    python3 measure.py PORT KEY list SECONDS
"""

import http.client
import json
import sys
import time

LINES = 10_000


def percentile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * share))]


def call(connection, method, target, key, body=None):
    headers = {"Authorization": "Bearer " + key}
    if body is not None:
        headers["Content-Type"] = "application/x-ndjson"
    connection.request(method, target, body, headers)
    answer = connection.getresponse()
    data = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{answer.status} {data[:200]}")
    return data


def report(name, millis):
    millis.sort()
    print(
        f"{name}: {len(millis)} calls, ms: median {percentile(millis, 0.5):.1f}, 90 % {percentile(millis, 0.9):.1f}, "
        f"99 % {percentile(millis, 0.99):.1f}, max {millis[-1]:.1f}"
    )


def batches(connection, key, seconds, size):
    data = "x" * size
    body = "".join(
        json.dumps({"subject": f"/batch/{i % 100}", "data": data}) + "\n"
        for i in range(LINES)
    ).encode()
    for _ in range(30):
        call(connection, "POST", "/v1/publish", key, body)
    millis, accepted, refused = [], 0, 0
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        start = time.monotonic()
        answer = call(connection, "POST", "/v1/publish", key, body)
        millis.append((time.monotonic() - start) * 1000)
        accepted += answer.count(b'"seq":')
        refused += answer.count(b'"code":')
    took = time.monotonic() - begin
    print(f"{accepted} publishes accepted, {refused} refused in {took:.1f} s: {accepted / took:.0f} per second, {size} bytes of data each")
    report(f"batch of {LINES} lines", millis)


def pages(connection, key, seconds):
    for _ in range(50):
        call(connection, "GET", "/v1/sessions?limit=1000", key)
    millis, sizes, after = [], [], ""
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        start = time.monotonic()
        page = call(connection, "GET", "/v1/sessions?limit=1000" + after, key)
        millis.append((time.monotonic() - start) * 1000)
        page = json.loads(page)
        sizes.append(len(page["sessions"]))
        after = "&after=" + page["next"] if "next" in page else ""
        time.sleep(0.1)
    print(f"sessions per page: {min(sizes)} to {max(sizes)}")
    report("page of 1000 sessions", millis)


def main():
    port, key, what, seconds = int(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    if what == "batch":
        batches(connection, key, seconds, int(sys.argv[5]) if len(sys.argv) > 5 else 64)
    else:
        pages(connection, key, seconds)


if __name__ == "__main__":
    main()
