/*
 * sandbox_hooks.c - hooks of the calls by which the program enters a sandbox:
 * prctl, unshare and setns, and syscall() for these and for seccomp.
 *
 * Before the program installs a seccomp filter, the library stops everything
 * for which the filter would kill the process (sandbox.h). Before unshare and
 * setns, which fail in a process with several threads, it ends its own threads
 * (pause.h).
 *
 * A filter that the program installs by its own syscall instruction is detected
 * through /proc when a profile starts.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "runtime/hooks/real_function.h"
#include "runtime/os/sandbox.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/pause.h"
#include "runtime/threads/internal_thread.h"
#include "signal/signals/perf_signals.h"
#include "signal/unwinder/syscall.h"

#define EXPORT __attribute__((visibility("default")))
#define MAX_FILTER 4096 /* instructions: BPF_MAXINSNS */
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

/* ---- filters ---- */

/* Copies memory of the program; returns false if it is not readable. */
static bool copy(void *out, const void *from, size_t len)
{
    struct iovec to = { out, len }, at = { (void *)(uintptr_t)from, len };

    return CP_SYSCALL(SYS_process_vm_readv, CP_SYSCALL(SYS_gettid, 0),
                      (long)&to, 1, (long)&at, 1, 0) == (long)len;
}

/*
 * Returns which parts of the library must stop before the filter is installed;
 * none if the kernel would reject it.
 */
static enum cp_sandbox_need check_filter(const void *program, bool is_for_all)
{
    enum cp_sandbox_need need = CP_SANDBOX_NOTHING;
    struct sock_fprog p;
    struct sock_filter *filter;

    if (!copy(&p, program, sizeof(p)) || p.len == 0 || p.len > MAX_FILTER)
        return need;
    filter = cp_alloc(p.len, sizeof(*filter), NULL);
    if (!filter)
        return CP_SANDBOX_SEAL;
    if (copy(filter, p.filter, p.len * sizeof(*filter)))
        need = cp_sandbox_check_filter(filter, p.len, is_for_all);
    cp_free(filter);
    return need;
}

/* Whether the library does not run here: not started, or a child of vfork. */
static bool is_inactive(void)
{
    return !cp_lifecycle_is_started() || !cp_lifecycle_is_own_process();
}

/*
 * Stops the parts of the library that the filter does not allow; is_for_all is
 * as in sandbox.h.
 */
static enum cp_sandbox_need prepare(bool is_strict, const void *program,
                                    bool is_for_all)
{
    enum cp_sandbox_need need;

    if (is_inactive())
        return CP_SANDBOX_NOTHING;
    need = is_strict ? CP_SANDBOX_SEAL : check_filter(program, is_for_all);
    if (need >= CP_SANDBOX_NO_PERF) {
        cp_sandbox_set_filtered();
        cp_perf_signals_close_all();
    }
    if (need >= CP_SANDBOX_NO_THREADS)
        cp_internal_thread_set_sandboxed();
    if (need == CP_SANDBOX_SEAL) {
        cp_pause_begin(false);
        cp_lifecycle_seal();
    }
    return need;
}

/*
 * If the filter was not installed, resumes the parts that prepare has stopped.
 */
static long finish(enum cp_sandbox_need need, long result)
{
    int number = errno;

    if (need == CP_SANDBOX_SEAL && result < 0) {
        cp_lifecycle_unseal();
        cp_pause_end();
        errno = number;
    }
    return result;
}

