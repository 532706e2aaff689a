"""sqlite: the tests of threads, locks, the write-ahead log, memory and input/output."""
from suite_lib.suite import Unit, parse_pattern

FILES = """thread001 thread002 thread003 thread004 thread005 thread1 thread2 thread3 lock lock2 lock3 lock4
wal wal2 wal3 wal4 walthread walcrash mmap1 mmap2 mmap3 io shared shared2 shared3 busy notify1 notify2
select1 insert update delete trans index join where tempdb vacuum backup attach malloc5 memsubsys1
mutex1 mutex2 pager1 journal1 crash exclusive sort multiplex filefmt""".split()


def prepare(work):
    source = work.debian_source("sqlite3")
    work.run("./configure", "--enable-tempstore=yes", cwd=source)
    work.run("make", "-j2", "testfixture", cwd=source)


def units(work):
    source = work.debian_source("sqlite3")
    parse = parse_pattern(r"^[!. ]*(?P<test>\w[\w.-]*?)\.\.\. (?P<outcome>Ok|.*failed|.*expected|Omitted)")
    return [Unit(name, [source / "testfixture", source / "test" / f"{name}.test"], parse, timeout=600)
            for name in FILES if (source / "test" / f"{name}.test").exists()]
