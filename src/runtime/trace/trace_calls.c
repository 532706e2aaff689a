/* trace_calls.c - the table of calls: name, reason, class and direction. */
#include "runtime/trace/trace_calls.h"

#include <stdio.h>
#include <string.h>

#define SYNC(name, reason)                                                     \
    {                                                                          \
        name, reason, CP_CLASS_SYNC, 0                                         \
    }
#define NETWORK(name, moves)                                                   \
    {                                                                          \
        name, "network", CP_CLASS_NETWORK, moves                               \
    }
#define CALL(name, moves)                                                      \
    {                                                                          \
        name, "syscall", CP_CLASS_CALL, moves                                  \
    }
#define CHILD(name)                                                            \
    {                                                                          \
        name, "child", CP_CLASS_CHILD, 0                                       \
    }

const struct cp_trace_call cp_trace_calls[CP_CALLS] = {
    [0] = CALL("?", 0),
    [CP_WAIT_MUTEX] = SYNC("pthread_mutex_lock", "sync.mutex"),
    [CP_WAIT_READ] = SYNC("pthread_rwlock_rdlock", "sync.rwlock.read"),
    [CP_WAIT_WRITE] = SYNC("pthread_rwlock_wrlock", "sync.rwlock.write"),
    [CP_WAIT_SPIN] = SYNC("pthread_spin_lock", "sync.spin"),
    [CP_WAIT_COND] = SYNC("pthread_cond_wait", "sync.cond"),
    [CP_WAIT_SEM] = SYNC("sem_wait", "sync.sem"),
    [CP_WAIT_BARRIER] = SYNC("pthread_barrier_wait", "sync.barrier"),
    [CP_WAIT_JOIN] = SYNC("pthread_join", "sync.join"),
    [CP_WAIT_SLEEP] = { "sleep", "sleep", CP_CLASS_SLEEP, 0 },
    [CP_CALL_POLL] = NETWORK("poll", 0),
    [CP_CALL_PPOLL] = NETWORK("ppoll", 0),
    [CP_CALL_SELECT] = NETWORK("select", 0),
    [CP_CALL_PSELECT] = NETWORK("pselect", 0),
    [CP_CALL_EPOLL_WAIT] = NETWORK("epoll_wait", 0),
    [CP_CALL_EPOLL_PWAIT] = NETWORK("epoll_pwait", 0),
    [CP_CALL_ACCEPT] = NETWORK("accept", 0),
    [CP_CALL_ACCEPT4] = NETWORK("accept4", 0),
    [CP_CALL_CONNECT] = NETWORK("connect", 0),
    [CP_CALL_RECV] = NETWORK("recv", 1),
    [CP_CALL_RECVFROM] = NETWORK("recvfrom", 1),
    [CP_CALL_RECVMSG] = NETWORK("recvmsg", 1),
    [CP_CALL_SEND] = NETWORK("send", 2),
    [CP_CALL_SENDTO] = NETWORK("sendto", 2),
    [CP_CALL_SENDMSG] = NETWORK("sendmsg", 2),
    [CP_CALL_READ] = CALL("read", 1),
    [CP_CALL_READV] = CALL("readv", 1),
    [CP_CALL_WRITE] = CALL("write", 2),
    [CP_CALL_WRITEV] = CALL("writev", 2),
    [CP_CALL_FSYNC] = CALL("fsync", 0),
    [CP_CALL_FDATASYNC] = CALL("fdatasync", 0),
    [CP_CALL_PREAD] = CALL("pread", 1),
    [CP_CALL_PREADV] = CALL("preadv", 1),
    [CP_CALL_PWRITE] = CALL("pwrite", 2),
    [CP_CALL_PWRITEV] = CALL("pwritev", 2),
    [CP_CALL_SENDFILE] = NETWORK("sendfile", 2),
    [CP_CALL_RECVMMSG] = NETWORK("recvmmsg", 0),
    [CP_CALL_SENDMMSG] = NETWORK("sendmmsg", 0),
    [CP_CALL_MSYNC] = CALL("msync", 0),
    [CP_CALL_SYNC_FILE_RANGE] = CALL("sync_file_range", 0),
    [CP_CALL_FLOCK] = CALL("flock", 0),
    [CP_CALL_LOCKF] = CALL("lockf", 0),
    [CP_CALL_SEMOP] = SYNC("semop", "sync.sem"),
    [CP_CALL_SEMTIMEDOP] = SYNC("semtimedop", "sync.sem"),
    [CP_CALL_WAITPID] = CHILD("waitpid"),
    [CP_CALL_WAIT] = CHILD("wait"),
    [CP_CALL_WAIT3] = CHILD("wait3"),
    [CP_CALL_WAIT4] = CHILD("wait4"),
    [CP_CALL_WAITID] = CHILD("waitid"),
};

void cp_trace_call_reason(const char *wait, char *out, size_t cap)
{
    static const char *const network[] = { "epoll_wait", "poll",   "select",
                                           "recv",       "accept", "send",
                                           "connect" };
    const char *reason = NULL;

    for (size_t i = 0; i < sizeof(network) / sizeof(network[0]); i++)
        if (strcmp(wait, network[i]) == 0)
            reason = "network";
    if (strcmp(wait, "sleep") == 0)
        reason = "sleep";
    else if (strcmp(wait, "wait") == 0)
        reason = "child";
    if (reason)
        (void)snprintf(out, cap, "%s", reason);
    else if (wait[0])
        (void)snprintf(out, cap, "syscall:%s", wait);
    else
        (void)snprintf(out, cap, "kernel");
}
