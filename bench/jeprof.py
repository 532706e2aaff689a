#!/usr/bin/env python3
"""jeprof: compare the speed of build/jeprof with jemalloc's Perl jeprof.

There are two kinds of dumps. "python" is a real one of Debian's python3 under jemalloc;
both tools symbolize it. "named" ones are synthetic (stacks 20 to 60 deep, 1,000
functions) and contain their symbols, so that symbolization does not count. --text of
these must be equal byte for byte, of the real one the total. Figures are medians of
alternating runs.

`make bench` runs this; BENCH_ARGS=--quick leaves the largest dump out."""
import argparse
import glob
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OURS = str(ROOT / "build/jeprof")
PERL = "/usr/bin/jeprof"
PYTHON = "/usr/bin/python3"
WORK = ("import json, email, http.client, sqlite3, decimal, xml.dom.minidom\n"
        "d = [json.loads(json.dumps({str(i): [i] * 5 for i in range(500)}))\n"
        "     for _ in range(200)]\n")


def make_named(path, n_stacks, seed=1):
    """Writes a dump of synthetic stacks after their symbols."""
    chance = random.Random(seed)
    functions = [0x400000 + 0x100 * i for i in range(1_000)]
    with open(path, "w") as f:
        f.write("--- symbol\nbinary=made-up\n")
        for i, start in enumerate(functions):
            for offset in range(0, 64, 4):
                f.write(f"0x{start + offset:016x} function_{i}\n")
        f.write("---\n--- heap\nheap_v2/524288\n  t*: 1: 1 [0: 0]\n"
                "  t0: 1: 1 [0: 0]\n")
        for _ in range(n_stacks):
            stack = [chance.choice(functions) + chance.randrange(0, 64, 4) + 1
                     for _ in range(chance.randint(20, 60))]
            stack[0] -= 1  # the leaf is no return address
            n = chance.randint(1, 50)
            counts = f"{n}: {n * chance.randint(16, 9000)} [0: 0]"
            words = " ".join(f"0x{address:x}" for address in stack)
            f.write(f"@ {words}\n  t*: {counts}\n  t0: {counts}\n")
        f.write("\nMAPPED_LIBRARIES:\n400000-500000 r-xp 00000000 00:00 0 "
                "made-up\n")
    return str(path)


def make_real(folder):
    """The last dump of a python3 under jemalloc, or None."""
    jemalloc = glob.glob("/usr/lib/*/libjemalloc.so.2")
    if not jemalloc:
        return None
    env = dict(os.environ, LD_PRELOAD=jemalloc[0], PYTHONMALLOC="malloc",
               MALLOC_CONF="prof:true,prof_final:true,lg_prof_sample:12,"
                           f"prof_prefix:{folder}/python")
    subprocess.run([PYTHON, "-c", WORK], env=env, check=True)
    return (glob.glob(f"{folder}/python.*.f.heap") or [None])[0]


def run(tool, args, env):
    """Wall and CPU seconds, with the tool's children, and the output."""
    begun, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run([tool, *args], env=env, stdin=subprocess.DEVNULL,
                            capture_output=True)
    if result.returncode != 0:
        sys.exit(f"bench: {tool} {args}: {result.stderr.decode()[-300:]}")
    wall, now = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return wall - begun, cpu, result.stdout


def lines(text):
    """The lines, sorted for --collapsed, whose order is random in Perl."""
    found = text.split(b"\n")
    return found if text.startswith(b"Total") else sorted(found)


def compare(name, args, runs, env):
    times = {OURS: [], PERL: []}
    output = {}
    for _ in range(runs):
        for tool in times:
            wall, cpu, output[tool] = run(tool, args, env)
            times[tool].append((wall, cpu))
    (ours, our_cpu), (theirs, their_cpu) = (
        map(statistics.median, zip(*times[tool])) for tool in (OURS, PERL))
    total = [output[tool].split(b"\n")[0] for tool in (OURS, PERL)]
    same = ("yes" if lines(output[OURS]) == lines(output[PERL]) else
            "the total" if total[0] == total[1] else "**no**")
    options = " ".join(arg.split("=")[0] for arg in args
                       if arg.startswith("-"))
    print(f"| {name} | {options} | {ours:.3g} | "
          f"{our_cpu:.3g} | {theirs:.3g} | {their_cpu:.3g} | "
          f"{theirs / ours:.0f}× | {their_cpu / our_cpu:.0f}× | {same} |", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_known_args()[0]  # other options are those of reports.py
    if not os.path.exists(PERL):
        print("bench: no Perl jeprof (Debian's libjemalloc-dev)")
        return
    print(f"\nPerl jeprof, median of {args.runs}:\n\n"
          "| dump | options | ours s | CPU s | jeprof s | CPU s | faster | "
          "by CPU | same |\n|---|---|--:|--:|--:|--:|--:|--:|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, HOME=folder, JEPROF_TMPDIR=folder, LC_ALL="C")
        real = make_real(folder)
        if real:
            compare("python", ["--text", PYTHON, real], args.runs, env)
        for n_stacks in [1_000] + [10_000] * (not args.quick):
            dump = make_named(f"{folder}/{n_stacks}.heap", n_stacks)
            base = make_named(f"{folder}/{n_stacks}.base", n_stacks, 2)
            name = f"named, {n_stacks:,} stacks"
            compare(name, ["--text", dump], args.runs, env)
            compare(name, ["--text", f"--base={base}", dump], args.runs, env)
            compare(name, ["--collapsed", dump], args.runs, env)


if __name__ == "__main__":
    main()
