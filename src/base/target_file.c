/* target_file.c - see target_file.h. */
#include "base/target_file.h"

#include <fcntl.h>
#include <sys/stat.h>

bool cp_target_is_replaceable(const char *path)
{
    struct stat st;

    return lstat(path, &st) != 0 || S_ISREG(st.st_mode);
}

int cp_target_open(const char *path)
{
    int fd = open(
        path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
        0666);

    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, 0); /* that was for opening */
    return fd;
}
