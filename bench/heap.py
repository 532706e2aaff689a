#!/usr/bin/env python3
"""heap: measure the cost of heap sampling, also of tcmalloc's and jemalloc's.

Runs of bench/churn with and without a profiler alternate. The figures are CPU time: the
median of each, and the median of the difference to the plain run next to it. Peers are
compared with themselves: tcmalloc with and without TCMALLOC_SAMPLE_PARAMETER, jemalloc
with and without prof:true. A last table has the cost of sampling for each malloc side
by side. The time of churn is that after its first tenth; "in all" includes the start.
Then the same with expensive samples: `churn deep`, with stacks of 10 to 30 frames and
blocks of up to 8 KiB, of which one in 460 is sampled.

bench/beside then alternates between hooks and malloc in one process, which resolves a
tenth of a percent. Then redis-server under redis-benchmark (bench/redis_load.py), the
instructions of a malloc and free counted by callgrind, which do not depend on the load
of the machine, and the duration of a leak profile of 1 GB and the longest pause of the
program.

`make bench-runtime` builds the programs; missing peers are left out. --quick takes
about two minutes."""
import argparse
import glob
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess

import redis_load

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHURN = ROOT / "build/bench/churn"
LIBRARY = str(ROOT / "build/libcpprof.so")
INTERVAL = 524288


def find(name):
    found = glob.glob(f"/usr/lib/*/{name}")
    return found[0] if found else None


def ours(interval, below=None):
    preload = LIBRARY + (":" + below if below else "")
    return {"LD_PRELOAD": preload, "CPPROF": f"quiet:1,heap_interval:{interval}"}


def groups():
    """Lists of runs; each is compared with the first of its list."""
    out = [[("glibc", {}), ("glibc, too", {}), ("cpprof, heap off", ours(0)), ("cpprof, 512 KiB", ours(INTERVAL))]]
    tcmalloc, jemalloc = find("libtcmalloc.so.4"), find("libjemalloc.so.2")
    if tcmalloc:
        plain = {"LD_PRELOAD": tcmalloc}
        out.append([("tcmalloc", plain),
                    ("its own, 512 KiB", dict(plain, TCMALLOC_SAMPLE_PARAMETER=str(INTERVAL))),
                    ("cpprof over it, 512 KiB", ours(INTERVAL, tcmalloc))])
    if jemalloc:
        plain = {"LD_PRELOAD": jemalloc}
        out.append([("jemalloc", plain),
                    ("its own, 512 KiB", dict(plain, MALLOC_CONF="prof:true,lg_prof_sample:19")),
                    ("cpprof over it, 512 KiB", ours(INTERVAL, jemalloc))])
    return out


def run_churn(rounds, env, *how):
    """CPU seconds after the first tenth of the rounds, and in all."""
    done = subprocess.run([CHURN, "4", str(rounds), *how], env=dict(os.environ, **env), check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=600)
    whole, steady = done.stdout.split()
    return float(steady), float(whole)


def more_than(runs, first):
    """Difference to the first in percent: median of pairs, its error, and best to best."""
    pairs = [100 * (a[0] / b[0] - 1) for a, b in zip(runs, first)]
    return (statistics.median(pairs), 1.25 * statistics.pstdev(pairs) / len(pairs) ** 0.5,
            100 * (min(runs)[0] / min(first)[0] - 1))


def compare(title, group, runs, measure):
    """Runs all in random order; prints medians and ratios to the first."""
    times = {name: [] for name, _ in group}
    for _ in range(runs):
        for name, env in random.sample(group, len(group)):
            times[name].append(measure(env))
    first = times[group[0][0]]
    print(f"{title}: CPU seconds, {runs} runs")
    found = {}
    for name, _ in group:
        found[name] = more_than(times[name], first)
        line = f"  {name:<26}{statistics.median(t[0] for t in times[name]):8.3f}   " + \
            "{:+6.2f} ± {:.2f} %   best to best {:+6.2f} %".format(*found[name])
        if len(first[0]) > 1:
            line += "   in all {:+6.2f} %".format(
                100 * statistics.median(a[1] / b[1] - 1 for a, b in zip(times[name], first)))
        print(line, flush=True)
    return found


