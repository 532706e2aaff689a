"""CPython's own tests of threads, processes, signals, sockets and memory (Debian's package)."""
import xml.etree.ElementTree
import re

from suite_lib.suite import Unit, parse_unittest

PYTHON = "/usr/bin/python3.11"
MODULES = """test_threading test_thread test_threading_local test_threadsignals test_thread_local_bytecode
test_subprocess test_signal test_socket test_socketserver test_asyncio test_multiprocessing_fork
test_multiprocessing_forkserver test_multiprocessing_spawn test_multiprocessing_main_handling
test_faulthandler test_mmap test_ssl test_ctypes test_io test_os test_select test_selectors
test_epoll test_poll test_fcntl test_posix test_queue test_concurrent_futures test_fork1 test_wait3
test_wait4 test_popen test_pty test_eintr test_asyncore test_asynchat test_largefile test_openpty
test_tempfile test_time test_timeout test_sched test_resource test_ioctl test_atexit test_gc
test_weakref test_contextvars test_httpservers test_ftplib test_telnetlib test_poplib test_smtplib
test_pathlib test_shutil test_sqlite3 test_zlib test_lzma test_bz2 test_hashlib test_cmd_line
test_tracemalloc test_capi test_interpreters test__xxsubinterpreters test_exceptions""".split()

OUTCOMES = {"completed": "ok", "failure": "FAIL", "error": "ERROR"}   # as unittest prints them


def prepare(work):
    have = work.capture(PYTHON, "-c", "import test, os; print(*os.listdir(os.path.dirname(test.__file__)))")
    present = {name.removesuffix(".py") for name in have.split()}
    (work.folder / "modules").write_text("\n".join(name for name in MODULES if name in present))


def parse(text, lines):
    """Results from the XML file that regrtest writes at its end or, if it did not get
    there, from its output."""
    results = {}
    found = re.search(r"(?s)<testsuites.*</testsuites>", text)
    if found:
        for case in xml.etree.ElementTree.fromstring(found[0]).iter("testcase"):
            outcome = case.get("result", "completed")
            for kind in ("error", "failure", "skipped"):
                outcome = kind if case.find(kind) is not None else outcome
            results[case.get("name")] = OUTCOMES.get(outcome, outcome)
        return results
    return parse_unittest(text, lines)


def units(work):
    # Only loopback is available. VSOCK has no loopback on many machines and hangs.
    script = (f'{PYTHON} -m test -v --timeout 300 -u all,-urlfetch,-largefile,-gui,-audio '
              '-i "*VSOCK*" --tempdir "$TMPDIR" --junit-xml "$TMPDIR/r.xml" "$@" 2>&1; '
              's=$?; echo; cat "$TMPDIR/r.xml" 2>/dev/null; exit $s')
    command = ["sh", "-c", script, "sh"]
    return [Unit(name, [*command, name], parse, timeout=900,
                 alone=lambda test, name=name: [*command, "-m", test, name])
            for name in (work.folder / "modules").read_text().split()]
