#!/usr/bin/env python3
"""Starts a server with bin/belfry, and prints its resident memory idle, with 15,000 sessions, under traffic and after it.

  cc -O2 -o load tests/floor/load.c -lpthread      # beside this script
  resident.py HOME PORT TRAFFIC_SECONDS QUIET_SECONDS [KEY=VALUE]...

IDLE and LAST are seconds to wait before the sessions and after them. NMT=path/to/jcmd prints the JVM's own account, SMAPS=1 the
largest mappings. BELFRY_JAVA_OPTIONS, BELFRY_JVM_PROFILE and MALLOC_ARENA_MAX apply to the server.
"""
import os, random, socket, struct, subprocess, sys, time, tempfile, shutil
home, port, traffic, quiet = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
work = tempfile.mkdtemp(prefix="belfry-mem-")
args = [home + "/bin/belfry", "run", "--name", "mem", "--set", f"Listen=127.0.0.1:{port}", "--set", "LogFolder=" + work]
for s in sys.argv[5:]:
    args += ["--set", s]
env = dict(os.environ, BELFRY_RUN_FOLDER=work)
t0 = time.time()
server = subprocess.Popen(args, env=env, stdout=open(work + "/out", "w"), stderr=subprocess.STDOUT)
def rss():
    d = {}
    for l in open(f"/proc/{server.pid}/smaps_rollup"):
        p = l.split()
        if p[-1] == "kB": d[p[0][:-1]] = int(p[1])
    return d
def heap_rss():
    # A heap of at most 512 MB with compressed references ends at 4 GB.
    heap = code = file = anon = 0; cur = None
    for l in open(f"/proc/{server.pid}/smaps"):
        p = l.split()
        if "-" in p[0] and not p[0].endswith(":"):
            a = int(p[0].split("-")[0], 16); name = p[5] if len(p) > 5 else ""; perm = p[1]; cur = (a, name, perm)
        elif p[0] == "Rss:":
            k = int(p[1]); a, name, perm = cur
            if name.startswith("/"): file += k
            elif 0xe0000000 <= a < 0x100000000: heap += k
            elif "x" in perm: code += k
            else: anon += k
    return f"heap {heap/1024:.0f} code {code/1024:.0f} files {file/1024:.0f} other {anon/1024:.0f}"
def cpu():
    f = open(f"/proc/{server.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK")
def line(what):
    d = rss()
    print(f"{what:28s} rss {d['Rss']/1024:6.1f} MB pss {d['Pss']/1024:6.1f} anon {d['Anonymous']/1024:6.1f} thp {d['AnonHugePages']/1024:5.1f} | {heap_rss()} | cpu {cpu():.2f}", flush=True)
def nmt():
    if os.environ.get("SMAPS"):
        cur=None; out=[]
        for l in open(f"/proc/{server.pid}/smaps"):
            p = l.split()
            if "-" in p[0] and not p[0].endswith(":"): cur=(p[0], p[1], p[5] if len(p)>5 else "")
            elif p[0]=="Size:": size=int(p[1])
            elif p[0]=="Rss:": out.append((int(p[1]),size,)+cur)
        for o in sorted(out, reverse=True)[:40]: print(o)
    if os.environ.get("NMT"):
        print(subprocess.run([os.environ["NMT"], str(server.pid), "VM.native_memory", "summary"], capture_output=True, text=True).stdout, flush=True)
load = None
try:
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close(); break
        except OSError:
            if server.poll() is not None: print(open(work + "/out").read()); sys.exit(1)
            time.sleep(0.05)
    print(f"started in {time.time()-t0:.2f} s")
    time.sleep(15); line("idle 15 s")
    if os.environ.get("IDLE"): time.sleep(float(os.environ["IDLE"])-15); line("idle "+os.environ["IDLE"])
    nmt()
    if traffic > 0:
        c0 = cpu(); t0 = time.time()
        load = subprocess.Popen([os.path.dirname(os.path.abspath(__file__)) + "/load", str(port), str(server.pid), "hold", "15000", "100000"], stdout=subprocess.PIPE)
        load.stdout.readline()
        print(f"connected 15000: {cpu()-c0:.2f} s of CPU in {time.time()-t0:.1f} s")
        line("15,000 connected")
        time.sleep(20); line("15,000 connected, 20 s later")
        s = socket.create_connection(("127.0.0.1", port))
        s.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: belfry.binary.v1\r\n\r\n")
        s.recv(4096); start = time.time(); n = 0; rnd = random.Random(1); nextline = 60; c1 = cpu()
        while time.time() - start < traffic:
            subject = b"/p/s%08d" % rnd.randrange(15000)
            p = bytes([4, 0, len(subject)]) + subject + b"x" * 512
            s.sendall(b"\x82\xfe" + struct.pack(">H", len(p)) + b"\0\0\0\0" + p); n += 1
            d = start + n / 100 - time.time()
            if d > 0: time.sleep(d)
            if time.time() - start > nextline: line(f"traffic {nextline} s"); nextline += 60 if traffic < 400 else 300
        print(f"traffic: {n} messages, {cpu()-c1:.2f} s of CPU")
        line("traffic ended"); s.close()
        for q in range(int(quiet // 60)):
            time.sleep(60); line(f"quiet {60*(q+1)} s")
        nmt()
        load.kill(); load.wait(); load = None
        time.sleep(30); line("disconnected 30 s")
        if os.environ.get("LAST"): time.sleep(float(os.environ["LAST"])); line("disconnected " + os.environ["LAST"])
finally:
    if load: load.kill()
    server.terminate(); server.wait(); shutil.rmtree(work)
