"""jemalloc: its unit and integration tests."""
import os

from suite_lib.suite import Unit, parse_pattern


def prepare(work):
    source = work.debian_source("jemalloc")
    work.run("autoconf", cwd=source)
    work.run("./configure", "--enable-prof", "--enable-debug", "--disable-cxx", cwd=source)
    work.run("make", "-j2", "tests_unit", "tests_integration", cwd=source)


def units(work):
    source = work.debian_source("jemalloc")
    parse = parse_pattern(r"^(?P<test>test_\w+(?: \(.*?\))?): (?P<outcome>pass|skip|fail)")
    found = []
    for kind in ("unit", "integration"):
        for path in sorted((source / "test" / kind).iterdir()):
            if path.is_file() and os.access(path, os.X_OK) and not path.suffix:
                conf = path.with_suffix(".sh")
                command = ["sh", "-c", f'enable_fill=1 enable_prof=1; '
                           f'[ ! -e {conf} ] || . {conf}; exec {path}']
                found.append(Unit(f"{kind}/{path.name}", command, parse, timeout=120, cwd=source,
                                  env={"LD_LIBRARY_PATH": str(source / "lib")}))
    return found
