/*
 * truth - a program with known shares of CPU time, for scripts/truth.
 *
 * `truth MODE SECONDS OUT` spends SECONDS of CPU time in three functions in the
 * ratio 7:2:1, in turns of 5 to 15 ms a unit, and prints the times from the
 * clocks of its threads:
 *
 *   cpu SECONDS          the process while the profiler ran
 *   own SECONDS          the profiler's threads, a part of cpu
 *   part NAME SECONDS    a function, a part of the rest
 *
 * The profiler is the preloaded one, cpprof or gperftools; both start and stop
 * at the same places.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "truth.h"

struct cpprof_profile;
struct cpprof_profile *cpprof_start(const char *kind) __attribute__((weak));
int cpprof_stop(struct cpprof_profile *p, int fd) __attribute__((weak));
int ProfilerStart(const char *path) __attribute__((weak));
void ProfilerStop(void) __attribute__((weak));

struct part {
    const char *name;
    truth_work *work;
    int weight, signal;
    double spent; /* seconds of the working thread's CPU clock */
};

static struct part parts[] = { { .weight = 7 },
                               { .weight = 2, .signal = SIGUSR1 },
                               { .weight = 1, .signal = SIGUSR2 } };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double rounds_per_second, seconds = 10;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static double clock_s(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double rusage_s(void)
{
    struct rusage r;

    (void)getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static bool is_profilers(const char *tid)
{
    char path[300], name[32] = "";
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%s/comm", tid);
    file = fopen(path, "r");
    if (file && !fgets(name, sizeof(name), file))
        name[0] = '\0';
    if (file)
        (void)fclose(file);
    return strncmp(name, "cpprof-", 7) == 0;
}

/* CPU time of the profiler's own threads, which no profile contains. */
static double own_s(void)
{
    DIR *tasks = opendir("/proc/self/task");
    double sum = 0;

    for (struct dirent *e; tasks && (e = readdir(tasks));)
        if (is_profilers(e->d_name)) /* the kernel's clock id of a thread */
            sum += clock_s((clockid_t)(~(unsigned)atoi(e->d_name) << 3 | 6));
    if (tasks)
        (void)closedir(tasks);
    return sum;
}

/* 0.5 to 1.5, so that no work is in phase with a timer. */
static double jitter(void)
{
    static _Thread_local unsigned state;

    if (!state)
        state = (unsigned)clock_s(CLOCK_REALTIME) + (unsigned)getpid() +
                (unsigned)gettid() * 2654435761u;
    state = state * 1664525u + 1013904223u;
    return 0.5 + (double)(state >> 8) / 16777216;
}

/* The functions of the plain modes. */
#define PLAIN(name)                                                            \
    static __attribute__((noinline)) void name(unsigned long rounds)           \
    {                                                                          \
        TRUTH_WORK(rounds);                                                    \
    }

PLAIN(seventy)
PLAIN(twenty)
PLAIN(ten)

static __attribute__((noinline)) unsigned long deeper(int depth,
                                                      unsigned long rounds)
{
    volatile char room[40];

    room[0] = 1;
    if (depth == 0)
        TRUTH_WORK(rounds);
    else
        rounds = deeper(depth - 1, rounds);
    return rounds + (unsigned long)room[0];
}

#define DEEP(name)                                                             \
    static __attribute__((noinline)) void name(unsigned long rounds)           \
    {                                                                          \
        volatile unsigned long keep = deeper(400, rounds);                     \
                                                                               \
        (void)keep;                                                            \
    }

DEEP(seventy_deep)
DEEP(twenty_deep)
DEEP(ten_deep)

/* Work in the kernel: one system call per about a hundred rounds. */
static __attribute__((noinline)) void twenty_reads(unsigned long rounds)
{
    static char bytes[4096];
    static int fd = -1;

    if (fd < 0)
        fd = open("/dev/zero", O_RDONLY);
    for (unsigned long i = 0; i < rounds / 128 + 1; i++)
        if (read(fd, bytes, sizeof(bytes)) < 0)
            break;
}

static void set_parts(truth_work *one, truth_work *two, truth_work *three)
{
    truth_work *works[] = { one, two, three };

    for (int i = 0; i < 3; i++)
        parts[i].work = works[i];
}

static void set_names(const char *suffix)
{
    static char names[3][32];
    const char *stems[] = { "seventy", "twenty", "ten" };

    for (int i = 0; i < 3; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "%s%s", stems[i], suffix);
        parts[i].name = names[i];
    }
}

static void calibrate(void)
{
    unsigned long rounds = 64;
    double took;

    do {
        double start = clock_s(CLOCK_THREAD_CPUTIME_ID);

        rounds *= 2;
        parts[2].work(rounds);
        took = clock_s(CLOCK_THREAD_CPUTIME_ID) - start;
    } while (took < 0.05);
    rounds_per_second = (double)rounds / took;
}

static double spend(struct part *p, double unit_s)
{
    double start = clock_s(CLOCK_THREAD_CPUTIME_ID);

    p->work((unsigned long)(p->weight * unit_s * jitter() * rounds_per_second));
    return clock_s(CLOCK_THREAD_CPUTIME_ID) - start;
}

static void add(struct part *p, double spent)
{
    (void)pthread_mutex_lock(&lock);
    p->spent += spent;
    (void)pthread_mutex_unlock(&lock);
}

static double spent_s(void)
{
    return parts[0].spent + parts[1].spent + parts[2].spent;
}

/* All functions in turn on one thread. */
static void in_turn(void)
{
    while (spent_s() < seconds)
        for (int i = 0; i < 3; i++)
            add(&parts[i], spend(&parts[i], 0.01));
}

/* The same in turns shorter than a tick; the functions have other names. */
static void in_short_turn(void)
{
    parts[0].name = "seventy";
    parts[1].name = "twenty_reads";
    parts[2].name = "ten";
    while (spent_s() < seconds)
        for (int i = 0; i < 3; i++)
            add(&parts[i], spend(&parts[i], 0.00002));
}

/* Ten threads at once; seven of them run the first function, and so on. */
static void *one_of_ten(void *arg)
{
    struct part *p = arg;
    double spent = 0;

    while (spent < seconds / 10)
        spent += spend(p, 0.01 / p->weight);
    add(p, spent);
    return NULL;
}

static void on_threads(void)
{
    const int whose[10] = { 0, 1, 0, 0, 2, 0, 0, 1, 0, 0 };
    pthread_t threads[10];

    for (int i = 0; i < 10; i++)
        if (pthread_create(&threads[i], NULL, one_of_ten, &parts[whose[i]]))
            die("pthread_create");
    for (int i = 0; i < 10; i++)
        (void)pthread_join(threads[i], NULL);
}

/* The same with threads that start with all signals blocked, as in liblzma. */
static void on_blocking_threads(void)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    on_threads();
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Each turn of 7, 2 or 1 ms runs in a new thread. */
static void *one_turn(void *arg)
{
    add(arg, spend(arg, 0.001));
    return NULL;
}

static void on_short_threads(void)
{
    while (spent_s() < seconds) {
        pthread_t threads[3];

        for (int i = 0; i < 3; i++)
            if (pthread_create(&threads[i], NULL, one_turn, &parts[i]))
                die("pthread_create");
        for (int i = 0; i < 3; i++)
            (void)pthread_join(threads[i], NULL);
    }
}

/* Two of the three functions run in signal handlers, at a thousand a second. */
static void on_signal(int sig)
{
    for (int i = 1; i < 3; i++)
        if (parts[i].signal == sig)
            parts[i].spent += spend(&parts[i], 0.01);
}

static void on_alarm(int sig)
{
    (void)sig;
}

static void with_signals(void)
{
    struct itimerval often = { { 0, 1013 }, { 0, 1013 } }, never = { 0 };
    struct sigaction work = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    struct sigaction alarm_action = { .sa_handler = on_alarm,
                                      .sa_flags = SA_RESTART };

    (void)sigaction(SIGUSR1, &work, NULL);
    (void)sigaction(SIGUSR2, &work, NULL);
    (void)sigaction(SIGALRM, &alarm_action, NULL);
    (void)setitimer(ITIMER_REAL, &often, NULL);
    while (spent_s() < seconds) {
        parts[0].spent += spend(&parts[0], 0.01);
        (void)raise(SIGUSR1);
        (void)raise(SIGUSR2);
    }
    (void)setitimer(ITIMER_REAL, &never, NULL);
}

/* In a library that is reloaded from time to time; the last copy stays. */
static void *load(void)
{
    void *plugin = dlopen(getenv("TRUTH_PLUGIN"), RTLD_NOW | RTLD_LOCAL);

    if (!plugin)
        die(dlerror());
    set_parts((truth_work *)dlsym(plugin, "seventy"),
              (truth_work *)dlsym(plugin, "twenty"),
              (truth_work *)dlsym(plugin, "ten"));
    return plugin;
}

static void in_plugin(void)
{
    for (void *plugin = load(); spent_s() < seconds;) {
        for (int turn = 0; turn < 20; turn++)
            for (int i = 0; i < 3; i++)
                add(&parts[i], spend(&parts[i], 0.01));
        (void)dlclose(plugin);
        plugin = load();
    }
}

static const struct mode {
    const char *name, *suffix;
    truth_work *works[3];
    void (*run)(void);
} modes[] = {
    { "functions", "", { seventy, twenty, ten }, in_turn },
    { "threads", "", { seventy, twenty, ten }, on_threads },
    { "blocking_threads", "", { seventy, twenty, ten }, on_blocking_threads },
    { "short_threads", "", { seventy, twenty, ten }, on_short_threads },
    { "signals", "", { seventy, twenty, ten }, with_signals },
    { "recursion", "_deep", { seventy_deep, twenty_deep, ten_deep }, in_turn },
    { "kernel", "", { seventy, twenty_reads, ten }, in_short_turn },
    { "dlopen", "", { seventy, twenty, ten }, in_plugin },
    { "exceptions",
      "_throws",
      { seventy_throws, twenty_throws, ten_throws },
      in_turn },
};

static void run(const struct mode *mode, const char *out)
{
    struct cpprof_profile *profile = NULL;
    double cpu, own;

    set_names(mode->suffix);
    set_parts(mode->works[0], mode->works[1], mode->works[2]);
    calibrate();
    if (cpprof_start && !(profile = cpprof_start("profile")))
        die("cpprof_start");
    else if (ProfilerStart && !ProfilerStart(out))
        die("ProfilerStart");
    own = own_s();
    cpu = rusage_s();
    mode->run();
    cpu = rusage_s() - cpu;
    own = own_s() - own;
    if (cpprof_stop) {
        int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0644);

        if (fd < 0 || cpprof_stop(profile, fd) != 0)
            die("cpprof_stop");
    } else if (ProfilerStop) {
        ProfilerStop();
    }
    printf("cpu %.6f\nown %.6f\n", cpu, own);
    for (int i = 0; i < 3; i++)
        printf("part %s %.6f\n", parts[i].name, parts[i].spent);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 4 && i < sizeof(modes) / sizeof(*modes); i++) {
        if (strcmp(argv[1], modes[i].name) == 0) {
            seconds = atof(argv[2]);
            run(&modes[i], argv[3]);
            return 0;
        }
    }
    fprintf(stderr, "usage: truth MODE SECONDS OUT\n");
    return 2;
}
