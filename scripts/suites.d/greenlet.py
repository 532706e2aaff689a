"""greenlet: every test of its package."""
from suite_lib.suite import pytest_unit


def prepare(work):
    work.python("greenlet==3.1.1", "objgraph", "psutil", "setuptools")


def units(work):
    return [pytest_unit("greenlet", work.folder / "venv/bin/python",
                        work.site_packages() / "greenlet", ["tests"], timeout=900)]
