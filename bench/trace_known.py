#!/usr/bin/env python3
"""trace_known.py [--quick]: compare traces of programs with known events in
`go tool trace` and `cpprof trace`.

    known   64 threads that sleep, wait, poll and write to pipes a known number of
            times (bench/trace_known.c), more than half a million events
    redis   redis-server with a known number of requests of redis-benchmark
    stress  the stress program of the tests, which uses every feature

go tool trace reads each with -d=parsed, wire and footprint. Stacks, counts and times of
-pprof=sync, sched, syscall and net are compared between both tools (times of stress to
1 %) and with the program's own numbers. Fails after any difference. Needs Go 1.22 or
newer."""
import argparse
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import redis_load

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
sys.path.insert(0, str(ROOT / "tests/cli"))
from profile_reader import Profile
KINDS = ("sync", "sched", "syscall", "net")
REASONS = {"sleep": "sleep", "cond": "sync.cond", "poll": "network"}
failures = []


def say(name, ok, text):
    print(f"  {name:34} {text}{'' if ok else '   WRONG'}", flush=True)
    if not ok:
        failures.append(name)


def go(*args):
    done = subprocess.run(["go", "tool", "trace", *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    said = done.stderr.decode()
    if done.returncode != 0 or said:
        failures.append(args[0])
        print(f"  go tool trace {args[0]}: {said[-300:]}")
    return done.stdout


def by_stack(profile):
    """Count and ns by stack."""
    found = {}
    with open(profile, "rb") as data:
        samples = Profile(data.read()).samples
    for names, values, _ in samples:
        count, ns = found.get(tuple(names), (0, 0))
        found[tuple(names)] = (count + values[0], ns + values[1])
    return found


def profiles(folder, file, slack=0.0):
    """Compares the profiles of both tools; returns counts by innermost function and kind."""
    leaves = {}
    for kind in KINDS:
        theirs, ours = f"{folder}/theirs", f"{folder}/ours"
        with open(theirs, "wb") as out:
            out.write(go(f"-pprof={kind}", file))
        subprocess.run([BUILD / "cpprof", "trace", f"-pprof={kind}",
                        f"-output={ours}", file], check=True,
                       stderr=subprocess.DEVNULL)
        theirs, ours = by_stack(theirs), by_stack(ours)
        # Events with equal times are spaced by a nanosecond.
        odd = [stack for stack in theirs.keys() | ours.keys()
               if theirs.get(stack, (0, 0))[0] != ours.get(stack, (0, 0))[0] or
               abs(theirs[stack][1] - ours[stack][1]) >
               2 * theirs[stack][0] + 10 + slack * theirs[stack][1]]
        n, ns = (sum(value[i] for value in theirs.values()) for i in (0, 1))
        say(f"-pprof={kind}, both tools", not odd,
            f"{len(theirs)} stacks, {n} times, {ns / 1e9:.3f} s")
        for stack in odd[:3]:
            print("   ", stack[:3], theirs.get(stack), ours.get(stack))
        leaves[kind] = {}
        for stack, (count, _) in theirs.items():
            leaf = stack[0] if stack else ""
            leaves[kind][leaf] = leaves[kind].get(leaf, 0) + count
    return leaves


def show(folder, file):
    """The number of waits by reason in the output of go tool trace."""
    events = sum(int(line.split()[-2]) for line in
                 go("-d=footprint", file).decode().splitlines()[2:]
                 if not line.startswith(("String", "Stack", "EventBatch")))
    wire = go("-d=wire", file).count(b"\n")
    parsed = go("-d=parsed", file).decode()
    say("go tool trace -d", events > 0 and wire > 0 and "Sync Time" in parsed,
        f"{events} events, {os.path.getsize(file) >> 10} KiB")
    lost = re.findall(r'Category="cpprof.lost" Message="([^"]*)"', parsed)
    say("lost", True, lost[0] if lost else "nothing")
    reasons = {}
    for reason in re.findall(r'Running->Waiting Reason="([^"]*)"', parsed):
        reasons[reason] = reasons.get(reason, 0) + 1
    reasons["syscall"] = parsed.count("Running->Syscall")
    ids = re.findall(r"GoID=(\d+) NotExist->", parsed)
    reasons["again"] = len(ids) - len(set(ids))
    return reasons, not lost


def known(folder, rounds):
    print(f"64 threads, {rounds} rounds each")
    file = f"{folder}/known"
    done = subprocess.run([BUILD / "bench/trace_known", "64", str(rounds), file],
                          stdout=subprocess.PIPE, text=True, check=True)
    did = {name: (int(n), int(ns)) for name, n, ns in
           (line.split() for line in done.stdout.splitlines())}
    reasons, _ = show(folder, file)
    for name, reason in REASONS.items():
        say(f"{name}, -d=parsed", reasons.get(reason) == did[name][0],
            f"{reasons.get(reason)} of {did[name][0]}")
    say("pipe, -d=parsed", reasons["syscall"] == did["pipe"][0],
        f"{reasons['syscall']} of {did['pipe'][0]}")
    leaves = profiles(folder, file)
    for kind, leaf, name in (("sync", "pthread_cond_wait", "cond"), ("net", "poll", "poll")):
        say(f"{name}, -pprof={kind}", leaves[kind].get(leaf) == did[name][0],
            f"{leaves[kind].get(leaf, 0):.0f} of {did[name][0]}")
    calls = sum(leaves["syscall"].values())
    say("pipe, -pprof=syscall", calls == did["pipe"][0], f"{calls:.0f} of {did['pipe'][0]}")


def fetch(place, seconds, file, meanwhile):
    """Fetches a trace over HTTP; retries while another trace runs."""
    while True:
        is_path = isinstance(place, str)
        with (socket.socket(socket.AF_UNIX if is_path else socket.AF_INET) as peer,
              open(file, "wb") as out):
            peer.connect(place)
            peer.sendall(f"GET /debug/pprof/trace?seconds={seconds} HTTP/1.0\r\n"
                         "Host: localhost\r\n\r\n".encode())
            got = peer.recv(65536)
            if b" 200 " not in got[:16]:
                time.sleep(0.05)
                continue
            meanwhile()
            while b"\r\n\r\n" not in got:
                got += peer.recv(65536)
            out.write(got.split(b"\r\n\r\n", 1)[1])
            while data := peer.recv(1 << 20):
                out.write(data)
            return


def redis(folder, requests, seconds):
    print(f"redis, {requests} requests")
    port, place, file = (f"{folder}/redis{end}" for end in ("", ".socket", ".trace"))
    child = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", port,
                              "--save", "", "--appendonly", "no"], cwd=folder,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env=dict(os.environ, PPROFLISTEN="unix:" + place,
                                      LD_PRELOAD=str(BUILD / "libcpprof.so")))
    while not redis_load.answers(port) or not redis_load.answers(place):
        time.sleep(0.01)
    fetch(place, seconds, file, lambda: subprocess.run(
        ["redis-benchmark", "-s", port, "-n", str(requests), "-t", "get", "-q", "-c",
         "50"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    child.terminate()
    child.wait()
    _, whole = show(folder, file)
    leaves = profiles(folder, file)
    reads = sum(leaves[kind].get("read", 0) for kind in ("net", "syscall"))
    # One for each request and for the end of each connection, and the first few
    # requests of redis-benchmark.
    say("reads", not whole or requests <= reads <= requests + 200, f"{reads:.0f}")


def stress(folder, seconds):
    print(f"stress, {seconds} s")
    file, words = f"{folder}/stress.trace", f"{folder}/stress.err"
    with open(words, "w") as err:
        child = subprocess.Popen(
            [BUILD / "tests/stress", "600"], cwd=folder, stdout=subprocess.DEVNULL,
            stderr=err, env=dict(os.environ, PLUGIN=str(BUILD / "tests/libplugin.so"),
                                 THROWER=str(BUILD / "tests/libthrower.so"), TRACED="1",
                                 CPPROF="heap_interval:4096,block_rate:1,mutex_fraction:1"))
    try:
        while not (said := re.search(r"http://([\d.]+):(\d+)", open(words).read())):
            time.sleep(0.01)
        fetch((said[1], int(said[2])), seconds, file, lambda: None)
    finally:
        child.kill()
        child.wait()
    reasons, _ = show(folder, file)
    if reasons["again"]:
        # Go's tool merges two threads with the same id and omits a part.
        say("thread ids that came again", True, f"{reasons['again']}: not compared")
        return
    profiles(folder, file, 0.01)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    said = shutil.which("go") and subprocess.run(
        ["go", "version"], stdout=subprocess.PIPE, text=True).stdout
    found = re.search(r"go1\.(\d+)", said or "")
    if not found or int(found[1]) < 22:
        print("no go of 1.22 or later")
        return 0
    print(said.strip())
    with tempfile.TemporaryDirectory() as folder:
        known(folder, 400 if quick else 1600)
        if redis_load.is_here():
            redis(folder, 20_000 if quick else 100_000, 5 if quick else 20)
        stress(folder, 1 if quick else 5)
    print("all as it should be" if not failures else f"WRONG: {failures}")
    return 1 if failures else 0


sys.exit(main())
