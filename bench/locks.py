#!/usr/bin/env python3
"""locks.py [--quick]: what the block and mutex profiles cost, and how long a
look at a thousand threads takes.

Each program runs without the library, with it, with both profiles sampled as a
server would (block_rate:10000, mutex_fraction:10), and with each wait recorded
(1 and 1), turn and turn about. Figures are
medians, and CPU time: of a lock and unlock that nobody disputes, of four
threads that dispute one lock (in equal turns, which seldom meet on two cores,
and in uneven ones, which do all the time). Of redis, if it is installed, the CPU
time of a request is compared between servers side by side (redis_load.py).
postgres_locks.py does the same for postgres.

The profiles are then switched within one process, again and again: the CPU time
and the wall clock of a turn, with them and without, as the median of what each
round's slices show beside each other. On a machine that others use too, only
rounds count in which both cores were to be had.

`make bench-runtime` builds what this needs."""
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
BUSY_CORES = 1.5  # of a slice with the profiles off, on two


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
    """The profiles on and off in turn; a slice takes some 20 ms."""
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
    """Seconds."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def redis(quick):
    """Side by side; the heap profile, which is on by itself, has figures of its own in
    heap.py, so here it is off but for the last."""
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
    """How many requests the server finds at once is chance, and changes all of it
    by some 3 %; what the library itself adds does not depend on that."""
    print(f"redis, instructions a request, median of {runs}")
    for kind in KINDS:
        found = [redis_load.instructions(KINDS[kind], redis_load.SIMPLE)
                 for _ in range(runs)]
        all_, ours = (statistics.median(column) for column in zip(*found))
        print(f"  {kind:12} {all_:10.0f}  {ours:6.1f} of them in the library  "
              f"({min(all_ for all_, _ in found):.0f} to "
              f"{max(all_ for all_, _ in found):.0f})", flush=True)


def look_at_threads(n, runs):
    """How long the endpoint takes for all stacks."""
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
