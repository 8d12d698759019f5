"""Prints the figures of lists.py, and of the histogram log of benchsub within its windows.

    python3 summary.py WINDOWS [SUB.hlog]
"""

import base64
import json
import statistics
import struct
import sys
import zlib


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def counts(text):
    """Decodes a compressed histogram of version 2 into pairs of value and count."""
    outer = base64.b64decode(text)
    data = zlib.decompress(outer[8:])
    length, _, digits, lowest = struct.unpack(">iiiq", data[4:24])
    sub_buckets_log = (2 * 10**digits - 1).bit_length()
    half = 1 << (sub_buckets_log - 1)
    unit = lowest.bit_length() - 1
    found, index, at, end = [], 0, 40, 40 + length
    while at < end:
        shift, raw = 0, 0
        for i in range(9):
            byte = data[at]
            at += 1
            raw |= (byte if i == 8 else byte & 0x7F) << shift
            shift += 7
            if i == 8 or byte < 0x80:
                break
        count = (raw >> 1) ^ -(raw & 1)
        if count < 0:
            index += -count
            continue
        if count:
            bucket, sub = (index // half) - 1, index % half + half
            if bucket < 0:
                bucket, sub = 0, index
            found.append((sub << (bucket + unit), count))
        index += 1
    return found


def seconds(path):
    """Returns the histogram of each second of the wall clock."""
    base, found = 0.0, []
    for line in open(path, encoding="ascii"):
        if line.startswith("#[StartTime:"):
            base = float(line.split()[1])
        parts = line.strip().split(",")
        if line.startswith(("#", '"', "Tag=")) or len(parts) != 4:
            continue
        start = float(parts[0])
        found.append((start + (base if start < 1e9 else 0), counts(parts[3])))
    return found


def p99(histograms):
    merged = {}
    for each in histograms:
        for value, count in each:
            merged[value] = merged.get(value, 0) + count
    total = sum(merged.values())
    passed = 0
    for value in sorted(merged):
        passed += merged[value]
        if passed >= 0.99 * total:
            return value / 1000.0, total
    return 0.0, 0


def main():
    windows = [json.loads(line) for line in open(sys.argv[1], encoding="ascii")]
    lists = [m for each in windows for m in each["millis"]]
    small = [m for each in windows for m in each["small"]]
    print(f"load {windows[0]['load']} to {windows[-1]['load']}; sessions per page {windows[0]['sizes'] or windows[1]['sizes']}")
    for name, values in (("lists", lists), ("GET /v1/nodes", small)):
        print(
            f"{name}: {len(values)} calls, ms: median {percentile(values, 0.5):.1f}, 90 % {percentile(values, 0.9):.1f}, "
            f"99 % {percentile(values, 0.99):.1f}, max {max(values):.1f}"
        )
    if len(sys.argv) > 2:
        logged = seconds(sys.argv[2])
        figures = []
        for each in windows:
            inside = [h for begin, h in logged if each["from"] + 0.5 <= begin and begin + 1 <= each["to"] + 0.5]
            figures.append((each["lists"], *p99(inside)))
        ratios = []
        for first, second in zip(figures[::2], figures[1::2]):
            with_lists, without = (first, second) if first[0] else (second, first)
            if with_lists[2] and without[2]:
                ratios.append(with_lists[1] / without[1])
                print(f"fan-out p99 with lists {with_lists[1]:.2f} ms, without {without[1]:.2f} ms, ratio {ratios[-1]:.3f}")
        if ratios:
            print(f"median of {len(ratios)} ratios of fan-out p99: {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
