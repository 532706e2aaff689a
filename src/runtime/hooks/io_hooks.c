/*
 * io_hooks.c - hooks of sleeps and blocking I/O calls, for CPPROF=block_io:1,
 * traces and wall-clock profiles.
 *
 * While none of these is on, a hook costs one load and a branch. A call shorter
 * than CP_WAIT_IO_MIN_NS has not blocked and is not recorded. All of these
 * calls are cancellation points, so the hooks hold nothing across the call.
 *
 * The hooks save the callee-saved registers (saved_registers.h), because the
 * leak scan cannot read them while the thread sleeps.
 */
#undef _FILE_OFFSET_BITS /* would make pread an alias of pread64 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "runtime/hooks/real_function.h"
#include "runtime/os/saved_registers.h"
#include "signal/tables/calls.h"
#include "signal/tables/capture.h"
#include "signal/waits/waits.h"

#define EXPORT __attribute__((visibility("default")))

_Thread_local uintptr_t cp_saved_registers[CP_ARCH_CALLEE_SAVED];

/* The variants that programs built with _FORTIFY_SOURCE call. */
ssize_t __read_chk(int fd, void *bytes, size_t n, size_t buflen);
ssize_t __pread_chk(int fd, void *bytes, size_t n, off_t at, size_t buflen);
ssize_t __pread64_chk(int fd, void *bytes, size_t n, off64_t at, size_t buflen);
ssize_t __recv_chk(int fd, void *bytes, size_t n, size_t buflen, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict bytes, size_t n, size_t buflen,
                       int flags, __SOCKADDR_ARG from, socklen_t *restrict len);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t buflen);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                const sigset_t *mask, size_t buflen);

/*
 * Defines the hook of a function: a tail call of the real one. If waits are
 * recorded, or the real function is not known yet, it is a tail call of
 * SYMBOL_recorded. That function is separate so that the hook needs no frame;
 * the tail call keeps the program's return address.
 */
