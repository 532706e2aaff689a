/*
 * calls - numbers the functions in which a thread may wait.
 *
 * Functions for locks, conditions, joins and sleeps share the numbers of enum
 * cp_wait_kind; each function for I/O or for child processes has its own.
 */
#ifndef CP_SIGNAL_CALLS_H
#define CP_SIGNAL_CALLS_H

#include <stdbool.h>

#include "base/assert/assert.h"

/*
 * The kind of object that a thread waits for. It is the state tag of a sample
 * in the block profile.
 */
enum cp_wait_kind {
    CP_WAIT_MUTEX = 1,
    CP_WAIT_READ,
    CP_WAIT_WRITE,
    CP_WAIT_SPIN,
    CP_WAIT_COND,
    CP_WAIT_SEM,
    CP_WAIT_BARRIER,
    CP_WAIT_JOIN,
    CP_WAIT_SLEEP,
    CP_WAIT_IO,
    CP_WAIT_POLL,
    CP_WAIT_CHILD,
    CP_WAIT_FILE_LOCK,
    CP_WAIT_KINDS,
};

enum cp_call {
    CP_CALL_FIRST_IO = 16, /* smaller numbers are of enum cp_wait_kind */
    CP_CALL_POLL = CP_CALL_FIRST_IO,
    CP_CALL_PPOLL,
    CP_CALL_SELECT,
    CP_CALL_PSELECT,
    CP_CALL_EPOLL_WAIT,
    CP_CALL_EPOLL_PWAIT,
    CP_CALL_ACCEPT,
    CP_CALL_ACCEPT4,
    CP_CALL_CONNECT,
    CP_CALL_RECV,
    CP_CALL_RECVFROM,
    CP_CALL_RECVMSG,
    CP_CALL_SEND,
    CP_CALL_SENDTO,
    CP_CALL_SENDMSG,
    CP_CALL_READ,
    CP_CALL_READV,
    CP_CALL_WRITE,
    CP_CALL_WRITEV,
    CP_CALL_FSYNC,
    CP_CALL_FDATASYNC,
    CP_CALL_PREAD,
    CP_CALL_PREADV,
    CP_CALL_PWRITE,
    CP_CALL_PWRITEV,
    CP_CALL_SENDFILE,
    CP_CALL_RECVMMSG,
    CP_CALL_SENDMMSG,
    CP_CALL_MSYNC,
    CP_CALL_SYNC_FILE_RANGE,
    CP_CALL_FLOCK,
    CP_CALL_LOCKF,
    CP_CALL_SEMOP,
    CP_CALL_SEMTIMEDOP,
    CP_CALL_WAITPID,
    CP_CALL_WAIT,
    CP_CALL_WAIT3,
    CP_CALL_WAIT4,
    CP_CALL_WAITID,
    CP_CALLS, /* number of calls + 1 */
};

_Static_assert((int)CP_WAIT_KINDS <= (int)CP_CALL_FIRST_IO,
               "kinds and calls of I/O have different numbers");

/* ns; an I/O call that returns sooner counts as not blocked. */
#define CP_WAIT_IO_MIN_NS 20000

static inline bool cp_call_is_io(unsigned call)
{
    return call >= CP_CALL_FIRST_IO;
}

/* The kind under which the block profile shows the call. */
static inline enum cp_wait_kind cp_call_wait_kind(unsigned call)
{
    CP_ASSERT(call > 0 && call < CP_CALLS);
    if (!cp_call_is_io(call))
        return (enum cp_wait_kind)call;
    if (call <= CP_CALL_EPOLL_PWAIT)
        return CP_WAIT_POLL;
    if (call >= CP_CALL_WAITPID)
        return CP_WAIT_CHILD;
    if (call == CP_CALL_SEMOP || call == CP_CALL_SEMTIMEDOP)
        return CP_WAIT_SEM;
    if (call == CP_CALL_FLOCK || call == CP_CALL_LOCKF)
        return CP_WAIT_FILE_LOCK;
    return CP_WAIT_IO;
}

#endif
