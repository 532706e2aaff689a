#!/usr/bin/env python3
"""tree: run a command, then kill every process that it has started.

  tree.py --timeout SECONDS --report FILE [--load N] [--loopback] [--env NAME=VALUE]...
          -- COMMAND...

The runner is the subreaper of its descendants, so that it also finds daemons. After the
command, or at the timeout, it kills every descendant. FILE receives a JSON object:
status (negative for a signal, null at the timeout), seconds, and left, the number of
killed processes. --load N adds N busy processes. --env sets variables of the command
only. --loopback runs the command in a network namespace with a loopback device only, if
the kernel permits it; the report says so."""
import argparse
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
POLL_SECONDS = 0.02

libc = ctypes.CDLL(None, use_errno=True)


def enter_loopback():
    """Enters a network namespace with only lo; False if the kernel refuses."""
    if libc.unshare(CLONE_NEWNET) != 0:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
    return True


def descendants():
    """All descendants of this process, from /proc."""
    children = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as stat:
                fields = stat.read().rpartition(b")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append((int(entry), fields[0]))
    found, queue = [], [os.getpid()]
    while queue:
        for pid, state in children.get(queue.pop(), []):
            queue.append(pid)
            if state != b"Z":
                found.append(pid)
    return found


def kill_all():
    """Kills until no descendant is left; returns the number of processes."""
    killed = set()
    while alive := descendants():
        for pid in alive:
            killed.add(pid)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        reap()
        time.sleep(POLL_SECONDS)
    reap()
    return len(killed)


def reap():
    """Reaps dead children; returns their wait statuses by pid."""
    ended = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = status


def spawn(work):
    """Forks a child that calls work in a new session and never returns."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE,
                           signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            work()
        except BaseException as error:
            print(f"tree: {error}", file=sys.stderr, flush=True)
        os._exit(127)
    return pid


def burn():
    while True:
        pass


def wait(pid, seconds):
    """The command's wait status, or None at the timeout."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended = reap()
        if pid in ended:
            return ended[pid]
        time.sleep(POLL_SECONDS)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--timeout", type=float, required=True)
    parser.add_argument("--report", required=True)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--loopback", action="store_true")
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()

    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(kill_all() and 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    is_private = options.loopback and enter_loopback()
    burners = [spawn(burn) for _ in range(options.load)]
    start = time.monotonic()
    env = dict(os.environ, **dict(pair.split("=", 1) for pair in options.env))
    pid = spawn(lambda: os.execvpe(options.command[0], options.command, env))
    status = wait(pid, options.timeout)
    seconds = time.monotonic() - start
    left = kill_all() - len(burners)
    with open(options.report, "w") as out:
        json.dump({"status": None if status is None else os.waitstatus_to_exitcode(status),
                   "seconds": round(seconds, 2), "left": left, "loopback": is_private}, out)


main()
