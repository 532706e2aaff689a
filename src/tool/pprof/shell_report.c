/*
 * shell_report.c - parses a report command, runs it in a child process; help.
 */
#include "tool/pprof/shell_report.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/literal.h"
#include "base/out.h"
#include "profile/model/profile.h"
#include "tool/cli/flags.h"
#include "tool/cli/keys.h"
#include "tool/cli/print.h"
#include "tool/cli/variables.h"
#include "tool/pprof/run.h"

#define SHELL_ROWS 10

static void warn(void *context, const char *line)
{
    (void)context;
    cp_print_line("", line);
}

/* Cuts the next word off *line; NULL at the end. */
static char *next_word(char **line)
{
    char *word;

    while (isspace((unsigned char)**line))
        (*line)++;
    if (**line == '\0')
        return NULL;
    word = *line;
    while (**line && !isspace((unsigned char)**line))
        (*line)++;
    if (**line)
        *(*line)++ = '\0';
    return word;
}

static bool is_format(const struct cp_flag *f)
{
    return f && (f->kind == CP_FLAG_FORMAT || f->kind == CP_FLAG_FORMAT_ARG);
}

/*
 * Returns the report that a word names. Splits "top10" into the report and its
 * row count.
 */
static const struct cp_flag *find_report(char *word, const char **count)
{
    const struct cp_flag *f = cp_flag_find(word, strlen(word));
    size_t len = strlen(word);

    *count = NULL;
    if (is_format(f))
        return f;
    while (len > 0 && isdigit((unsigned char)word[len - 1]))
        len--;
    f = cp_flag_find(word, len);
    *count = word[len] ? word + len : NULL;
    return is_format(f) ? f : NULL;
}

/* Whether a word is a 32-bit number. Larger numbers are names to search for. */
static bool is_number(const char *word, int *out)
{
    long number;

    if (cp_literal_decimal(word, &number) != CP_LITERAL_OK ||
        number > INT32_MAX || number < INT32_MIN)
        return false;
    *out = (int)number;
    return true;
}

/* Adds a word as an alternative to a regular expression. */
static enum cp_status add_word(const char **expression, const char *word,
                               struct cp_arena *arena, struct cp_error *err)
{
    if (!*expression)
        *expression = word;
    else
        *expression = cp_arena_printf(arena, err, "%s|%s", *expression, word);
    return *expression ? CP_OK : CP_ENOMEM;
}

struct arguments {
    const char *focus, *ignore;
    const char *pipe; /* command that reads the report */
};

static enum cp_status read_argument(struct cp_command *c, const char *word,
                                    char **line, struct arguments *a,
                                    struct cp_arena *arena,
                                    struct cp_error *err)
{
    if (is_number(word, &c->options.node_count))
        return CP_OK;
    if (word[0] == '>') {
        const char *file = word[1] ? word + 1 : next_word(line);

        if (!file)
            return cp_error_set(err, CP_EUSAGE, "> needs a file name");
        c->options.output = file;
        return CP_OK;
    }
    if (strcmp(word, "-cum") == 0 || strcmp(word, "--cum") == 0) {
        c->options.cum_sort = true;
        return CP_OK;
    }
    if (strcmp(word, "-") == 0)
        return CP_OK; /* nothing to ignore */
    if (word[0] == '-')
        return add_word(&a->ignore, word + 1, arena, err);
    return add_word(&a->focus, word, arena, err);
}

/* Cuts "| command" off the end of a line. */
static void parse_pipe(char *line, struct arguments *a)
{
    char *bar = strstr(line, " | ");

    if (!bar)
        return;
    *bar = '\0';
    a->pipe = bar + 3;
}

static enum cp_status read_arguments(struct cp_command *c, char *line,
                                     struct arguments *a,
                                     struct cp_arena *arena,
                                     struct cp_error *err)
{
    bool is_tags = c->options.format == CP_FORMAT_TAGS;
    char *word;

    while ((word = next_word(&line)))
        if (read_argument(c, word, &line, a, arena, err) != CP_OK)
            return CP_EUSAGE;
    if (a->focus)
        *(is_tags ? &c->options.tagfocus : &c->options.focus) = a->focus;
    if (a->ignore)
        *(is_tags ? &c->options.tagignore : &c->options.ignore) = a->ignore;
    return CP_OK;
}

/*
 * Writes the report in a child process, which Ctrl-C may end while the prompt
 * stays. After fork() the child owns its copy of the profile.
 */
