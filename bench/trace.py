#!/usr/bin/env python3
"""trace: measure the cost of an execution trace for the program.

bench/trace_work does the same jobs on eight threads without a trace and with a trace
that is fetched continuously, in turn. The figures are CPU time of the whole process, and
the part of the recorder thread. With redis-server, the same for a number of requests."""
import argparse
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench/trace_work"
LIBRARY = ROOT / "build/libcpprof.so"
REQUEST = b"GET /debug/pprof/trace?seconds=3600 HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Fetch:
    """Reads a trace until the program ends."""

    def __init__(self, place):
        self.n = 0
        self.socket = socket.socket(socket.AF_UNIX)
        for _ in range(1000):
            try:
                self.socket.connect(place)
                break
            except OSError:
                time.sleep(0.01)
        self.socket.sendall(REQUEST)
        self.n = len(self.socket.recv(65536))  # the trace has begun
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        while True:
            try:
                data = self.socket.recv(1 << 20)
            except OSError:
                return
            if not data:
                return
            self.n += len(data)

    def end(self):
        self.thread.join(5)
        self.socket.close()


def environment(place):
    return dict(os.environ, LD_PRELOAD=str(LIBRARY), PPROFLISTEN="unix:" + place,
                CPPROF="quiet:1")


def run_work(folder, jobs, is_traced):
    """CPU seconds and bytes of the trace."""
    place = os.path.join(folder, "work")
    child = subprocess.Popen([WORK, str(jobs), "wait"], env=environment(place),
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
    fetch = Fetch(place) if is_traced else None
    out, _ = child.communicate(b"\n")
    if fetch:
        fetch.end()
    if os.path.exists(place):
        os.unlink(place)
    return float(out.split()[0]), fetch.n if fetch else 0


def cpu_of(pid):
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/schedstat") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def run_redis(folder, requests, is_traced):
    place = os.path.join(folder, "redis")
    port = os.path.join(folder, "redis.sock")
    server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", port,
                               "--save", "", "--appendonly", "no"],
                              env=environment(place), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    while not os.path.exists(port):
        time.sleep(0.01)
    fetch = Fetch(place) if is_traced else None
    before = cpu_of(server.pid)
    subprocess.run(["redis-benchmark", "-s", port, "-n", str(requests), "-t",
                    "set,get", "-q"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    used = cpu_of(server.pid) - before
    server.terminate()
    server.wait()
    if fetch:
        fetch.end()
    for name in (place, port):
        if os.path.exists(name):
            os.unlink(name)
    return used, fetch.n if fetch else 0


def compare(name, run, runs):
    plain, traced, sizes = [], [], []
    for _ in range(runs):
        plain.append(run(False)[0])
        seconds, size = run(True)
        traced.append(seconds)
        sizes.append(size)
    base, cost = statistics.median(plain), statistics.median(traced)
    pairs = statistics.median(t / p for t, p in zip(traced, plain))
    print(f"{name:24} {base:8.3f} s {cost:8.3f} s {100 * (pairs - 1):+7.2f} % "
          f"{statistics.median(sizes) / 1024:10.0f} KiB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="a minute or so")
    options = parser.parse_args()
    runs = 5 if options.quick else 15
    jobs = 40000 if options.quick else 120000
    requests = 50000 if options.quick else 300000
    print(f"{'CPU time':24} {'plain':>10} {'traced':>10} {'cost':>9} {'trace':>14}")
    with tempfile.TemporaryDirectory() as folder:
        compare("8 busy threads", lambda traced: run_work(folder, jobs, traced), runs)
        if shutil.which("redis-server") and shutil.which("redis-benchmark"):
            compare("redis, set and get",
                    lambda traced: run_redis(folder, requests, traced), runs)


main()
