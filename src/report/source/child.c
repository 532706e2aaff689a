/* child.c - spawns a program and collects its output and errors. */
#include "report/source/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/out.h"

#define OUTPUT_LIMIT_BYTES ((size_t)1 << 30)

extern char **environ;

/* The parent's descriptors; -1 if closed. */
struct child {
    const char *name;
    int input, messages; /* unlinked files */
    int output[2];       /* pipe */
    pid_t pid;
    atomic_int *known; /* receives the process number; may be NULL */
};

static enum cp_status fail(const char *call, struct cp_error *err)
{
    return cp_error_set(err, CP_EIO, "%s: %s", call, strerror(errno));
}

static enum cp_status fill_file(int fd, const char *bytes, size_t len,
                                struct cp_error *err)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail("write", err);
        bytes += n;
        len -= (size_t)n;
    }
    return lseek(fd, 0, SEEK_SET) < 0 ? fail("lseek", err) : CP_OK;
}

static enum cp_status open_ends(struct child *c, const char *input, size_t len,
                                struct cp_error *err)
{
    c->input = memfd_create("input", MFD_CLOEXEC);
    c->messages = memfd_create("messages", MFD_CLOEXEC);
    if (c->input < 0 || c->messages < 0)
        return fail("memfd_create", err);
    if (pipe2(c->output, O_CLOEXEC) != 0)
        return fail("pipe", err);
    return fill_file(c->input, input, len, err);
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* Returns 0 or an errno value, as posix_spawnp does. */
static int spawn(struct child *c, char *const argv[])
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t plain, none;
    int error = posix_spawn_file_actions_init(&files);

    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attr);
    if (error != 0) {
        (void)posix_spawn_file_actions_destroy(&files);
        return error;
    }
    (void)sigemptyset(&none);
    (void)sigemptyset(&plain);
    (void)sigaddset(&plain, SIGPIPE);
    (void)posix_spawnattr_setsigmask(&attr, &none);
    (void)posix_spawnattr_setsigdefault(&attr, &plain);
    (void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    error = posix_spawn_file_actions_adddup2(&files, c->input, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&files, c->output[1], 1);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&files, c->messages, 2);
    if (error == 0)
        error = posix_spawnp(&c->pid, argv[0], &files, &attr, argv, environ);
    (void)posix_spawnattr_destroy(&attr);
    (void)posix_spawn_file_actions_destroy(&files);
    return error;
}

static enum cp_status start(struct child *c, char *const argv[],
                            struct cp_error *err)
{
    int error = spawn(c, argv);

    close_end(&c->output[1]);
    if (error == 0) {
        if (c->known)
            atomic_store(c->known, c->pid);
        return CP_OK;
    }
    c->pid = -1;
    return cp_error_set(err, error == ENOENT ? CP_EOTHER : CP_EIO, "%s: %s",
                        argv[0], strerror(error));
}

static enum cp_status read_output(struct child *c, struct cp_out *out,
                                  struct cp_error *err)
{
    size_t before = out->len;
    ssize_t n = 1;

    while (n != 0) {
        if (!cp_out_reserve(out, (size_t)64 << 10)) {
            if (err)
                *err = out->err;
            return CP_ENOMEM;
        }
        n = read(c->output[0], out->buf + out->len, out->cap - out->len);
        if (n < 0 && errno != EINTR)
            return fail("read", err);
        out->len += n > 0 ? (size_t)n : 0;
        if (out->len - before > OUTPUT_LIMIT_BYTES)
            return cp_error_set(err, CP_EIO, "%s: wrote more than %zu MB",
                                c->name, OUTPUT_LIMIT_BYTES >> 20);
    }
    return CP_OK;
}

/* Fails with the program's standard error; control characters become spaces. */
static enum cp_status fail_with_messages(const struct child *c,
                                         const char *otherwise,
                                         struct cp_error *err)
{
    char text[400];
    ssize_t n = pread(c->messages, text, sizeof(text) - 1, 0);
    size_t len = n > 0 ? (size_t)n : 0;

    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ')
            text[i] = ' ';
    while (len > 0 && text[len - 1] == ' ')
        len--;
    text[len] = '\0';
    return cp_error_set(err, CP_EIO, "%s: %s", c->name, len ? text : otherwise);
}

/* Waits for the program after its output has ended or it was killed. */
static enum cp_status reap(struct child *c, struct cp_error *err)
{
    pid_t done;
    int how;

    if (c->known)
        atomic_store(c->known, 0);
    do
        done = waitpid(c->pid, &how, 0);
    while (done < 0 && errno == EINTR);
    c->pid = -1;
    if (done < 0)
        return fail("waitpid", err);
    if (WIFSIGNALED(how))
        return cp_error_set(err, CP_EIO, "%s: %s", c->name,
                            strsignal(WTERMSIG(how)));
    if (WEXITSTATUS(how) != 0)
        return fail_with_messages(c, "failed without a message", err);
    return CP_OK;
}

/* Runs the program if status is CP_OK: the descriptors are open. */
static enum cp_status run(struct child *c, char *const argv[],
                          enum cp_status status, struct cp_out *out,
                          struct cp_error *err)
{
    size_t before = out->len;

    if (status == CP_OK)
        status = start(c, argv, err);
    if (status == CP_OK)
        status = read_output(c, out, err);
    if (status == CP_OK)
        status = reap(c, err);
    if (c->pid > 0) {
        (void)kill(c->pid, SIGKILL);
        (void)reap(c, NULL);
    }
    if (status != CP_OK)
        out->len = before;
    close_end(&c->output[0]);
    close_end(&c->output[1]);
    close_end(&c->input);
    close_end(&c->messages);
    return status;
}

enum cp_status cp_child_run(char *const argv[], const char *input, size_t len,
                            struct cp_out *out, struct cp_error *err)
{
    struct child c = { argv[0], -1, -1, { -1, -1 }, -1, NULL };

    return run(&c, argv, open_ends(&c, input, len, err), out, err);
}

enum cp_status cp_child_run_known(char *const argv[], atomic_int *pid,
                                  struct cp_out *out, struct cp_error *err)
{
    struct child c = { argv[0], -1, -1, { -1, -1 }, -1, pid };

    return run(&c, argv, open_ends(&c, "", 0, err), out, err);
}
