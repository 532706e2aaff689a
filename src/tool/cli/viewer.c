/* viewer.c - finds browsers and viewers on PATH and starts them. */
#include "tool/cli/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/printable.h"

#define PATH_BYTES 4096

static const char *const browsers[] = {
    "chrome", "google-chrome", "chromium", "firefox", "sensible-browser",
};

/* Command lines of viewers that need arguments. */
static const struct {
    const char *name, *commands[3];
} others[] = {
    { "gv", { "gv --noantialias" } },
    { "kcachegrind", { "kcachegrind", "qcachegrind" } },
};

/* Whether PATH has a program of that name. */
static bool is_on_path(const char *name)
{
    const char *path = getenv("PATH"), *end;
    char file[PATH_BYTES];

    if (strchr(name, '/'))
        return access(name, X_OK) == 0;
    for (; path; path = *end ? end + 1 : NULL) {
        end = path + strcspn(path, ":");
        if (snprintf(file, sizeof(file), "%.*s%s%s", (int)(end - path), path,
                     end > path ? "/" : "./", name) < PATH_BYTES &&
            access(file, X_OK) == 0)
            return true;
    }
    return false;
}

/*
 * Splits a command at its spaces into v. Returns false if it is too long or its
 * program is not on PATH.
 */
static bool parse_command(struct cp_viewer *v, const char *command, size_t len)
{
    char *at = v->text, *save = NULL;

    v->n_words = 0;
    if (len >= sizeof(v->text))
        return false;
    memcpy(v->text, command, len);
    v->text[len] = '\0';
    for (at = strtok_r(at, " \t", &save);
         at && v->n_words < CP_VIEWER_WORDS - 2;
         at = strtok_r(NULL, " \t", &save))
        v->words[v->n_words++] = at;
    return v->n_words > 0 && is_on_path(v->words[0]);
}

static bool has_display(void)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

    return (x && *x) || (wayland && *wayland);
}

static enum cp_status find_browser(struct cp_viewer *v, struct cp_error *err)
{
    const char *own = getenv("BROWSER"), *end;

    for (; own; own = *end ? end + 1 : NULL) {
        end = own + strcspn(own, ":");
        if (parse_command(v, own, (size_t)(end - own)))
            return CP_OK;
    }
    for (size_t i = 0; i < sizeof(browsers) / sizeof(browsers[0]); i++)
        if (parse_command(v, browsers[i], strlen(browsers[i])))
            return CP_OK;
    if (has_display() && parse_command(v, "xdg-open", strlen("xdg-open")))
        return CP_OK;
    return cp_error_set(err, CP_EIO,
                        "no browser found: set BROWSER to one, or write a "
                        "file with -output");
}

enum cp_status cp_viewer_find(struct cp_viewer *v, const char *name,
                              struct cp_error *err)
{
    *v = (struct cp_viewer){ .n_words = 0 };
    if (strcmp(name, CP_VIEWER_BROWSER) == 0)
        return find_browser(v, err);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        for (int k = 0; strcmp(name, others[i].name) == 0 && k < 3; k++)
            if (others[i].commands[k] &&
                parse_command(v, others[i].commands[k],
                              strlen(others[i].commands[k])))
                return CP_OK;
    if (parse_command(v, name, strlen(name)))
        return CP_OK;
    return cp_error_set(err, CP_EIO,
                        "%s not found: install it (apt-get install %s), or "
                        "write a file with -output",
                        name, name);
}

/* In the child: execs the viewer, or writes errno to `report` and exits. */
static void exec_viewer(struct cp_viewer *v, int report, bool is_waited)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    pid_t again = is_waited ? 0 : fork();

    if (again > 0)
        _exit(0); /* init reaps the viewer */
    if (!is_waited)
        (void)setsid();
    if (null >= 0)
        (void)dup2(null, STDIN_FILENO);
    (void)signal(SIGPIPE, SIG_DFL);
    if (again == 0)
        (void)execvp(v->words[0], v->words);
    (void)!write(report, &errno, sizeof(errno));
    _exit(127);
}

static enum cp_status wait_for(pid_t pid, const char *name,
                               struct cp_error *err)
{
    pid_t done;
    int wait_status = 0;

    do
        done = waitpid(pid, &wait_status, 0);
    while (done < 0 && errno == EINTR);
    if (done < 0)
        return cp_error_set(err, CP_EIO, "waitpid: %s", strerror(errno));
    if (WIFSIGNALED(wait_status))
        return cp_error_set(err, CP_EIO, "%s: %s", name,
                            strsignal(WTERMSIG(wait_status)));
    if (WEXITSTATUS(wait_status) != 0)
        return cp_error_set(err, CP_EIO, "viewer %s failed: exit status %d",
                            name, WEXITSTATUS(wait_status));
    return CP_OK;
}

/*
 * Whether the argument is a web address or an existing file. A browser would
 * also accept options, and URL schemes that run programs.
 */
static bool is_showable(const char *what)
{
    if (strncmp(what, "http://", 7) == 0 || strncmp(what, "https://", 8) == 0)
        return cp_printable_is(what, strlen(what));
    return *what != '-' && access(what, F_OK) == 0;
}

/* Replaces %s by the file, or appends the file. */
static void add_file(struct cp_viewer *v, const char *what)
{
    for (int i = 1; i < v->n_words; i++)
        if (strcmp(v->words[i], "%s") == 0) {
            v->words[i] = (char *)what;
            return;
        }
    v->words[v->n_words++] = (char *)what;
}

/* Starts the viewer. The pipe `report` carries errno if exec fails. */
static pid_t start(struct cp_viewer *v, int report[2], bool is_waited)
{
    pid_t pid = fork();

    if (pid == 0)
        exec_viewer(v, report[1], is_waited);
    (void)close(report[1]);
    return pid;
}

enum cp_status cp_viewer_show(struct cp_viewer *v, const char *what,
                              bool is_waited, struct cp_error *err)
{
    int report[2], error = 0;
    enum cp_status status;
    pid_t pid;

    if (!is_showable(what))
        return cp_error_set(err, CP_EUSAGE,
                            "%s cannot be opened: %s is not a web address",
                            v->words[0], what);
    add_file(v, what);
    if (pipe2(report, O_CLOEXEC) != 0)
        return cp_error_set(err, CP_EIO, "pipe: %s", strerror(errno));
    pid = start(v, report, is_waited);
    if (pid < 0)
        error = errno;
    else if (read(report[0], &error, sizeof(error)) != sizeof(error))
        error = 0;
    (void)close(report[0]);
    status = pid > 0 ? wait_for(pid, v->words[0], err) : CP_OK;
    if (error)
        return cp_error_set(err, CP_EIO, "%s: %s", v->words[0],
                            strerror(error));
    return status;
}
