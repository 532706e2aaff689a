"""redis: units of its suite, against Debian's redis-server."""
import os
import shutil

from suite_lib.suite import Unit, parse_pattern

UNITS = ["unit/type/string", "unit/type/incr", "unit/type/set", "unit/type/hash", "unit/type/list",
         "unit/type/zset", "unit/type/stream", "unit/multi", "unit/scripting", "unit/dump",
         "unit/sort", "unit/keyspace", "unit/pubsub", "unit/aofrw", "unit/bitops", "unit/expire",
         "unit/introspection", "unit/other", "unit/auth", "unit/acl", "unit/latency-monitor",
         "unit/obuf-limits", "unit/shutdown", "unit/replybufsize", "integration/aof",
         "integration/rdb", "integration/redis-cli", "integration/replication-psync"]


def prepare(work):
    source = work.debian_source("redis")
    for name in ["redis-server", "redis-cli", "redis-benchmark", "redis-check-aof", "redis-check-rdb"]:
        link = source / "src" / name
        if not os.path.lexists(link):
            link.symlink_to(shutil.which(name))


def units(work):
    parse = parse_pattern(r"^(?:\x1b\[[0-9;]*m)*\[(?P<outcome>ok|err|exception|ignore|skip)[^]]*\]"
                          r"(?:\x1b\[[0-9;]*m)*:? (?P<test>.*?)(?: \(\d+ ms\)| in tests/.*)?$")
    return [Unit(name, ["./runtest", "--clients", "1", "--timeout", "600", "--single", name], parse,
                 timeout=900, cwd=work.debian_source("redis")) for name in UNITS]
