/* target_file.c - opens devices, pipes and links for output. */
#include "base/target_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cp_target_is_replaceable(const char *path)
{
    struct stat st;

    return lstat(path, &st) != 0 || S_ISREG(st.st_mode);
}

/*
 * Returns open flags for a path that is not a link or a link of this user; -1
 * with errno.
 */
static int link_flags(const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return -1;
    if (!S_ISLNK(st.st_mode))
        return O_NOFOLLOW;
    if (st.st_uid == geteuid() || st.st_uid == 0)
        return O_CREAT;
    errno = ELOOP;
    return -1;
}

int cp_target_open(const char *path, bool waits)
{
    int flags = link_flags(path), fd;
    struct stat st;

    if (flags < 0)
        return -1;
    fd =
        open(path,
             O_WRONLY | O_CLOEXEC | O_NOCTTY | (waits ? 0 : O_NONBLOCK) | flags,
             0666);
    if (fd < 0)
        return -1;
    if (!waits)
        (void)fcntl(fd, F_SETFL, 0); /* O_NONBLOCK was needed only for open */
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        (!(flags & O_NOFOLLOW) && ftruncate(fd, 0) == 0))
        return fd;
    (void)close(fd);
    errno = EEXIST; /* it has become a regular file since */
    return -1;
}

const char *cp_target_error(int number)
{
    return number == ELOOP ? "it is a link of another user" : strerror(number);
}
