#!/usr/bin/env python3
"""Prints the processor time and the context switches of each thread of a process within some seconds.

  threads.py PID SECONDS
"""
import os, sys, time

pid, seconds = sys.argv[1], float(sys.argv[2])


def threads():
    """Returns name, processor time in ms and context switches of each thread."""
    found = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/comm") as comm, open(f"/proc/{pid}/task/{thread}/schedstat") as stat:
                nanos, _, switches = stat.read().split()
                found[thread] = (comm.read().strip(), int(nanos) / 1e6, int(switches))
        except FileNotFoundError:
            pass  # The thread has ended.
    return found


before = threads()
time.sleep(seconds)
rows = []
for thread, (name, millis, switches) in threads().items():
    _, millis_before, switches_before = before.get(thread, (name, 0, 0))
    rows.append((millis - millis_before, switches - switches_before, name))
rows.sort(reverse=True)
print(f"{sum(row[0] for row in rows):8.1f} ms in all")
for millis, switches, name in rows[:12]:
    print(f"{millis:8.1f} ms {switches:7d} switches  {name}")
