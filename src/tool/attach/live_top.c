/*
 * live_top.c - options and event loop of `cpprof top`.
 *
 * Each table is the output of `pprof -top` on a profile of the last interval. A
 * child process makes it, so that the parent can react to keys while it runs,
 * and so that no memory accumulates.
 */
#include "tool/attach/live_top.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/instance.h"
#include "base/out.h"
#include "tool/attach/launch_args.h"
#include "tool/attach/live_table.h"
#include "tool/attach/live_term.h"
#include "tool/cli/print.h"
#include "tool/cli/url.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 };

#define MAX_TABLE ((size_t)1 << 20)
#define OTHER_LINES 6 /* lines of a table besides its rows */

static const char usage_text[] =
    "usage: cpprof top [OPTION]... [PID|APP|URL]\n"
    "Shows where a running program spends its time, in a table that is made\n"
    "every second. Name the program by process number, by app id of cpprof\n"
    "list, or by address.\n"
    "Keys: c CPU, w wall clock, h heap, a allocations, l waiting for locks,\n"
    "m holding locks, q quit.\n\n"
    "  -d, --delay=TIME  interval that each table covers (1s)\n"
    "  -n, --count=N     print N tables and exit; 1 without a terminal\n"
    "  -k, --kind=KIND   start with cpu, wall, heap, allocs, locks or mutex\n"
    "  -r, --rows=N      rows of a printed table (20)\n"
    "  -h, --help        this text\n";

const struct option cp_live_top_options[] = {
    { "delay", required_argument, NULL, 'd' },
    { "count", required_argument, NULL, 'n' },
    { "kind", required_argument, NULL, 'k' },
    { "rows", required_argument, NULL, 'r' },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

struct top {
    struct cp_live_table table;
    char name[512]; /* target, for the heading */
    long count;     /* tables to print; 0 means unlimited */
    int rows;
    bool wants_help;
    char *text; /* newest table, or the error message */
    size_t len, cap;
    pid_t child; /* pid of the process that makes the next table, or 0 */
    int pipe;
};

/* ---- the command line ---- */

static enum cp_status parse_number(char option, const char *text, long max,
                                   long *out, struct cp_error *err)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || value < 1 || value > max)
        return cp_error_set(err, CP_EUSAGE,
                            "-%c %s: not a number from 1 to %ld", option, text,
                            max);
    *out = value;
    return CP_OK;
}

static enum cp_status parse_option(struct top *t, int option,
                                   struct cp_error *err)
{
    long rows = t->rows;
    enum cp_status status = CP_OK;

    switch (option) {
    case 'd':
        status = cp_launch_seconds("--delay", optarg, &t->table.seconds, err);
        if (status == CP_OK && t->table.seconds < 1)
            t->table.seconds = 1;
        return status;
    case 'n':
        return parse_number('n', optarg, 1000000, &t->count, err);
    case 'r':
        status = parse_number('r', optarg, 10000, &rows, err);
        t->rows = (int)rows;
        return status;
    case 'k':
        t->table.view = cp_live_view_named(optarg);
        if (t->table.view)
            return CP_OK;
        return cp_error_set(err, CP_EUSAGE,
                            "-k %s: unknown kind; use cpu, wall, heap, allocs, "
                            "locks or mutex",
                            optarg);
    case 'h':
        t->wants_help = true;
        return CP_OK;
    default:
        return cp_error_set(err, CP_EUSAGE,
                            "see cpprof top --help for the options");
    }
}

/* Stores the address of a server as the user typed it. */
static enum cp_status parse_address(struct top *t, const char *what,
                                    struct cp_error *err)
{
    bool is_socket = strncmp(what, "unix:", 5) == 0;
    bool is_whole = is_socket || strstr(what, "://");
    int n = snprintf(t->table.address, sizeof(t->table.address), "%s%s",
                     is_whole ? "" : "http://", what);

    if (n < 0 || (size_t)n >= sizeof(t->table.address))
        return cp_error_set(err, CP_EUSAGE,
                            "address longer than %zu bytes: %.40s...",
                            sizeof(t->table.address) - 1, what);
    (void)snprintf(t->name, sizeof(t->name), "%s", what);
    t->table.is_url = !is_socket;
    return CP_OK;
}

/* Resolves the target: an address, a process number or an app id. */
static enum cp_status resolve_target(struct top *t, const char *what,
                                     struct cp_error *err)
{
    struct cp_instance i;
    enum cp_status status;

    if (what && cp_url_is_url(what))
        return parse_address(t, what, err);
    status = cp_launch_pick(what, &i, err);
    if (status != CP_OK)
        return status;
    (void)snprintf(t->table.address, sizeof(t->table.address), "%s", i.address);
    (void)snprintf(t->name, sizeof(t->name), "%s, pid %ld, %s", i.app_id,
                   (long)i.pid, i.address);
    return CP_OK;
}

static enum cp_status read_options(struct top *t, int argc, char **argv,
                                   struct cp_error *err)
{
    enum cp_status status = CP_OK;
    int option;

    while (status == CP_OK &&
           (option = getopt_long(argc, argv, "d:n:k:r:h", cp_live_top_options,
                                 NULL)) != -1)
        status = parse_option(t, option, err);
    if (status == CP_OK && argc - optind > 1)
        return cp_error_set(err, CP_EUSAGE, "%d programs given; give one",
                            argc - optind);
    return status;
}

/* ---- the child process ---- */

static enum cp_status start_table(struct top *t, struct cp_error *err)
{
    int ends[2];

