"""launch_check: shared code of the tests of run, list, attach and top.

A library with sanitizers cannot be preloaded into most programs. If the tool under
test has sanitizers, programs get the library of the plain build beside it, and
IS_SANITIZED tells the tests to leave cases out. LIBRARY is None if there is no plain
build."""
import os
import subprocess
import time

from cli_check import TIMEOUT as SECONDS, environment, folder, path, pprof

BUILD = os.path.dirname(pprof)
TOOL = os.path.join(BUILD, "cpprof")
IS_SANITIZED = b"san.so" in subprocess.run(
    ["ldd", os.path.join(BUILD, "libcpprof.so.0")], stdout=subprocess.PIPE).stdout
PLAIN = os.path.join(os.path.dirname(BUILD), "build") if IS_SANITIZED else BUILD
LIBRARY = os.path.join(PLAIN, "libcpprof.so.0")
if not os.path.exists(LIBRARY):
    LIBRARY = None
RUNTIME = path("runtime")
os.mkdir(RUNTIME, 0o700)
ENV = environment(XDG_RUNTIME_DIR=RUNTIME, PPROFLISTEN=None, CPPROF=None, LD_PRELOAD=None)


def with_library(command):
    """A command of the tool, with --library if that is not the default."""
    return [TOOL, command, *([f"--library={LIBRARY}"] if IS_SANITIZED else [])]


def ended(command, stdin=b"", env=ENV):
    return subprocess.run(command, input=stdin, env=env, cwd=folder, timeout=SECONDS,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def is_of_test(pid):
    """Whether this test started the process; root also sees those of others."""
    try:
        return f"XDG_RUNTIME_DIR={RUNTIME}".encode() in open(
            f"/proc/{pid}/environ", "rb").read().split(b"\0")
    except OSError:
        return False


def until(what, seconds=SECONDS):
    """Polls what() until it returns a true value; returns that, or None after a timeout."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.02)
    return None
