"""numpy: its tests of arrays, threads, memory and arithmetic."""
from suite_lib.suite import pytest_unit

FILES = ["_core/tests/test_multithreading.py", "_core/tests/test_mem_policy.py",
         "_core/tests/test_memmap.py", "_core/tests/test_multiarray.py", "_core/tests/test_ufunc.py",
         "_core/tests/test_umath.py", "_core/tests/test_errstate.py", "_core/tests/test_cython.py",
         "linalg/tests", "fft/tests", "random/tests", "lib/tests/test_io.py"]


def prepare(work):
    work.python("numpy==2.2.1", "hypothesis", "pytest-xdist", "setuptools")


def units(work):
    root = work.site_packages() / "numpy"
    return [pytest_unit(name, work.folder / "venv/bin/python", root, [name], timeout=900)
            for name in FILES if (root / name).exists()]
