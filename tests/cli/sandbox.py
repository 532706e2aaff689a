"""sandbox SPEC: starts a program under the seccomp filters that systemd's directives
become; SPEC is JSON: {"allow": set or null, "families": [...] or null, "mdwe": bool,
"command": [...]}. See tests/cli/hardened.

A filter is a list of (code, if true, if false, value); jumps count the instructions to
skip. Forbidden calls fail with EPERM, as under systemd."""
import ctypes
import errno
import json
import os
import re
import socket
import struct
import subprocess
import sys

LOAD, JUMP_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NUMBER, ARGUMENTS = 0, 16  # offsets in struct seccomp_data
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
PROT_WRITE, PROT_EXEC = 2, 4
libc = ctypes.CDLL(None, use_errno=True)


def numbers():
    """The numbers of system calls by name, from the compiler's headers."""
    out = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c",
                          "/dev/null"], stdout=subprocess.PIPE, check=True, text=True).stdout
    return {name: int(n) for name, n in re.findall(r"#define __NR_(\w+) (\d+)$", out, re.M)}


def members(group):
    """The system calls of a group such as @system-service, with its nested groups."""
    out = subprocess.run(["systemd-analyze", "syscall-filter", group],
                         stdout=subprocess.PIPE, check=True, text=True).stdout
    found = set()
    for word in re.findall(r"^    ([@\w-]+)$", out, re.M):
        found |= members(word) if word.startswith("@") else {word}
    return found


def allow_only(names, known):
    """A filter that lets every other call fail with EPERM."""
    lines = [(LOAD, 0, 0, NUMBER)]
    for name in sorted(names & set(known)):
        lines += [(JUMP_EQUAL, 0, 1, known[name]), (RETURN, 0, 0, ALLOW)]
    return lines + [(RETURN, 0, 0, ERRNO | errno.EPERM)]


def deny(names, known):
    """A filter that lets these calls fail with EPERM."""
    lines = [(LOAD, 0, 0, NUMBER)]
    for name in names:
        lines += [(JUMP_EQUAL, 0, 1, known[name]), (RETURN, 0, 0, ERRNO | errno.EPERM)]
    return lines + [(RETURN, 0, 0, ALLOW)]


def restrict_families(families, known):
    lines = [(LOAD, 0, 0, NUMBER), (JUMP_EQUAL, 1, 0, known["socket"]),
             (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, ARGUMENTS)]
    for family in families:
        lines += [(JUMP_EQUAL, 0, 1, getattr(socket, family)), (RETURN, 0, 0, ALLOW)]
    return lines + [(RETURN, 0, 0, ERRNO | errno.EAFNOSUPPORT)]


def deny_write_execute(known):
    """Denies mmap with both PROT_WRITE and PROT_EXEC, and mprotect with PROT_EXEC."""
    return [(LOAD, 0, 0, NUMBER),
            (JUMP_EQUAL, 2, 0, known["mmap"]),
            (JUMP_EQUAL, 4, 0, known["mprotect"]),
            (RETURN, 0, 0, ALLOW),
            (LOAD, 0, 0, ARGUMENTS + 16),  # prot of mmap
            (JUMP_SET, 0, 4, PROT_WRITE),
            (JUMP_SET, 2, 3, PROT_EXEC),
            (LOAD, 0, 0, ARGUMENTS + 16),  # prot of mprotect
            (JUMP_SET, 0, 1, PROT_EXEC),
            (RETURN, 0, 0, ERRNO | errno.EPERM),
            (RETURN, 0, 0, ALLOW)]


def install(lines):
    code = b"".join(struct.pack("HBBI", *line) for line in lines)
    kept = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(lines), ctypes.addressof(kept))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or \
            libc.prctl(PR_SET_SECCOMP, MODE_FILTER, program, 0, 0) != 0:
        sys.exit(f"sandbox: {os.strerror(ctypes.get_errno())}")


def main():
    spec = json.loads(sys.argv[1])
    known = numbers()
    filters = []
    if spec.get("families") is not None:
        filters.append(restrict_families(spec["families"], known))
    if spec.get("mdwe"):
        filters.append(deny_write_execute(known))
    if spec.get("deny"):
        filters.append(deny(spec["deny"], known))
    if spec.get("allow"):
        names = {"execve", "prctl", "seccomp"}.union(*(members(g) for g in spec["allow"]))
        filters.append(allow_only(names, known))
    for lines in filters:
        install(lines)
    os.execve(spec["command"][0], spec["command"], dict(os.environ, **spec.get("env", {})))


if __name__ == "__main__":
    main()
