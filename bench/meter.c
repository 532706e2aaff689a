/*
 * meter.c - runs a command and measures its cost.
 *
 *     meter FIGURES MAX_SECONDS MAX_MB COMMAND...
 *
 * Writes one line to the file FIGURES: wall seconds, CPU seconds, peak resident
 * KiB, and how it ended: its exit status, "signal", "time" or "memory" (killed
 * at that limit). A child inherits its parent's peak until exec, so a large
 * parent such as Python would hide the figure of a small child; this program is
 * a small parent.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct limits {
    double seconds;
    long mb;
};

static void die(const char *what)
{
    fprintf(stderr, "meter: %s: %s\n", what, strerror(errno));
    exit(2);
}

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static long resident_mb(pid_t pid)
{
    char path[64];
    long total, resident = 0;

    (void)snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);

    FILE *file = fopen(path, "r");

    if (!file)
        return 0;
    if (fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = 0;
    (void)fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024) / 1024;
}

/*
 * Waits for the child and checks its limits every tenth of a second; its end
 * interrupts the wait. Returns "time" or "memory" if a limit was exceeded.
 */
static const char *wait_within(pid_t pid, double start, struct limits limits)
{
    const struct timespec tick = { 0, 100000000 };
    sigset_t child;

    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    while (sigtimedwait(&child, NULL, &tick) != SIGCHLD) {
        const char *passed = NULL;

        if (now() - start > limits.seconds)
            passed = "time";
        else if (resident_mb(pid) > limits.mb)
            passed = "memory";
        if (passed) {
            (void)kill(pid, SIGKILL);
            return passed;
        }
    }
    return NULL;
}

static pid_t start_child(char **command)
{
    posix_spawnattr_t attr;
    sigset_t mask;
    pid_t pid;

    (void)sigemptyset(&mask);
    (void)posix_spawnattr_init(&attr);
    (void)posix_spawnattr_setsigmask(&attr, &mask);
    (void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    errno = posix_spawnp(&pid, command[0], NULL, &attr, command, environ);
    if (errno != 0)
        die(command[0]);
    (void)posix_spawnattr_destroy(&attr);
    return pid;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: meter FIGURES MAX_SECONDS MAX_MB COMMAND...\n");
        return 2;
    }

    struct limits limits = { strtod(argv[2], NULL), strtol(argv[3], NULL, 10) };
    sigset_t child;
    struct rusage usage;
    int status;

    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &child, NULL);

    double start = now();
    pid_t pid = start_child(argv + 4);
    const char *end = wait_within(pid, start, limits);

    if (wait4(pid, &status, 0, &usage) != pid)
        die("wait4");

    double wall = now() - start;
    FILE *out = fopen(argv[1], "w");

    if (!out)
        die(argv[1]);
    fprintf(out, "%.6f %.6f %ld ", wall,
            seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
            usage.ru_maxrss);
    if (!end && WIFEXITED(status))
        fprintf(out, "%d\n", WEXITSTATUS(status));
    else
        fprintf(out, "%s\n", end ? end : "signal");
    return fclose(out) == 0 ? 0 : 2;
}
