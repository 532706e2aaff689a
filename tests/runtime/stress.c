/*
 * stress - everything at once that a profiler can trip over, while profiles
 * are taken back to back.
 *
 * `stress SECONDS` runs so long, prints how often each thing was done, and
 * fails if one of them went wrong or if memory grew. What goes wrong otherwise
 * is a crash or a hang.
 */
#include <cpprof.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
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
#include <ucontext.h>
#include <unistd.h>

#include "keep.h"

static _Atomic bool is_over;
static _Thread_local volatile unsigned sink;

KEEP static void work(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sink = sink * 1664525u + 1013904223u;
}

static void fail(const char *what)
{
    fprintf(stderr, "stress: %s\n", what);
    abort();
}

/* Every thread does this now and then: blocks of many sizes come and go. */
static void allocate_some(long n)
{
    void *blocks[16];

    for (size_t i = 0; i < 16; i++)
        blocks[i] = malloc((i * 7919u + (size_t)n) % 3000 + 1);
    blocks[n & 15] = realloc(blocks[n & 15], (size_t)n % 70000 + 1);
    for (size_t i = 0; i < 16; i++)
        free(blocks[i]);
}

/* Threads that return, exit, or are cancelled: the last two are unwound. */
static void *short_life(void *arg)
{
    long n = (long)arg;

    work(20000);
    allocate_some(n);
    if (n % 3 == 1)
        pthread_exit(NULL);
    while (n % 3 == 2) {
        work(100);
        pthread_testcancel();
    }
    return NULL;
}

static void churn_threads(long n)
{
    pthread_t threads[6];

    for (long i = 0; i < 6; i++)
        if (pthread_create(&threads[i], NULL, short_life, (void *)(n + i)) != 0)
            fail("pthread_create");
    for (long i = 0; i < 6; i++) {
        if ((n + i) % 3 == 2)
            (void)pthread_cancel(threads[i]);
        (void)pthread_join(threads[i], NULL);
    }
}

static void load_library(long n)
{
    void *library = dlopen(getenv("PLUGIN"), n % 2 ? RTLD_NOW : RTLD_LAZY);
    void (*run)(volatile unsigned *, unsigned);

    if (!library)
        fail(dlerror());
    run =
        (void (*)(volatile unsigned *, unsigned))dlsym(library, "plugin_work");
    run(&sink, 20000);
    (void)dlclose(library);
}

/*
 * In the child of a fork. Not under sanitizers: their locks may have been held
 * by other threads, and in the child they stay so.
 */
static void use_child(long n)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)n;
#else
    allocate_some(n);
    if (cpprof_stop(cpprof_start("profile"), -1) != 0)
        _exit(1);
#endif
}

static void fork_child(long n)
{
    static char *const argv[] = { "/bin/true", NULL };
    static char *const no_env[] = { NULL };
    int status = 1;
    pid_t child = n % 4 == 0 ? vfork() : fork();

    if (child == 0) {
        if (n % 4 < 3) {
            (void)execve(argv[0], argv, no_env);
            _exit(127);
        }
        work(20000);
        use_child(n);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        fail("a child ended badly");
}

static _Thread_local sigjmp_buf back;

static void on_signal(int sig)
{
    work(500);
    if (sig == SIGUSR2)
        siglongjmp(back, 1);
}

static void take_signals(long n)
{
    static _Thread_local char memory[32768];
    stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };

    (void)sigaltstack(&stack, NULL);
    for (volatile int i = 0; i < 20; i++) {
        if (sigsetjmp(back, 1) == 0)
            (void)pthread_kill(pthread_self(), (n + i) % 2 ? SIGUSR1 : SIGUSR2);
        work(1000);
    }
}

KEEP static unsigned deep(unsigned left)
{
    volatile char frame[64];

    frame[left % 64] = (char)left;
    if (left == 0)
        work(20000);
    return left ? deep(left - 1) + (unsigned)frame[left % 64] : 0;
}

static void *on_small_stack(void *arg)
{
    (void)deep((unsigned)(PTHREAD_STACK_MIN / 512));
    return arg;
}

static void small_stacks(long n)
{
    pthread_attr_t attr;
    pthread_t thread;

    (void)n;
    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN * 2);
    if (pthread_create(&thread, &attr, on_small_stack, NULL) == 0)
        (void)pthread_join(thread, NULL);
    (void)pthread_attr_destroy(&attr);
    (void)deep(5000);
}

static _Thread_local ucontext_t outside, inside;

static void coroutine(void)
{
    for (;;) {
        work(2000);
        (void)swapcontext(&inside, &outside);
    }
}

/* Stacks that are not the thread's, mapped and unmapped. */
__attribute__((unused)) static void coroutines(long n)
{
    size_t size = 65536;
    void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)n;
    (void)getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = size;
    makecontext(&inside, coroutine, 0);
    for (int i = 0; i < 10; i++)
        (void)swapcontext(&outside, &inside);
    (void)munmap(stack, size);
}

