#!/usr/bin/env python3
"""postgres_locks.py [--quick]: what the block and mutex profiles cost postgres.

A cluster in a temporary folder is served without the library, with it, and with
both profiles on (block_rate:10000, mutex_fraction:100), turn and turn about, in
another order each round. Four clients of pgbench do a fixed number of
transactions: of -S, which only reads, and of the default, which is like TPC-B.

The figure is the processor time, user and system, of all processes of the
server for each transaction: of a control group where one can be made, to the
microsecond, else of the postmaster with its children, to some 10 ms. Each is
compared with that of the same round without the library; shown are the medians,
and the standard error of the mean of the differences. Needs root, because
postgres will not run as root and the cluster is its user's."""
import argparse
import glob
import os
import pathlib
import pwd
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "build/libcpprof.so.0"
CLIENTS = 4
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
    """A control group that counts processor time; does nothing where it cannot."""

    def __init__(self):
        self.folder = None
        name = f"cpprof-bench-{os.getpid()}"
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
        """All that the processes below that one have used, and those that ended."""
        if not self.folder:
            ticks = sum(map(int, stat_of(pid)[11:15]))
            for child in children_of(pid):
                try:
                    ticks += sum(map(int, stat_of(child)[11:13]))
                except OSError:  # it has ended: the last look has it
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
    def __init__(self, folder, library):
        user = pwd.getpwnam("postgres")
        self.folder, self.server = folder, None
        os.chown(folder, user.pw_uid, user.pw_gid)
        preload = f"LD_PRELOAD={library}"
        listen = f"PPROFLISTEN=unix:{folder}/{{pid}}.sock"
        self.kinds = {
            "without": (),
            "library": (preload, listen),
            "block and mutex": (preload, listen,
                                "CPPROF=block_rate:10000,mutex_fraction:100"),
        }
        self.call("initdb", "-D", f"{folder}/data", "-A", "trust")

    def command(self, program, *args, env=()):
        return ["runuser", "-u", "postgres", "--", "env", *env,
                f"{PROGRAMS[-1]}/{program}", *args]

    def call(self, program, *args):
        done = subprocess.run(self.command(program, *args), cwd=self.folder,
                              capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{program}: {done.stderr[-300:]}")
        return done.stdout

    def start(self, kind, group):
        options = [word for option in OPTIONS for word in ("-c", option)]
        self.server = subprocess.Popen(
            self.command("postgres", "-D", f"{self.folder}/data", "-k", self.folder,
                         *options, env=self.kinds[kind]),
            cwd=self.folder, preexec_fn=group.join, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        while subprocess.run(self.command("pg_isready", "-q", "-h",
                                          self.folder)).returncode:
            if self.server.poll() is not None:
                raise SystemExit("postgres does not start")
            time.sleep(0.02)
        with open(f"{self.folder}/data/postmaster.pid") as f:
            pid = int(f.readline())
        with open(f"/proc/{pid}/maps") as f:
            if ("libcpprof" in f.read()) != (kind != "without"):
                raise SystemExit(f"{kind}: the library is not where it should be")
        return pid

    def stop(self):
        if not self.server or self.server.poll() is not None:
            return
        with open(f"{self.folder}/data/postmaster.pid") as f:
            os.kill(int(f.readline()), signal.SIGINT)
        self.server.wait()

    def fill(self, group):
        self.start("without", group)
        self.call("createdb", "-h", self.folder, "bench")
        self.call("pgbench", "-h", self.folder, "-q", "-i", "-s", "4", "bench")
        self.stop()

    def load(self, pid, transactions, *args):
        self.call("pgbench", "-h", self.folder, "-n", *args, "-c", str(CLIENTS),
                  "-j", "2", "-t", str(transactions // CLIENTS), "bench")
        while any(b"bench [local]" in cmdline(child) for child in children_of(pid)):
            time.sleep(0.005)

    def measure(self, kind, loads, group):
        """Microseconds a transaction, of each load."""
        pid, found = self.start(kind, group), []
        self.load(pid, 400)  # its memory has what it needs
        for transactions, *args in loads:
            before = group.seconds(pid)
            self.load(pid, transactions, *args)
            found.append(1e6 * (group.seconds(pid) - before) / transactions)
        self.stop()
        return found


def cmdline(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read()
    except OSError:
        return b""


def show(title, kinds, rounds):
    plain = [r["without"] for r in rounds]
    print(f"{title}, {len(rounds)} rounds")
    for kind in kinds:
        values = [r[kind] for r in rounds]
        more = [100 * (value / base - 1) for value, base in zip(values, plain)]
        error = statistics.stdev(more) / len(more) ** 0.5
        print(f"  {kind:16} {statistics.median(values):8.1f} µs a transaction  "
              f"{statistics.median(more):+6.2f} %  mean {statistics.mean(more):+6.2f} "
              f"± {error:.2f} %", flush=True)


def compare(cluster, group, n_rounds, loads):
    found = [[] for _ in loads]
    kinds = list(cluster.kinds)
    cluster.fill(group)
    for i in range(n_rounds):
        order = kinds[i % 3:] + kinds[:i % 3]
        figures = {kind: cluster.measure(kind, loads, group) for kind in order}
        for k, rounds in enumerate(found):
            rounds.append({kind: figures[kind][k] for kind in kinds})
    for rounds, (transactions, *args) in zip(found, loads):
        show(f"pgbench {' '.join(args) or '(like TPC-B)'}, {transactions} transactions",
             kinds, rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_known_args()[0].quick
    if not PROGRAMS or os.getuid() != 0:
        print("postgres: not installed, or not root")
        return
    loads = ((12_000, "-S"), (2_400,)) if quick else ((80_000, "-S"), (16_000,))
    group = Group()
    folder = tempfile.mkdtemp(prefix="bench-postgres-")
    try:
        # Its user has to be able to read it.
        library = shutil.copy(LIBRARY, folder)
        os.chmod(library, 0o755)
        cluster = Cluster(folder, library)
        try:
            compare(cluster, group, 8 if quick else 20, loads)
        finally:
            cluster.stop()
    finally:
        group.close()
        shutil.rmtree(folder, ignore_errors=True)


main()
