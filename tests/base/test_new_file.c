/*
 * test_new_file.c - tests src/base/new_file.c: it never opens an existing file.
 */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static void test_names(void)
{
    char one[] = "a.XXXXXX.svg", other[] = "a.XXXXXX.svg";
    int fd = cp_new_file(AT_FDCWD, one, 4, 0640);
    int second = cp_new_file(AT_FDCWD, other, 4, 0600);
    struct stat st;

    CHECK(fd >= 0 && second >= 0);
    CHECK(strcmp(one, other) != 0);
    CHECK(strncmp(one, "a.", 2) == 0 && strcmp(one + 8, ".svg") == 0);
    CHECK(strchr(one, 'X') == NULL);
    CHECK(fstat(fd, &st) == 0 && (st.st_mode & 0777) == 0640);
    CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    (void)unlink(one);
    (void)unlink(other);
    (void)close(fd);
    (void)close(second);
}

static void test_beside(void)
{
    char name[32], small[8];
    int fd = cp_new_file_beside("b", name, sizeof(name), 0600);

    CHECK(fd >= 0 && strncmp(name, "b.", 2) == 0 && strlen(name) == 8);
    (void)unlink(name);
    (void)close(fd);
    CHECK_INT(cp_new_file_beside("bb", small, sizeof(small), 0600), -1);
    CHECK_INT(errno, ENAMETOOLONG);
    CHECK_INT(cp_new_file_beside("none/b", name, sizeof(name), 0600), -1);
    CHECK_INT(errno, ENOENT);
}

static void test_scratch(void)
{
    int fd = cp_new_file_scratch();
    struct stat st;

    CHECK(fd >= 0 && fstat(fd, &st) == 0);
    CHECK_INT(st.st_nlink, 0);
    CHECK_INT(st.st_mode & 0777, 0600);
    (void)close(fd);
}

int main(void)
{
    char folder[] = "/tmp/cpprof-test-XXXXXX";

    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    (void)umask(022);
    RUN(test_names);
    RUN(test_beside);
    RUN(test_scratch);
    (void)rmdir(folder);
    return check_failures != 0;
}
