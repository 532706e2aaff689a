#!/usr/bin/env python3
"""imports: measure time and memory of reading profiles of other tools.

Writes a file of each format (--megabytes each, 50), runs build/pprof -top on it, and
prints CPU seconds, bytes per second and peak memory. The peer for JSON is JSON.parse of
node, if installed, which only parses. The peer for perf script and folded stacks is a
Python loop that counts stacks, as most converters do. Runs alternate; the figures are
medians of --runs (5)."""
import argparse
import json
import multiprocessing
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PPROF = os.path.join(ROOT, "build/pprof")

NODE = ("const t=JSON.parse(require('fs').readFileSync(process.argv[1]));"
        "process.exit(t?0:1)")
COLLAPSE = """
import sys
counts, stack, comm = {}, [], None
for line in open(sys.argv[1]):
    line = line.strip()
    if not line:
        if comm is not None:
            key = comm + ";" + ";".join(reversed(stack))
            counts[key] = counts.get(key, 0) + 1
        stack, comm = [], None
    elif comm is None:
        comm = line.split()[0]
    else:
        stack.append(line.split(" ", 1)[1].rsplit(" (", 1)[0].rsplit("+0x")[0])
print(len(counts))
"""
FOLD = """
import sys
counts = {}
for line in open(sys.argv[1]):
    stack, value = line.rsplit(" ", 1)
    counts[tuple(stack.split(";"))] = counts.get(stack, 0) + int(value)
print(len(counts))
"""


def stacks(rng, n_functions=20000):
    """Yields stacks of 5 to 60 frames, mostly repeated ones."""
    known = []
    while True:
        if len(known) > 1000 and rng.random() < 0.7:
            yield rng.choice(known)
            continue
        base = rng.choice(known)[:rng.randrange(3, 40)] if known else []
        stack = base + [rng.randrange(n_functions) for _ in
                        range(rng.randrange(2, 20))]
        known.append(stack)
        yield stack


def name(i):
    return f"ns{i % 97}::Class{i % 811}<int, char*>::method_{i}(unsigned long)"


def write_folded(f, size, source):
    while f.tell() < size:
        f.write(";".join(map(name, next(source))) + " 3\n")


def write_perf(f, size, source):
    at = 0
    while f.tell() < size:
        at += 1
        f.write(f"prog 100/{100 + at % 8} [00{at % 8}] {at / 1000:.6f}:"
                "     250000 cycles:u: \n")
        for i in reversed(next(source)):
            f.write(f"\t{0x400000 + i * 64:16x} {name(i)}+0x1f "
                    "(/usr/lib/x86_64-linux-gnu/libwork.so.1)\n")
        f.write("\n")


def write_speedscope(f, size, source):
    f.write('{"$schema":"https://www.speedscope.app/file-format-schema.json",'
            '"shared":{"frames":' +
            json.dumps([{"name": name(i), "file": f"src/{i % 300}.cc",
                         "line": i} for i in range(20000)]) +
            '},"profiles":[{"type":"sampled","name":"t","unit":"microseconds",'
            '"startValue":0,"endValue":1,"samples":[')
    n = 0
    while f.tell() < size:
        f.write(("," if n else "") + json.dumps(next(source),
                                                separators=(",", ":")))
        n += 1
    f.write('],"weights":[' + ",".join(["250.5"] * n) + "]}]}")


def tree(size, source, cost):
    """A tree of stacks of the wanted size, and the node of each sample."""
    nodes, index, samples = [], {}, []
    while len(nodes) * cost + len(samples) * 20 < size:
        at = None
        for frame in next(source):
            if (at, frame) not in index:
                index[at, frame] = len(nodes)
                nodes.append((at, frame))
            at = index[at, frame]
        samples.append(at)
    return nodes, samples


def write_cpuprofile(f, size, source):
    nodes, samples = tree(size, source, 190)
    f.write('{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId"'
            ':"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0}')
    for i, (up, frame) in enumerate(nodes):
        f.write(',{"id":%d,"callFrame":{"functionName":%s,"scriptId":"%d",'
                '"url":"file:///app/src/%d.js","lineNumber":%d,'
                '"columnNumber":3},"hitCount":0,"parent":%d}' %
                (i + 2, json.dumps(name(frame)), frame % 300, frame % 300,
                 frame, 1 if up is None else up + 2))
    f.write('],"startTime":0,"endTime":%d,"samples":%s,"timeDeltas":%s}' %
            (1000 * len(samples) + 1000,
             json.dumps([s + 2 for s in samples], separators=(",", ":")),
             json.dumps([1000] * len(samples), separators=(",", ":"))))