/* Code that no object has: a loop that counts its argument down. */
static void generated_code(long n)
{
#if defined(__x86_64__)
    static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memcpy(page, code, sizeof(code));
    (void)mprotect(page, 4096, PROT_READ | PROT_EXEC);
    ((void (*)(long))page)(20000 + n % 2);
    (void)munmap(page, 4096);
#else
    (void)n;
#endif
}

static void allocate(long n)
{
    void *blocks[64];

    for (size_t i = 0; i < 64; i++)
        blocks[i] = malloc((i * 7919u + (size_t)n) % 5000 + 1);
    for (size_t i = 0; i < 64; i++)
        free(blocks[i]);
    if (n % 1000 == 0 && malloc((size_t)PTRDIFF_MAX - 4096) != NULL)
        fail("malloc gave what it does not have");
}

/* Labels come and go; few of them, so that the table does not fill. */
static void label(long n)
{
    char value[16];

    (void)snprintf(value, sizeof(value), "%ld", n % 16);
    if (cpprof_label_set("n", value) != 0 ||
        cpprof_label_clear(n % 2 ? "n" : "m") != 0)
        fail(cpprof_error());
    work(1000);
}

static struct job {
    const char *name;
    void (*run)(long n);
    _Atomic long n;
    pthread_t thread;
} jobs[] = {
    { .name = "threads", .run = churn_threads },
    { .name = "libraries", .run = load_library },
    { .name = "forks", .run = fork_child },
    { .name = "signals", .run = take_signals },
    { .name = "small stacks", .run = small_stacks },
#if !defined(__SANITIZE_THREAD__) /* it has to be told of such stacks */
    { .name = "coroutines", .run = coroutines },
#endif
    { .name = "generated code", .run = generated_code },
    { .name = "allocations", .run = allocate },
    { .name = "labels", .run = label },
};

#define N_JOBS (sizeof(jobs) / sizeof(jobs[0]))

static void *run_job(void *arg)
{
    struct job *job = arg;

    while (!atomic_load(&is_over)) {
        long n = atomic_fetch_add(&job->n, 1);

        job->run(n);
        allocate_some(n);
    }
    return NULL;
}

static void take_profile(const char *kind, long ms, int fd)
{
    struct timespec pause = { 0, ms * 1000000 };
    struct cpprof_profile *p = cpprof_start(kind);

    (void)nanosleep(&pause, NULL);
    if (!p || cpprof_stop(p, fd) != 0)
        fail(cpprof_error());
}

/* Those of the heap are at once; leak looks through all memory. */
static void take_snapshot(long n, int fd)
{
    static const char *const kinds[] = { "heap", "allocs", "growth", "leak" };

    if (cpprof_write(kinds[n % 4], 0, fd) != 0)
        fail(cpprof_error());
}

static void *take_walls(void *n)
{
    int fd = open("/dev/null", O_WRONLY);

    while (!atomic_load(&is_over)) {
        take_profile("wall", 30, fd);
        take_snapshot(atomic_fetch_add((_Atomic long *)n, 1), fd);
    }
    (void)close(fd);
    return NULL;
}

static long resident_kb(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        fail("/proc/self/statm");
    (void)fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void start_jobs(void)
{
    struct sigaction action = { .sa_handler = on_signal,
                                .sa_flags = SA_ONSTACK };

    (void)sigaction(SIGUSR1, &action, NULL);
    (void)sigaction(SIGUSR2, &action, NULL);
    for (size_t i = 0; i < N_JOBS; i++)
        (void)pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]);
}

int main(int argc, char **argv)
{
    double end = now() + (argc > 1 ? atof(argv[1]) : 3), warm = now() + 60;
    int fd = open("/dev/null", O_WRONLY);
    _Atomic long n_walls = 0;
    long n_cpu = 0, warm_kb = 0;
    pthread_t waller;

    start_jobs();
    (void)pthread_create(&waller, NULL, take_walls, (void *)&n_walls);
    for (; now() < end; n_cpu++) {
        take_profile("profile", 20, fd);
        if (warm_kb == 0 && now() > warm)
            warm_kb = resident_kb();
    }
    atomic_store(&is_over, true);
    for (size_t i = 0; i < N_JOBS; i++) {
        (void)pthread_join(jobs[i].thread, NULL);
        printf("%s %ld\n", jobs[i].name, atomic_load(&jobs[i].n));
    }
    (void)pthread_join(waller, NULL);
    printf("cpu profiles %ld\nwall and memory profiles %ld\nresident KB %ld, "
           "after a "
           "minute %ld\n",
           n_cpu, atomic_load(&n_walls), resident_kb(), warm_kb);
    if (warm_kb && resident_kb() > warm_kb + warm_kb / 2 + 20000)
        fail("memory grew");
    return 0;
}
