"""pod: runs a program the way a container engine does: in a root of its own that
is read-only, as nobody, with the given environment and nothing else.

A root is a folder; what is mounted into it is gone with the process."""
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

from cli_check import TIMEOUT, check, path, run

INSIDE = os.path.join(os.path.dirname(__file__), "pod_inside.py")
NOBODY = 65534
# Words that are there however busy the machine is.
KINDS = {"profile?seconds=1": "without a timer 0", "wall?seconds=0.2": "", "heap": "fill_hoard",
         "allocs": "fill_hoard", "block": "", "mutex": "", "goroutine": "",
         "threadcreate": "main", "leak": ""}
IS_ROOT = os.geteuid() == 0
UNSHARE = ["unshare", "--mount"] if IS_ROOT else ["unshare", "--user", "--map-root-user",
                                                  "--mount"]


def is_possible():
    """Whether this machine lets us."""
    done = subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


def needed(program):
    """The objects that a program needs, loader included, by their paths."""
    out = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True,
                         check=True).stdout
    return re.findall(r"(/\S+) \(0x", out)


def make_root(folder, program, name="/app"):
    """A root with a program and what it needs, and nothing else."""
    for source, target in [(program, name)] + [(path, path) for path in needed(program)]:
        place = folder + target
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(source, place)
    return folder


def start(root, command, env, *, uid=NOBODY, proc=False, net=False, volumes=()):
    """volumes: (folder, where, is_writable). Where must be in the root. proc: with
    /proc, or a new one with these options. net: with a network of its own, in which
    only loopback is up."""
    spec = {"root": root, "command": command, "env": env, "uid": uid if IS_ROOT else None,
            "proc": proc, "net": net, "volumes": volumes}
    return subprocess.Popen([*UNSHARE, *["--net"] * net, sys.executable, INSIDE,
                             json.dumps(spec)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_address(child):
    """The library's line, and the address in it; the loader may say more before."""
    for line in child.stderr:
        found = re.search(r"http://(\S+?)/", line)
        if found or line.startswith("cpprof:"):
            return line, found and found[1]
    return "nothing was said", None


def get_inside(child, address, where):
    """As get(), in the network of a pod."""
    users = [] if IS_ROOT else ["--user", "--preserve-credentials"]
    done = subprocess.run(["nsenter", "--target", str(child.pid), "--net", *users, "curl", "-s",
                           "-m", str(TIMEOUT), "-w", "%{http_code}", f"http://{address}{where}"],
                          stdout=subprocess.PIPE)
    return int(done.stdout[-3:] or 0), done.stdout[:-3]


def get(address, path, timeout=TIMEOUT):
    """Status and body."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://{address}{path}", timeout=timeout) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as err:
        return err.code, err.read()


def make_bundle(build, folder):
    """What the container image has; see packaging/bundle."""
    done = subprocess.run(["packaging/bundle", os.path.join(build, "libcpprof.so.0"),
                           os.path.join(build, "libcpprof-musl.so.0"), folder])
    check("bundle", done.returncode == 0, done)
    return folder


def begin(name, root, preload, **options):
    """Starts /app; gives the process, and where its endpoint is."""
    env = {"LD_PRELOAD": preload, "PPROFLISTEN": "localhost:0"}
    child = start(root, ["/app"], env, **options)
    line, address = wait_for_address(child)
    check(f"{name}: says where", address, line)
    return child, address


def check_kinds(name, address):
    """Every kind of profile of tests/runtime/programs/pod_target.c."""
    for kind, word in KINDS.items():
        status, body = get(address, "/debug/pprof/" + kind)
        if not check(f"{name}: {kind}", status == 200, body):
            continue
        with open(path("profile.pb.gz"), "wb") as f:
            f.write(body)
        shown = run("-top", "-symbolize=none", path("profile.pb.gz"))
        check(f"{name}: {kind} has {word}", shown.status == 0 and word in shown.out.decode(),
              shown)


def stop(child):
    child.kill()
    child.communicate()
