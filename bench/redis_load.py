"""redis-server under redis-benchmark: what it uses for a request.

Two ways, for bench/heap.py and bench/locks.py:

- CPU time, which the kernel counts in ns for each thread, of servers of several
  kinds side by side, loaded in turn in small slices, so that all
  see the same machine, and several such sets, so that where a process happens to
  lie in memory does not decide: a ratio with its standard error. Servers have one
  core and the client another, so that the scheduler does not decide either;
- instructions in user space, counted by callgrind: how busy the machine is makes
  no difference to those in the library, and less than 1 % to all."""
import glob
import os
import random
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

SIMPLE = ["-t", "set,get", "-d", "100"]
MIXED = ["-P", "16", "-d", "300", "-r", "50000", "-t", "set,get,lpush,lpop,hset"]


def on_core(i):
    """For a new process: it stays on the i-th of the cores, if there are so many."""
    cores = sorted(os.sched_getaffinity(0))
    return (lambda: os.sched_setaffinity(0, {cores[i]})) if len(cores) > 1 else None


def answers(place):
    """Whether somebody listens there: a socket has its name before that."""
    with socket.socket(socket.AF_UNIX) as s:
        return s.connect_ex(place) == 0


class Redis:
    """A server with a folder of its own; `tool` is what it runs under."""

    def __init__(self, env, tool=()):
        self.folder = tempfile.mkdtemp(prefix="bench-redis-")
        self.socket = os.path.join(self.folder, "s")
        self.server = subprocess.Popen(
            [*tool, "redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "",
             "--appendonly", "no", "--dir", self.folder], env=dict(os.environ, **env), text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=on_core(0))
        while not answers(self.socket):
            if self.server.poll() is not None:
                raise SystemExit("redis-server has ended: " + self.stop())
            time.sleep(0.01)

    def cpu(self):
        """Of the threads that are there, in seconds."""
        files = glob.glob(f"/proc/{self.server.pid}/task/*/schedstat")
        return sum(int(open(file).read().split()[0]) for file in files) / 1e9

    def load(self, requests, what):
        """CPU seconds of so many requests of each kind."""
        before = self.cpu()
        subprocess.run(["redis-benchmark", "-s", self.socket, "-q", "-n", str(requests), *what],
                       check=True, stdout=subprocess.DEVNULL, timeout=600, preexec_fn=on_core(1))
        return self.cpu() - before

    def stop(self):
        """What it, or its tool, had to say."""
        self.server.terminate()
        said = self.server.communicate()[1]
        shutil.rmtree(self.folder)
        return said


def is_here():
    return shutil.which("redis-server") and shutil.which("redis-benchmark")


def requests_of(requests, what):
    return requests * (what[what.index("-t") + 1].count(",") + 1)


def instructions(env, what, few=1000, many=11000):
    """Of a request, in user space: all, and those in the library.

    Of the thread that serves: what others do by the clock is another matter
    where all is fifty times slower. What the start takes is not in it."""
    def count(requests):
        with tempfile.TemporaryDirectory() as folder:
            server = Redis(env, ["valgrind", "--tool=callgrind", "--separate-threads=yes",
                                 f"--callgrind-out-file={folder}/out"])
            try:
                server.load(requests, what)
            finally:
                server.stop()
            lines = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", f"{folder}/out-01"],
                                   check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        counts = [(int(line.split()[0].replace(",", "")), "libcpprof.so" in line) for line in lines
                  if re.match(r" *[\d,]+ +\([ \d.]+%\) +\S+:", line)]
        return sum(n for n, _ in counts), sum(n for n, is_ours in counts if is_ours)
    return [(m - f) / requests_of(many - few, what) for f, m in zip(count(few), count(many))]


def slices_of_pair(envs, slices, requests, what):
    """Servers side by side: of each kind the CPU seconds of each slice.

    In another order each time: to and fro, the outer ones would come twice in
    a row and find the caches as they left them, which is worth 1 %."""
    servers, found = {}, [[] for _ in envs]
    try:
        for i in random.sample(range(len(envs)), len(envs)):
            servers[i] = Redis(envs[i])
            servers[i].load(requests, what)
        for _ in range(slices):
            for i in random.sample(range(len(envs)), len(envs)):
                found[i].append(servers[i].load(requests, what))
        return found
    finally:
        for server in servers.values():
            server.stop()


def side_by_side(kinds, pairs, slices, requests, what):
    """Prints for each kind but the first what it takes more than the first.

    A pair of servers gives one ratio: the median of its slices'. The mean of
    all pairs is the figure, and their spread its standard error."""
    names, envs = list(kinds), list(kinds.values())
    ratios = [[] for _ in names]
    plain = []
    for _ in range(pairs):
        found = slices_of_pair(envs, slices, requests, what)
        plain += found[0]
        for i, times in enumerate(found):
            ratios[i].append(statistics.median(t / p for t, p in zip(times, found[0])))
    each = 1e6 * statistics.median(plain) / requests_of(requests, what)
    print(f"redis-server, redis-benchmark {' '.join(what)}, side by side: {pairs} times, {slices} slices; "
          f"{each:.3f} µs of CPU a request")
    for name, values in list(zip(names, ratios))[1:]:
        error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
        print(f"  {name:<26}{100 * (statistics.mean(values) - 1):+6.2f} ± {100 * error:.2f} %", flush=True)
