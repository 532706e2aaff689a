"""libevent: its regression tests, with epoll."""
from suite_lib.suite import Unit, parse_pattern


def prepare(work):
    source = work.debian_source("libevent")
    work.run("autoreconf", "-fi", cwd=source)
    work.run("./configure", "--disable-shared", cwd=source)
    work.run("make", "-j2", "all", "test/regress", cwd=source)


def units(work):
    source = work.debian_source("libevent")
    parse = parse_pattern(r"^(?P<test>[\w./-]+): (?:\[forking\] )?.*?"
                          r"(?P<outcome>OK|FAILED|SKIPPED|DISABLED)\b")
    return [Unit("regress", ["test/regress"], parse, timeout=900, cwd=source,
                 alone=lambda test: ["test/regress", test])]
