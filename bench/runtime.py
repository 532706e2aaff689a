#!/usr/bin/env python3
"""runtime: measure the cost of CPU profiles for the program, also with gperftools.

First during a profile: bench/toggle does the same work with and without a profile in
turn, within one process, and compares the CPU time of the whole process, with the
profiler's threads. `empty handler` is a timer with an empty signal handler, the kernel's
part of the cost. Runs of the three alternate.

Then the fixed cost: a minimal program without the library, and with it and a profile
from start to end that is written to a file. Both figures together give the cost of a
run of a minute.

Then bench/sample measures one sample and bench/unwind one frame; these figures are
stable on a busy machine.

`make bench-runtime` builds the programs; --quick takes about two minutes. gperftools is
Debian's libgoogle-perftools4; without it only cpprof is measured."""
import argparse
import glob
import os
import pathlib
import resource
import signal
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BURN = ROOT / "build/bench/burn"
LIBRARY = ROOT / "build/libcpprof.so"


def find_gperftools():
    found = glob.glob("/usr/lib/*/libprofiler.so.0")
    return found[0] if found else None


def toggle(blocks, **env):
    """Additional CPU time during a profile in percent: median, lower quartile, standard
    error."""
    done = subprocess.run([ROOT / "build/bench/toggle", str(blocks)], check=True, text=True,
                          env=dict(os.environ, **env), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return [float(word) for word in done.stdout.split()]


def once(**env):
    """CPU time of a whole short run in ms."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([BURN, "1"], env=dict(os.environ, **env), check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measure(options, folder):
    """Running and fixed cost of each profiler."""
    gperftools = find_gperftools()
    out = os.path.join(folder, "out")
    steady = {"empty handler": {},
              "cpprof": {"LD_PRELOAD": str(LIBRARY), "CPPROF": f"cpu_hz:{options.hz}"}}
    short = {"no profiler": {},
             "library alone": {"LD_PRELOAD": str(LIBRARY)},
             "endpoint": {"LD_PRELOAD": str(LIBRARY), "PPROFLISTEN": "localhost:0"},
             "cpprof": {"LD_PRELOAD": str(LIBRARY), "PPROFLISTEN": "localhost:0",
                        "CPPROF": f"cpu_hz:{options.hz},cpu_file:{out}"}}
    if gperftools:
        steady["gperftools"] = {"LD_PRELOAD": gperftools, "CPUPROFILE_FREQUENCY": str(options.hz)}
        short["gperftools"] = dict(steady["gperftools"], CPUPROFILE=out)
    rates = {name: [] for name in steady}
    for _ in range(options.turns):
        for name, env in steady.items():
            rates[name].append(toggle(options.blocks, **env))
    times = {name: [] for name in short}
    for _ in range(options.runs):
        for name, env in short.items():
            times[name].append(once(**env))
    return rates, {name: statistics.median(each) for name, each in times.items()}


def show(options, rates, times):
    print(f"while a profile runs, at {options.hz} Hz (an empty handler: 100 Hz), % of CPU time:")
    print(f"  {'':<14} {'median':>16} {'quartile':>9} {'once, ms':>9} {'60 s run':>9}")
    for name, results in rates.items():
        median, quartile, error = (statistics.median(one[i] for one in results) for i in range(3))
        error /= len(results) ** 0.5
        ms = times.get(name, times["no profiler"]) - times["no profiler"]
        print(f"  {name:<14} {median:+8.3f} +-{error:.3f} {quartile:+9.3f} {ms:9.2f} "
              f"{median + ms / 600:+9.3f}", flush=True)
    for name in ("library alone", "endpoint"):
        print(f"  {name:<14} {'':>16} {'':>9} {times[name] - times['no profiler']:9.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--turns", type=int, default=5, help="of bench/toggle")
    parser.add_argument("--blocks", type=int, default=60, help="of a turn, of half a second")
    parser.add_argument("--runs", type=int, default=25, help="of what is done once")
    parser.add_argument("--hz", type=int, default=100)
    options = parser.parse_args()
    if options.quick:
        options.turns, options.blocks, options.runs = 2, 15, 9
    gperftools = find_gperftools()
    with tempfile.TemporaryDirectory() as folder:
        show(options, *measure(options, folder))
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
