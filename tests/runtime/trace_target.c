/*
 * trace_target.c - a program that does known things, for tests of the trace.
 *
 *   trace_target known     named threads: one sleeps 20 ms at a time, one holds
 *                          a mutex 10 ms at a time that another wants, one is
 *                          woken by a condition, one reads a pipe; regions and
 *                          messages; a thread that comes and goes
 *   trace_target busy N    N threads that count, and take a lock now and then
 *   trace_target churn N   N threads at a time that come and go
 *   trace_target storm N   N threads that yield as many events as they can
 *   trace_target forks N   N threads that fork all the time
 *   trace_target faults N  N threads that touch pages that are not there
 *
 * Runs until its standard input ends. And one that ends by itself:
 *
 *   trace_target usage FILE  traces itself while four threads use 0.3 s of
 *                            processor time each; prints what getrusage said
 *                            that it was, in us, without the library's own
 *   trace_target steps FILE  traces itself in two steps with more events, and
 *                            more threads at a time, than there is room for at
 *                            once; prints how many messages and threads
 */
#include <cpprof.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_THREADS 1024

static _Atomic bool is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t cond_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static unsigned n_signals;
static int pipe_fds[2];

static void sleep_ms(long ms)
{
    struct timespec span = { ms / 1000, ms % 1000 * 1000000 };

    (void)nanosleep(&span, NULL);
}

static void name(const char *text)
{
    (void)pthread_setname_np(pthread_self(), text);
}

/* ---- known ---- */

__attribute__((noinline)) static void *sleeper(void *arg)
{
    name("sleeper");
    while (!atomic_load(&is_over)) {
        cpprof_region_begin("nap");
        sleep_ms(20);
        cpprof_region_end("nap");
        cpprof_log("test", "woke up");
    }
    return arg;
}

__attribute__((noinline)) static void *holder(void *arg)
{
    name("holder");
    while (!atomic_load(&is_over)) {
        (void)pthread_mutex_lock(&lock);
        sleep_ms(10);
        (void)pthread_mutex_unlock(&lock);
        sleep_ms(5);
    }
    return arg;
}

__attribute__((noinline)) static void *wanter(void *arg)
{
    name("wanter");
    while (!atomic_load(&is_over)) {
        (void)pthread_mutex_lock(&lock);
        (void)pthread_mutex_unlock(&lock);
        sleep_ms(1);
    }
    return arg;
}

__attribute__((noinline)) static void *signaller(void *arg)
{
    name("signaller");
    while (!atomic_load(&is_over)) {
        sleep_ms(10);
        (void)pthread_mutex_lock(&cond_lock);
        n_signals++;
        (void)pthread_cond_signal(&cond);
        (void)pthread_mutex_unlock(&cond_lock);
        (void)sem_post(&sem);
        if (write(pipe_fds[1], "x", 1) != 1)
            abort();
    }
    return arg;
}

__attribute__((noinline)) static void *listener(void *arg)
{
    unsigned seen = 0;

    name("listener");
    while (!atomic_load(&is_over)) {
        (void)pthread_mutex_lock(&cond_lock);
        while (seen == n_signals && !atomic_load(&is_over))
            (void)pthread_cond_wait(&cond, &cond_lock);
        seen = n_signals;
        (void)pthread_mutex_unlock(&cond_lock);
    }
    return arg;
}

__attribute__((noinline)) static void *semmer(void *arg)
{
    name("semmer");
    while (!atomic_load(&is_over))
        (void)sem_wait(&sem);
    return arg;
}

__attribute__((noinline)) static void *reader(void *arg)
{
    char byte;

    name("reader");
    while (read(pipe_fds[0], &byte, 1) == 1)
        ;
    return arg;
}

__attribute__((noinline)) static void *burner(void *arg)
{
    volatile unsigned n = 0;

    name("burner");
    while (!atomic_load(&is_over))
        n++;
    return arg;
}

__attribute__((noinline)) static void *brief(void *arg)
{
    name("brief");
    sleep_ms(2);
    return arg;
}

__attribute__((noinline)) static void *mother(void *arg)
{
    name("mother");
    while (!atomic_load(&is_over)) {
        pthread_t child;

        if (pthread_create(&child, NULL, brief, NULL) == 0)
            (void)pthread_join(child, NULL);
        sleep_ms(20);
    }
    return arg;
}

/* ---- many ---- */