def sum_up(found):
    """Prints the cost of each malloc's own sampling and of the library's."""
    print("what sampling at 512 KiB costs over the same malloc without: median, best to best")
    for malloc, rows in found.items():
        for name, figures in rows.items():
            if name.endswith("512 KiB"):
                print(f"  {malloc + ': ' + name:<36}" + "{:+6.2f} ± {:.2f} %  {:+6.2f} %".format(*figures))


def beside(runs):
    """ns of a round with and without hooks in one process, and the difference."""
    print(f"a round of malloc, fill, read and free, in one process with the malloc itself, {runs} runs")
    mallocs = [("glibc", "libc.so.6", None), ("tcmalloc", "libtcmalloc.so.4", find("libtcmalloc.so.4")),
               ("jemalloc", "libjemalloc.so.2", find("libjemalloc.so.2"))]
    for name, library, file in mallocs:
        if name != "glibc" and not file:
            continue
        kinds = [("no library", {"LD_PRELOAD": file or ""}), ("cpprof, heap off", ours(0, file)),
                 ("cpprof, 512 KiB", ours(INTERVAL, file))]
        found = {kind: [] for kind, _ in kinds}
        for _ in range(runs):
            for kind, env in kinds:
                both = [subprocess.run([ROOT / "build/bench/beside", library, order], check=True, text=True,
                                       env=dict(os.environ, **env), stdout=subprocess.PIPE).stdout.split()
                        for order in "01"]
                found[kind].append([(float(a) + float(b)) / 2 for a, b in zip(*both)])
        for kind, values in found.items():
            more = [hooked - straight for straight, hooked in values]
            straight = statistics.median(s for s, _ in values)
            print(f"  {name + ': ' + kind:<28}{straight:7.2f} ns {statistics.median(more):+6.2f} ns, "
                  f"{100 * statistics.median(more) / straight:+5.2f} % "
                  f"± {100 * 1.25 * statistics.pstdev(more) / runs ** 0.5 / straight:.2f}", flush=True)


def instructions(program, env):
    def count(n):
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                               "--toggle-collect=main", program, str(n), "64"], env=dict(os.environ, **env),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return int(re.search(r"Collected : (\d+)", done.stderr)[1])
    return (count(101000) - count(1000)) / 100000


def count_instructions():
    if not shutil.which("valgrind"):
        return
    print("instructions a pair of malloc(64) and free, the caller's four with them")
    for group in groups():
        for name, env in group:
            print(f"  {name:<26}{instructions(ROOT / 'build/bench/pairs', env):8.1f}", flush=True)


REDIS = {"without": {}, "without, too": {}, "loaded, heap off": ours(0), "cpprof, 512 KiB": ours(INTERVAL)}


def redis(is_quick):
    if not redis_load.is_here():
        return
    for what in redis_load.SIMPLE, redis_load.MIXED:
        redis_load.side_by_side(REDIS, *((3, 15, 3000) if is_quick else (24, 20, 10000)), what)
    if not shutil.which("valgrind"):
        return
    print("redis-server: instructions a request, in user space, and those in the library")
    for name, env in REDIS.items():
        count, in_library = redis_load.instructions(env, redis_load.MIXED)
        print(f"  {name:<26}{count:8.0f} {in_library:6.1f}, {100 * in_library / (count - in_library):.2f} % "
              "of the rest", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--churn", action="store_true", help="no more than malloc and free")
    parser.add_argument("--redis", action="store_true", help="no more than redis")
    options, _ = parser.parse_known_args()
    if options.redis:
        return redis(options.quick)
    runs = options.runs or (5 if options.quick else 15)
    rounds = 3000000 if options.quick else 10000000
    for title, how in ("", []), (", deep", ["deep"]):
        sum_up({group[0][0]: compare(f"4 threads of malloc and free over {group[0][0]}{title}", group, runs,
                                     lambda env: run_churn(rounds, env, *how)) for group in groups()})
    beside(runs)
    if options.churn:
        return
    redis(options.quick)
    count_instructions()
    print("the pause of a leak profile", flush=True)
    for interval in [INTERVAL, 1]:
        subprocess.run([ROOT / "build/bench/stall", "1024"], check=True,
                       env=dict(os.environ, CPPROF=f"quiet:1,heap_interval:{interval}"))


main()
