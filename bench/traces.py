#!/usr/bin/env python3
"""traces.py [--quick] [FILE...]: compare `cpprof trace` with `go tool trace` on execution
traces of a Go program (bench/trace_load.go) or on the given files.

Both tools make profiles of waits in turn. Then cpprof alone: the table, and the page's
requests at random places. The figures are CPU time (user and system), which depends less
on the load of the machine, and peak memory. Needs Go."""
import http.client
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS = os.path.join(root, "build", "cpprof")
GO = shutil.which("go")
ENV = dict(os.environ, GO111MODULE="off", GOFLAGS="", GOTOOLCHAIN="local",
           CGO_ENABLED="0")
RUNS = 3
VIEWS = 20
LIMIT_PEER = 400 << 20  # go tool trace needs tens of gigabytes for larger traces


def measure(*command):
    """CPU seconds and peak memory in MB."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def median(list_):
    return [statistics.median(column) for column in zip(*list_)]


def row(what, ours, theirs=None):
    text = f"{what:34} {ours[0]:8.2f} s {ours[1]:8.0f} MB"
    if theirs:
        text += (f" {theirs[0]:8.2f} s {theirs[1]:8.0f} MB "
                 f"{theirs[0] / ours[0]:6.1f}x {theirs[1] / ours[1]:6.1f}x")
    print(text, flush=True)


def compare(path, peer):
    for kind in ("sched", "sync"):
        ours, theirs = [], []
        for _ in range(RUNS if os.path.getsize(path) < LIMIT_PEER else 1):
            ours.append(measure(OURS, "trace", f"-pprof={kind}",
                                "-output=/dev/null", path))
            if os.path.getsize(path) < LIMIT_PEER:
                theirs.append(measure(peer, f"-pprof={kind}", path))
        row(f"-pprof={kind}", median(ours), median(theirs) if theirs else None)
    row("table", median([measure(OURS, "trace", "-n=10", path)
                         for _ in range(RUNS)]))


def ask(link, target):
    start = time.monotonic()
    link.request("GET", target)
    body = link.getresponse().read()
    return (time.monotonic() - start) * 1000, body


def questions(link, duration):
    """Requests of the page at random places: (kind, target)."""
    pick = random.Random(1)
    lanes = [lane[0] for lane in json.loads(
        ask(link, "/trace/lanes?most=20000")[1])["lanes"]]
    for _ in range(VIEWS):
        length = int(duration * 10 ** -pick.uniform(0, 6)) + 100
        start = pick.randrange(max(1, duration - length))
        at = pick.randrange(max(1, len(lanes) - 40))
        where = f"from={start}&to={start + length}"
        names = ",".join(map(str, lanes[at:at + 40]))
        yield "window of 40 threads", f"/trace/window?{where}&points=2000" \
            f"&lanes={names}"
        yield "numbers of a selected time", f"/trace/stats?{where}"
    yield "list of threads", "/trace/lanes?most=20000"


def serve(path):
    start = time.monotonic()
    child = subprocess.Popen(
        [OURS, "trace", "-no_browser", "-http=localhost:0", path],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    port = next(int(found[1]) for line in child.stderr
                if (found := re.search(r"localhost:(\d+)", line)))
    print(f"{'page is there after':34} {time.monotonic() - start:8.2f} s")
    link = http.client.HTTPConnection("localhost", port, timeout=300)
    duration = json.loads(ask(link, "/trace/info")[1])["duration"]
    times = {}
    for kind, target in questions(link, duration):
        times.setdefault(kind, []).append(ask(link, target)[0])
    for kind, list_ in times.items():
        print(f"{kind:34} {statistics.median(list_):8.1f} ms, at most "
              f"{max(list_):.1f} ms")
    with open(f"/proc/{child.pid}/status") as f:
        print(f"{'memory':34} " + ", ".join(
            f"{name} {int(kb) // 1024} MB" for name, kb in re.findall(
                r"Rss(Anon|File|Shmem):\s+(\d+)", f.read())))
    child.terminate()
    child.wait()
    child.stderr.close()


def main(args):
    if not GO:
        print("traces: no go, nothing to compare with")
        return
    quick = "--quick" in args
    files = [a for a in args if a != "--quick"]
    peer = subprocess.run([GO, "tool", "-n", "trace"], env=ENV, check=True,
                          capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        load = os.path.join(folder, "load")
        subprocess.run([GO, "build", "-o", load,
                        os.path.join(root, "bench/trace_load.go")],
                       check=True, env=ENV)
        for seconds in [] if files else [2] if quick else [10, 100]:
            files.append(os.path.join(folder, f"{seconds}s.trace"))
            subprocess.run([load, files[-1], str(seconds)], check=True)
        for path in files:
            print(f"\n{os.path.basename(path)}: "
                  f"{os.path.getsize(path) / 1e6:.0f} MB"
                  f"{'':22} cpprof {'':11} go tool trace")
            compare(path, peer)
            serve(path)
            if path.startswith(folder):
                os.unlink(path)


main(sys.argv[1:])
