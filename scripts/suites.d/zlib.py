"""zlib: the tests of its makefile, twenty times, because they are short."""
from suite_lib.suite import Unit, parse_pattern


def prepare(work):
    source = work.debian_source("zlib")
    work.run("./configure", cwd=source)
    work.run("make", "all", "test", cwd=source)


def units(work):
    parse = parse_pattern(r"^\s*(?P<test>[^:*\n]*(?:\*\*\* )?[^:*\n]+?)"
                          r"(?P<outcome>: .*| OK \*\*\*| FAILED \*\*\*|)$")
    return [Unit(f"make test {n}", ["make", "test"], parse, cwd=work.debian_source("zlib"))
            for n in range(1, 21)]
