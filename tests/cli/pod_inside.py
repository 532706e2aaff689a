"""pod_inside SPEC: the part of pod.py that runs in the new mount namespace; SPEC is JSON."""
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys

SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def raise_loopback():
    with socket.socket() as s:
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def enter(spec):
    root = spec["root"]
    if spec["net"]:
        raise_loopback()
    mount("--bind", root, root)
    for folder, where, is_writable in spec["volumes"]:
        mount("--bind", folder, root + where)
        if not is_writable:
            mount("-o", "remount,bind,ro", root + where)
    if spec["proc"] is True:
        mount("--rbind", "/proc", root + "/proc")
    elif spec["proc"]:
        mount("-t", "proc", "-o", spec["proc"], "proc", root + "/proc")
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
