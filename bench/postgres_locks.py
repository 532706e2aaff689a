#!/usr/bin/env python3
"""postgres_locks.py [--quick] [--count]: measure the cost of the library and of its block
and mutex profiles for postgres.

Servers with the same data run side by side: two without the library, which show the
accuracy of the figures; one with the dormant library, which has no thread; one without
a thread that records memory, block_rate:10000 and mutex_fraction:100; one with a
library that only starts a thread in every process; one with an endpoint in every
process; one with these rates too; and one with these and no heap profile. One pgbench
client visits the servers in random order. The servers have one core and the client the
other: otherwise the scheduler's placement would dominate the difference. All servers
are restarted for every round, because the memory layout of a process matters too.

The figure is the CPU time, user and system, of all processes of a server per
transaction: from a control group, if possible, to the microsecond, else from the
postmaster with its children, to about 10 ms. The figure of a round is the median of the
differences to the first server; the script prints the median of the rounds, their mean
and its standard error. Needs root to start postgres as its own user.

--count instead counts instructions in user space of the thread that serves the client,
with callgrind: those of a long load minus those of a short one, per additional
transaction. They do not depend on the load of the machine, but exclude the kernel."""
import argparse
import glob
import os
import pathlib
import pwd
import random
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
RATES = "block_rate:10000,mutex_fraction:100"
KINDS = ("without", "without, too", "asleep", "a thread", "library", "block and mutex",
         "the same, no heap")
SERVER_CORE, CLIENT_CORE = "0", "1"
OPTIONS = ("listen_addresses=", "fsync=off", "autovacuum=off", "jit=off",
           "checkpoint_timeout=1h", "max_wal_size=8GB")
PROGRAMS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
TICK = os.sysconf("SC_CLK_TCK")


def stat_of(pid):
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return f.read().split()


class Group:
    """A control group that counts CPU time; does nothing if it cannot be created."""

    def __init__(self, number):
        self.folder = None
        name = f"cpprof-bench-{os.getpid()}-{number}"
        for base, count in (("/sys/fs/cgroup/cpuacct", "cpuacct.usage"),
                            ("/sys/fs/cgroup", "cpu.stat")):
            try:
                os.mkdir(f"{base}/{name}")
            except OSError:
                continue
            self.folder, self.count = f"{base}/{name}", f"{base}/{name}/{count}"
            if os.path.exists(self.count):
                return
            self.close()

    def join(self):
        if self.folder:
            with open(f"{self.folder}/cgroup.procs", "w") as f:
                f.write(str(os.getpid()))

    def seconds(self, pid):
        """CPU seconds of all descendants of a process, with those that have ended."""
        if not self.folder:
            ticks = sum(map(int, stat_of(pid)[11:15]))
            for child in children_of(pid):
                try:
                    ticks += sum(map(int, stat_of(child)[11:13]))
                except OSError:  # it has ended; the last reading counts
                    return self.seconds(pid)
            return ticks / TICK
        with open(self.count) as f:
            words = f.read().split()
        return int(words[0]) / 1e9 if len(words) == 1 else int(words[1]) / 1e6

    def close(self):
        if self.folder:
            os.rmdir(self.folder)
        self.folder = None


