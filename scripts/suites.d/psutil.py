"""psutil: the tests of its package that inspect its own processes."""
from suite_lib.suite import pytest_unit


def prepare(work):
    work.python("psutil==6.1.1", "setuptools")


def units(work):
    root = work.site_packages() / "psutil"
    return [pytest_unit(path.stem, work.folder / "venv/bin/python", root, [f"tests/{path.name}"])
            for path in sorted(root.glob("tests/test_*.py"))
            if path.stem != "test_process_all"]   # inspects every process of the machine
