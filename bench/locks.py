#!/usr/bin/env python3
"""locks.py [--quick]: measure the cost of the block and mutex profiles, and the duration
of a goroutine profile of a thousand threads.

Each program runs without the library, with it, with both profiles sampled as in a server
(block_rate:10000, mutex_fraction:10), and with each wait recorded (1 and 1), in turn.
Figures are medians of CPU time: of an uncontended lock and unlock, and of four threads
that contend for one lock (in equal turns, which rarely collide on two cores, and in
uneven ones, which often do). For redis, if installed, the CPU time of a request is
compared between servers side by side (redis_load.py). postgres_locks.py does the same
for postgres.

Then the profiles are switched on and off within one process: CPU time and wall clock of
a turn with and without them, as the median of the differences in each round. On a
shared machine only rounds count in which both cores were available.

`make bench-runtime` builds the programs."""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import time
import urllib.request

import redis_load

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOCKS = ROOT / "build/bench/locks"
LIBRARY = ROOT / "build/libcpprof.so.0"
KINDS = {
    "without": {},
    "library": {"LD_PRELOAD": str(LIBRARY), "PPROFLISTEN": "localhost:0"},
    "sampled": {"LD_PRELOAD": str(LIBRARY), "PPROFLISTEN": "localhost:0",
                "CPPROF": "block_rate:10000,mutex_fraction:10"},
    "every wait": {"LD_PRELOAD": str(LIBRARY), "PPROFLISTEN": "localhost:0",
                   "CPPROF": "block_rate:1,mutex_fraction:1"},
}
TICK = os.sysconf("SC_CLK_TCK")
BUSY_CORES = 1.5  # CPU time over wall clock of a slice without profiles, on two cores


def figure(kind, *args):
    done = subprocess.run([LOCKS, *map(str, args)], text=True, check=True,
                          env=dict(os.environ, **KINDS[kind]),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return float(done.stdout)


def compare(title, unit, runs, measure, as_difference=False):
    found = {kind: [] for kind in KINDS}
    for _ in range(runs):
        for kind in KINDS:
            found[kind].append(measure(kind))
    plain = statistics.median(found["without"])
    print(f"{title}, median of {runs}")
    for kind, values in found.items():
        value = statistics.median(values)
        more = (f"{value - plain:+.2f} {unit}" if as_difference else
                f"{100 * (value / plain - 1):+.1f} %")
        print(f"  {kind:12} {value:10.3f} {unit}  {more:>12}  "
              f"({min(values):.3f} to {max(values):.3f})", flush=True)


def slices(title, runs, *args):
    """Runs slices of about 20 ms with the profiles on and off in turn."""
    rounds = []
    for _ in range(runs):
        out = subprocess.run([LOCKS, "slices", "4", "10000", "15", *args],
                             env=dict(os.environ, LD_PRELOAD=str(LIBRARY),
                                      CPPROF="quiet:1"),
                             check=True, stdout=subprocess.PIPE, text=True).stdout
        rows = [(name, float(cpu), float(wall)) for name, cpu, wall in
                (line.split() for line in out.splitlines())]
        rounds += [rows[i:i + 3] for i in range(0, len(rows), 3)]
    good = [r for r in rounds if r[0][1] > BUSY_CORES * r[0][2]]
    print(f"{title}, {len(good)} rounds of {len(rounds)}")
    for i, name in enumerate(("off", "sampled", "every wait") if good else ()):
        cpu, wall = (statistics.median(r[i][column] for r in good)
                     for column in (1, 2))
        ratios = [100 * (statistics.median(r[i][column] / r[0][column]
                                           for r in good) - 1)
                  for column in (1, 2)]
        print(f"  {name:12} CPU {cpu:7.1f} ns a turn {ratios[0]:+6.1f} %   "
              f"wall clock {wall:7.1f} ns {ratios[1]:+6.1f} %", flush=True)


def cpu_of(pid):
    """CPU seconds of a run."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def redis(quick):
    """Compares servers side by side. heap.py measures the heap profile, which is on by
    default; here it is off except for the last."""
    def with_library(settings):
        return dict(KINDS["library"], CPPROF=settings)
    rates = "block_rate:10000,mutex_fraction:10"
    kinds = {"without": {}, "without, too": {}, "asleep": {"LD_PRELOAD": str(LIBRARY)},
             "library, heap off": with_library("heap_interval:0"),
             "sampled, heap off": with_library("heap_interval:0," + rates),
             "sampled, heap as well": with_library(rates)}
    for what, requests in (redis_load.SIMPLE, 4_000), (redis_load.MIXED, 10_000):
        redis_load.side_by_side(kinds, 4 if quick else 24, 10 if quick else 20, requests, what)


def redis_instructions(runs):
    """The number of requests that the server reads at once is random and changes the total
    by about 3 %; the instructions of the library do not depend on it."""
    print(f"redis, instructions a request, median of {runs}")
    for kind in KINDS:
        found = [redis_load.instructions(KINDS[kind], redis_load.SIMPLE)
                 for _ in range(runs)]
        all_, ours = (statistics.median(column) for column in zip(*found))
        print(f"  {kind:12} {all_:10.0f}  {ours:6.1f} of them in the library  "
              f"({min(all_ for all_, _ in found):.0f} to "
              f"{max(all_ for all_, _ in found):.0f})", flush=True)


def look_at_threads(n, runs):
    """Measures how long the endpoint takes for all stacks."""
    child = subprocess.Popen([LOCKS, "threads", str(n)], text=True,
                             env=dict(os.environ, **KINDS["library"]),
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    address = child.stderr.readline().split()[-1]
    child.stdout.readline()
    times = []
    before = cpu_of(child.pid)
    for _ in range(runs):
        began = time.perf_counter()
        urllib.request.urlopen(address + "goroutine").read()
        times.append(1000 * (time.perf_counter() - began))
    used = 1000 * (cpu_of(child.pid) - before) / runs
    child.stdin.close()
    child.wait()
    print(f"the stacks of {n} threads: {statistics.median(times):.0f} ms "
          f"({min(times):.0f} to {max(times):.0f}), {used:.0f} ms of CPU, "
          f"median of {runs}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_known_args()[0].quick
    runs = 3 if quick else 9
    compare("lock and unlock, undisputed", "ns", runs,
            lambda kind: figure(kind, "pairs", 20_000_000), True)
    compare("4 threads, one lock", "s", runs,
            lambda kind: figure(kind, "crowd", 4, 300_000))
    compare("4 threads, one lock, uneven turns", "s", runs,
            lambda kind: figure(kind, "jostle", 4, 300_000))
    slices("4 threads, one lock, in one process", 2 * runs, "even")
    slices("the same, uneven turns", 2 * runs)
    look_at_threads(1000, 5 * runs)
    if redis_load.is_here():
        redis(quick)
    if redis_load.is_here() and shutil.which("valgrind"):
        redis_instructions(1 if quick else 3)


main()
