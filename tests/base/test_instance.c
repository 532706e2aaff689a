/*
 * test_instance.c - tests src/base/instance.c: instance files and their
 * directory.
 */
#include "base/instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/test-instance-XXXXXX";

static struct cp_instance sample(void)
{
    struct cp_instance i = { .pid = getpid(),
                             .start_ticks = cp_instance_start_ticks(getpid()),
                             .pid_ns = cp_instance_pid_ns(),
                             .created_s = 1731664000 };

    (void)strcpy(i.address, "http://127.0.0.1:6060/debug/pprof/");
    (void)strcpy(i.app_id, "an app");
    (void)strcpy(i.command, "server --flag  two");
    return i;
}

static void test_round(void)
{
    struct cp_instance i = sample(), back;
    char text[CP_INSTANCE_BYTES];

    cp_instance_format(&i, text);
    CHECK(cp_instance_parse(&back, text));
    CHECK(memcmp(&i, &back, sizeof(i)) == 0);
}

static void test_control_characters(void)
{
    struct cp_instance i = sample(), back;
    char text[CP_INSTANCE_BYTES];

    (void)strcpy(i.command, "a\nb\033c");
    cp_instance_format(&i, text);
    CHECK(cp_instance_parse(&back, text));
    CHECK(strcmp(back.command, "a b c") == 0);
}

static void test_longest(void)
{
    struct cp_instance i = sample(), back;
    char text[CP_INSTANCE_BYTES];

    memset(i.command, 'x', sizeof(i.command) - 1);
    memset(i.app_id, 'y', sizeof(i.app_id) - 1);
    memset(i.address, 'z', sizeof(i.address) - 1);
    cp_instance_format(&i, text);
    CHECK(cp_instance_parse(&back, text));
    CHECK(memcmp(&i, &back, sizeof(i)) == 0);
}

static void test_bad(void)
{
    static const char *const cases[] = {
        "",
        "cpprof 2\npid 1\nstart 1\naddress x\n",
        "cpprof 1\n",
        "cpprof 1\npid 0\nstart 1\naddress x\n",
        "cpprof 1\npid 1\nstart 0\naddress x\n",
        "cpprof 1\npid 1\nstart 1\n",
        "cpprof 1\npid\nstart\naddress\n",
    };

    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        struct cp_instance i = { .pid = 77 };
        char text[CP_INSTANCE_BYTES];

        (void)strcpy(text, cases[k]);
        CHECK(!cp_instance_parse(&i, text));
        CHECK(i.pid == 77);
    }
}

static void test_alive(void)
{
    struct cp_instance i = sample();
    pid_t child;

    CHECK(cp_instance_is_alive(&i));
    i.start_ticks++; /* another process with the same pid */
    CHECK(!cp_instance_is_alive(&i));
    i.start_ticks--;
    i.pid_ns++; /* a pid in another container */
    CHECK(!cp_instance_is_alive(&i));
    i.pid_ns--;
    child = fork();
    if (child == 0)
        _exit(0);
    (void)waitpid(child, NULL, 0);
    i.pid = child;
    CHECK(!cp_instance_is_alive(&i));
    CHECK(cp_instance_start_ticks(child) == 0);
}

static void test_folder_names(void)
{
    char path[CP_INSTANCE_PATH], long_one[600];

    cp_instance_folder("/run/user/7", 7, path);
    CHECK(strcmp(path, "/run/user/7/cpprof") == 0);
    cp_instance_folder(NULL, 7, path);
    CHECK(strcmp(path, "/tmp/cpprof-7") == 0);
    cp_instance_folder("", 7, path);
    CHECK(strcmp(path, "/tmp/cpprof-7") == 0);
    cp_instance_folder("relative", 7, path);
    CHECK(strcmp(path, "/tmp/cpprof-7") == 0);
    memset(long_one, '/', sizeof(long_one) - 1);
    long_one[sizeof(long_one) - 1] = '\0';
    cp_instance_folder(long_one, 7, path);
    CHECK(strcmp(path, "/tmp/cpprof-7") == 0);
}

/* A directory that another user can write to, or a link to one, is refused. */
static void test_folder_safety(void)
{
    char path[128], link[128];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/one", folder);
    (void)snprintf(link, sizeof(link), "%s/link", folder);
    CHECK(cp_instance_open_folder(path, geteuid(), false) < 0);
    fd = cp_instance_open_folder(path, geteuid(), true);
    CHECK(fd >= 0);
    (void)close(fd);
    CHECK(symlink(path, link) == 0);
    CHECK(cp_instance_open_folder(link, geteuid(), true) < 0);
    CHECK(chmod(path, 0777) == 0);
    CHECK(cp_instance_open_folder(path, geteuid(), true) < 0);
    CHECK(chmod(path, 0700) == 0);
    if (geteuid() == 0) {
        CHECK(chown(path, 1, 1) == 0);
        CHECK(cp_instance_open_folder(path, 0, true) < 0);
        fd = cp_instance_open_folder(path, 1, true);
        CHECK(fd >= 0);
        (void)close(fd);
    }
    (void)unlink(link);
    (void)rmdir(path);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    RUN(test_round);
    RUN(test_control_characters);
    RUN(test_longest);
    RUN(test_bad);
    RUN(test_alive);
    RUN(test_folder_names);
    RUN(test_folder_safety);
    (void)rmdir(folder);
    return check_failures != 0;
}
