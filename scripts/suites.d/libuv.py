"""libuv: its own test runner, every test."""
from suite_lib.suite import Unit, parse_pattern


def prepare(work):
    source = work.debian_source("libuv1")
    work.run("sh", "autogen.sh", cwd=source)
    work.run("./configure", "--disable-shared", cwd=source)
    work.run("make", "-j2", "check", "TESTS=", cwd=source)


def units(work):
    source = work.debian_source("libuv1")
    env = {"UV_RUN_AS_ROOT": "1"}
    return [Unit("run-tests", ["test/run-tests"], parse_pattern(
        r"^(?P<outcome>ok|not ok) \d+ - (?P<test>\S+)(?: # SKIP.*)?$"), timeout=900, cwd=source, env=env,
        alone=lambda test: ["test/run-tests", test])]
