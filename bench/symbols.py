#!/usr/bin/env python3
"""symbols.py [--quick] [BINARY [N]]: `pprof -top` on an unsymbolized profile of
N (10,000) addresses in a file with debug information, against google/pprof.
Without BINARY, in the libjvm that symbolize.py has put together, or else in
this program itself.

Runs take turns; what counts is the ratio of the medians. The names that both
print are compared too."""
import os
import random
import re
import subprocess
import sys
import tempfile
import time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(root, "tests", "cli"))
from profile_proto import Profile, field  # noqa: E402

OURS = os.path.join(root, "build", "pprof")
REFERENCE = os.environ.get("PPROF_REF") or os.path.expanduser("~/go/bin/pprof")
RUNS = 3


def functions(binary):
    """(address, size) of functions, from the symbol table."""
    out = subprocess.run(["nm", "-S", "--defined-only", binary], check=True,
                         capture_output=True, text=True).stdout
    return sorted((int(w[0], 16), int(w[1], 16)) for line in out.splitlines()
                  if len(w := line.split()) == 4 and w[2] in "tTwW")


def text_segment(binary):
    out = subprocess.run(["readelf", "-lW", binary], check=True,
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        words = line.split()
        if words and words[0] == "LOAD" and "E" in line[line.index("0x"):]:
            return [int(words[i], 16) for i in (1, 2, 5)]
    raise SystemExit(f"{binary}: no executable segment")


def make_profile(binary, n, path):
    offset, address, size = text_segment(binary)
    start = 0x7f0000000000
    end = start + (size + 0x1fff & ~0xfff)
    all_ = [f for f in functions(binary) if f[1] > 0 and
            address <= f[0] < address + size]
    pick = random.Random(42)
    p = Profile()
    p.add(3, field(1, p.next_id("mapping")) + field(2, start) + field(3, end) +
          field(4, offset & ~0xfff) + field(5, p.str(binary)))
    for _ in range(n):
        where, length = pick.choice(all_)
        at = where + pick.randrange(length)
        p.sample([p.location(at - address + (offset & 0xfff) + start, (), 1)],
                 [1, 10000000])
    with open(path, "wb") as f:
        f.write(p.encode())


def measure(tool, profile):
    began = time.perf_counter()
    child = subprocess.Popen([tool, "-top", "-trim=false", profile],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return (time.perf_counter() - began, usage.ru_maxrss >> 10, out,
            usage.ru_utime + usage.ru_stime)


def median(runs, field_):
    return sorted(run[field_] for run in runs)[RUNS // 2]


def rows(out):
    return set(re.findall(rb"%  (.*)$", out, re.MULTILINE))


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    libjvm = os.path.join(root, "build", "bench-symbolize", "libjvm.so")
    usual = libjvm if os.path.exists(libjvm) else os.path.join(
        root, "build", "cpprof")
    binary = words[0] if words else usual
    n = int(words[1]) if words[1:] else 10000
    print(f"-top, {n} addresses in {os.path.basename(binary)}")
    tools = [OURS] + ([REFERENCE] if os.path.exists(REFERENCE) else [])
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "bare.pb")
        make_profile(os.path.abspath(binary), n, profile)
        runs = {tool: [] for tool in tools}
        for _ in range(RUNS):
            for tool in tools:
                runs[tool].append(measure(tool, profile))
    for tool in tools:
        print(f"{tool}: {median(runs[tool], 0):.3f} s, "
              f"{median(runs[tool], 3):.3f} s of CPU, {runs[tool][0][1]} MB")
    if len(tools) == 2:
        ratio = median(runs[REFERENCE], 0) / median(runs[OURS], 0)
        cpu = median(runs[REFERENCE], 3) / median(runs[OURS], 3)
        ours, theirs = (rows(runs[t][0][2]) for t in tools)
        print(f"{ratio:.0f} times as fast, {cpu:.0f} in CPU time; of {len(theirs)} names "
              f"{len(ours & theirs)} are the same")


main()
