#!/usr/bin/env python3
"""symbols.py [--quick] [BINARY [N]]: compare reports on unsymbolized profiles of N
(10,000) addresses in a file with debug information: `pprof -top` with google/pprof, and
`jeprof --text` of a heap dump with jemalloc's Perl jeprof. The default BINARY is the
libjvm of symbolize.py or, without it, build/cpprof.

Runs alternate; the figure is the ratio of the medians. The printed names are compared
too. CPU time includes the tool's children."""
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(root, "tests", "cli"))
from profile_proto import Profile, field  # noqa: E402

OURS = os.path.join(root, "build", "pprof")
REFERENCE = os.environ.get("PPROF_REF") or os.path.expanduser("~/go/bin/pprof")
JEPROF = os.path.join(root, "build", "jeprof")
PERL = "/usr/bin/jeprof"
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


def pick_addresses(binary, n):
    """Addresses in a process with the binary, and its mapping."""
    offset, address, size = text_segment(binary)
    start = 0x7f0000000000
    end = start + (size + 0x1fff & ~0xfff)
    all_ = [f for f in functions(binary) if f[1] > 0 and
            address <= f[0] < address + size]
    pick, found = random.Random(42), []
    for _ in range(n):
        where, length = pick.choice(all_)
        at = where + pick.randrange(length)
        found.append(at - address + (offset & 0xfff) + start)
    return found, (start, end, offset & ~0xfff)


def make_profile(binary, n, path):
    addresses, (start, end, offset) = pick_addresses(binary, n)
    p = Profile()
    p.add(3, field(1, p.next_id("mapping")) + field(2, start) + field(3, end) +
          field(4, offset) + field(5, p.str(binary)))
    for address in addresses:
        p.sample([p.location(address, (), 1)], [1, 10000000])
    with open(path, "wb") as f:
        f.write(p.encode())


def make_dump(binary, n, path):
    """A heap dump in the format of jemalloc."""
    addresses, (start, end, offset) = pick_addresses(binary, n)
    with open(path, "w") as f:
        f.write(f"heap_v2/524288\n  t*: {n}: {n * 1000} [0: 0]\n")
        for address in addresses:
            f.write(f"@ {address:#x}\n  t*: 1: 1000 [0: 0]\n")
        f.write(f"\nMAPPED_LIBRARIES:\n{start:x}-{end:x} r-xp {offset:08x} "
                f"08:01 1 {binary}\n")


def measure(command):
    """Seconds, CPU seconds and output."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    out = subprocess.run(command, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=True).stdout
    seconds = time.perf_counter() - began
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (seconds, now.ru_utime + now.ru_stime - used.ru_utime -
            used.ru_stime, out)


def median(runs, field_):
    return sorted(run[field_] for run in runs)[RUNS // 2]


def rows(out):
    """The names, without the marks of the Perl jeprof: " (inline)", and "@" with an
    address for functions of the same name."""
    return {re.sub(rb"( \(inline\)|@[0-9a-f]+)$", b"", name) for name in
            re.findall(rb"^.*%  ?(\S.*)$", out, re.MULTILINE)}


def compare(title, ours, theirs):
    print(title, flush=True)
    commands = [c for c in (ours, theirs) if os.path.exists(c[0])]
    runs = [[], []]
    for _ in range(RUNS):
        for i, command in enumerate(commands):
            runs[i].append(measure(command))
    for command, its in zip(commands, runs):
        print(f"  {os.path.basename(command[0]):8} {median(its, 0):.3f} s, "
              f"{median(its, 1):.3f} s of CPU")
    if not runs[1]:
        print(f"  no {theirs[0]}")
        return
    ratio, cpu = (median(runs[1], i) / median(runs[0], i) for i in (0, 1))
    here, there = (rows(its[0][2]) for its in runs)
    print(f"  {ratio:.0f} times as fast, {cpu:.0f} in CPU time; of "
          f"{len(there)} names {len(here & there)} are the same")


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    libjvm = os.path.join(root, "build", "bench-symbolize", "libjvm.so")
    usual = libjvm if os.path.exists(libjvm) else os.path.join(
        root, "build", "cpprof")
    binary = os.path.abspath(words[0] if words else usual)
    n = int(words[1]) if words[1:] else 10000
    what = f"{n} addresses in {os.path.basename(binary)}"
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "bare.pb")
        make_profile(binary, n, profile)
        top = ["-top", "-trim=false", profile]
        compare(f"pprof -top, {what}", [OURS, *top], [REFERENCE, *top])
        dump = os.path.join(folder, "bare.heap")
        make_dump(binary, n, dump)
        text = ["--text", "--show_bytes", "--nodecount=100000",
                "--nodefraction=0", binary, dump]
        compare(f"jeprof --text, {what}", [JEPROF, *text], [PERL, *text])


main()
