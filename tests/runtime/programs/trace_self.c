/*
 * trace_self.c - a program that traces itself, for tests of the trace.
 *
 *   trace_self usage FILE  while four threads use 0.3 s of CPU time each;
 * prints that time from getrusage in us, without the library's threads
 *   trace_self end FILE    while a thread ends whose timer takes 20 ms of CPU
 *                          time to delete; prints its id, and its CPU clock
 *                          after that
 *   trace_self last FILE   while a thread sleeps three times, in calls that no
 *                          hook sees, and ends; prints its id
 *   trace_self makers FILE while it creates threads, and after each tries to
 *                          create many more that fail; prints its id and the
 *                          number of threads
 *   trace_self steps FILE  with more events and more threads than the buffers
 *                          hold, so that the library must drain them; prints
 * the numbers of messages and threads
 */
#include <cpprof.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static sem_t sem;

static void sleep_ms(long ms)
{
    struct timespec span = { ms / 1000, ms % 1000 * 1000000 };

    (void)nanosleep(&span, NULL);
}

/* ---- the library's thread ---- */

/* Opens a /proc file of the thread that drains the trace, or returns NULL. */
static FILE *open_of_drain(const char *name)
{
    char text[300];
    struct dirent *entry;
    DIR *tasks = opendir("/proc/self/task");
    FILE *file = NULL;

    while (tasks && !file && (entry = readdir(tasks))) {
        (void)snprintf(text, sizeof(text), "/proc/self/task/%s/comm",
                       entry->d_name);
        file = fopen(text, "r");
        if (file && (!fgets(text, sizeof(text), file) ||
                     strcmp(text, "cpprof-trace\n") != 0)) {
            (void)fclose(file);
            file = NULL;
        }
        if (!file)
            continue;
        (void)fclose(file);
        (void)snprintf(text, sizeof(text), "/proc/self/task/%s/%s",
                       entry->d_name, name);
        file = fopen(text, "r");
    }
    if (tasks)
        (void)closedir(tasks);
    return file;
}

/* Number of its sleeps; -1 if it does not exist. */
static long naps_of_drain(void)
{
    FILE *status = open_of_drain("status");
    char line[512];
    long naps = -1;

    while (status && fgets(line, sizeof(line), status))
        if (sscanf(line, "voluntary_ctxt_switches: %ld", &naps) == 1)
            break;
    if (status)
        (void)fclose(status);
    return naps;
}

static long long ns_of_drain(void)
{
    FILE *file = open_of_drain("schedstat");
    long long ns = 0;

    if (file && fscanf(file, "%lld", &ns) != 1)
        abort();
    if (file)
        (void)fclose(file);
    return ns;
}

/* ---- usage ---- */

static int64_t used_us(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
           usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

/* Spends half of the time in the kernel. */
static void *use(void *arg)
{
    struct timespec now = { 0, 0 };
    int fd = open("/dev/zero", O_RDONLY);
    static char bytes[4][4 << 20];

    (void)sem_wait(&sem);
    while (now.tv_nsec < 150000000 && now.tv_sec == 0) {
        for (volatile int i = 0; i < 10000; i++)
            ;
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    }
    while (now.tv_nsec < 300000000 && now.tv_sec == 0) {
        if (read(fd, bytes[(intptr_t)arg], sizeof(bytes[0])) < 0)
            abort();
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    }
    (void)close(fd);
    return NULL;
}

static int trace_usage(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    struct cpprof_profile *trace;
    pthread_t threads[4];
    int64_t us;

    (void)sem_init(&sem, 0, 0);
    for (intptr_t i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, use, (void *)i) != 0)
            return 1;
    trace = cpprof_start("trace");
    us = used_us();
    for (int i = 0; i < 4; i++)
        (void)sem_post(&sem);
    for (int i = 0; i < 4; i++)
        (void)pthread_join(threads[i], NULL);
    us = used_us() - us - ns_of_drain() / 1000;
    if (cpprof_stop(trace, fd) != 0) {
        (void)fprintf(stderr, "%s\n", cpprof_error());
        return 1;
    }
    (void)printf("%lld\n", (long long)us);
    return close(fd) != 0;
}

/* ---- end ---- */

#define REALLY 0x7ea11fu /* permits a system call */

static _Atomic int64_t deleted_ns;
static _Atomic int deleter;

static int64_t own_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static long delete_late(long timer)
{
    int64_t begin = own_ns();
    long result;

    while (own_ns() - begin < 20000000)
        ;
    result = syscall(SYS_timer_delete, timer, (long)REALLY);
    deleter = (int)syscall(SYS_gettid);
    deleted_ns = own_ns();
    return result;
}

static void on_delete(int sig, siginfo_t *info, void *context)
{
    ucontext_t *at = context;

    (void)sig;
    (void)info;
#if defined(__x86_64__)
    at->uc_mcontext.gregs[REG_RAX] =
        delete_late(at->uc_mcontext.gregs[REG_RDI]);
#else
    at->uc_mcontext.regs[0] =
        (unsigned long)delete_late((long)at->uc_mcontext.regs[0]);
#endif
}

/* By system call: the library's hook would stop recording before a filter. */
static bool install(const struct sock_fprog *program)
{
#ifdef __x86_64__
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_prctl), "D"(PR_SET_SECCOMP),
                       "S"(SECCOMP_MODE_FILTER), "d"(program)
                     : "rcx", "r11", "memory");
    return result == 0;
