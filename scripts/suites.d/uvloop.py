"""uvloop: the tests of its source package, against the built wheel."""
from suite_lib.suite import pytest_unit


def prepare(work):
    work.python("uvloop==0.21.0", "aiohttp", "psutil", "pyOpenSSL", "setuptools", "wheel", "Cython",
                sdist="uvloop==0.21.0")
    work.run("tar", "xf", "uvloop-0.21.0.tar.gz", "uvloop-0.21.0/tests")


def units(work):
    source = work.folder / "uvloop-0.21.0"
    return [pytest_unit(path.stem, work.folder / "venv/bin/python", source, [f"tests/{path.name}"])
            for path in sorted(source.glob("tests/test_*.py")) if path.stem != "test_sourcecode"]