static _Noreturn void run_here(const struct cp_command *c,
                               const struct cp_profile *p, int output)
{
    struct cp_error err = { 0 };
    enum cp_status status;

    cp_keys_reset_in_child();
    if (output != STDOUT_FILENO) {
        (void)signal(SIGPIPE, SIG_IGN);
        (void)dup2(output, STDOUT_FILENO);
    }
    status =
        cp_run_report(c, (struct cp_profile *)(uintptr_t)p, warn, NULL, &err);
    if (status == CP_EIO && output != STDOUT_FILENO)
        status = CP_OK; /* the reader closed the pipe early, e.g. head */
    if (status != CP_OK)
        warn(NULL, err.msg);
    _exit(status == CP_OK ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Waits for a report. Forwards a terminating signal to it. */
static enum cp_status wait_for(pid_t pid, struct cp_error *err)
{
    int wait_status;

    while (waitpid(pid, &wait_status, 0) < 0) {
        if (errno != EINTR)
            return cp_error_set(err, CP_EIO, "waitpid: %s", strerror(errno));
        if (cp_keys_signal())
            (void)kill(pid, SIGTERM);
    }
    if (!WIFSIGNALED(wait_status))
        return CP_OK;
    if (WTERMSIG(wait_status) != SIGINT)
        return cp_error_set(err, CP_EIO, "the report failed: %s",
                            strsignal(WTERMSIG(wait_status)));
    if (isatty(STDERR_FILENO))
        (void)fputc('\n', stderr); /* newline after the echoed ^C */
    return cp_error_set(err, CP_EIO, "interrupted");
}

static enum cp_status run(const struct cp_command *c,
                          const struct cp_profile *p, int output,
                          struct cp_error *err)
{
    pid_t pid = fork();

    if (pid < 0)
        return cp_error_set(err, CP_EIO, "fork: %s", strerror(errno));
    if (pid == 0)
        run_here(c, p, output);
    return wait_for(pid, err);
}

/* Runs the report with standard output connected to a second program. */
static enum cp_status run_piped(const struct cp_command *c,
                                const struct cp_profile *p, const char *command,
                                struct cp_error *err)
{
    FILE *pipe = popen(command, "we");
    enum cp_status status;

    if (!pipe)
        return cp_error_set(err, CP_EIO, "cannot run %s: %s", command,
                            strerror(errno));
    status = run(c, p, fileno(pipe), err);
    (void)pclose(pipe);
    return status;
}

static enum cp_status unknown(const char *word, struct cp_error *err)
{
    if (cp_variable_exists(word))
        return cp_error_set(err, CP_EUSAGE, "did you mean: %s=...", word);
    return cp_error_set(err, CP_EUSAGE, "unrecognized command: \"%s\"", word);
}

enum cp_status cp_shell_report(const struct cp_command *from,
                               const struct cp_profile *p, char *line,
                               struct cp_arena *arena, struct cp_error *err)
{
    struct cp_command c = *from;
    struct arguments a = { 0 };
    const struct cp_flag *f;
    const char *count, *argument = NULL;
    char *word;

    parse_pipe(line, &a);
    word = next_word(&line);
    f = word ? find_report(word, &count) : NULL;
    if (!f)
        return unknown(word ? word : "", err);
    if (f->kind == CP_FLAG_FORMAT_ARG) {
        argument = count ? count : next_word(&line);
        if (!argument)
            return cp_error_set(err, CP_EUSAGE,
                                "command %s requires an argument", f->name);
    }
    c.format_name = NULL;
    if (cp_command_set(&c, f, argument, err) != CP_OK)
        return CP_EUSAGE;
    if (count && !argument &&
        read_argument(&c, count, &line, &a, arena, err) != CP_OK)
        return CP_EUSAGE;
    if (read_arguments(&c, line, &a, arena, err) != CP_OK)
        return CP_EUSAGE;
    if (c.options.node_count == -1 && c.options.format == CP_FORMAT_TOP)
        c.options.node_count = SHELL_ROWS;
    return a.pipe ? run_piped(&c, p, a.pipe, err)
                  : run(&c, p, STDOUT_FILENO, err);
}

static void help_all(struct cp_out *out)
{
    cp_out_cstr(out, "  Reports:\n");
    for (size_t i = 0; cp_flag_at(i); i++)
        if (is_format(cp_flag_at(i)))
            cp_out_printf(out, "    %-16s %s\n", cp_flag_at(i)->name,
                          cp_flag_at(i)->help);
    cp_out_cstr(out, "\n  Options (name=value):\n");
    for (size_t i = 0; cp_flag_at(i); i++)
        if (cp_variable_exists(cp_flag_at(i)->name) && cp_flag_at(i)->help)
            cp_out_printf(out, "    %-20s %s\n", cp_flag_at(i)->name,
                          cp_flag_at(i)->help);
    cp_out_cstr(out,
                "\n"
                "    REPORT [N] [FOCUS]... [-IGNORE]... [-cum] [> FILE]\n"
                "    REPORT ... | PROGRAM\n"
                "    o      lists options and their values\n"
                "    undo   reverts the last change of an option\n"
                "    reload reads or fetches the sources again\n"
                "    :      clears focus, ignore, hide, tagfocus, tagignore\n"
                "    q      ends; so do quit, exit and Ctrl-D\n");
}

enum cp_status cp_shell_help(const char *name, struct cp_error *err)
{
    struct cp_out out = cp_out_terminal(STDERR_FILENO);
    const struct cp_flag *f;

    while (isspace((unsigned char)*name))
        name++;
    f = cp_flag_find(name, strlen(name));
    if (*name == '\0')
        help_all(&out);
    else if (is_format(f))
        cp_out_printf(&out,
                      "  %s: %s\n  usage: %s%s [N] [FOCUS]... [-IGNORE]... "
                      "[-cum] [> FILE]\n",
                      f->name, f->help, f->name,
                      f->kind == CP_FLAG_FORMAT_ARG ? " REGEXP" : "");
    else if (f && cp_variable_exists(name) && f->help)
        cp_out_printf(&out, "  %s: %s\n", f->name, f->help);
    else
        (void)cp_error_set(&out.err, CP_EUSAGE, "no help on \"%s\"", name);
    enum cp_status status = cp_out_finish(&out, err);
    cp_out_release(&out);
    return status;
}
