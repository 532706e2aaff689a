/*
 * io_hooks.c - sleeps and blocking calls, for CPPROF=block_io:1.
 *
 * One load and a branch when that is not asked for. A call that came back at
 * once has not blocked, and is not counted (CP_WAIT_IO_LEAST_NS). All of them
 * are where a thread may be cancelled: nothing is held here.
 */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "runtime/next.h"
#include "signal/arch.h"
#include "signal/calls.h"
#include "signal/capture.h"
#include "signal/locks.h"

#define EXPORT __attribute__((visibility("default")))

/* Returns what `call` returns, and charges the wait if that is asked for. */
#define WAIT(type, what, call)                                                 \
    do {                                                                       \
        struct cp_signal_regs here;                                            \
        struct cp_wait wait;                                                   \
        type result;                                                           \
                                                                               \
        if (!cp_locks_io_is_on())                                              \
            return call;                                                       \
        cp_arch_here(&here);                                                   \
        cp_wait_begin_io(&wait, what, &here, CP_CALLER);                       \
        result = (call);                                                       \
        cp_wait_end_io(&wait, (int64_t)result, CP_CALLER);                     \
        return result;                                                         \
    } while (0)

EXPORT int nanosleep(const struct timespec *span, struct timespec *left)
{
    CP_NEXT(nanosleep);
    WAIT(int, CP_WAIT_SLEEP, next(span, left));
}

EXPORT int clock_nanosleep(clockid_t clock, int flags,
                           const struct timespec *span, struct timespec *left)
{
    CP_NEXT(clock_nanosleep);
    WAIT(int, CP_WAIT_SLEEP, next(clock, flags, span, left));
}

EXPORT int usleep(useconds_t us)
{
    CP_NEXT(usleep);
    WAIT(int, CP_WAIT_SLEEP, next(us));
}

EXPORT unsigned sleep(unsigned seconds)
{
    CP_NEXT(sleep);
    WAIT(unsigned, CP_WAIT_SLEEP, next(seconds));
}

EXPORT int thrd_sleep(const struct timespec *span, struct timespec *left)
{
    CP_NEXT(thrd_sleep);
    WAIT(int, CP_WAIT_SLEEP, next(span, left));
}

EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    CP_NEXT(poll);
    WAIT(int, CP_CALL_POLL, next(fds, n, timeout));
}

EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                 const sigset_t *mask)
{
    CP_NEXT(ppoll);
    WAIT(int, CP_CALL_PPOLL, next(fds, n, timeout, mask));
}

EXPORT int select(int n, fd_set *restrict in, fd_set *restrict out,
                  fd_set *restrict other, struct timeval *restrict timeout)
{
    CP_NEXT(select);
    WAIT(int, CP_CALL_SELECT, next(n, in, out, other, timeout));
}

EXPORT int pselect(int n, fd_set *restrict in, fd_set *restrict out,
                   fd_set *restrict other,
                   const struct timespec *restrict timeout,
                   const sigset_t *restrict mask)
{
    CP_NEXT(pselect);
    WAIT(int, CP_CALL_PSELECT, next(n, in, out, other, timeout, mask));
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
    CP_NEXT(epoll_wait);
    WAIT(int, CP_CALL_EPOLL_WAIT, next(fd, events, n, timeout));
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
                       const sigset_t *mask)
{
    CP_NEXT(epoll_pwait);
    WAIT(int, CP_CALL_EPOLL_PWAIT, next(fd, events, n, timeout, mask));
}

EXPORT ssize_t read(int fd, void *bytes, size_t n)
{
    CP_NEXT(read);
    WAIT(ssize_t, CP_CALL_READ, next(fd, bytes, n));
}

EXPORT ssize_t readv(int fd, const struct iovec *pieces, int n)
{
    CP_NEXT(readv);
    WAIT(ssize_t, CP_CALL_READV, next(fd, pieces, n));
}

EXPORT ssize_t write(int fd, const void *bytes, size_t n)
{
    CP_NEXT(write);
    WAIT(ssize_t, CP_CALL_WRITE, next(fd, bytes, n));
}

EXPORT ssize_t writev(int fd, const struct iovec *pieces, int n)
{
    CP_NEXT(writev);
    WAIT(ssize_t, CP_CALL_WRITEV, next(fd, pieces, n));
}

EXPORT ssize_t recv(int fd, void *bytes, size_t n, int flags)
{
    CP_NEXT(recv);
    WAIT(ssize_t, CP_CALL_RECV, next(fd, bytes, n, flags));
}

EXPORT ssize_t recvfrom(int fd, void *restrict bytes, size_t n, int flags,
                        __SOCKADDR_ARG from, socklen_t *restrict len)
{
    CP_NEXT(recvfrom);
    WAIT(ssize_t, CP_CALL_RECVFROM, next(fd, bytes, n, flags, from, len));
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    CP_NEXT(recvmsg);
    WAIT(ssize_t, CP_CALL_RECVMSG, next(fd, message, flags));
}

EXPORT ssize_t send(int fd, const void *bytes, size_t n, int flags)
{
    CP_NEXT(send);
    WAIT(ssize_t, CP_CALL_SEND, next(fd, bytes, n, flags));
}

EXPORT ssize_t sendto(int fd, const void *bytes, size_t n, int flags,
                      __CONST_SOCKADDR_ARG to, socklen_t len)
{
    CP_NEXT(sendto);
    WAIT(ssize_t, CP_CALL_SENDTO, next(fd, bytes, n, flags, to, len));
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    CP_NEXT(sendmsg);
    WAIT(ssize_t, CP_CALL_SENDMSG, next(fd, message, flags));
}

EXPORT int accept(int fd, __SOCKADDR_ARG from, socklen_t *restrict len)
{
    CP_NEXT(accept);
    WAIT(int, CP_CALL_ACCEPT, next(fd, from, len));
}

EXPORT int accept4(int fd, __SOCKADDR_ARG from, socklen_t *restrict len,
                   int flags)
{
    CP_NEXT(accept4);
    WAIT(int, CP_CALL_ACCEPT4, next(fd, from, len, flags));
}

EXPORT int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t len)
{
    CP_NEXT(connect);
    WAIT(int, CP_CALL_CONNECT, next(fd, to, len));
}

EXPORT int fsync(int fd)
{
    CP_NEXT(fsync);
    WAIT(int, CP_CALL_FSYNC, next(fd));
}

EXPORT int fdatasync(int fd)
{
    CP_NEXT(fdatasync);
    WAIT(int, CP_CALL_FDATASYNC, next(fd));
}

EXPORT pid_t waitpid(pid_t pid, int *status, int flags)
{
    CP_NEXT(waitpid);
    WAIT(pid_t, CP_CALL_WAITPID, next(pid, status, flags));
}
