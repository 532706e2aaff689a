"""cli_check: runs pprof for the tests in this folder and counts the cases.

A case is one call of check(), which prints a failure. finish() prints
"P passed, F failed" and exits."""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# A test that was started in the background or by nohup ignores these signals, and its
# children would inherit that.
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)

SECONDS = 60        # limit of CPU time of a run
TIMEOUT = 240       # limit of elapsed seconds; only ends a hang
LIMIT_KB = 1500000  # limit of memory of a run

# Settings of the machine that would change the results.
for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY",
             "ALL_PROXY", "NO_PROXY", "DEBUGINFOD_URLS", "DEBUGINFOD_CACHE_PATH", "PPROF_TMPDIR",
             "PPROF_BINARY_PATH", "PPROF_TOOLS", "PPROFLISTEN", "PPROFTOKEN", "CPPROF", "LD_PRELOAD",
             "MALLOC_CONF", "BROWSER", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "COLUMNS", "LINES",
             "GOFLAGS", "GOENV", "PYTHONSTARTUP"):
    os.environ.pop(name, None)
os.environ["RES_OPTIONS"] = "timeout:1 attempts:1"  # unknown names fail soon without a network
os.umask(0o022)
# Paths of sockets have at most 107 bytes, and some tests use them in shell commands.
if not re.fullmatch(r"[\w/.+-]{1,40}", tempfile.gettempdir()) and os.access("/tmp", os.W_OK):
    os.environ["TMPDIR"] = tempfile.tempdir = "/tmp"

passed = failed = 0
pprof = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "build/pprof"
folder = tempfile.mkdtemp(prefix="pprof-test-")
if not os.access(os.environ.get("HOME", ""), os.W_OK):
    os.environ["HOME"] = folder
    # All tests share the cache, so that Go compiles its library and tools once.
    os.environ.setdefault("GOCACHE", os.path.join(os.path.dirname(pprof), "go-cache"))


class Result:
    """The result of a run; status is negative for a signal."""

    def __init__(self, status, out, err, peak_kb, seconds):
        self.status, self.out, self.err = status, out, err
        self.peak_kb, self.seconds = peak_kb, seconds

    @property
    def lines(self):
        return self.err.decode(errors="replace").split("\n")[:-1]

    def __str__(self):
        late = f" of {TIMEOUT} allowed" if self.seconds >= TIMEOUT else ""
        return (f"status {self.status}, {self.peak_kb} KB, {self.seconds:.1f} s{late}\n"
                f"    stdout {self.out[:300]!r}\n    stderr {self.err[:600]!r}")


def environment(**changes):
    env = dict(os.environ, TZ="UTC", LC_ALL="C", **changes)
    return {key: value for key, value in env.items() if value is not None}


def run(*args, stdin=subprocess.DEVNULL, stdout=None, env=None,
        before=None, cwd=None):
    """Runs pprof in the test's folder; the kernel kills it after SECONDS of CPU time."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            [pprof, *args], stdin=stdin, stderr=err, cwd=cwd or folder,
            stdout=out if stdout is None else stdout, preexec_fn=before,
            env=environment(**(env or {})))
        try:
            resource.prlimit(child.pid, resource.RLIMIT_CPU, (SECONDS, SECONDS))
        except OSError:
            pass  # the child has ended
        start, timer = time.monotonic(), threading.Timer(TIMEOUT, child.kill)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Result(child.returncode, out.read(), err.read(),
                      usage.ru_maxrss, time.monotonic() - start)


def check(name, ok, detail=""):
    """Counts one case and prints it if it failed. The name says the expected behaviour."""
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"{name}: failed\n    {detail}", flush=True)
    return ok


def write(name, data, mode=0o644):
    """Writes a file into the test's folder; returns its name."""
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)
    return name


def path(name):
    return os.path.join(folder, name)


def finish():
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)