def write_firefox(f, size, source):
    nodes, samples = tree(size, source, 24)
    short = {"separators": (",", ":")}
    n = 20000
    f.write('{"meta":{"interval":1,"preprocessedProfileVersion":55,"version":'
            '30},"libs":[],"threads":[{"name":"t","pid":"1","tid":1,'
            '"samples":' +
            json.dumps({"length": len(samples), "stack": samples,
                        "time": [i * 1.001 for i in range(len(samples))],
                        "weight": None, "weightType": "samples"}, **short) +
            ',"stackTable":' +
            json.dumps({"length": len(nodes), "frame": [x[1] for x in nodes],
                        "prefix": [x[0] for x in nodes]}, **short) +
            ',"frameTable":' +
            json.dumps({"length": n, "func": list(range(n)),
                        "address": [-1] * n, "line": list(range(n))},
                       **short) +
            ',"funcTable":' +
            json.dumps({"length": n, "name": list(range(n)),
                        "resource": [-1] * n}, **short) +
            ',"stringArray":' + json.dumps([name(i) for i in range(n)],
                                           **short) + "}]}")


def write_callgrind(f, size, source):
    rng = random.Random(2)
    f.write("positions: line\nevents: Ir Dr\n")
    fn = 0
    while f.tell() < size:
        f.write(f"fl=({fn % 300}) src/{fn % 300}.cc\nfn=({fn}) {name(fn)}\n")
        for line in range(1, 30):
            f.write(f"{line} {rng.randrange(1000)} 5\n")
        for _ in range(5):
            callee = fn + rng.randrange(1, 200)
            f.write(f"cfn=({callee}) {name(callee)}\ncalls=2 1\n"
                    f"{rng.randrange(1, 30)} {rng.randrange(100000)} 9\n")
        fn += 1


FORMATS = {
    "folded": (write_folded, [sys.executable, "-c", FOLD]),
    "perf-script": (write_perf, [sys.executable, "-c", COLLAPSE]),
    "callgrind": (write_callgrind, None),
    "speedscope": (write_speedscope, ["node", "-e", NODE]),
    "cpuprofile": (write_cpuprofile, ["node", "-e", NODE]),
    "firefox": (write_firefox, ["node", "-e", NODE]),
}


def generate(file, writer, size):
    with open(file, "w", encoding="utf-8") as f:
        writer(f, size, stacks(random.Random(1)))


def measure(command):
    """CPU seconds of one run, and its peak in MB; None if it failed."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    seconds = usage.ru_utime + usage.ru_stime
    return (seconds, usage.ru_maxrss / 1024) if status == 0 else None


def median(results):
    results = [r for r in results if r]
    if not results:
        return None
    return (statistics.median(r[0] for r in results),
            max(r[1] for r in results))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--format", choices=FORMATS)
    options = parser.parse_args()
    print(f"{'format':12} {'MB':>5} {'s':>7} {'MB/s':>6} {'peak MB':>8}   "
          f"{'peer s':>7} {'peak MB':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for kind, (writer, peer) in FORMATS.items():
            if options.format and kind != options.format:
                continue
            file = os.path.join(folder, kind)
            # In another process: a child's peak memory starts with its parent's.
            child = multiprocessing.Process(
                target=generate, args=(file, writer, options.megabytes << 20))
            child.start()
            child.join()
            size = os.path.getsize(file) / (1 << 20)
            has_peer = peer and shutil.which(peer[0])
            ours, theirs = [], []
            for _ in range(options.runs):
                ours.append(measure([PPROF, "-top", file]))
                if has_peer:
                    theirs.append(measure([*peer, file]))
            mine, other = median(ours), median(theirs)
            if not mine:
                sys.exit(f"imports: pprof cannot read its {kind} file")
            line = (f"{kind:12} {size:5.0f} {mine[0]:7.3f} "
                    f"{size / mine[0]:6.0f} {mine[1]:8.0f}")
            if other:
                line += (f"   {other[0]:7.3f} {other[1]:8.0f} "
                         f"{other[0] / mine[0]:6.1f}")
            print(line, flush=True)
            os.remove(file)


if __name__ == "__main__":
    main()
