"""pod: runs a program as a container engine does: in a read-only root, as user nobody,
with the given environment only.

A root is a folder; its mounts disappear with the process."""
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
# A word that each profile has even on a busy machine.
KINDS = {"profile?seconds=1": "without a timer 0", "wall?seconds=0.2": "", "heap": "fill_hoard",
         "allocs": "fill_hoard", "block": "", "mutex": "", "goroutine": "",
         "threadcreate": "main", "leak": ""}
IS_ROOT = os.geteuid() == 0
UNSHARE = ["unshare", "--mount"] if IS_ROOT else ["unshare", "--user", "--map-root-user",
                                                  "--mount"]


def is_possible():
    """Whether this machine permits the namespaces."""
    done = subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


def needed(program):
    """The paths of the shared objects that a program needs, with the loader."""
    out = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True,
                         check=True).stdout
    return re.findall(r"(/\S+) \(0x", out)


def make_root(folder, program, name="/app"):
    """Makes a root with a program and the shared objects that it needs."""
    for source, target in [(program, name)] + [(path, path) for path in needed(program)]:
        place = folder + target
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(source, place)
    return folder


def start(root, command, env, *, uid=NOBODY, proc=False, net=False, volumes=()):
    """Starts a command in a root. volumes: (folder, mount point in the root,
    is_writable). proc: True for /proc, or mount options of a new one. net: a new
    network namespace with only loopback."""
    spec = {"root": root, "command": command, "env": env, "uid": uid if IS_ROOT else None,
            "proc": proc, "net": net, "volumes": volumes}
    return subprocess.Popen([*UNSHARE, *["--net"] * net, sys.executable, INSIDE,
                             json.dumps(spec)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_address(child):
    """The library's first line and the address in it. Lines of the loader may precede."""
    for line in child.stderr:
        found = re.search(r"http://(\S+?)/", line)
        if found or line.startswith("cpprof:"):
            return line, found and found[1]
    return "no line of the library", None


def get_inside(child, address, where):
    """get() in the network namespace of a pod."""
    users = [] if IS_ROOT else ["--user", "--preserve-credentials"]
    done = subprocess.run(["nsenter", "--target", str(child.pid), "--net", *users, "curl", "-s",
                           "-m", str(TIMEOUT), "-w", "%{http_code}", f"http://{address}{where}"],
                          stdout=subprocess.PIPE)
    return int(done.stdout[-3:] or 0), done.stdout[:-3]


def get(address, path, timeout=TIMEOUT):
    """Status and body of a GET request."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://{address}{path}", timeout=timeout) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as err:
        return err.code, err.read()


def make_bundle(build, folder):
    """Makes the files of the container image with packaging/bundle."""
    done = subprocess.run(["packaging/bundle", os.path.join(build, "libcpprof.so.0"),
                           os.path.join(build, "libcpprof-musl.so.0"), folder])
    check("packaging/bundle succeeds", done.returncode == 0, done)
    return folder


def begin(name, root, preload, **options):
    """Starts /app; returns the process and the address of its endpoint."""
    env = {"LD_PRELOAD": preload, "PPROFLISTEN": "localhost:0"}
    child = start(root, ["/app"], env, **options)
    line, address = wait_for_address(child)
    check(f"{name}: the library prints its address", address, line)
    return child, address


def check_kinds(name, address):
    """Checks every profile kind of tests/runtime/programs/pod_target.c."""
    for kind, word in KINDS.items():
        status, body = get(address, "/debug/pprof/" + kind)
        if not check(f"{name}: {kind} is served", status == 200, body):
            continue
        with open(path("profile.pb.gz"), "wb") as f:
            f.write(body)
        shown = run("-top", "-symbolize=none", path("profile.pb.gz"))
        check(f"{name}: {kind} has {word}", shown.status == 0 and word in shown.out.decode(),
              shown)


def stop(child):
    child.kill()
    child.communicate()