#define HOOK(type, symbol, what, parameters, arguments)                        \
    CP_REAL_ENTRY(symbol, NULL);                                               \
                                                                               \
    static __attribute__((noinline)) type symbol##_recorded parameters         \
    {                                                                          \
        __typeof__(symbol) *real =                                             \
            (__typeof__(symbol) *)cp_real_get(&real_##symbol);                 \
        struct cp_signal_regs here;                                            \
        struct cp_wait wait;                                                   \
        type result;                                                           \
                                                                               \
        if (!cp_waits_io_is_enabled())                                         \
            return real arguments;                                             \
        cp_arch_current_regs(&here);                                           \
        cp_wait_begin_io(&wait, what, &here, (uintptr_t)real, CP_CALLER);      \
        result = real arguments;                                               \
        cp_wait_end_io(&wait, (int64_t)result, CP_CALLER);                     \
        return result;                                                         \
    }                                                                          \
                                                                               \
    EXPORT type symbol parameters                                              \
    {                                                                          \
        __typeof__(symbol) *real =                                             \
            (__typeof__(symbol) *)cp_real_found(&real_##symbol);               \
                                                                               \
        cp_save_registers();                                                   \
        if (__builtin_expect(real && !cp_waits_io_is_enabled(), 1))            \
            return real arguments;                                             \
        return symbol##_recorded arguments;                                    \
    }

HOOK(int, nanosleep, CP_WAIT_SLEEP,
     (const struct timespec *duration, struct timespec *remaining),
     (duration, remaining))

HOOK(int, clock_nanosleep, CP_WAIT_SLEEP,
     (clockid_t clock, int flags, const struct timespec *duration,
      struct timespec *remaining),
     (clock, flags, duration, remaining))

HOOK(int, usleep, CP_WAIT_SLEEP, (useconds_t us), (us))

HOOK(unsigned, sleep, CP_WAIT_SLEEP, (unsigned seconds), (seconds))

HOOK(int, thrd_sleep, CP_WAIT_SLEEP,
     (const struct timespec *duration, struct timespec *remaining),
     (duration, remaining))

HOOK(int, poll, CP_CALL_POLL, (struct pollfd * fds, nfds_t n, int timeout),
     (fds, n, timeout))

HOOK(int, ppoll, CP_CALL_PPOLL,
     (struct pollfd * fds, nfds_t n, const struct timespec *timeout,
      const sigset_t *mask),
     (fds, n, timeout, mask))

HOOK(int, __poll_chk, CP_CALL_POLL,
     (struct pollfd * fds, nfds_t n, int timeout, size_t buflen),
     (fds, n, timeout, buflen))

HOOK(int, __ppoll_chk, CP_CALL_PPOLL,
     (struct pollfd * fds, nfds_t n, const struct timespec *timeout,
      const sigset_t *mask, size_t buflen),
     (fds, n, timeout, mask, buflen))

HOOK(int, select, CP_CALL_SELECT,
     (int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
      struct timeval *restrict timeout),
     (n, in, out, other, timeout))

HOOK(int, pselect, CP_CALL_PSELECT,
     (int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
      const struct timespec *restrict timeout, const sigset_t *restrict mask),
     (n, in, out, other, timeout, mask))

HOOK(int, epoll_wait, CP_CALL_EPOLL_WAIT,
     (int fd, struct epoll_event *events, int n, int timeout),
     (fd, events, n, timeout))

HOOK(int, epoll_pwait, CP_CALL_EPOLL_PWAIT,
     (int fd, struct epoll_event *events, int n, int timeout,
      const sigset_t *mask),
     (fd, events, n, timeout, mask))

HOOK(ssize_t, read, CP_CALL_READ, (int fd, void *bytes, size_t n),
     (fd, bytes, n))

HOOK(ssize_t, __read_chk, CP_CALL_READ,
     (int fd, void *bytes, size_t n, size_t buflen), (fd, bytes, n, buflen))

HOOK(ssize_t, readv, CP_CALL_READV, (int fd, const struct iovec *iov, int n),
     (fd, iov, n))

HOOK(ssize_t, write, CP_CALL_WRITE, (int fd, const void *bytes, size_t n),
     (fd, bytes, n))

HOOK(ssize_t, writev, CP_CALL_WRITEV, (int fd, const struct iovec *iov, int n),
     (fd, iov, n))

HOOK(ssize_t, recv, CP_CALL_RECV, (int fd, void *bytes, size_t n, int flags),
     (fd, bytes, n, flags))

HOOK(ssize_t, recvfrom, CP_CALL_RECVFROM,
     (int fd, void *restrict bytes, size_t n, int flags, __SOCKADDR_ARG from,
      socklen_t *restrict len),
     (fd, bytes, n, flags, from, len))

HOOK(ssize_t, __recv_chk, CP_CALL_RECV,
     (int fd, void *bytes, size_t n, size_t buflen, int flags),
     (fd, bytes, n, buflen, flags))

HOOK(ssize_t, __recvfrom_chk, CP_CALL_RECVFROM,
     (int fd, void *restrict bytes, size_t n, size_t buflen, int flags,
      __SOCKADDR_ARG from, socklen_t *restrict len),
     (fd, bytes, n, buflen, flags, from, len))

HOOK(ssize_t, recvmsg, CP_CALL_RECVMSG,
     (int fd, struct msghdr *message, int flags), (fd, message, flags))

HOOK(ssize_t, send, CP_CALL_SEND,
     (int fd, const void *bytes, size_t n, int flags), (fd, bytes, n, flags))

HOOK(ssize_t, sendto, CP_CALL_SENDTO,
     (int fd, const void *bytes, size_t n, int flags, __CONST_SOCKADDR_ARG to,
      socklen_t len),
     (fd, bytes, n, flags, to, len))

HOOK(ssize_t, sendmsg, CP_CALL_SENDMSG,
     (int fd, const struct msghdr *message, int flags), (fd, message, flags))

HOOK(int, accept, CP_CALL_ACCEPT,
     (int fd, __SOCKADDR_ARG from, socklen_t *restrict len), (fd, from, len))

HOOK(int, accept4, CP_CALL_ACCEPT4,
     (int fd, __SOCKADDR_ARG from, socklen_t *restrict len, int flags),
     (fd, from, len, flags))

HOOK(int, connect, CP_CALL_CONNECT,
     (int fd, __CONST_SOCKADDR_ARG to, socklen_t len), (fd, to, len))

HOOK(int, fsync, CP_CALL_FSYNC, (int fd), (fd))

HOOK(int, fdatasync, CP_CALL_FDATASYNC, (int fd), (fd))

HOOK(ssize_t, pread, CP_CALL_PREAD, (int fd, void *bytes, size_t n, off_t at),
     (fd, bytes, n, at))

HOOK(ssize_t, pread64, CP_CALL_PREAD,
     (int fd, void *bytes, size_t n, off64_t at), (fd, bytes, n, at))

HOOK(ssize_t, __pread_chk, CP_CALL_PREAD,
     (int fd, void *bytes, size_t n, off_t at, size_t buflen),
     (fd, bytes, n, at, buflen))

HOOK(ssize_t, __pread64_chk, CP_CALL_PREAD,
     (int fd, void *bytes, size_t n, off64_t at, size_t buflen),
     (fd, bytes, n, at, buflen))

HOOK(ssize_t, preadv, CP_CALL_PREADV,
     (int fd, const struct iovec *iov, int n, off_t at), (fd, iov, n, at))

HOOK(ssize_t, preadv64, CP_CALL_PREADV,
     (int fd, const struct iovec *iov, int n, off64_t at), (fd, iov, n, at))

HOOK(ssize_t, pwrite, CP_CALL_PWRITE,
     (int fd, const void *bytes, size_t n, off_t at), (fd, bytes, n, at))

HOOK(ssize_t, pwrite64, CP_CALL_PWRITE,
     (int fd, const void *bytes, size_t n, off64_t at), (fd, bytes, n, at))

HOOK(ssize_t, pwritev, CP_CALL_PWRITEV,
     (int fd, const struct iovec *iov, int n, off_t at), (fd, iov, n, at))

HOOK(ssize_t, pwritev64, CP_CALL_PWRITEV,
     (int fd, const struct iovec *iov, int n, off64_t at), (fd, iov, n, at))

HOOK(ssize_t, sendfile, CP_CALL_SENDFILE,
     (int to, int from, off_t *at, size_t n), (to, from, at, n))

HOOK(ssize_t, sendfile64, CP_CALL_SENDFILE,
     (int to, int from, off64_t *at, size_t n), (to, from, at, n))

HOOK(int, recvmmsg, CP_CALL_RECVMMSG,
     (int fd, struct mmsghdr *messages, unsigned n, int flags,
      struct timespec *timeout),
     (fd, messages, n, flags, timeout))

HOOK(int, sendmmsg, CP_CALL_SENDMMSG,
     (int fd, struct mmsghdr *messages, unsigned n, int flags),
     (fd, messages, n, flags))

HOOK(int, msync, CP_CALL_MSYNC, (void *from, size_t len, int flags),
     (from, len, flags))

HOOK(int, sync_file_range, CP_CALL_SYNC_FILE_RANGE,
     (int fd, off64_t from, off64_t len, unsigned flags),
     (fd, from, len, flags))

HOOK(int, flock, CP_CALL_FLOCK, (int fd, int operation), (fd, operation))

HOOK(int, lockf, CP_CALL_LOCKF, (int fd, int command, off_t len),
     (fd, command, len))

HOOK(int, lockf64, CP_CALL_LOCKF, (int fd, int command, off64_t len),
     (fd, command, len))

HOOK(int, semop, CP_CALL_SEMOP, (int set, struct sembuf *changes, size_t n),
     (set, changes, n))

HOOK(int, semtimedop, CP_CALL_SEMTIMEDOP,
     (int set, struct sembuf *changes, size_t n,
      const struct timespec *timeout),
     (set, changes, n, timeout))

HOOK(pid_t, wait, CP_CALL_WAIT, (int *status), (status))

HOOK(pid_t, wait3, CP_CALL_WAIT3,
     (int *status, int flags, struct rusage *usage), (status, flags, usage))

HOOK(pid_t, wait4, CP_CALL_WAIT4,
     (pid_t pid, int *status, int flags, struct rusage *usage),
     (pid, status, flags, usage))

HOOK(int, waitid, CP_CALL_WAITID,
     (idtype_t type, id_t id, siginfo_t *info, int flags),
     (type, id, info, flags))

HOOK(pid_t, waitpid, CP_CALL_WAITPID, (pid_t pid, int *status, int flags),
     (pid, status, flags))
