/*
 * test_target_file.c - tests src/base/target_file.c: which targets are replaced
 * and which are written directly.
 */
#include "base/target_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static void test_replaceable(void)
{
    CHECK(cp_target_is_replaceable("none"));
    CHECK(cp_target_is_replaceable("file"));
    CHECK(!cp_target_is_replaceable("pipe"));
    CHECK(!cp_target_is_replaceable("link"));
    CHECK(!cp_target_is_replaceable("."));
    CHECK(!cp_target_is_replaceable("/dev/null"));
}

static void test_pipe(void)
{
    int reader, fd = cp_target_open("pipe", false);

    CHECK_INT(fd, -1);
    CHECK_INT(errno, ENXIO);
    reader = open("pipe", O_RDONLY | O_NONBLOCK);
    fd = cp_target_open("pipe", false);
    CHECK(reader >= 0 && fd >= 0);
    CHECK_INT(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    (void)close(fd);
    (void)close(reader);
}

/* A link to a file that does not exist, and then exists. */
static void test_link(void)
{
    struct stat st;

    for (int i = 0; i < 2; i++) {
        int fd = cp_target_open("link", false);

        CHECK_INT(write(fd, "four", 4), 4);
        (void)close(fd);
        CHECK(stat("linked", &st) == 0 && st.st_size == 4);
        CHECK(lstat("link", &st) == 0 && S_ISLNK(st.st_mode));
    }
}

/* Only root can create one. */
static void test_foreign_link(void)
{
    struct stat st;

    if (geteuid() != 0)
        return;
    CHECK(symlink("precious", "foreign") == 0);
    CHECK(lchown("foreign", 64999, 64999) == 0);
    CHECK_INT(cp_target_open("foreign", false), -1);
    CHECK_INT(errno, ELOOP);
    CHECK(stat("precious", &st) != 0);
    CHECK_STR(cp_target_error(ELOOP), "it is a link of another user");
}

int main(void)
{
    char folder[] = "/tmp/cpprof-test-XXXXXX";

    if (!mkdtemp(folder) || chdir(folder) != 0 || mkfifo("pipe", 0600) != 0 ||
        symlink("linked", "link") != 0 || close(creat("file", 0600)) != 0)
        return 1;
    RUN(test_replaceable);
    RUN(test_pipe);
    RUN(test_link);
    RUN(test_foreign_link);
    (void)unlink("pipe");
    (void)unlink("link");
    (void)unlink("linked");
    (void)unlink("file");
    (void)unlink("foreign");
    (void)rmdir(folder);
    return check_failures != 0;
}
