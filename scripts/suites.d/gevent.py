"""gevent: its own tests, each file in a separate process, as its test runner does."""
from suite_lib.suite import Unit, parse_unittest

# Name services, documentation and examples that fetch from the network.
LEFT_OUT = ("dns", "resolver", "ares", "getaddrinfo", "doctests", "example", "execmodules", "all__",
            "memleak", "issue_728", "greenness")


def prepare(work):
    work.python("gevent==24.11.1", "psutil", "setuptools", "objgraph", "requests")


def units(work):
    python = work.folder / "venv/bin/python"
    tests = next((work.folder / "venv/lib").glob("python*/site-packages/gevent/tests"))
    return [Unit(path.stem, [python, "-m", f"gevent.tests.{path.stem}", "-v"], parse_unittest,
                 timeout=300, env={"GEVENT_RESOLVER": "thread"},
                 alone=lambda test, name=path.stem: [python, "-m", f"gevent.tests.{name}", "-v",
                                                     test.split("__main__.")[-1]])
            for path in sorted(tests.glob("test__*.py")) if not any(w in path.stem for w in LEFT_OUT)]
