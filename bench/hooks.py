#!/usr/bin/env python3
"""hooks: measure the cost of the library's hooks per call, in instructions counted by
callgrind, which do not depend on the load of the machine; and the cost of starting a
program with the library, as CPU time of /bin/true, medians of alternating runs. A part
of `make bench-runtime`; takes about half a minute."""
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOOKS = ROOT / "build/bench/hooks"
LIBRARY = str(ROOT / "build/libcpprof.so")
FEW, MANY = 20000, 220000
RUNS = 51

OPERATIONS = {"malloc": "malloc(64) and free", "new": "C++ new and delete of 64 bytes",
              "lock": "lock and unlock of a mutex",
              "busy": "a mutex that is held, no time to wait",
              "read": "read (a system call besides)"}
WAYS = {
    "without": {},
    "loaded, off": {"LD_PRELOAD": LIBRARY},
    "endpoint, defaults": {"LD_PRELOAD": LIBRARY, "PPROFLISTEN": "localhost:0"},
    "block and mutex on": {"LD_PRELOAD": LIBRARY, "PPROFLISTEN": "localhost:0",
                           "CPPROF": "block_rate:1,mutex_fraction:1,block_io:1"},
}


def instructions(operation, n, env):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", HOOKS,
             operation, str(n)], env=dict(os.environ, **env), check=True,
            stderr=subprocess.PIPE, text=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def start_ms(env):
    child = subprocess.Popen(["/bin/true"], env=dict(os.environ, **env),
                             stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return 1000 * (usage.ru_utime + usage.ru_stime)


def start_costs():
    runs = [[start_ms(env) for env in WAYS.values()] for _ in range(RUNS)]
    return [statistics.median(column) for column in zip(*runs)]


def main():
    print("instructions a call | " + " | ".join(WAYS))
    for operation, name in OPERATIONS.items():
        row = []
        for env in WAYS.values():
            few, many = (instructions(operation, n, env) for n in (FEW, MANY))
            row.append(f"{(many - few) / (MANY - FEW):.0f}")
        print(f"{name} | " + " | ".join(row), flush=True)
    print("start of a program, ms | " + " | ".join(f"{ms:.1f}" for ms in start_costs()))


main()
