/*
 * main.c - one program, several names.
 *
 *   pprof ARGS, cpprof pprof ARGS    reports on profiles
 *   addr2line ARGS, cpprof addr2line ARGS    addresses to lines
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/addr2line.h"
#include "tool/pprof.h"

#define EXIT_MISUSED 2

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int usage(FILE *to, int status)
{
    (void)fputs("usage: cpprof pprof [FORMAT] [OPTION]... [BINARY] SOURCE...\n"
                "       pprof -help lists formats and options\n"
                "       cpprof addr2line [OPTION]... [ADDRESS]...\n",
                to);
    return status;
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

    fill_descriptors();
    (void)signal(SIGXFSZ, SIG_IGN); /* a full quota is an error to report */

    if (argc > 0 && strcmp(base_name(args[0]), "pprof") == 0)
        return cp_pprof_main(argc, args);
    if (argc > 1 && strcmp(args[1], "pprof") == 0)
        return cp_pprof_main(argc - 1, args + 1);
    if (argc > 0 && strcmp(base_name(args[0]), "addr2line") == 0)
        return cp_addr2line_main(argc, argv);
    if (argc > 1 && strcmp(args[1], "addr2line") == 0)
        return cp_addr2line_main(argc - 1, argv + 1);
    if (argc > 1 &&
        (strcmp(args[1], "-h") == 0 || strcmp(args[1], "-help") == 0 ||
         strcmp(args[1], "--help") == 0 || strcmp(args[1], "help") == 0))
        return usage(stdout, 0);
    if (argc > 1 && strncmp(args[1], "-", 1) == 0)
        return cp_pprof_main(argc, args);
    return usage(stderr, EXIT_MISUSED);
}
