/*
 * main.c - one program, several names.
 *
 *   pprof ARGS, cpprof pprof ARGS    reports on profiles
 *   jeprof ARGS, cpprof jeprof ARGS  the same with jeprof's options
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/jeprof.h"
#include "tool/pprof.h"

#define EXIT_MISUSED 2

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The commands, each also a name of the program. */
static const struct {
    const char *name;
    int (*run)(int argc, const char *const *argv);
} commands[] = {
    { "pprof", cp_pprof_main },
    { "jeprof", cp_jeprof_main },
};

static int usage(FILE *to, int status)
{
    (void)fputs("usage: cpprof pprof [FORMAT] [OPTION]... [BINARY] SOURCE...\n"
                "       cpprof jeprof [OPTION]... [BINARY] PROFILE...\n"
                "       cpprof completion bash|zsh|fish\n"
                "pprof -help and jeprof --help list formats and options\n",
                to);
    return status;
}

/* Runs the command of that name; -1 if there is none. */
static int run_command(const char *name, int argc, const char *const *argv)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc, argv);
    return -1;
}

/*
 * A standard descriptor that is closed would become the next file that is
 * opened, and messages would go into reports. What takes its place fails, as
 * a closed one does.
 */
static void fill_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null",
                  fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        (void)close(fd);
}

int main(int argc, char **argv)
{
    const char *const *args = (const char *const *)argv;
    int status = -1;

    fill_descriptors();
    (void)signal(SIGXFSZ, SIG_IGN); /* a full quota is an error to report */

    if (argc > 0)
        status = run_command(base_name(args[0]), argc, args);
    if (status < 0 && argc > 1)
        status = run_command(args[1], argc - 1, args + 1);
    if (status >= 0)
        return status;
    if (argc > 1 &&
        (strcmp(args[1], "-h") == 0 || strcmp(args[1], "-help") == 0 ||
         strcmp(args[1], "--help") == 0 || strcmp(args[1], "help") == 0))
        return usage(stdout, 0);
    if (argc > 1 && strncmp(args[1], "-", 1) == 0)
        return cp_pprof_main(argc, args);
    return usage(stderr, EXIT_MISUSED);
}