/* Passes four arguments whatever the option, as libc does. */
EXPORT int prctl(int option, ...)
{
    enum cp_sandbox_need need;
    unsigned long a[4];
    va_list more;

    CP_REAL(prctl);
    va_start(more, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(more, unsigned long);
    va_end(more);
    if (option != PR_SET_SECCOMP)
        return real(option, a[0], a[1], a[2], a[3]);
    need = prepare(a[0] == SECCOMP_MODE_STRICT, (const void *)a[1], false);
    return (int)finish(need, real(option, a[0], a[1], a[2], a[3]));
}

/* ---- namespaces ---- */

/* Whether unshare with these flags fails in a process with several threads. */
static bool needs_single_thread(int flags)
{
    return flags & (CLONE_NEWUSER | CLONE_VM | CLONE_THREAD | CLONE_SIGHAND);
}

/*
 * Whether setns fails in a process with several threads; type 0 may be any.
 * CLONE_NEWNS fails if threads share their working directory.
 */
static bool needs_single_thread_to_join(int type)
{
    return type == 0 || type & (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWTIME);
}

static bool pause_if(bool is_wanted)
{
    if (!is_wanted || !cp_pause_is_useful())
        return false;
    cp_pause_begin(true);
    return true;
}

EXPORT int unshare(int flags)
{
    bool is_paused = pause_if(needs_single_thread(flags));
    int result;

    CP_REAL(unshare);
    result = real(flags);
    if (is_paused)
        cp_pause_end();
    return result;
}

EXPORT int setns(int fd, int type)
{
    bool is_paused = pause_if(needs_single_thread_to_join(type));
    int result;

    CP_REAL(setns);
    result = real(fd, type);
    if (is_paused)
        cp_pause_end();
    return result;
}

/*
 * ---- syscall() ----
 *
 * Sanitizers call syscall before this library is initialized, so sanitizer
 * builds have no such hook.
 */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

typedef long syscall_fn(long number, long a, long b, long c, long d, long e,
                        long f);

CP_REAL_ENTRY(syscall, NULL);

static long set_seccomp(long mode, long flags, long program)
{
    syscall_fn *real = (syscall_fn *)cp_real_get(&real_syscall);
    enum cp_sandbox_need need =
        prepare(mode == SECCOMP_SET_MODE_STRICT, (const void *)program,
                ((unsigned long)flags & SECCOMP_FILTER_FLAG_TSYNC) != 0);

    return finish(need, real(SYS_seccomp, mode, flags, program, 0, 0, 0));
}

/* Handles the system calls that have a hook; none of them has six arguments. */
long cp_syscall_handle(long number, long a, long b, long c, long d, long e);
long cp_syscall_early(long number, long a, long b, long c, long d, long e,
                      long f);

long cp_syscall_handle(long number, long a, long b, long c, long d, long e)
{
    syscall_fn *real = (syscall_fn *)cp_real_get(&real_syscall);

    if (number == SYS_prctl && a == PR_SET_SECCOMP)
        return prctl((int)a, b, c, d, e);
    if (number == SYS_seccomp &&
        (a == SECCOMP_SET_MODE_FILTER || a == SECCOMP_SET_MODE_STRICT))
        return set_seccomp(a, b, c);
    if (number == SYS_unshare)
        return unshare((int)a);
    if (number == SYS_setns)
        return setns((int)a, (int)b);
    return real(number, a, b, c, d, e, 0);
}

/* Before the constructor has found libc's syscall: makes the call itself. */
long cp_syscall_early(long number, long a, long b, long c, long d, long e,
                      long f)
{
    long result = CP_SYSCALL(number, a, b, c, d, e, f);

    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

/*
 * All other calls are a jump to libc's syscall without a frame, so that a call
 * that returns twice, such as clone, finds the program's stack unchanged. It is
 * in assembly on x86-64: a compiler might write to the stack slot of the sixth
 * argument, which belongs to the caller if the call has fewer arguments.
 */
#if defined(__x86_64__)
_Static_assert(offsetof(struct cp_real_function, found) == 16 &&
                   SYS_prctl == 157 && SYS_unshare == 272 && SYS_setns == 308 &&
                   SYS_seccomp == 317,
               "the assembly below uses these numbers");
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        ".p2align 4\n"
        "syscall:\n"
        ".cfi_startproc\n"
        "    movq real_syscall+16(%rip), %rax\n"
        "    testq %rax, %rax\n"
        "    je cp_syscall_early\n"
        "    cmpq $157, %rdi\n"
        "    je cp_syscall_handle\n"
        "    cmpq $272, %rdi\n"
        "    je cp_syscall_handle\n"
        "    cmpq $308, %rdi\n"
        "    je cp_syscall_handle\n"
        "    cmpq $317, %rdi\n"
        "    je cp_syscall_handle\n"
        "    jmp *%rax\n"
        ".cfi_endproc\n"
        ".size syscall, . - syscall\n");
#else
syscall_fn cp_syscall __asm__("syscall");

EXPORT long cp_syscall(long number, long a, long b, long c, long d, long e,
                       long f)
{
    syscall_fn *real = (syscall_fn *)cp_real_found(&real_syscall);

    if (__builtin_expect(!real, 0))
        return cp_syscall_early(number, a, b, c, d, e, f);
    if (__builtin_expect(number == SYS_prctl || number == SYS_seccomp ||
                             number == SYS_unshare || number == SYS_setns,
                         0))
        return cp_syscall_handle(number, a, b, c, d, e);
    return real(number, a, b, c, d, e, f);
}
#endif

#endif
