/* test_save.c - tests src/tool/input/save.c: names and leftovers of files. */
#include "tool/input/save.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/test_save_XXXXXX";
static int n_warnings;

static void warn(void *context, const char *line)
{
    (void)context;
    n_warnings += strstr(line, "Could not use temp dir ") != NULL;
}

/* Number of files in the folder, hidden ones included. */
static int n_files(void)
{
    DIR *dir = opendir(folder);
    int n = -2; /* . and .. */

    while (dir && readdir(dir))
        n++;
    if (dir)
        (void)closedir(dir);
    return n;
}

/* Writes one byte under the first free name; returns the status. */
static enum cp_status save(struct cp_saving *s, const char *name,
                           struct cp_error *err)
{
    enum cp_status status = cp_saving_open(s, warn, NULL, err);

    if (status != CP_OK)
        return status;
    CHECK(write(s->fd, "x", 1) == 1);
    return cp_saving_rename(s, name, "out", err);
}

static void test_numbers(void)
{
    struct cp_error err = { 0 };
    struct cp_saving s;
    char want[CP_SAVE_PATH_BYTES];

    for (int i = 1; i <= 3; i++) {
        CHECK(save(&s, "trace.", &err) == CP_OK);
        (void)snprintf(want, sizeof(want), "%s/trace.%03d.out", folder, i);
        CHECK_STR(s.path, want);
        CHECK(access(s.path, R_OK) == 0);
        CHECK(n_files() == i);
    }
    (void)snprintf(want, sizeof(want), "%s/trace.002.out", folder);
    CHECK(unlink(want) == 0);
    CHECK(save(&s, "trace.", &err) == CP_OK);
    CHECK_STR(s.path, want); /* the gap is filled, no file is replaced */
    CHECK(n_files() == 3 && n_warnings == 0);
}

static void test_abandon(void)
{
    struct cp_error err = { 0 };
    struct cp_saving s;
    int before = n_files();

    CHECK(cp_saving_open(&s, warn, NULL, &err) == CP_OK);
    CHECK(n_files() == before + 1);
    cp_saving_abandon(&s);
    CHECK(n_files() == before);
}

static void test_bad_name(void)
{
    struct cp_error err = { 0 };
    struct cp_saving s;
    char name[CP_SAVE_PATH_BYTES];
    int before = n_files();

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    CHECK(save(&s, name, &err) == CP_EIO && err.msg[0]);
    CHECK(n_files() == before); /* the temporary file is removed */
    CHECK(save(&s, "no/such/", &err) == CP_EIO);
    CHECK(n_files() == before);
}

static void test_fallback(void)
{
    struct cp_error err = { 0 };
    struct cp_saving s;

    (void)setenv("PPROF_TMPDIR", "/dev/null/folder", 1);
    (void)setenv("HOME", folder, 1);
    CHECK(save(&s, "trace.", &err) == CP_OK);
    CHECK(n_warnings == 1);
    CHECK(strncmp(s.path, folder, strlen(folder)) == 0);
    CHECK(strstr(s.path, "/pprof/trace.001.out") != NULL);
}

int main(void)
{
    char command[64];

    if (!mkdtemp(folder))
        return 1;
    (void)setenv("PPROF_TMPDIR", folder, 1);
    RUN(test_numbers);
    RUN(test_abandon);
    RUN(test_bad_name);
    RUN(test_fallback);
    (void)snprintf(command, sizeof(command), "rm -r %s", folder);
    CHECK(system(command) == 0);
    return check_failures != 0;
}