static void *busy(void *arg)
{
    static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
    volatile unsigned n = 0;

    while (!atomic_load(&is_over)) {
        for (int i = 0; i < 20000; i++)
            n++;
        (void)pthread_mutex_lock(&shared);
        n++;
        (void)pthread_mutex_unlock(&shared);
    }
    return arg;
}

static void *churn(void *arg)
{
    while (!atomic_load(&is_over)) {
        pthread_t child;

        if (pthread_create(&child, NULL, brief, NULL) == 0)
            (void)pthread_join(child, NULL);
    }
    return arg;
}

static void *storm(void *arg)
{
    int fds[2];
    char byte = 'x';

    if (pipe(fds) != 0)
        abort();
    while (!atomic_load(&is_over)) {
        if (write(fds[1], &byte, 1) != 1 || read(fds[0], &byte, 1) != 1)
            abort();
        (void)pthread_mutex_lock(&lock);
        (void)pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *forker(void *arg)
{
    while (!atomic_load(&is_over)) {
        pid_t child = fork();

        if (child == 0) {
            sleep_ms(1);
            _exit(0);
        }
        if (child > 0)
            (void)waitpid(child, NULL, 0);
    }
    return arg;
}

__attribute__((noinline)) static void touch(char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i += 4096)
        *(volatile char *)&bytes[i] = 1;
}

static void *toucher(void *arg)
{
    size_t len = (size_t)100 * 4096;

    while (!atomic_load(&is_over)) {
        char *bytes = mmap(NULL, len, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (bytes == MAP_FAILED)
            abort();
        (void)madvise(bytes, len, MADV_NOHUGEPAGE);
        touch(bytes, len);
        (void)munmap(bytes, len);
        sleep_ms(1);
    }
    return arg;
}

typedef void *thread_fn(void *);

static size_t start(pthread_t *threads, size_t n, thread_fn *run)
{
    if (n < MOST_THREADS && pthread_create(&threads[n], NULL, run, NULL) == 0)
        n++;
    return n;
}

static size_t start_known(pthread_t *threads)
{
    static thread_fn *const all[] = { sleeper,   holder,   wanter,
                                      signaller, listener, semmer,
                                      reader,    burner,   mother };
    size_t n = 0;

    if (pipe(pipe_fds) != 0 || sem_init(&sem, 0, 0) != 0)
        abort();
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        n = start(threads, n, all[i]);
    return n;
}

static size_t start_all(pthread_t *threads, const char *what, int wanted)
{
    static const struct {
        const char *name;
        thread_fn *run;
    } all[] = { { "busy", busy },
                { "churn", churn },
                { "storm", storm },
                { "forks", forker },
                { "faults", toucher } };
    size_t n = 0;

    if (strcmp(what, "known") == 0)
        return start_known(threads);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        for (int k = 0; k < wanted && strcmp(what, all[i].name) == 0; k++)
            n = start(threads, n, all[i].run);
    return n;
}

/* ---- the library's own thread ---- */

/* A file of the thread that empties a trace in two steps; NULL: none. */
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

/* How often it has gone to sleep; -1: there is none. */
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

/* Half of it in the kernel. */
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

/* ---- steps ---- */

#define STEPS 8
#define STEP_LOGS 25000
#define STEP_THREADS 300

/* Each nap is a turn; it may nap within one too, so these are a few. */
static bool let_drain(void)
{
    long naps = naps_of_drain(), now = naps;

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

/* Fewer threads than wanted if the system has no more. */
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
    while (naps_of_drain() >= 0) /* it goes when it is no longer needed */
        sleep_ms(1);
    return close(fd) != 0;
}

int main(int argc, char **argv)
{
    static pthread_t threads[MOST_THREADS];
    const char *what = argc > 1 ? argv[1] : "known";
    size_t n;
    char byte;

    if (strcmp(what, "usage") == 0 && argc > 2)
        return trace_usage(argv[2]);
    if (strcmp(what, "steps") == 0 && argc > 2)
        return trace_steps(argv[2]);
    n = start_all(threads, what, argc > 2 ? atoi(argv[2]) : 1);
    (void)printf("ready\n");
    (void)fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) == 1)
        ;
    atomic_store(&is_over, true);
    if (strcmp(what, "known") == 0) {
        (void)pthread_mutex_lock(&cond_lock);
        (void)pthread_cond_broadcast(&cond);
        (void)pthread_mutex_unlock(&cond_lock);
        (void)sem_post(&sem);
        (void)pthread_join(threads[3], NULL);
        (void)close(pipe_fds[1]);
        threads[3] = threads[--n];
    }
    for (size_t i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
    return 0;
}
