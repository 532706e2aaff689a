/* own_fds.c - unshares the descriptor table by close_range or unshare. */
#include "runtime/os/own_fds.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/os/sandbox.h"
#include "signal/unwinder/syscall.h"

/* ThreadSanitizer treats equal descriptor numbers in two tables as one file. */
#if defined(__SANITIZE_THREAD__)
static const bool can_unshare = false;
#else
static const bool can_unshare = true;
#endif

#define MAX_CLOSED 65536 /* descriptors closed one by one */

static void close_range_between(unsigned first, unsigned last)
{
    if (first <= last)
        (void)CP_SYSCALL(SYS_close_range, first, last, 0);
}

static bool unshare_by_close_range(int socket, int lease)
{
    unsigned low = (unsigned)(lease && lease < socket ? lease : socket);
    unsigned high = (unsigned)(lease > socket ? lease : socket);

    if (CP_SYSCALL(SYS_close_range, high + 1, ~0u, CLOSE_RANGE_UNSHARE) != 0)
        return false;
    if (low > 0)
        close_range_between(0, low - 1);
    close_range_between(low + 1, high - 1);
    return true;
}

static void close_others(int socket, int lease)
{
    struct rlimit files = { MAX_CLOSED, MAX_CLOSED };
    int end = MAX_CLOSED;

    (void)getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < (rlim_t)end)
        end = (int)files.rlim_cur;
    for (int fd = 0; fd < end; fd++)
        if (fd != socket && (fd != lease || lease == 0))
            (void)CP_SYSCALL(SYS_close, fd);
}

/*
 * Under a seccomp filter close_range may kill the process: @system-service of
 * systemd 247 and 248 does not contain it. If unshare fails with EPERM, the
 * filter returns errors and does not kill, so close_range can be tried.
 */
bool cp_own_fds_unshare(int socket, int lease)
{
    long result;

    if (!can_unshare)
        return false;
    if (!cp_sandbox_is_filtered())
        return unshare_by_close_range(socket, lease);
    result = CP_SYSCALL(SYS_unshare, CLONE_FILES);
    if (result == -EPERM)
        return unshare_by_close_range(socket, lease);
    if (result == 0)
        close_others(socket, lease);
    return result == 0;
}

/* Opens n descriptors by recursion and closes them in reverse order. */
bool cp_own_fds_can_open(int fd, int n)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    bool is_enough;

    if (copy < 0)
        return false;
    is_enough = n <= 1 || cp_own_fds_can_open(fd, n - 1);
    (void)close(copy);
    return is_enough;
}
