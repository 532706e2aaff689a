"""trio: every test of its package."""
from suite_lib.suite import pytest_unit


def prepare(work):
    work.python("trio==0.28.0", "trustme", "pyOpenSSL", "pytest-timeout", "astor", "jedi", "async_generator")


def units(work):
    return [pytest_unit("trio", work.folder / "venv/bin/python", ["--pyargs", "trio"], timeout=900,
                        options=["-p", "trio._tests.pytest_plugin", "--run-slow"])]
