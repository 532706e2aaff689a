"""pod_inside SPEC: what pod.py runs inside a mount namespace; SPEC is JSON."""
import json
import os
import subprocess
import sys


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def enter(spec):
    root = spec["root"]
    mount("--bind", root, root)
    for folder, where, is_writable in spec["volumes"]:
        mount("--bind", folder, root + where)
        if not is_writable:
            mount("-o", "remount,bind,ro", root + where)
    if spec["proc"]:
        mount("--rbind", "/proc", root + "/proc")
    mount("-o", "remount,bind,ro", root)
    os.chroot(root)
    os.chdir("/")
    if spec["uid"] is not None:
        os.setgroups([])
        os.setresgid(*[spec["uid"]] * 3)
        os.setresuid(*[spec["uid"]] * 3)
    os.execve(spec["command"][0], spec["command"], spec["env"])


if __name__ == "__main__":
    enter(json.loads(sys.argv[1]))
