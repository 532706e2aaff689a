/* test_program.c - the search on PATH, and nested script interpreters. */
#include "launch/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/test-program-XXXXXX";

static const char *put(const char *name, const char *text, mode_t mode)
{
    static char path[256];
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    f = fopen(path, "w");
    if (f) {
        (void)fputs(text, f);
        (void)fclose(f);
    }
    (void)chmod(path, mode);
    return path;
}

static void test_find(void)
{
    struct cp_program p;
    struct cp_error err = { 0 };
    char path[512];

    (void)put("tool", "", 0755);
    (void)put("data", "", 0644);
    (void)snprintf(path, sizeof(path), "/nowhere::%s:/usr/bin", folder);
    CHECK(setenv("PATH", path, 1) == 0);
    CHECK(cp_program_find(&p, "tool", &err) == CP_OK);
    CHECK(strncmp(p.path, folder, strlen(folder)) == 0);
    CHECK(cp_program_find(&p, "data", &err) != CP_OK);
    CHECK(p.exit_status == CP_PROGRAM_NOT_RUN);
    CHECK(cp_program_find(&p, "no-such-tool", &err) != CP_OK);
    CHECK(p.exit_status == CP_PROGRAM_NOT_FOUND);
    CHECK(strcmp(err.msg, "no-such-tool: command not found") == 0);
    CHECK(cp_program_find(&p, folder, &err) != CP_OK);
    CHECK(p.exit_status == CP_PROGRAM_NOT_RUN);
    CHECK(cp_program_find(&p, "", &err) != CP_OK);
    CHECK(p.exit_status == CP_PROGRAM_NOT_FOUND);
}

/* A folder of PATH without search permission is skipped. */
static void test_closed_folder(void)
{
    struct cp_program p;
    struct cp_error err = { 0 };
    char closed[128], path[512];
    uid_t user = geteuid();

    (void)snprintf(closed, sizeof(closed), "%s/closed", folder);
    (void)snprintf(path, sizeof(path), "%s:/usr/bin", closed);
    CHECK(setenv("PATH", path, 1) == 0);
    CHECK(mkdir(closed, 0) == 0);
    CHECK(user != 0 || seteuid(65534) == 0); /* root has every permission */
    CHECK(cp_program_find(&p, "no-such-tool", &err) != CP_OK);
    CHECK(p.exit_status == CP_PROGRAM_NOT_FOUND);
    CHECK(cp_program_find(&p, "env", &err) == CP_OK);
    CHECK(seteuid(user) == 0);
    CHECK(rmdir(closed) == 0);
}

static void test_scripts(void)
{
    static const struct {
        const char *text;
        const char *why; /* part of the error; NULL: it can be profiled */
    } cases[] = {
        { "#!/bin/sh\n", NULL },
        { "#!   /bin/sh -e\n", NULL },
        { "#!/bin/sh", NULL },
        { "#!/usr/bin/env sh\n", NULL },
        { "#!/usr/bin/env -S A=1 sh -e\n", NULL },
        { "echo no line\n", NULL },
        { "", NULL },
        { "#!\n", "no interpreter" },
        { "#!/no/such\n", "No such file" },
        { "#!/usr/bin/env no-such-tool\n", "command not found" },
    };

    CHECK(setenv("PATH", "/usr/bin:/bin", 1) == 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *path = put("script", cases[i].text, 0755);
        struct cp_error err = { 0 };
        enum cp_status status = cp_program_check(path, &err);

        check_case(cases[i].text);
        if (cases[i].why)
            CHECK(status != CP_OK && strstr(err.msg, cases[i].why));
        else
            CHECK(status == CP_OK);
    }
}

/* A script that is its own interpreter. */
static void test_endless(void)
{
    char text[300];
    struct cp_error err = { 0 };

    (void)snprintf(text, sizeof(text), "#!%s/loop\n", folder);
    CHECK(cp_program_check(put("loop", text, 0755), &err) == CP_EFORMAT);
    CHECK(strstr(err.msg, "nested interpreters") != NULL);
}

static void test_cut_short(void)
{
    struct cp_error err = { 0 };

    CHECK(cp_program_check(put("cut", "\177ELF\2\1\1", 0755), &err) != CP_OK);
    CHECK(strstr(err.msg, "cut: ") != NULL);
}

int main(void)
{
    char command[64];

    if (!mkdtemp(folder))
        return 1;
    RUN(test_find);
    RUN(test_closed_folder);
    RUN(test_scripts);
    RUN(test_endless);
    RUN(test_cut_short);
    (void)snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command) == 0 && check_failures == 0 ? 0 : 1;
}
