#!/usr/bin/env python3
"""Measures what the slow-consumer defaults do to subscribers that are slow for ten seconds, and to a burst.

    python3 docs/benchmarks/2026-11-23-slow-consumer-defaults/measure.py [--server COMMAND] [--rates 100,1000,10000]

It starts a server for each run on a free port of loopback and needs nothing but Python's own library. Subscribers are
processes of their own that read a WebSocket and take half of the published messages for ten seconds, then all they can.
"""

import argparse
import base64
import json
import multiprocessing
import os
import selectors
import shlex
import socket
import struct
import subprocess
import sys
import tempfile
import time

PAYLOAD = 512
SLOW_SECONDS = 10
AFTER_SECONDS = 6


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def frame(text):
    """A masked text frame; the mask of zeros leaves the bytes as they are."""
    data = text.encode()
    length = struct.pack("!BBH", 0x81, 0x80 | 126, len(data)) if len(data) > 125 else struct.pack("!BB", 0x81, 0x80 | len(data))
    return length + bytes(4) + data


def connect(port, receive_buffer=None):
    sock = socket.socket()
    if receive_buffer:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    sock.connect(("127.0.0.1", port))
    key = base64.b64encode(os.urandom(16)).decode()
    sock.sendall((
        f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: belfry.json.v1\r\n\r\n").encode())
    head = b""
    while b"\r\n\r\n" not in head:
        head += sock.recv(1)
    if b" 101 " not in head.split(b"\r\n")[0]:
        raise SystemExit(head.decode())
    return sock


class Counts:
    """What came over one WebSocket, from its frames."""

    def __init__(self):
        self.buffer = bytearray()
        self.received = self.announced = self.gaps = 0
        self.first = self.last = 0
        self.closed = None

    def take(self, data):
        if not data:
            self.closed = self.closed or "connection ended"
            return
        self.buffer += data
        at = 0
        while len(self.buffer) - at >= 2:
            length, head = self.buffer[at + 1] & 127, 2
            if length == 126:
                if len(self.buffer) - at < 4:
                    break
                length, head = struct.unpack_from("!H", self.buffer, at + 2)[0], 4
            if len(self.buffer) - at < head + length:
                break
            self.event(self.buffer[at] & 15, bytes(self.buffer[at + head:at + head + length]))
            at += head + length
        del self.buffer[:at]

    def event(self, opcode, payload):
        if opcode == 8:
            self.closed = f"{struct.unpack('!H', payload[:2])[0]} {payload[2:].decode()}"
        elif payload.startswith(b'{"op":"message"'):
            self.received += 1
        elif payload.startswith(b'{"op":"gap"'):
            gap = json.loads(payload)
            self.gaps += 1
            self.announced += int(gap["to"].split(":")[1]) - int(gap["from"].split(":")[1])


def subscribe(sock):
    sock.sendall(frame('{"op":"subscribe","id":1,"subject":"/measured"}'))


def half_speed(port, rate, ready, results):
    sock = connect(port, 64 << 10)
    subscribe(sock)
    counts = Counts()
    ready.wait()
    begun = time.monotonic()
    sock.settimeout(0.1)
    while counts.closed is None and time.monotonic() - begun < SLOW_SECONDS + AFTER_SECONDS:
        elapsed = time.monotonic() - begun
        if elapsed < SLOW_SECONDS and counts.received > rate / 2 * elapsed:
            time.sleep(0.005)
            continue
        try:
            counts.take(sock.recv(4096 if elapsed < SLOW_SECONDS else 65536))
        except TimeoutError:
            pass
        except OSError as broken:
            counts.closed = counts.closed or str(broken)
    results.put((counts.received, counts.announced, counts.gaps, counts.closed, round(time.monotonic() - begun, 1)))


def publish(port, rate, seconds, ready, results):
    sock = connect(port)
    message = frame(json.dumps({"op": "publish", "subject": "/measured", "data": "x" * PAYLOAD}))
    ready.wait()
    begun = time.monotonic()
    sent = 0
    while (elapsed := time.monotonic() - begun) < seconds:
        due = min(int(rate * elapsed) - sent, 1000)
        if due > 0:
            sock.sendall(message * due)
            sent += due
        time.sleep(0.005)
    # What was published is in the server before the connection ends.
    sock.sendall(frame('{"op":"ping","id":9}'))
    while b'"id":9' not in sock.recv(65536):
        pass
    results.put(sent)


class Server:
    def __init__(self, command, sets):
        self.port = free_port()
        self.folder = tempfile.TemporaryDirectory()
        line = shlex.split(command)
        for each in [f"Listen=127.0.0.1:{self.port}", "Entitlement=None", "Monitor=none", f"LogFolder={self.folder.name}", *sets]:
            line += ["--set", each]
        self.process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise SystemExit("the server does not start")
                time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.folder.cleanup()


def run_half(command, rate, policy, subscribers, sets):
    with Server(command, [f"SlowConsumer={policy}", "Limit.PublishRate=0", *sets]) as server:
        ready, results, sent = multiprocessing.Event(), multiprocessing.Queue(), multiprocessing.Queue()
        readers = [multiprocessing.Process(target=half_speed, args=(server.port, rate, ready, results)) for _ in range(subscribers)]
        publisher = multiprocessing.Process(target=publish, args=(server.port, rate, SLOW_SECONDS + 3, ready, sent))
        for each in [*readers, publisher]:
            each.start()
        time.sleep(1.5)
        ready.set()
        total = sent.get()
        for received, announced, gaps, closed, seconds in [results.get() for _ in readers]:
            print(f"half {policy:10} {rate:6}/s published {total:7} received {received:7} announced {announced:7}"
                  f" in {gaps:5} gaps, {'closed after ' + str(seconds) + ' s: ' + closed if closed else 'not closed'}", flush=True)
        for each in [*readers, publisher]:
            each.join()


def run_burst(command, messages, subscribers, sets):
    """All subscribers share one process, which is slower than the server by far."""
    with Server(command, ["Limit.PublishRate=0", *sets]) as server:
        selector = selectors.DefaultSelector()
        all_counts = []
        for _ in range(subscribers):
            sock = connect(server.port)
            subscribe(sock)
            counts = Counts()
            all_counts.append(counts)
            selector.register(sock, selectors.EVENT_READ, counts)
        time.sleep(1)
        ready, sent = multiprocessing.Event(), multiprocessing.Queue()
        ready.set()
        publisher = multiprocessing.Process(target=publish, args=(server.port, messages, 1, ready, sent))
        publisher.start()
        last = time.monotonic()
        while time.monotonic() - last < 3 and selector.get_map():
            for key, _ in selector.select(0.2):
                last = time.monotonic()
                try:
                    key.data.take(key.fileobj.recv(65536))
                except OSError as broken:
                    key.data.closed = key.data.closed or str(broken)
                if key.data.closed:
                    selector.unregister(key.fileobj)
        total = sent.get()
        publisher.join()
        closed = [each.closed for each in all_counts if each.closed]
        print(f"burst of {total} to {subscribers} subscribers: {len(closed)} closed {sorted(set(closed))};"
              f" received {sum(each.received for each in all_counts)}, announced {sum(each.announced for each in all_counts)},"
              f" of {total * subscribers}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default="bin/belfry run", help="the command that starts a server in the foreground")
    parser.add_argument("--rates", default="100,1000,10000")
    parser.add_argument("--policies", default="disconnect,conflate,drop")
    parser.add_argument("--subscribers", type=int, default=2)
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors, {os.uname().sysname} {os.uname().release}, Python {sys.version.split()[0]},"
          f" load {os.getloadavg()[0]:.1f}", flush=True)
    for policy in options.policies.split(","):
        for rate in map(int, options.rates.split(",")):
            run_half(options.server, rate, policy, options.subscribers, options.set)
    run_burst(options.server, 20_000, 20, options.set)


if __name__ == "__main__":
    main()
