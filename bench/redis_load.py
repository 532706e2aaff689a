"""redis_load: measure the cost of a request to redis-server under redis-benchmark.

There are two methods, for bench/heap.py and bench/locks.py:

- CPU time in ns of each thread, from the kernel. Servers of several kinds run side by
  side and get their load alternately in small slices, so that all see the same machine.
  Several such sets average over memory layouts. The result is a ratio with its standard
  error. Servers have one core and the client another, so that the scheduler's placement
  does not matter;
- instructions in user space, counted by callgrind. The load of the machine does not
  change those in the library, and changes the total by less than 1 %."""
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
    """A preexec function that pins a process to core i, if it exists."""
    cores = sorted(os.sched_getaffinity(0))
    return (lambda: os.sched_setaffinity(0, {cores[i]})) if len(cores) > 1 else None


def answers(place):
    """Whether a server listens: the socket file exists before that."""
    with socket.socket(socket.AF_UNIX) as s:
        return s.connect_ex(place) == 0


class Redis:
    """A server in its own folder, run under `tool`."""

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
        """CPU seconds of the current threads."""
        files = glob.glob(f"/proc/{self.server.pid}/task/*/schedstat")
        return sum(int(open(file).read().split()[0]) for file in files) / 1e9

    def load(self, requests, what):
        """CPU seconds of n requests of each kind."""
        before = self.cpu()
        subprocess.run(["redis-benchmark", "-s", self.socket, "-q", "-n", str(requests), *what],
                       check=True, stdout=subprocess.DEVNULL, timeout=600, preexec_fn=on_core(1))
        return self.cpu() - before

    def stop(self):
        """Ends the server; returns the messages of it or its tool."""
        self.server.terminate()
        said = self.server.communicate()[1]
        shutil.rmtree(self.folder)
        return said


def is_here():
    return shutil.which("redis-server") and shutil.which("redis-benchmark")


def requests_of(requests, what):
    return requests * (what[what.index("-t") + 1].count(",") + 1)


def instructions(env, what, few=1000, many=11000):
    """Instructions of a request in user space: all, and those in the library.

    Only the thread that serves counts: callgrind makes the program fifty times slower,
    which distorts periodic work of other threads. The start is excluded."""
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
    """CPU seconds of each slice of each kind of server.

    The order is random: in an alternating order the outer servers would run twice in a
    row with warm caches, which saves 1 %."""
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
    """Prints the difference of each kind to the first.

    A pair of servers gives one ratio, the median of its slices. The figure is the mean of
    all pairs, with the standard error from their spread."""
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
