/*
 * stress_faults.c - faults that programs survive: exceptions, stack overflows,
 * failed allocations, unloaded libraries.
 */
#include <cpprof.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keep.h"
#include "stress.h"

static int (*thrower)(int depth);

static void exceptions(long n)
{
    if (thrower && thrower((int)(n % 50)) != 0)
        stress_fail("an exception was lost");
    stress_work(1000);
}

/* A stack overflow, and a handler on an alternate stack that jumps back. */
static _Thread_local sigjmp_buf before_fall;
static _Thread_local volatile sig_atomic_t is_falling;

static void on_fault(int sig)
{
    if (is_falling)
        siglongjmp(before_fall, 1);
    (void)signal(sig,
                 SIG_DFL); /* the fault occurs again and kills the program */
}

KEEP static unsigned fall(unsigned n)
{
    volatile char frame[512];

    frame[n % 512] = (char)n;
    return n == UINT_MAX ? 0 : fall(n + 1) + (unsigned)frame[n % 512];
}

static void *overflow(void *arg)
{
    char *memory = malloc(65536);
    stack_t stack = { .ss_sp = memory, .ss_size = 65536 };
    stack_t none = { .ss_flags = SS_DISABLE };

    if (!memory || sigaltstack(&stack, NULL) != 0)
        stress_fail("sigaltstack");
    if (sigsetjmp(before_fall, 1) == 0) {
        is_falling = 1;
        (void)fall(0);
    }
    is_falling = 0;
    (void)sigaltstack(&none, NULL);
    free(memory);
    return arg;
}

__attribute__((unused)) static void overflows(long n)
{
    pthread_attr_t attr;
    pthread_t thread;

    (void)n;
    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN * 4);
    if (pthread_create(&thread, &attr, overflow, NULL) == 0)
        (void)pthread_join(thread, NULL);
    (void)pthread_attr_destroy(&attr);
}

/* Every allocation function, with sizes that cannot succeed. */
static void no_memory(long n)
{
    volatile size_t most = (size_t)PTRDIFF_MAX - 8192;
    char *block = malloc((size_t)n % 5000 + 1);
    void *out = NULL;

    if (!block)
        return;
    block[0] = 'x';
    if (malloc(most) || calloc(most / 2, 2) || realloc(block, most) ||
        reallocarray(block, most, 16) ||
        aligned_alloc(64, most & ~(size_t)63) || memalign(4096, most) ||
        posix_memalign(&out, 64, most) != ENOMEM)
        stress_fail("more memory than there is");
    if (block[0] != 'x')
        stress_fail("realloc that failed has changed the block");
    free(block);
}

/* A block whose library is unloaded before the block is freed. */
static void orphans(long n)
{
    void *library = dlopen(getenv("PLUGIN"), RTLD_NOW);
    void *(*take)(size_t);
    void *blocks[8];

    if (!library)
        stress_fail(dlerror());
    take = (void *(*)(size_t))dlsym(library, "plugin_take");
    for (size_t i = 0; i < 8; i++)
        blocks[i] = take((size_t)n % 9000 + i + 1);
    (void)dlclose(library);
    for (size_t i = 0; i < 8; i++)
        free(blocks[i]);
}

/*
 * A child that cannot get more memory: profiles of all kinds are taken or
 * refused, and the child continues.
 */
__attribute__((unused)) static void be_poor(long n)
{
    static const char *const kinds[] = { "profile",   "wall",  "heap",
                                         "allocs",    "block", "mutex",
                                         "goroutine", "trace", "leak" };
    static void *blocks[4096];
    struct rlimit limit = { (rlim_t)1 << 26, (rlim_t)1 << 26 };
    int fd = open("/dev/null", O_WRONLY);
    size_t n_blocks = 0;

    (void)dup2(fd, STDERR_FILENO); /* the library reports what it cannot do */
    (void)setrlimit(RLIMIT_AS, &limit); /* less than its current size */
    while (n_blocks < 4096 && (blocks[n_blocks] = malloc(65536)))
        n_blocks++;
    (void)cpprof_write(kinds[n % 9], 0.02, fd);
    (void)cpprof_listen("localhost:0");
    while (n_blocks > 0)
        free(blocks[--n_blocks]);
    stress_allocate(n);
    (void)cpprof_write(kinds[n % 9], 0.02, fd);
    _exit(0);
}

__attribute__((unused)) static void poor_children(long n)
{
    int status = 1;
    pid_t child = fork();

    if (child == 0)
        be_poor(n);
    if (waitpid(child, &status, 0) != child || status != 0) {
        (void)fprintf(stderr, "round %ld: status %d\n", n, status);
        stress_fail("a child without memory ended badly");
    }
}

struct stress_job stress_faults[] = {
    { .name = "exceptions", .run = exceptions },
#if !STRESS_IS_SANITIZED /* sanitizers use the alternate stacks and the memory \
                            themselves */
    { .name = "overflows", .run = overflows },
    { .name = "poor children", .run = poor_children },
#endif
    { .name = "no memory", .run = no_memory },
    { .name = "orphans", .run = orphans },
    { .name = NULL },
};

void stress_prepare_faults(void)
{
    struct sigaction action = { .sa_handler = on_fault,
                                .sa_flags = SA_ONSTACK };
    const char *name = getenv("THROWER");
    void *library = name && *name ? dlopen(name, RTLD_NOW) : NULL;

    if (name && *name && !library)
        stress_fail(dlerror());
    if (library)
        thrower = (int (*)(int))dlsym(library, "thrower_run");
#if !STRESS_IS_SANITIZED
    (void)sigaction(SIGSEGV, &action, NULL);
#else
    (void)action;
#endif
}
