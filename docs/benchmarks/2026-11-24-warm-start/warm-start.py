"""
CPU of a server in the seconds after its start, at a steady one-to-one rate. Each round starts the server of each variant in turn.

  warm-start.py HOME SECONDS ROUNDS VARIANT...     a VARIANT is NAME=VALUE, the value of BELFRY_AOT_CACHE

Prints the time from the command until it returns, and the CPU per message from 10 to 20 s and in the last 10 s.
"""
import os, re, subprocess, sys, tempfile, time

home, seconds, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
variants = [v.partition("=")[::2] for v in sys.argv[4:]]
rate, subjects = 1000, 100
work = tempfile.mkdtemp(prefix="warm")
load = work + "/load"
subprocess.run(["cc", "-O2", "-o", load, home + "/tests/floor/load.c", "-lpthread"], check=True)


def cpu(pid):
    """Returns the CPU time of a process in microseconds: its clock as clock_getcpuclockid(3) returns it."""
    return time.clock_gettime(~pid << 3 | 2) * 1e6


def start(options):
    environment = dict(os.environ, BELFRY_RUN_FOLDER=work, BELFRY_AOT_CACHE=options)
    command = [home + "/bin/belfry", "start", "--set", "Listen=127.0.0.1:18873", "--set", "Monitor=HTTP", "--set", "MonitorHTTP.Listen=127.0.0.1:18874", "--set", "PingInterval=10m", "--set", "LogFolder=" + work]
    begin = time.monotonic()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    ready = time.monotonic()
    status = subprocess.run([home + "/bin/belfry", "status"], env=environment, check=True, capture_output=True, text=True).stdout
    return ready - begin, ready, int(re.search(r"pid (\d+)", status)[1]), re.search(r"127\.0\.0\.1:(\d+)", status)[1], environment


def run(name, options):
    took, ready, pid, port, environment = start(options)
    at_ready = cpu(pid)
    relay = subprocess.Popen([load, port, str(pid), "relay", str(subjects), str(rate), "1", "0", str(seconds + 1)],
                             stdout=subprocess.PIPE, text=True)
    taken = {0: at_ready}
    for second in range(1, seconds + 1):
        time.sleep(max(0, ready + second - time.monotonic()))
        taken[second] = cpu(pid)
    early = (taken[20] - taken[10]) / (10 * rate)
    late = (taken[seconds] - taken[seconds - 10]) / (10 * rate)
    first = (taken[10] - taken[0]) / (10 * rate)
    minute = [(taken[m + 60] - taken[m]) / 1e6 for m in range(0, seconds - 59, 60)]
    print(f"{name}: start {took:.2f} s, CPU until then {at_ready / 1e6:.2f} s; CPU per message {first:.1f} us in 0-10 s, {early:.1f} us in "
          f"10-20 s, {late:.1f} us in {seconds - 10}-{seconds} s, ratio {early / late:.2f}; CPU by minute "
          + ", ".join(f"{m:.2f} s" for m in minute), flush=True)
    print("   ", relay.communicate()[0].strip(), flush=True)
    subprocess.run([home + "/bin/belfry", "stop"], env=environment, check=True, stdout=subprocess.DEVNULL)


for _ in range(rounds):
    for name, options in variants:
        run(name, options)
