"""users_check: shared code of the tests with a second user.

The second user is a child of root with an unused uid. Without root the tests are
skipped."""
import encodings.idna  # noqa: F401, for users that cannot read it later
import json
import os
import pickle
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from cli_check import check, finish, folder, path, pprof, run, write  # noqa: F401
from launch_check import (ENV, LIBRARY, RUNTIME, SECONDS, TOOL, ended,  # noqa: F401
                          is_of_test, until)

OTHER = 64999  # an unused uid


def need_root():
    if os.geteuid() != 0:
        print("skipped: a second user needs root")
        sys.exit(77)


def become(uid=OTHER):
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def as_other(function, *args, uid=OTHER):
    """Calls the function in a child process of that user; returns its result."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            become(uid)
            os.write(writer, pickle.dumps(function(*args)))
            status = 0
        except BaseException as error:  # pylint: disable=broad-except
            os.write(writer, pickle.dumps(repr(error)))
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        data = file.read()
    os.waitpid(child, 0)
    return pickle.loads(data)


def all_listed():
    return json.loads(ended([TOOL, "list", "--json"]).stdout)


def of_pid(pid):
    return next((i for i in all_listed() if i["pid"] == pid), None)


def start_of(pid):
    """Clock ticks from boot to the start of the process."""
    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[19]
