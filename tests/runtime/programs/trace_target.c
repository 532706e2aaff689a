/*
 * trace_target.c - a program with known activities, for tests of the trace.
 *
 *   trace_target known     named threads: one sleeps 20 ms at a time, one holds
 *                          a mutex 10 ms at a time that another wants, one is
 *                          woken by a condition, one reads a pipe; regions and
 *                          messages; threads that start and end
 *   trace_target busy N    N threads that count, and sometimes take a lock
 *   trace_target churn N   N threads at a time that start and end
 *   trace_target storm N   N threads that make as many events as they can
 *   trace_target forks N   N threads that fork continuously
 *   trace_target strays N  churn with threads that no hook sees
 *   trace_target faults N  N threads that cause page faults
 *
 * Runs until its standard input ends.
 */
#include <cpprof.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 1024

static _Atomic bool is_over;
static _Atomic size_t n_named;
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
    atomic_fetch_add(&n_named, 1);
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
    (void)pthread_setname_np(pthread_self(), "brief");
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

typedef int make_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                    void *);

/* Some run long enough to be found by a scan of /proc. */
static void *stray(void *arg)
{
    sleep_ms(150);
    return arg;
}

static void *strays(void *arg)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    make_fn *make = libc ? (make_fn *)dlsym(libc, "pthread_create") : NULL;

    while (make && !atomic_load(&is_over)) {
        pthread_t child;

        if (make(&child, NULL, stray, NULL) == 0)
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
    if (n < MAX_THREADS && pthread_create(&threads[n], NULL, run, NULL) == 0)
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
    } all[] = {
        { "busy", busy },     { "churn", churn },  { "storm", storm },
        { "strays", strays }, { "forks", forker }, { "faults", toucher }
    };
    size_t n = 0;

    if (strcmp(what, "known") == 0)
        return start_known(threads);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        for (int k = 0; k < wanted && strcmp(what, all[i].name) == 0; k++)
            n = start(threads, n, all[i].run);
    return n;
}

int main(int argc, char **argv)
{
    static pthread_t threads[MAX_THREADS];
    const char *what = argc > 1 ? argv[1] : "known";
    size_t n;
    char byte;

    n = start_all(threads, what, argc > 2 ? atoi(argv[2]) : 1);
    while (strcmp(what, "known") == 0 && atomic_load(&n_named) < n)
        sleep_ms(1); /* a trace has the names that exist at its start */
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
