#!/usr/bin/env python3
"""Starts a server with bin/belfry several times, and prints the time until it is ready and of its first four connections.

  first.py HOME STARTS

A connection is a handshake of WebSocket and the answer to one subscription. BELFRY_JAVA_HOME names the JDK.
"""
import os, re, shutil, socket, subprocess, sys, tempfile, time

PORT = 8897
HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: belfry.json.v1\r\n\r\n"
)
SUBSCRIBE = b'{"op":"subscribe","id":1,"subject":"/a"}'


def connection():
    begun = time.time()
    with socket.create_connection(("127.0.0.1", PORT)) as client:
        client.sendall(HANDSHAKE)
        client.recv(4096)
        client.sendall(bytes([0x81, 0x80 | len(SUBSCRIBE), 0, 0, 0, 0]) + SUBSCRIBE)
        client.recv(4096)
    return (time.time() - begun) * 1e3


def start(home):
    """Returns the milliseconds until ready, those of the connections, and the resident memory in MB."""
    work = tempfile.mkdtemp(prefix="belfry-first-")
    command = [home + "/bin/belfry", "run", "--name", "first"]
    for setting in ("LogFolder=" + work, f"Listen=127.0.0.1:{PORT}", "BenchmarkMode=true", "Monitor=none"):
        command += ["--set", setting]
    begun = time.time()
    server = subprocess.Popen(command, env=dict(os.environ, BELFRY_RUN_FOLDER=work), stdout=subprocess.PIPE, text=True)
    for line in server.stdout:
        if "listen" in line.lower():
            break
    ready = (time.time() - begun) * 1e3
    connections = [connection() for _ in range(4)]
    with open(f"/proc/{server.pid}/status") as status:
        resident = int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024
    server.terminate()
    server.wait()
    shutil.rmtree(work)
    return [ready, *connections, resident]


starts = [start(sys.argv[1]) for _ in range(int(sys.argv[2]))]
ready, *connections, resident = [sorted(column)[len(column) // 2] for column in zip(*starts)]
print(f"ready {ready:.0f} ms, connections {' '.join(f'{c:.1f}' for c in connections)} ms, resident {resident:.0f} MB")
