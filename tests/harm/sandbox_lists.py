"""sandbox_lists: names of system calls in the filters of services and programs, and the
filters themselves: bytes of an array of struct sock_filter."""
import errno
import re
import struct
import subprocess

LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO, KILL_PROCESS, TRAP = 0x7FFF0000, 0x00050000, 0x80000000, 0x00030000

# @system-service of systemd 247, on x86-64 and aarch64.
SERVICE_247 = set("""
accept accept4 access add_key alarm arch_prctl bind brk capget capset chdir chmod chown
clock_getres clock_gettime clock_nanosleep clone clone3 close connect copy_file_range creat dup
dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_wait
epoll_wait_old eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64
fallocate fchdir fchmod fchmodat fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork
fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futimesat get_mempolicy
get_robust_list get_thread_area getcpu getcwd getdents getdents64 getegid geteuid getgid
getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid
getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday getuid getxattr
inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents
io_pgetevents io_setup io_submit io_uring_enter io_uring_register io_uring_setup ioctl
ioprio_get ioprio_set kcmp keyctl kill lchown lgetxattr link linkat listen listxattr llistxattr
lremovexattr lseek lsetxattr lstat madvise mbind membarrier memfd_create migrate_pages mkdir
mkdirat mknod mknodat mlock mlock2 mlockall mmap move_pages mprotect mq_getsetattr mq_notify
mq_open mq_timedreceive mq_timedsend mq_unlink mremap msgctl msgget msgrcv msgsnd msync munlock
munlockall munmap name_to_handle_at nanosleep newfstatat open openat openat2 pause personality
pidfd_open pidfd_send_signal pipe pipe2 poll ppoll prctl pread64 preadv preadv2 prlimit64
process_vm_readv process_vm_writev pselect6 pwrite64 pwritev pwritev2 read readahead readlink
readlinkat readv recvfrom recvmmsg recvmsg remap_file_pages removexattr rename renameat
renameat2 request_key restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask
rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam
sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam
sched_setscheduler sched_yield select semctl semget semop semtimedop sendfile sendmmsg sendmsg
sendto set_mempolicy set_robust_list set_thread_area set_tid_address setfsgid setfsuid setgid
setgroups setitimer setns setpgid setpriority setregid setresgid setresuid setreuid setrlimit
setsid setsockopt setuid setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd
signalfd4 socket socketpair splice stat statfs statx symlink symlinkat sync sync_file_range
syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime
timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask uname
unlink unlinkat unshare userfaultfd utime utimensat utimes vfork vmsplice wait4 waitid write
writev
""".split())
# Additions of later versions.
SERVICE_249 = SERVICE_247 | {"close_range", "epoll_pwait2", "process_madvise"}
SERVICE_257 = SERVICE_249 | {"futex_waitv", "set_mempolicy_home_node", "fchmodat2", "mseal",
                             "futex_wake", "futex_wait", "futex_requeue", "cachestat"}

# These fail with EPERM in Docker's default profile and RuntimeDefault of Kubernetes, in a
# container without capabilities.
CONTAINER_DENIED = set("""
acct add_key bpf clock_adjtime clock_settime create_module delete_module finit_module
fsconfig fsmount fsopen fspick get_kernel_syms get_mempolicy init_module ioperm iopl kcmp
kexec_file_load kexec_load keyctl lookup_dcookie mbind mount mount_setattr move_mount
move_pages nfsservctl open_by_handle_at open_tree perf_event_open pidfd_getfd pivot_root
process_madvise query_module quotactl reboot request_key set_mempolicy setdomainname sethostname
setns settimeofday swapoff swapon syslog umount2 unshare uselib userfaultfd vhangup
""".split())

# Calls of a browser's renderer process: threads, but no files and no sockets.
RENDERER = set("""
brk clock_getres clock_gettime clock_nanosleep clone clone3 close epoll_pwait epoll_wait
exit exit_group fstat futex getpid getrandom gettid gettimeofday madvise mmap mprotect mremap
munmap nanosleep poll ppoll read recvmsg restart_syscall rseq rt_sigaction rt_sigprocmask
rt_sigreturn sched_getaffinity sched_yield sendmsg set_robust_list sigaltstack write writev
""".split())

# Calls of a network daemon's child before authentication; rt_sigreturn is missing.
LOGIN = set("""
brk clock_gettime clock_nanosleep clone clone3 close exit exit_group futex getpid getrandom
gettimeofday madvise mmap mprotect mremap munmap nanosleep poll ppoll read rseq rt_sigprocmask
set_robust_list shutdown write writev
""".split())

# Calls that an emulator forbids itself.
EMULATOR_DENIED = set("""
add_key bpf clock_settime delete_module execve execveat init_module ioperm iopl kexec_load keyctl
mount perf_event_open personality pivot_root ptrace reboot request_key setns setuid swapoff
swapon umount2 unshare vfork
""".split())


def numbers():
    """The numbers of system calls by name, from the compiler's headers."""
    out = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c",
                          "/dev/null"], stdout=subprocess.PIPE, check=True, text=True).stdout
    return {name: int(n) for name, n in re.findall(r"#define __NR_(\w+) (\d+)$", out, re.M)}


KNOWN = numbers()


def make(actions, default):
    """A filter of actions by name; all other calls get the default."""
    lines = [(LOAD, 0, 0, 0)]
    for name in sorted(set(actions) & set(KNOWN)):
        lines += [(JUMP_EQUAL, 0, 1, KNOWN[name]), (RETURN, 0, 0, actions[name])]
    lines.append((RETURN, 0, 0, default))
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def allow_only(names, default=KILL_PROCESS):
    return make(dict.fromkeys(names, ALLOW), default)


def deny(names, action=KILL_PROCESS):
    return make(dict.fromkeys(names, action), ALLOW)


def container():
    """A container's filter; clone3 fails with ENOSYS, so that libc falls back to clone."""
    return make({**dict.fromkeys(CONTAINER_DENIED, ERRNO | errno.EPERM),
                 "clone3": ERRNO | errno.ENOSYS}, ALLOW)
