/* sandbox.c - lists the system calls of the library, and scans for filters. */
#include "runtime/os/sandbox.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file_start.h"
#include "runtime/os/seccomp_filter.h"
#include "signal/unwinder/syscall.h"

#define MAX_THREADS_SCANNED 1024
#define STATUS_BYTES 4096
#define FILTER_MODE 2 /* value of "Seccomp:" in /proc/TID/status */

_Atomic bool cp_sandbox_sealed;

static _Atomic bool is_filtered;

/* Calls of hooks and handlers, on threads of the program; must succeed. */
static const struct cp_seccomp_call hook_calls[] = {
    { SYS_clock_gettime, { CLOCK_MONOTONIC } },
    { SYS_clock_gettime, { CLOCK_THREAD_CPUTIME_ID } },
    { SYS_futex, { 0, FUTEX_WAIT_PRIVATE } },
    { SYS_futex, { 0, FUTEX_WAKE_PRIVATE, 1 } },
    { SYS_getpid, { 0 } },
    { SYS_gettid, { 0 } },
    { SYS_mmap,
      { 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
        UINT64_MAX } },
    { SYS_munmap, { 0 } },
    { SYS_rt_sigprocmask, { SIG_BLOCK } },
    { SYS_rt_sigprocmask, { SIG_SETMASK } },
    { SYS_rt_sigreturn, { 0 } },
};

/* Calls of hooks and handlers that may fail. */
static const struct cp_seccomp_call hook_attempts[] = {
    { SYS_clock_gettime, { (uint64_t)-2 } }, /* a CPU clock of a thread */
    { SYS_getrusage, { 1 } },
    { SYS_kill, { 0 } },
    { SYS_madvise, { 0, 4096, MADV_DONTNEED } },
    { SYS_mremap, { 0 } },
    { SYS_nanosleep, { 0 } },
    { SYS_prctl, { PR_GET_NAME } },
    { SYS_rt_sigaction, { SIGPROF } },
    { SYS_rt_sigpending, { 0 } },
    { SYS_rt_sigprocmask, { 100 } }, /* signal/unwinder/stack_reader.c */
    { SYS_rt_sigtimedwait, { 0 } },
    { SYS_rt_tgsigqueueinfo, { 0 } },
    { SYS_tgkill, { 0 } },
    { SYS_timer_create, { 0 } },
    { SYS_timer_delete, { 0 } },
    { SYS_timer_settime, { 0 } },
};

#define THREAD_FLAGS                                                           \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |        \
     CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |                      \
     CLONE_CHILD_CLEARTID)

/*
 * Calls that own threads make, and calls that start own threads; all of them
 * may fail.
 */
