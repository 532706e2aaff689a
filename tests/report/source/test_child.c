/*
 * test_child.c - tests src/report/source/child.c with the shell as the program.
 */
#include "base/out.h"
#include "report/source/child.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "check.h"

static enum cp_status run(const char *script, const char *input, size_t len,
                          struct cp_out *out, struct cp_error *err)
{
    char command[200];
    char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, command, NULL };

    (void)snprintf(command, sizeof(command), "%s", script);
    return cp_child_run(argv, input, len, out, err);
}

static void test_runs(void)
{
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };

    cp_out_cstr(&out, "before ");
    CHECK_INT(run("tr a-z A-Z; echo noise >&2", "text", 4, &out, &err), CP_OK);
    CHECK_INT(out.len, strlen("before TEXT"));
    CHECK(out.buf && memcmp(out.buf, "before TEXT", out.len) == 0);
    cp_out_release(&out);
}

/* More bytes than a pipe holds, in both directions and on standard error. */
static void test_much(void)
{
    size_t len = (size_t)8 << 20;
    char *input = calloc(len, 1);
    struct cp_out out = { .fd = -1 };

    CHECK_INT(run("cat; head -c 1000000 /dev/zero >&2", input, len, &out, NULL),
              CP_OK);
    CHECK_INT(out.len, len);
    out.len = 0;
    CHECK_INT(run("echo early", input, len, &out, NULL), CP_OK);
    CHECK_INT(out.len, 6);
    cp_out_release(&out);
    free(input);
}

static void test_failures(void)
{
    static const struct {
        const char *script, *message;
    } rows[] = {
        { "printf 'bad\\nworse\\n' >&2; exit 3", "sh: bad worse" },
        { "echo half; exit 1", "sh: failed without a message" },
        { "kill -9 $$", "sh: Killed" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct cp_out out = { .fd = -1 };
        struct cp_error err = { 0 };

        check_case(rows[i].script);
        CHECK_INT(run(rows[i].script, "", 0, &out, &err), CP_EIO);
        CHECK_STR(err.msg, rows[i].message);
        CHECK_INT(out.len, 0);
        cp_out_release(&out);
    }
    CHECK_INT(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

static void test_no_such_program(void)
{
    char *const argv[] = { (char[]){ "no-such-program" }, NULL };
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };

    CHECK_INT(cp_child_run(argv, "", 0, &out, &err), CP_EOTHER);
    CHECK_STR(err.msg, "no-such-program: No such file or directory");
    cp_out_release(&out);
}

int main(void)
{
    RUN(test_runs);
    RUN(test_much);
    RUN(test_failures);
    RUN(test_no_such_program);
    return check_failures != 0;
}
