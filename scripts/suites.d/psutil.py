"""psutil: every test of its package."""
from suite_lib.suite import pytest_unit


def prepare(work):
    work.python("psutil==6.1.1", "setuptools")


def units(work):
    return [pytest_unit("psutil", work.folder / "venv/bin/python", ["--pyargs", "psutil.tests"],
                        timeout=900)]
