/* own_fds.c - see own_fds.h. */
#include "runtime/own_fds.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

/* To ThreadSanitizer a number is the same file in all tables. */
#if defined(__SANITIZE_THREAD__)
static const bool can_part = false;
#else
static const bool can_part = true;
#endif

static void close_from_to(unsigned first, unsigned last)
{
    if (first <= last)
        (void)syscall(SYS_close_range, first, last, 0);
}

bool cp_own_fds_part(int socket, int lease)
{
    unsigned low = (unsigned)(lease && lease < socket ? lease : socket);
    unsigned high = (unsigned)(lease > socket ? lease : socket);

    if (!can_part ||
        syscall(SYS_close_range, high + 1, ~0u, CLOSE_RANGE_UNSHARE) != 0)
        return false;
    if (low > 0)
        close_from_to(0, low - 1);
    close_from_to(low + 1, high - 1);
    return true;
}

/* Takes n descriptors and gives them back, deepest first. */
bool cp_own_fds_have_spare(int fd, int n)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    bool is_enough;

    if (copy < 0)
        return false;
    is_enough = n <= 1 || cp_own_fds_have_spare(fd, n - 1);
    (void)close(copy);
    return is_enough;
}
