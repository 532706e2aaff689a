/* test_file_start.c - tests src/base/file_start.c. */
#include "base/file_start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static void test_all(void)
{
    char path[] = "/tmp/test-file-start-XXXXXX", link[64], text[8] = "before";
    int fd = mkstemp(path);

    CHECK(fd >= 0 && write(fd, "0123456789", 10) == 10);
    CHECK_INT(cp_file_start(AT_FDCWD, path, 0, text, sizeof(text)), 7);
    CHECK_STR(text, "0123456");
    (void)snprintf(link, sizeof(link), "%s.link", path);
    CHECK(symlink(path, link) == 0);
    CHECK_INT(cp_file_start(AT_FDCWD, link, 0, text, 4), 3);
    CHECK_STR(text, "012");
    CHECK_INT(cp_file_start(AT_FDCWD, link, O_NOFOLLOW, text, 4), -1);
    CHECK_INT(errno, ELOOP);
    CHECK_STR(text, "");
    (void)unlink(link);
    (void)unlink(path);
    (void)close(fd);
    CHECK_INT(cp_file_start(AT_FDCWD, path, 0, text, sizeof(text)), -1);
    CHECK_INT(errno, ENOENT);
}

static void test_folder(void)
{
    int fd = open("/proc/self", O_RDONLY | O_DIRECTORY);
    char text[64];

    CHECK(cp_file_start(fd, "comm", 0, text, sizeof(text)) > 1);
    CHECK_INT(cp_file_start(-1, "comm", 0, text, sizeof(text)), -1);
    (void)close(fd);
}

int main(void)
{
    RUN(test_all);
    RUN(test_folder);
    return check_failures != 0;
}