static const struct cp_seccomp_call thread_calls[] = {
    { SYS_accept4, { 0 } },
    { SYS_bind, { 0 } },
    { SYS_brk, { 0 } },
    { SYS_capget, { 0 } },
    { SYS_clock_getres, { 0 } },
    { SYS_clock_nanosleep, { CLOCK_MONOTONIC } },
    { SYS_clone, { THREAD_FLAGS } },
    { SYS_clone3, { 0 } },
    { SYS_close, { 0 } },
    { SYS_connect, { 0 } },
    { SYS_epoll_create1, { 0 } },
    { SYS_epoll_ctl, { 0 } },
    { SYS_epoll_pwait, { 0 } },
#ifdef SYS_epoll_wait
    { SYS_epoll_wait, { 0 } },
#endif
    { SYS_eventfd2, { 0 } },
    { SYS_exit, { 0 } },
    { SYS_fcntl, { 0 } },
    { SYS_fstat, { 0 } },
    { SYS_getdents64, { 0 } },
    { SYS_geteuid, { 0 } },
    { SYS_getppid, { 0 } },
    { SYS_getrandom, { 0 } },
    { SYS_getsockname, { 0 } },
    { SYS_getsockopt, { 0 } },
    { SYS_ioctl, { 0 } },
    { SYS_listen, { 0 } },
    { SYS_lseek, { 0 } },
    { SYS_mkdirat, { 0 } },
    { SYS_mmap, { 0, 4096, PROT_READ, MAP_PRIVATE, 3 } },
    { SYS_mprotect, { 0, 4096, PROT_READ | PROT_WRITE } },
    { SYS_newfstatat, { 0 } },
    { SYS_openat, { (uint64_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC } },
    { SYS_openat,
      { (uint64_t)AT_FDCWD, 0, O_WRONLY | O_CREAT | O_CLOEXEC, 0600 } },
    { SYS_prctl, { PR_SET_NAME } },
    { SYS_pread64, { 0 } },
    { SYS_prlimit64, { 0 } },
    { SYS_process_vm_readv, { 0 } },
    { SYS_read, { 0 } },
    { SYS_readlinkat, { (uint64_t)AT_FDCWD } },
    { SYS_recvfrom, { 0 } },
    { SYS_renameat, { (uint64_t)AT_FDCWD } },
#ifdef SYS_rseq
    { SYS_rseq, { 0 } },
#endif
    { SYS_sched_getaffinity, { 0 } },
    { SYS_sendmsg, { 0 } },
    { SYS_sendto, { 0 } },
    { SYS_set_robust_list, { 0 } },
    { SYS_setsockopt, { 0 } },
    { SYS_signalfd4, { (uint64_t)-1 } },
    { SYS_socket, { 1 } },
    { SYS_socket, { 2 } },
    { SYS_uname, { 0 } },
    { SYS_unlinkat, { (uint64_t)AT_FDCWD } },
    { SYS_write, { 0 } },
    { SYS_writev, { 0 } },
};

static const struct cp_seccomp_call perf_call = { SYS_perf_event_open, { 0 } };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct program {
    const struct sock_filter *filter;
    size_t n;
};

static bool passes(struct program p, const struct cp_seccomp_call *calls,
                   size_t n_calls, bool (*is_fine)(uint32_t result))
{
    for (size_t i = 0; i < n_calls; i++)
        if (!is_fine(cp_seccomp_run(p.filter, p.n, &calls[i])))
            return false;
    return true;
}

enum cp_sandbox_need cp_sandbox_check_filter(const struct sock_filter *filter,
                                             size_t n, bool is_for_all)
{
    struct program p = { filter, n };

    if (!passes(p, hook_calls, COUNT(hook_calls), cp_seccomp_is_allowed) ||
        !passes(p, hook_attempts, COUNT(hook_attempts), cp_seccomp_is_harmless))
        return CP_SANDBOX_SEAL;
    if (!passes(p, thread_calls, COUNT(thread_calls), cp_seccomp_is_harmless))
        return is_for_all ? CP_SANDBOX_SEAL : CP_SANDBOX_NO_THREADS;
    if (!passes(p, &perf_call, 1, cp_seccomp_is_harmless))
        return CP_SANDBOX_NO_PERF;
    return CP_SANDBOX_NOTHING;
}

void cp_sandbox_set_filtered(void)
{
    atomic_store(&is_filtered, true);
}

bool cp_sandbox_was_filtered(void)
{
    return atomic_load(&is_filtered);
}

/* Reads the seccomp mode from a status file; -1 if it cannot be read. */
static int read_mode(const char *path)
{
    char text[STATUS_BYTES];
    const char *line;

    if (cp_file_start(AT_FDCWD, path, 0, text, sizeof(text)) <= 0)
        return -1;
    line = strstr(text, "\nSeccomp:");
    return line ? atoi(line + sizeof("\nSeccomp:") - 1) : 0;
}

/* The kernel's struct linux_dirent64. */
struct entry {
    uint64_t inode, offset;
    uint16_t len;
    uint8_t type;
    char name[];
};

/* Whether a thread in these directory entries has a filter. */
static bool scan_entries(const char *bytes, long n, int *left)
{
    char path[64];

    for (long at = 0; at<n && * left> 0;) {
        const struct entry *e =
            (const struct entry *)(const void *)(bytes + at);
        int tid = atoi(e->name);

        at += e->len;
        if (tid <= 0)
            continue;
        (*left)--;
        (void)snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
        if (read_mode(path) == FILTER_MODE)
            return true;
    }
    return false;
}

static bool scan_threads(void)
{
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int left = MAX_THREADS_SCANNED;
    bool has = false;
    char bytes[4096];
    long n;

    while (fd >= 0 && !has && left > 0 &&
           (n = CP_SYSCALL(SYS_getdents64, fd, (long)bytes, sizeof(bytes))) > 0)
        has = scan_entries(bytes, n, &left);
    if (fd >= 0)
        (void)close(fd);
    return has;
}

bool cp_sandbox_is_filtered(void)
{
    int mode;

    if (atomic_load(&is_filtered))
        return true;
    mode = read_mode("/proc/thread-self/status");
    if (mode < 0)
        mode = (int)CP_SYSCALL(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0);
    if (mode == FILTER_MODE || scan_threads())
        cp_sandbox_set_filtered();
    return atomic_load(&is_filtered);
}
