/*
 * api_target - profiles itself and prints what the profile must contain.
 *
 * `api_target MODE OUT` does the work of a mode, writes its profile to OUT and
 * prints the expected shares; tests/cli/library compares. Work is counted in
 * rounds of one loop, so shares do not depend on the speed of the machine.
 */
#include <cpprof.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keep.h"

#define STEP 4000 /* rounds: tens of microseconds */

static volatile unsigned sink;
static const char *out_path;

static void die(const char *what)
{
    fprintf(stderr, "api_target: %s: %s\n", what, cpprof_error());
    exit(1);
}

static double cpu_seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void finish(struct cpprof_profile *p)
{
    int fd = open(out_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    if (fd < 0 || cpprof_stop(p, fd) != 0)
        die("stop");
    (void)close(fd);
}

static struct cpprof_profile *begin(const char *kind)
{
    struct cpprof_profile *p = cpprof_start(kind);

    if (!p)
        die("start");
    return p;
}

/* The loop that is the unit of work. */
#define WORK(n)                                                                \
    for (unsigned i_ = 0; i_ < (n); i_++)                                      \
    sink = sink * 1664525u + 1013904223u

KEEP static void seventy(void)
{
    WORK(7 * STEP);
}

KEEP static void twenty(void)
{
    WORK(2 * STEP);
}

KEEP static void ten(void)
{
    WORK(STEP);
}

static void split_for(double seconds)
{
    double end = cpu_seconds() + seconds;

    while (cpu_seconds() < end) {
        seventy();
        twenty();
        ten();
    }
}

static void say_split(double cpu)
{
    printf("cpu %.6f\nshare seventy 0.7\nshare twenty 0.2\nshare ten 0.1\n",
           cpu);
}

static void split(void)
{
    double start = cpu_seconds();
    struct cpprof_profile *p = begin("profile");

    split_for(1.5);
    start = cpu_seconds() - start;
    finish(p);
    say_split(start);
}

/* The same functions and rounds, each on its own thread. */
struct share {
    const char *name;
    void (*work)(void);
    double cpu; /* CPU time of the thread */
    pthread_t thread;
};

static void *run_rounds(void *arg)
{
    struct share *share = arg;
    struct timespec t;

    for (int i = 0; i < 25000; i++)
        share->work();
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    share->cpu = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    return NULL;
}

static void across_threads(void)
{
    struct share shares[] = { { .name = "seventy", .work = seventy },
                              { .name = "twenty", .work = twenty },
                              { .name = "ten", .work = ten } };
    double start = cpu_seconds(), all = 0;
    struct cpprof_profile *p = begin("profile");

    for (int i = 0; i < 3; i++)
        (void)pthread_create(&shares[i].thread, NULL, run_rounds, &shares[i]);
    for (int i = 0; i < 3; i++) {
        (void)pthread_join(shares[i].thread, NULL);
        all += shares[i].cpu;
    }
    start = cpu_seconds() - start;
    finish(p);
    printf("cpu %.6f\n", start);
    for (int i = 0; i < 3; i++)
        printf("share %s %.6f\n", shares[i].name, shares[i].cpu / all);
}

/* Threads that run for less than a sampling period. */
KEEP static void *run_short(void *arg)
{
    for (int i = 0; i < 10; i++)
        seventy();
    return arg;
}

KEEP static void *run_shorter(void *arg)
{
    for (int i = 0; i < 10; i++)
        twenty();
    for (int i = 0; i < 10; i++)
        ten();
    return arg;
}

static void short_threads(void)
{
    double start = cpu_seconds();
    struct cpprof_profile *p = begin("profile");

    while (cpu_seconds() - start < 1.5) {
        pthread_t threads[4];

        for (int i = 0; i < 4; i++)
            (void)pthread_create(&threads[i], NULL,
                                 i % 2 ? run_short : run_shorter, NULL);
        for (int i = 0; i < 4; i++)
            (void)pthread_join(threads[i], NULL);
    }
    start = cpu_seconds() - start;
    finish(p);
    printf("cpu %.6f\nratio run_short run_shorter 2.333\n", start);
}

static void labels(void)
{
    struct cpprof_profile *p = begin("profile");
    double end = cpu_seconds() + 1.0;
    unsigned before = cpprof_labels_get();

    if (cpprof_label_set("tenant", "none") != 0)
        die("label");
    while (cpu_seconds() < end) {
        (void)cpprof_label_set("tenant", "large");
        (void)cpprof_label_set("route", "/a");
        seventy();
        (void)cpprof_label_clear("route");
        (void)cpprof_label_set("tenant", "small");
        twenty();
        ten();
    }
    cpprof_labels_put(before);
    finish(p);
}

KEEP static unsigned recurse(int depth)
{
    volatile unsigned result;

    if (depth == 0) {
        seventy();
        return sink;
    }
    result = recurse(depth - 1) + 1;
    return result;
}

static void recursion(void)
{
    struct cpprof_profile *p = begin("profile");
    double end = cpu_seconds() + 0.5;

    while (cpu_seconds() < end)
        (void)recurse(2000);
    finish(p);
}

/* A library that is loaded during the profile. */
static void plugin(void)
{
    struct cpprof_profile *p = begin("profile");
    void *library = dlopen(getenv("PLUGIN"), RTLD_NOW);
    void (*work)(volatile unsigned *, unsigned);
    double end = cpu_seconds() + 1.0;

    if (!library)
        die(dlerror());
    work =
        (void (*)(volatile unsigned *, unsigned))dlsym(library, "plugin_work");
    while (cpu_seconds() < end)
        work(&sink, STEP);
    finish(p);
    (void)dlclose(library);
}

static _Atomic int n_alarms;

static void on_alarm(int sig)
{
    (void)sig;
    for (int i = 0; i < 8; i++)
        twenty();
    atomic_fetch_add(&n_alarms, 1);
}

/*
 * Continuous signals, handled on an alternate stack; not in phase with the
 * kernel's tick, which drives the CPU timers.
 */
static void signals(void)
{
    static char memory[65536];
    stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
    struct sigaction action = { .sa_handler = on_alarm,
                                .sa_flags = SA_ONSTACK };
    struct itimerval every = { { 0, 1370 }, { 0, 1370 } }, off = { 0 };
    struct cpprof_profile *p;
    double end;

    (void)sigaltstack(&stack, NULL);
    (void)sigaction(SIGALRM, &action, NULL);
    p = begin("profile");
    (void)setitimer(ITIMER_REAL, &every, NULL);
    for (end = cpu_seconds() + 1.0; cpu_seconds() < end;)
        seventy();
    (void)setitimer(ITIMER_REAL, &off, NULL);
    finish(p);
}

static _Atomic int n_profs;

static void on_prof(int sig)
{
    (void)sig;
    atomic_fetch_add(&n_profs, 1);
}

/* The program uses SIGPROF itself. */
static void own_sigprof(void)
{
    struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, off = { 0 };
    struct sigaction action = { .sa_handler = on_prof }, now;
    struct cpprof_profile *p;

    (void)sigaction(SIGPROF, &action, NULL);
    (void)setitimer(ITIMER_PROF, &every, NULL);
    p = begin("profile");
    split_for(0.5);
    finish(p);
    (void)setitimer(ITIMER_PROF, &off, NULL);
    (void)sigaction(SIGPROF, NULL, &now);
    if (now.sa_handler != on_prof || atomic_load(&n_profs) < 10)
        die("SIGPROF was taken from the program");
}

/* The program takes SIGPROF during the profile: the library must change its
 * signal. */
static void late_sigprof(void)
{
    struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, off = { 0 };
    struct sigaction action = { .sa_handler = on_prof }, now;
    struct cpprof_profile *p = begin("profile"), *next;

    (void)sigaction(SIGPROF, &action, NULL);
    (void)setitimer(ITIMER_PROF, &every, NULL);
    next = begin("profile");
    split_for(0.5);
    (void)cpprof_stop(p, -1);
    finish(next);
    (void)setitimer(ITIMER_PROF, &off, NULL);
    (void)sigaction(SIGPROF, NULL, &now);
    if (now.sa_handler != on_prof || atomic_load(&n_profs) < 10)
        die("SIGPROF was taken from the program");
}

/* RLIMIT_SIGPENDING is 0: no timers, and signals without data. */
static void no_queue(void)
{
    struct rlimit none = { 0, 0 };
    struct cpprof_profile *cpu, *wall_too;

    if (setrlimit(RLIMIT_SIGPENDING, &none) != 0)
        die("setrlimit");
    cpu = begin("profile");
    wall_too = begin("wall");
    split_for(1.0);
    if (cpprof_stop(wall_too, -1) != 0)
        die("stop");
    finish(cpu);
}

static jmp_buf back;

KEEP static void jump(int sig)
{
    (void)sig;
    seventy();
    longjmp(back, 1);
}

static void jumps(void)
{
    struct cpprof_profile *p = begin("profile");
    double end = cpu_seconds() + 1.0;
    volatile int n = 0;

    while (cpu_seconds() < end) {
        if (setjmp(back) == 0)
            jump(0);
        n++;
    }
    finish(p);
}

/* A forked child takes its own profile; the parent's continues. */
static void forks(void)
{
    struct cpprof_profile *p = begin("profile");
    int status = 1;
    pid_t child = fork();

    if (child == 0) {
        struct cpprof_profile *own = begin("profile");

        split_for(0.7);
        finish(own);
        _exit(0);
    }
    split_for(0.3);
    if (waitpid(child, &status, 0) != child || status != 0)
        die("the child failed");
    (void)cpprof_stop(p, -1);
    printf("share seventy 0.7\nshare twenty 0.2\nshare ten 0.1\n");
}

static void *burn(void *is_done)
{
    while (!atomic_load((_Atomic int *)is_done))
        ten();
    return NULL;
}

/* Starts programs during both profiles: none may get a signal. */
static void spawns(void)
{
    static char *const argv[] = { "/bin/true", NULL };
    static char *const no_env[] = { NULL };
    struct cpprof_profile *cpu = begin("profile"), *wall = begin("wall");
    _Atomic int is_done = 0;
    pthread_t thread;
    int n_bad = 0;

    (void)pthread_create(&thread, NULL, burn, (void *)&is_done);
    for (int i = 0; i < 150; i++) {
        pid_t child;
        int status = 1;

        if (i % 3 == 0) {
            if (posix_spawn(&child, argv[0], NULL, NULL, argv, no_env) != 0)
                die("posix_spawn");
        } else {
            child = i % 3 == 1 ? fork() : vfork();
            if (child == 0) {
                (void)execve(argv[0], argv, no_env);
                _exit(127);
            }
        }
        if (waitpid(child, &status, 0) != child || status != 0)
            n_bad++;
    }
    atomic_store(&is_done, 1);
    (void)pthread_join(thread, NULL);
    (void)cpprof_stop(wall, -1);
    finish(cpu);
    if (n_bad)
        die("a program that was started ended badly");
}

static _Atomic int n_interrupted, tid_of_sleeper;

static void *sleep_in_poll(void *fd)
{
    struct pollfd p = { .fd = *(int *)fd, .events = POLLIN };

    atomic_store(&tid_of_sleeper, gettid());
    while (poll(&p, 1, -1) < 0)
        if (errno == EINTR)
            atomic_fetch_add(&n_interrupted, 1);
    return NULL;
}

static char state_of(int tid)
{
    char path[64], state = '?';
    FILE *f;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
    f = fopen(path, "re");
    if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        die("no state of a thread");
    (void)fclose(f);
    return state;
}

/* A thread that does not sleep yet may be sampled as a running one. */
static void wait_for_sleeper(void)
{
    while (atomic_load(&tid_of_sleeper) == 0 ||
           state_of(atomic_load(&tid_of_sleeper)) != 'S')
        (void)sched_yield();
}

/* Sleeping threads are sampled and not interrupted; one thread computes. */
static void wall(void)
{
    _Atomic int is_done = 0;
    pthread_t sleeper, burner;
    struct cpprof_profile *p;
    int ends[2];
    double end;

    if (pipe(ends) != 0)
        die("pipe");
    (void)pthread_create(&sleeper, NULL, sleep_in_poll, &ends[0]);
    (void)pthread_create(&burner, NULL, burn, (void *)&is_done);
    wait_for_sleeper();
    p = begin("wall");
    for (end = cpu_seconds() + 0.5; cpu_seconds() < end;)
        (void)usleep(1000);
    finish(p);
    atomic_store(&is_done, 1);
    (void)close(ends[1]);
    (void)pthread_join(sleeper, NULL);
    (void)pthread_join(burner, NULL);
    printf("interrupted %d\n", atomic_load(&n_interrupted));
}

/* Overlapping profiles: each contains the work of its own time. */
static void windows(void)
{
    struct cpprof_profile *first = begin("profile"), *second;
    double end = cpu_seconds() + 0.4;

    while (cpu_seconds() < end)
        seventy();
    second = begin("profile");
    for (end = cpu_seconds() + 0.4; cpu_seconds() < end;)
        twenty();
    (void)cpprof_stop(first, -1);
    for (end = cpu_seconds() + 0.4; cpu_seconds() < end;)
        ten();
    finish(second);
    printf("share seventy 0\nshare twenty 0.5\nshare ten 0.5\ncpu 0.8\n");
}

static const struct mode {
    const char *name;
    void (*run)(void);
} modes[] = {
    { "across_threads", across_threads },
    { "forks", forks },
    { "jumps", jumps },
    { "labels", labels },
    { "late_sigprof", late_sigprof },
    { "no_queue", no_queue },
    { "own_sigprof", own_sigprof },
    { "plugin", plugin },
    { "recursion", recursion },
    { "short_threads", short_threads },
    { "signals", signals },
    { "spawns", spawns },
    { "split", split },
    { "wall", wall },
    { "windows", windows },
};

int main(int argc, char **argv)
{
    if (argc == 3) {
        out_path = argv[2];
        for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
            if (strcmp(modes[i].name, argv[1]) == 0) {
                modes[i].run();
                return 0;
            }
        }
    }
    fprintf(stderr, "usage: api_target MODE OUT\n");
    return 2;
}