class Cluster:
    def __init__(self, folder, kind, group, preload=(), env=()):
        self.folder, self.kind, self.group, self.server = folder, kind, group, None
        self.preload = preload
        self.env = [f"LD_PRELOAD={library}" for library in preload] + list(env)
        self.counter = ()

    def command(self, program, *args, env=()):
        counter = self.counter if program == "postgres" else ()
        return ["runuser", "-u", "postgres", "--", "env", *env, *counter,
                f"{PROGRAMS[-1]}/{program}", *args]

    def call(self, program, *args, core=SERVER_CORE):
        done = subprocess.run(["taskset", "-c", core, *self.command(program, *args)],
                              cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{program}: {done.stderr[-300:]}")

    def start(self):
        options = [word for option in OPTIONS for word in ("-c", option)]
        self.server = subprocess.Popen(
            ["taskset", "-c", SERVER_CORE,
             *self.command("postgres", "-D", f"{self.folder}/data", "-k", self.folder,
                           *options, env=self.env)],
            cwd=self.folder, preexec_fn=self.group.join, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        while subprocess.run(self.command("pg_isready", "-q", "-h",
                                          self.folder)).returncode:
            if self.server.poll() is not None:
                raise SystemExit("postgres does not start")
            time.sleep(0.02)
        with open(f"{self.folder}/data/postmaster.pid") as f:
            self.pid = int(f.readline())
        with open(f"/proc/{self.pid}/maps") as f:
            maps = f.read()
        if any(os.path.basename(library) not in maps for library in self.preload):
            raise SystemExit(f"{self.kind}: the library is not where it should be")

    def stop(self):
        if self.server and self.server.poll() is None:
            os.kill(self.pid, signal.SIGINT)
            self.server.wait()

    def fill(self):
        self.call("initdb", "-D", f"{self.folder}/data", "-A", "trust")
        self.start()
        self.call("createdb", "-h", self.folder, "bench")
        self.call("pgbench", "-h", self.folder, "-q", "-i", "-s", "4", "bench")
        self.stop()

    def load(self, transactions, *args):
        """CPU microseconds per transaction, after the client's backend has ended."""
        before = self.group.seconds(self.pid)
        self.call("pgbench", "-h", self.folder, "-n", *args, "-t", str(transactions),
                  "bench", core=CLIENT_CORE)
        while any(b"bench [local]" in cmdline(child) for child in children_of(self.pid)):
            time.sleep(0.005)
        return 1e6 * (self.group.seconds(self.pid) - before) / transactions

    def counts(self):
        """Instructions of the first thread of each process that has ended."""
        found = {}
        for path in glob.glob(f"{self.folder}/count.*-01"):
            with open(path) as f:
                found.update((path, int(line.split()[1])) for line in f
                             if line.startswith("totals:"))
        return found

    def count(self, transactions, *args):
        """Instructions of the client's backend; pgbench opens one more connection before."""
        before = self.counts().keys()
        self.load(transactions, *args)
        while len(new := self.counts().keys() - before) < 2:
            time.sleep(0.05)
        return max(self.counts()[path] for path in new)


def cmdline(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read()
    except OSError:
        return b""


def clusters_of(folder, groups):
    """One cluster of each kind, all with the same data."""
    user = pwd.getpwnam("postgres")
    library = shutil.copy(BUILD / "libcpprof.so.0", folder)
    thread = shutil.copy(BUILD / "bench/libidle_thread.so", folder)
    for path in (library, thread, folder):
        os.chmod(path, 0o755)  # the user postgres must be able to read them
    found = []
    for i, kind in enumerate(KINDS):
        home = f"{folder}/{i}"
        listen = f"PPROFLISTEN=unix:{home}/{{pid}}.sock"
        preload, env = {
            "asleep": ((library,), ()),
            "a thread": ((thread,), ()),
            "library": ((library,), (listen,)),
            "block and mutex": ((library,), (listen, f"CPPROF={RATES}")),
            "the same, no heap": ((library,), (listen, f"CPPROF=heap_interval:0,{RATES}")),
        }.get(kind, ((), ()))
        found.append(Cluster(home, kind, groups[i], preload, env))
        if i > 0:
            subprocess.run(["cp", "-a", found[0].folder, home], check=True)
            continue
        os.mkdir(home)
        os.chown(home, user.pw_uid, user.pw_gid)
        found[0].fill()
    return found


def one_round(clusters, n_turns, loads):
    """Difference to the first cluster in % and time, for each load and cluster."""
    for cluster in clusters:
        cluster.start()
        cluster.load(200)  # warms up its caches
    found = []
    for load in loads:
        turns = []
        for _ in range(n_turns):
            times = {c: c.load(*load) for c in random.sample(clusters, len(clusters))}
            turns.append([times[c] for c in clusters])
        found.append([(statistics.median(100 * (t[i] / t[0] - 1) for t in turns),
                       statistics.median(t[i] for t in turns))
                      for i in range(len(clusters))])
    for cluster in clusters:
        cluster.stop()
    return found


def show(title, rounds):
    print(f"{title}, {len(rounds)} rounds")
    for i, kind in enumerate(KINDS):
        more = [r[i][0] for r in rounds]
        print(f"  {kind:18} {statistics.median(r[i][1] for r in rounds):8.1f} µs a "
              f"transaction  {statistics.median(more):+6.2f} %  mean "
              f"{statistics.mean(more):+6.2f} ± "
              f"{statistics.stdev(more) / len(more) ** 0.5:.2f} %", flush=True)


def compare(clusters, n_rounds, n_turns, loads):
    rounds = [one_round(clusters, n_turns, loads) for _ in range(n_rounds)]
    for k, (transactions, *args) in enumerate(loads):
        show(f"pgbench {' '.join(args) or '(like TPC-B)'}, {n_turns} times "
             f"{transactions} transactions", [r[k] for r in rounds])


def compare_counts(clusters, short, long, loads):
    for cluster in clusters:
        cluster.counter = ("valgrind", "-q", "--tool=callgrind", "--separate-threads=yes",
                           f"--callgrind-out-file={cluster.folder}/count.%p")
        cluster.start()
    for args in loads:
        print(f"pgbench {' '.join(args) or '(like TPC-B)'}, instructions a transaction")
        for cluster in clusters:
            cluster.count(short, *args)
            each = (cluster.count(long, *args) - cluster.count(short, *args)) / (long - short)
            plain = each if cluster is clusters[0] else plain
            print(f"  {cluster.kind:16} {each:10.0f}  {100 * (each / plain - 1):+6.2f} %",
                  flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--count", action="store_true")
    options = parser.parse_known_args()[0]
    quick = options.quick
    if not PROGRAMS or os.getuid() != 0 or os.cpu_count() < 2:
        print("postgres: not installed, or not root, or one core")
        return
    loads = ((5_000, "-S"), (1_000,)) if quick else ((20_000, "-S"), (4_000,))
    groups, clusters = [Group(i) for i in range(len(KINDS))], []
    folder = tempfile.mkdtemp(prefix="bench-postgres-")
    try:
        clusters = clusters_of(folder, groups)
        if options.count:
            compare_counts(clusters, 100, 500 if quick else 2_000, [load[1:] for load in loads])
        else:
            compare(clusters, 4 if quick else 10, 3 if quick else 5, loads)
    finally:
        for cluster in clusters:
            cluster.stop()
        for group in groups:
            group.close()
        shutil.rmtree(folder, ignore_errors=True)


main()
