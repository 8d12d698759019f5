#!/usr/bin/env python3
"""Counts the packets and bytes of idle WebSocket sessions, one per ping interval, with and without TLS.

Each session is one socket of this program, which answers pings as every WebSocket library does. The counts are those of
the kernel for the socket (TCP_INFO): segments in both directions, acknowledgements included, and the bytes in them.
"""

import argparse
import json
import os
import selectors
import socket
import ssl
import struct
import sys
import time

SETTLED = 3.0
"""Seconds after the subscription, when the handshakes and their acknowledgements are complete."""

IP_AND_TCP = 20 + 20
TIMESTAMPS = 12
OPTION_TIMESTAMPS = 1


def tcp_info(sock):
    """Returns the counts of a socket since it was opened."""
    raw = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192)
    sent, received = struct.unpack_from("QQ", raw, 120)
    packets_up, packets_down = struct.unpack_from("II", raw, 136)
    header = IP_AND_TCP + (TIMESTAMPS if raw[5] & OPTION_TIMESTAMPS else 0)
    return {
        "packets_up": packets_up,
        "packets_down": packets_down,
        "payload_up": sent,
        "payload_down": received,
        "ip_bytes_up": sent + packets_up * header,
        "ip_bytes_down": received + packets_down * header,
    }


class Session:
    def __init__(self, port, encrypted, interval):
        self.interval = interval
        self.encrypted = encrypted
        self.pings = 0
        self.arrivals = []
        self.raw = socket.create_connection(("127.0.0.1", port))
        self.raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = self.raw
        if encrypted:
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            self.raw = self.sock = context.wrap_socket(self.raw)
        self.input = b""
        key = "dGhlIHNhbXBsZSBub25jZQ=="
        self.sock.sendall(
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        while b"\r\n\r\n" not in self.input:
            self.input += self.sock.recv(4096)
        head, self.input = self.input.split(b"\r\n\r\n", 1)
        assert b" 101 " in head, head
        self.send(1, json.dumps({"op": "connect", "id": 1, "ping": int(interval * 1000)}).encode())
        self.effective = json.loads(self.next_text())["ping"]
        self.send(1, json.dumps({"op": "subscribe", "id": 2, "subject": "/quiet"}).encode())
        self.next_text()
        self.sock.setblocking(False)

    def send(self, opcode, payload):
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[i & 3] for i, byte in enumerate(payload))
        self.sock.sendall(bytes((0x80 | opcode, 0x80 | len(payload))) + mask + masked)

    def next_text(self):
        while True:
            frame = self.frame()
            if frame is None:
                self.input += self.sock.recv(4096)
            elif frame[0] == 1:
                return frame[1]

    def frame(self):
        if len(self.input) < 2:
            return None
        length, start = self.input[1], 2
        if length == 126:
            if len(self.input) < 4:
                return None
            length, start = struct.unpack_from(">H", self.input, 2)[0], 4
        if len(self.input) < start + length:
            return None
        opcode, payload = self.input[0] & 0x0F, self.input[start : start + length]
        self.input = self.input[start + length :]
        return opcode, payload

    def read(self):
        try:
            data = self.sock.recv(4096)
        except (BlockingIOError, ssl.SSLWantReadError):
            return
        if not data:
            raise SystemExit(f"the server closed the session with {self.interval} s")
        self.input += data
        for opcode, payload in iter(self.frame, None):
            if opcode == 9:
                self.send(10, payload)
                self.pings += 1
                self.arrivals.append(time.monotonic())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--tls-port", type=int, required=True)
    parser.add_argument("--intervals", default="25,300,1800", help="ping intervals in seconds")
    parser.add_argument("--times", default="600,2100,2100", help="time of each measurement in seconds")
    arguments = parser.parse_args()
    intervals = [float(text) for text in arguments.intervals.split(",")]
    times = [float(text) for text in arguments.times.split(",")]
    selector = selectors.DefaultSelector()
    sessions = []
    for encrypted in (False, True):
        for interval, seconds in zip(intervals, times):
            session = Session(arguments.tls_port if encrypted else arguments.port, encrypted, interval)
            session.seconds = seconds
            selector.register(session.raw, selectors.EVENT_READ, session)
            sessions.append(session)
    wait(selector, SETTLED)
    began = time.monotonic()
    for session in sessions:
        session.before = tcp_info(session.raw)
    for seconds in sorted(set(times)):
        wait(selector, began + seconds - time.monotonic())
        for session in sessions:
            if session.seconds == seconds:
                report(session, began)
                sys.stdout.flush()


def wait(selector, seconds):
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        for key, _ in selector.select(left):
            key.data.read()


def report(session, began):
    counts = {name: value - session.before[name] for name, value in tcp_info(session.raw).items()}
    print(
        json.dumps(
            {
                "interval_s": session.interval,
                "effective_ms": session.effective,
                "tls": session.sock.version() if session.encrypted else None,
                "seconds": session.seconds,
                "pings": session.pings,
                "ping_times_s": [round(at - began, 1) for at in session.arrivals],
                **counts,
            }
        )
    )


main()
