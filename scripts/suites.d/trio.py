"""trio: every test of its package but those of static checkers."""
from suite_lib.suite import pytest_unit


def prepare(work):
    work.python("trio==0.28.0", "trustme==1.1.0", "pyOpenSSL==24.2.1")


def units(work):
    return [pytest_unit("trio", work.folder / "venv/bin/python", work.site_packages() / "trio",
                        ["_tests", "_core/_tests"], timeout=900,
                        options=["-p", "trio._tests.pytest_plugin", "--run-slow",
                                 *(f"--ignore={work.site_packages()}/trio/_tests/{name}"
                                   for name in ("tools", "test_exports.py"))])]