    if (pipe(ends) != 0)
        return cp_error_set(err, CP_EIO, "pipe: %s", strerror(errno));
    t->child = fork();
    if (t->child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        cp_live_terminal_release();
        _exit(cp_live_table_print(&t->table));
    }
    (void)close(ends[1]);
    t->pipe = ends[0];
    t->len = 0;
    if (t->child > 0)
        return CP_OK;
    (void)close(ends[0]);
    return cp_error_set(err, CP_EIO, "fork: %s", strerror(errno));
}

/* Waits for the child; returns its exit status, or -1. */
static int end_table(struct top *t, bool is_killed)
{
    int wait_status = -1;

    if (!t->child)
        return -1;
    if (is_killed)
        (void)kill(t->child, SIGKILL);
    (void)close(t->pipe);
    while (waitpid(t->child, &wait_status, 0) < 0 && errno == EINTR)
        ;
    t->child = 0;
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}

/* Reads available output of the child; true at its end. */
static bool read_output(struct top *t)
{
    ssize_t n;

    if (cp_reserve(&t->text, &t->cap, t->len + 65536, 1, NULL) != CP_OK ||
        t->len > MAX_TABLE)
        return true;
    n = read(t->pipe, t->text + t->len, 65535);
    if (n > 0)
        t->len += (size_t)n;
    t->text[t->len] = '\0';
    return n == 0 || (n < 0 && errno != EINTR);
}

/* Returns the child's output without its messages about fetching. */
static const char *report_of(const struct top *t)
{
    const char *text = t->text;

    while (strncmp(text, "Fetching ", 9) == 0 ||
           strncmp(text, "Please wait", 11) == 0) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

/* ---- output without a terminal ---- */

static enum cp_status print_table(const struct top *t, bool is_first,
                                  struct cp_error *err)
{
    struct cp_out out = cp_out_terminal(STDOUT_FILENO);
    enum cp_status status;

    cp_out_printf(&out, "%s%s: %s\n", is_first ? "" : "\n", t->name,
                  t->table.view->title);
    cp_out_cstr(&out, cp_live_table_is_empty(t->text) ? t->table.view->hint
                                                      : report_of(t));
    cp_out_char(&out, '\n');
    status = cp_out_finish(&out, err);
    cp_out_release(&out);
    return status;
}

static enum cp_status print_tables(struct top *t, struct cp_error *err)
{
    enum cp_status status = CP_OK;

    t->table.rows = t->rows;
    for (long i = 0; i < t->count && status == CP_OK; i++) {
        status = start_table(t, err);
        while (status == CP_OK && !read_output(t))
            ;
        if (status == CP_OK && end_table(t, false) != 0)
            status =
                cp_error_set(err, CP_EIO, "%.*s",
                             (int)strcspn(report_of(t), "\n"), report_of(t));
        else if (status == CP_OK)
            status = print_table(t, i == 0, err);
    }
    return status;
}

/* ---- output on a terminal ---- */

static void draw(struct top *t, const char *text)
{
    struct cp_live_head head = { t->name, t->table.view->title,
                                 cp_live_view_keys() };

    cp_live_term_draw(&head, text);
}

/* Handles a key; returns false if it ends the program. */
static bool on_key(struct top *t, int key, bool *is_changed)
{
    const struct cp_live_view *view = cp_live_view_keyed(key);

    if (key == 'q' || key == 'Q' || key == 3 || key == 4)
        return false;
    if (view && view != t->table.view) {
        t->table.view = view;
        *is_changed = true;
    }
    return true;
}

/* Shows one table, or stops early if the user selects a different one. */
static enum cp_status show_table(struct top *t, bool *is_over,
                                 struct cp_error *err)
{
    enum cp_status status;
    bool is_changed = false, is_done = false;

    t->table.rows = cp_live_term_rows() - OTHER_LINES;
    status = start_table(t, err);
    while (status == CP_OK && !is_done && !is_changed && !*is_over) {
        struct pollfd waits[2] = { { STDIN_FILENO, POLLIN, 0 },
                                   { t->pipe, POLLIN, 0 } };
        int n = poll(waits, 2, -1);

        if (cp_live_term_is_ended())
            *is_over = true;
        if (n > 0 && waits[1].revents)
            is_done = read_output(t);
        if (n > 0 && waits[0].revents)
            *is_over |= !on_key(t, cp_live_term_key(), &is_changed);
    }
    (void)end_table(t, !is_done);
    if (is_done && cp_live_table_is_empty(t->text))
        draw(t, t->table.view->hint);
    else if (is_done)
        draw(t, report_of(t));
    else if (is_changed)
        draw(t, "");
    return status;
}

static enum cp_status show_tables(struct top *t, struct cp_error *err)
{
    enum cp_status status = cp_live_term_open(err);
    bool is_over = false;

    if (status == CP_OK)
        draw(t, "");
    while (status == CP_OK && !is_over)
        status = show_table(t, &is_over, err);
    cp_live_term_close();
    return status;
}

int cp_live_top_main(int argc, char **argv)
{
    struct top t = {
        .rows = 20, .table = { .seconds = 1, .view = cp_live_view_named("cpu") }
    };
    struct cp_error err = { 0 };
    enum cp_status status = read_options(&t, argc, argv, &err);
    bool is_usage = status != CP_OK;

    if (status == CP_OK && t.wants_help) {
        (void)fputs(usage_text, stdout);
        return EXIT_OK;
    }
    if (status == CP_OK)
        status = resolve_target(&t, argv[optind], &err);
    if (t.count == 0 && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        t.count = 1;
    if (status == CP_OK)
        status = t.count ? print_tables(&t, &err) : show_tables(&t, &err);
    cp_free(t.text);
    if (status == CP_OK)
        return EXIT_OK;
    cp_print_line("cpprof top: ", err.msg);
    return is_usage ? EXIT_MISUSED : EXIT_FAILED;
}
