#!/usr/bin/env python3
"""What the runtime costs the program that it profiles, beside gperftools.

First while a profile runs: bench/toggle does the same work with and without one
in turn, within one process, and compares the CPU time of the whole process, our
threads included. `empty handler` is a timer alone, with nothing to do: what the
kernel takes of any profiler. Runs of the three take turns.

Then whole runs, from start to end, with a profile all the time and without the
library at all. Then bench/sample gives the price of one sample, and bench/unwind
that of a frame: they can be told on a busy machine as well.

`make bench-runtime` builds what this needs; --quick takes about two minutes.
gperftools is Debian's libgoogle-perftools4; without it only ours is measured."""
import argparse
import glob
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
BURN = ROOT / "build/bench/burn"
LIBRARY = ROOT / "build/libcpprof.so"


def find_gperftools():
    found = glob.glob("/usr/lib/*/libprofiler.so.0")
    return found[0] if found else None


def run(rounds, **env):
    done = subprocess.run([BURN, str(rounds)], env=dict(os.environ, **env), check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return float(done.stdout)


def run_ours(rounds, hz):
    """Under our library, with one CPU profile open all the time."""
    env = dict(os.environ, LD_PRELOAD=str(LIBRARY), PPROFLISTEN="localhost:0",
               CPPROF=f"cpu_hz:{hz}")
    child = subprocess.Popen([BURN, str(rounds)], env=env, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    address = child.stderr.readline().split()[-1]

    def fetch():
        try:
            urllib.request.urlopen(f"{address}profile?seconds=600", timeout=700).read()
        except OSError:
            pass  # the program ended first

    thread = threading.Thread(target=fetch, daemon=True)
    thread.start()
    out, _ = child.communicate()
    thread.join()
    return float(out)


def toggle(pairs, **env):
    """Percent more CPU time while profiled, and its standard error."""
    done = subprocess.run([ROOT / "build/bench/toggle", str(pairs)], check=True, text=True,
                          env=dict(os.environ, **env), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return [float(word) for word in done.stdout.split()[-2:]]


def show_toggle(options, gperftools):
    profilers = {"empty handler": {},
                 "cpprof": {"LD_PRELOAD": str(LIBRARY), "CPPROF": f"cpu_hz:{options.hz}"}}
    if gperftools:
        profilers["gperftools"] = {"LD_PRELOAD": gperftools,
                                   "CPUPROFILE_FREQUENCY": str(options.hz)}
    found = {name: [] for name in profilers}
    for _ in range(options.turns):
        for name, env in profilers.items():
            found[name].append(toggle(options.pairs, **env))
    print(f"while a profile runs, at {options.hz} Hz (an empty handler: 100 Hz):")
    for name, results in found.items():
        cost = statistics.median(one[0] for one in results)
        error = statistics.median(one[1] for one in results) / len(results) ** 0.5
        print(f"  {name:<14} {cost:+.3f} % +- {error:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--turns", type=int, default=5, help="of bench/toggle")
    parser.add_argument("--pairs", type=int, default=60, help="of a turn")
    parser.add_argument("--rounds", type=int, default=60000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--hz", type=int, default=100)
    options = parser.parse_args()
    if options.quick:
        options.turns, options.pairs, options.runs = 2, 20, 3
    gperftools = find_gperftools()
    show_toggle(options, gperftools)
    ours, theirs, plain = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.runs):
            base = run(options.rounds)
            plain.append(base)
            ours.append(run_ours(options.rounds, options.hz) / base - 1)
            if gperftools:
                cost = run(options.rounds, LD_PRELOAD=gperftools,
                           CPUPROFILE=os.path.join(folder, "out.prof"),
                           CPUPROFILE_FREQUENCY=str(options.hz))
                theirs.append(cost / base - 1)
    print(f"work: {statistics.median(plain):.3f} s of CPU time, {options.runs} runs")
    for name, costs in [("cpprof", ours), ("gperftools", theirs)]:
        if costs:
            print(f"{name:<12} at {options.hz} Hz: {100 * statistics.median(costs):+.2f} % "
                  f"({100 * min(costs):+.2f} to {100 * max(costs):+.2f})")
    print("one sample, with the delivery of its signal:", flush=True)
    sample = ROOT / "build/bench/sample"
    subprocess.run([sample], check=True)
    if gperftools:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sample, str(int(signal.SIGPROF)), "gperftools"], check=True,
                           env=dict(os.environ, LD_PRELOAD=gperftools,
                                    CPUPROFILE=os.path.join(folder, "out.prof")),
                           stderr=subprocess.DEVNULL)
    print("one frame:", flush=True)
    subprocess.run([ROOT / "build/bench/unwind"], check=True)


main()
