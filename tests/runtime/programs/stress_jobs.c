/*
 * stress_jobs.c - normal activities that can break a profiler: threads,
 * libraries, processes, signals, stacks, generated code.
 */
#include <cpprof.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "keep.h"
#include "stress.h"

static _Thread_local volatile unsigned sink;

KEEP void stress_work(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sink = sink * 1664525u + 1013904223u;
}

/* All threads call this: allocates and frees blocks of many sizes. */
void stress_allocate(long n)
{
    void *blocks[16];

    for (size_t i = 0; i < 16; i++)
        blocks[i] = malloc((i * 7919u + (size_t)n) % 3000 + 1);
    blocks[n & 15] = realloc(blocks[n & 15], (size_t)n % 70000 + 1);
    for (size_t i = 0; i < 16; i++)
        free(blocks[i]);
}

/* Threads that return, exit or are cancelled; the last two unwind. */
static void *short_life(void *arg)
{
    long n = (long)arg;

    stress_work(20000);
    stress_allocate(n);
    if (n % 3 == 1)
        pthread_exit(NULL);
    while (n % 3 == 2) {
        stress_work(100);
        pthread_testcancel();
    }
    return NULL;
}

static void churn_threads(long n)
{
    pthread_t threads[6];

    for (long i = 0; i < 6; i++)
        if (pthread_create(&threads[i], NULL, short_life, (void *)(n + i)) != 0)
            stress_fail("pthread_create");
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
        stress_fail(dlerror());
    run =
        (void (*)(volatile unsigned *, unsigned))dlsym(library, "plugin_work");
    run(&sink, 20000);
    (void)dlclose(library);
}

/*
 * Runs in a forked child. Not under sanitizers: other threads may have held
 * their locks at the fork, which then stay locked in the child.
 */
static void use_child(long n)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)n;
#else
    static const char *const kinds[] = { "profile",   "heap",  "wall",
                                         "goroutine", "trace", "block" };
    struct cpprof_profile *p = cpprof_start(kinds[n / 4 % 6]);

    stress_allocate(n);
    if (!p || cpprof_stop(p, -1) != 0)
        _exit(1);
#endif
}

__attribute__((unused)) static void fork_child(long n)
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
        stress_work(20000);
        use_child(n);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        stress_fail("a child ended badly");
}

static _Thread_local sigjmp_buf back;

static void on_signal(int sig)
{
    stress_work(500);
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
        stress_work(1000);
    }
}

KEEP unsigned stress_deep(unsigned left)
{
    volatile char frame[64];

    frame[left % 64] = (char)left;
    if (left == 0)
        stress_work(20000);
    return left ? stress_deep(left - 1) + (unsigned)frame[left % 64] : 0;
}

static void *on_small_stack(void *arg)
{
    (void)stress_deep((unsigned)(PTHREAD_STACK_MIN / 512));
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
    (void)stress_deep(5000);
}

static _Thread_local ucontext_t outside, inside;

static void coroutine(void)
{
    for (;;) {
        stress_work(2000);
        (void)swapcontext(&inside, &outside);
    }
}

/* Runs on mapped stacks (makecontext) and unmaps them. */
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

/* Generated code: a loop that counts its argument down. */
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
        stress_fail("malloc gave what it does not have");
}

/* Sets and clears a few labels, so that the table does not fill. */
static void label(long n)
{
    char value[16];

    (void)snprintf(value, sizeof(value), "%ld", n % 16);
    if (cpprof_label_set("n", value) != 0 ||
        cpprof_label_clear(n % 2 ? "n" : "m") != 0)
        stress_fail(cpprof_error());
    stress_work(1000);
}

struct stress_job stress_jobs[] = {
    { .name = "threads", .run = churn_threads },
    { .name = "libraries", .run = load_library },
#if !defined(                                                                  \
    __SANITIZE_THREAD__) /* it deadlocks: its locks are not initialized */
    { .name = "forks", .run = fork_child },
#endif
    { .name = "signals", .run = take_signals },
    { .name = "small stacks", .run = small_stacks },
#if !defined(__SANITIZE_THREAD__) /* it needs annotations for such stacks */
    { .name = "coroutines", .run = coroutines },
#endif
    { .name = "generated code", .run = generated_code },
    { .name = "allocations", .run = allocate },
    { .name = "labels", .run = label },
    { .name = NULL },
};

void stress_prepare_jobs(void)
{
    struct sigaction action = { .sa_handler = on_signal,
                                .sa_flags = SA_ONSTACK };

    (void)sigaction(SIGUSR1, &action, NULL);
    (void)sigaction(SIGUSR2, &action, NULL);
}
