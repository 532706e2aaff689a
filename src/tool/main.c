/*
 * main.c - one program, several names.
 *
 *   pprof ARGS, cpprof pprof ARGS    reports on profiles
 *   addr2line ARGS, cpprof addr2line ARGS    addresses to lines
 *   jeprof ARGS, cpprof jeprof ARGS  the same with jeprof's options
 *   cpprof run ARGS, cpprof list ... the others of commands.c
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_pages.h"
#include "tool/commands.h"
#include "tool/pprof/pprof.h"

#define EXIT_FAILED 1
#define EXIT_MISUSED 2

/*
 * Larger blocks are pages that cost nothing until they are used; smaller ones
 * are used again instead of being fetched from the system each time.
 */
#define LARGE_BYTES (1 << 20)
#define KEPT_BYTES (64 << 20)

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

/* Runs the command of that name; -1 if there is none. */
static int run_command(const char *name, int argc, const char *const *argv)
{
    for (size_t i = 0; cp_command_at(i); i++)
        if (strcmp(name, cp_command_at(i)->name) == 0)
            return cp_command_at(i)->run(argc, argv);
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

/* What is to become another program hands on all that it was given. */
static bool is_of_another(int argc, const char *const *args)
{
    return argc > 1 && strcmp(args[1], "run") == 0 &&
           strcmp(base_name(args[0]), "cpprof") == 0;
}

static bool is_word(const char *arg, const char *word)
{
    return strcmp(arg + strspn(arg, "-"), word) == 0;
}

/* `cpprof` itself, without a command. */
static int run_itself(int argc, const char *const *args)
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

/* What was to be printed and could not be is a failure. */
static int end(int status)
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

    if (!is_of_another(argc, args)) {
        fill_descriptors();
        (void)signal(SIGXFSZ, SIG_IGN); /* a full quota is an error to report */
    }
    cp_elf_pages_guard();
    cp_elf_set_policy(&(struct cp_elf_policy){ .maps = true });
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);

    if (argc > 0)
        status = run_command(base_name(args[0]), argc, args);
    if (status < 0 && argc > 1)
        status = run_command(args[1], argc - 1, args + 1);
    return end(status >= 0 ? status : run_itself(argc, args));
}