#else
    (void)program;
    return false;
#endif
}

/* Makes timer_delete slow in the calling thread and in threads it creates. */
static bool watch_deletes(void)
{
    struct sigaction act = { .sa_sigaction = on_delete,
                             .sa_flags = SA_SIGINFO };
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_delete, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                 offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, REALLY, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof(steps) / sizeof(steps[0]), steps };

    return sigaction(SIGSYS, &act, NULL) == 0 &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && install(&program);
}

static void *nothing(void *arg)
{
    return arg;
}

static int trace_end(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    struct cpprof_profile *trace = cpprof_start("trace");
    pthread_t thread;

    if (!trace || !watch_deletes())
        return 3;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0)
        return 1;
    (void)pthread_join(thread, NULL);
    (void)printf("%d %lld\n", deleter, (long long)deleted_ns);
    return cpprof_stop(trace, fd) != 0 || close(fd) != 0;
}

/* ---- makers ---- */

#define MADE 12
#define REFUSED                                                                \
    6000 /* failures after each; all of them fit into the buffers              \
          */

static int trace_makers(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    struct cpprof_profile *trace = cpprof_start("trace");
    pthread_attr_t huge;
    pthread_t thread, none;

    (void)pthread_attr_init(&huge);
    if (pthread_attr_setstacksize(&huge, (size_t)1 << 62) != 0)
        return 3;
    for (int i = 0; i < MADE; i++) {
        if (pthread_create(&thread, NULL, nothing, NULL) != 0)
            return 1;
        for (int k = 0; k < REFUSED; k++)
            if (pthread_create(&none, &huge, nothing, NULL) == 0)
                return 3;
        (void)pthread_join(thread, NULL);
    }
    (void)pthread_attr_destroy(&huge);
    (void)printf("%d %d\n", (int)getpid(), MADE);
    return cpprof_stop(trace, fd) != 0 || close(fd) != 0;
}

/* ---- steps ---- */

#define STEPS 8
#define STEP_LOGS 25000
#define STEP_THREADS 300

/* Each sleep ends a turn of the drain thread; there may be more sleeps. */
static bool let_drain(void)
{
    long naps = naps_of_drain(), now;

    for (int i = 0; naps < 0 && i < 20000; i++) { /* it has not started yet */
        sleep_ms(5);
        naps = naps_of_drain();
    }
    now = naps;
    while (naps >= 0 && now >= 0 && now < naps + 4) {
        sleep_ms(5);
        now = naps_of_drain();
    }
    return now >= 0;
}

static void *say_and_wait(void *arg)
{
    cpprof_log("step", "thread");
    (void)sem_wait(&sem);
    return arg;
}

/* Fewer threads than wanted if the system permits no more. */
static size_t step(pthread_t *threads)
{
    pthread_attr_t small;
    size_t n = 0;

    (void)pthread_attr_init(&small);
    (void)pthread_attr_setstacksize(&small, (size_t)64 << 10);
    while (n < STEP_THREADS &&
           pthread_create(&threads[n], &small, say_and_wait, NULL) == 0)
        n++;
    (void)pthread_attr_destroy(&small);
    for (int i = 0; i < STEP_LOGS; i++)
        cpprof_log("step", "main");
    return n;
}

static int trace_steps(const char *path)
{
    static pthread_t threads[STEPS * STEP_THREADS];
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    struct cpprof_profile *trace;
    size_t n = 0;

    (void)sem_init(&sem, 0, 0);
    trace = cpprof_start("trace");
    for (int i = 0; i < STEPS; i++) {
        n += step(threads + n);
        if (!let_drain())
            return 3;
    }
    for (size_t i = 0; i < n; i++)
        (void)sem_post(&sem);
    for (size_t i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
    if (cpprof_stop(trace, fd) != 0) {
        (void)fprintf(stderr, "%s\n", cpprof_error());
        return 1;
    }
    (void)printf("%zu %zu\n", n + (size_t)(STEPS * STEP_LOGS), n);
    while (naps_of_drain() >=
           0) /* the thread ends when it is no longer needed */
        sleep_ms(1);
    return close(fd) != 0;
}

/* ---- last ---- */

static _Atomic int sleeper;

static void *sleep_and_end(void *arg)
{
    struct timespec span = { 0, 2000000 };

    sleeper = (int)syscall(SYS_gettid);
    (void)sem_wait(&sem);
    for (int i = 0; i < 3; i++)
        (void)syscall(SYS_nanosleep, &span, NULL);
    return arg;
}

static int trace_last(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    struct cpprof_profile *trace;
    pthread_t thread;

    (void)sem_init(&sem, 0, 0);
    if (pthread_create(&thread, NULL, sleep_and_end, NULL) != 0)
        return 1;
    trace = cpprof_start("trace");
    if (!let_drain())
        return 3;
    (void)sem_post(&sem);
    (void)pthread_join(thread, NULL);
    (void)printf("%d\n", sleeper);
    return cpprof_stop(trace, fd) != 0 || close(fd) != 0;
}

static const struct mode {
    const char *name;
    int (*run)(const char *path);
} modes[] = { { "end", trace_end },
              { "last", trace_last },
              { "makers", trace_makers },
              { "steps", trace_steps },
              { "usage", trace_usage } };

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 2 && i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(modes[i].name, argv[1]) == 0)
            return modes[i].run(argv[2]);
    return 2;
}
