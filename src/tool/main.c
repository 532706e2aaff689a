/*
 * main.c - entry point of the tool: selects the subcommand by argv[0] or
 * argv[1].
 *
 *   pprof ARGS, cpprof pprof ARGS          reports on profiles
 *   jeprof ARGS, cpprof jeprof ARGS        the same with jeprof's options
 *   addr2line ARGS, cpprof addr2line ARGS  addresses to lines
 *   cpprof run ARGS, cpprof list ...       the other rows of commands.c
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_pages.h"
#include "tool/commands.h"
#include "tool/pprof/pprof.h"

#define EXIT_FAILED 1
#define EXIT_MISUSED 2

/*
 * malloc maps larger blocks directly, so their pages cost nothing until they
 * are written.
 */
#define MMAP_THRESHOLD_BYTES (1 << 20)
/* free() keeps up to this much memory at the top of the heap for reuse. */
#define TRIM_THRESHOLD_BYTES (64 << 20)

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int usage(FILE *to, int status)
{
    for (size_t i = 0; cp_command_at(i); i++)
        (void)fprintf(to, "%s cpprof %s %s\n",
                      i ? "      " : "usage:", cp_command_at(i)->name,
                      cp_command_at(i)->usage);
    (void)fputc('\n', to);
    for (size_t i = 0; cp_command_at(i); i++)
        (void)fprintf(to, "  %-11s %s\n", cp_command_at(i)->name,
                      cp_command_at(i)->summary);
    return status;
}

/* Runs the command of that name; -1 if no such command exists. */
static int run_command(const char *name, int argc, const char *const *argv)
{
    for (size_t i = 0; cp_command_at(i); i++)
        if (strcmp(name, cp_command_at(i)->name) == 0)
            return cp_command_at(i)->run(argc, argv);
    return -1;
}

/*
 * Opens /dev/null for each standard descriptor that is closed. Otherwise the
 * next file opened would get its number, and messages would go into a report.
 * Each is opened for the wrong direction, so that its use fails as on a closed
 * descriptor.
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

/*
 * Whether this process execs a user's program (`cpprof run`), which must
 * inherit descriptors and signal dispositions unchanged.
 */
static bool is_exec_command(int argc, const char *const *args)
{
    return argc > 1 && strcmp(args[1], "run") == 0 &&
           strcmp(base_name(args[0]), "cpprof") == 0;
}

static bool is_word(const char *arg, const char *word)
{
    return strcmp(arg + strspn(arg, "-"), word) == 0;
}

/* Runs `cpprof` without a subcommand. */
static int run_bare(int argc, const char *const *args)
{
    if (argc > 1 && (is_word(args[1], "help") || strcmp(args[1], "-h") == 0))
        return usage(stdout, 0);
    if (argc > 1 && is_word(args[1], "version")) {
        (void)puts("cpprof " CP_VERSION);
        return 0;
    }
    if (argc > 1 && args[1][0] == '-')
        return cp_pprof_main(argc, args);
    if (argc > 1)
        (void)fprintf(stderr, "cpprof: no such command: %s\n", args[1]);
    return usage(stderr, EXIT_MISUSED);
}

/* Flushes standard output. A failed write turns status 0 into 1. */
static int finish(int status)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != 0)
        return status;
    (void)fprintf(stderr, "cpprof: write: %s\n", strerror(errno));
    return EXIT_FAILED;
}

int main(int argc, char **argv)
{
    const char *const *args = (const char *const *)argv;
    int status = -1;

    if (!is_exec_command(argc, args)) {
        fill_descriptors();
        (void)signal(SIGXFSZ, SIG_IGN); /* report a full quota as an error */
    }
    cp_elf_pages_guard();
    cp_elf_set_policy(&(struct cp_elf_policy){ .maps = true });
    (void)mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, TRIM_THRESHOLD_BYTES);

    if (argc > 0)
        status = run_command(base_name(args[0]), argc, args);
    if (status < 0 && argc > 1)
        status = run_command(args[1], argc - 1, args + 1);
    return finish(status >= 0 ? status : run_bare(argc, args));
}
