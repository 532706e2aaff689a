/*
 * thread_start.c - wraps start functions, estimates stack bounds, and handles
 * the end of a thread.
 */
#include "runtime/process/thread_start.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "runtime/heap/leak_stacks.h"
#include "runtime/os/sandbox.h"
#include "runtime/process/fork_handlers.h"
#include "runtime/process/lifecycle.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/threads/main_thread_exit.h"
#include "runtime/threads/sigaltstack_sharing.h"
#include "runtime/threads/threads.h"
#include "runtime/trace/trace_emit.h"
#include "signal/unwinder/syscall.h"

#define PAGE ((uintptr_t)4096)
#define MAX_DEFAULT_STACK ((size_t)8 << 20)

static struct {
    pthread_key_t key; /* its destructor is on_thread_end */
    bool has_key;
    size_t default_stack; /* bytes; RLIMIT_STACK, at most MAX_DEFAULT_STACK */
} thread_start;

/*
 * The runtime of AddressSanitizer and ThreadSanitizer wraps start functions
 * too, inside the library's wrapper, and its per-thread state does not exist
 * yet.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool can_wrap = false;
#else
static const bool can_wrap = true;
#endif

static bool is_main_thread(void)
{
    return CP_SYSCALL(SYS_gettid, 0) == CP_SYSCALL(SYS_getpid, 0);
}

/*
 * libc runs the destructors of a thread in up to PTHREAD_DESTRUCTOR_ITERATIONS
 * rounds, as long as one sets a value. This one sets its value again until the
 * last round, so that profiles contain the destructors of the program.
 */
static void on_thread_end(void *rounds_left)
{
    const stack_t no_stack = { .ss_flags = SS_DISABLE };
    uintptr_t left = (uintptr_t)rounds_left;

    CP_ASSERT(left > 0 && left <= PTHREAD_DESTRUCTOR_ITERATIONS);
    if (cp_sandbox_is_sealed())
        return;
    if (left > 1) {
        (void)pthread_setspecific(thread_start.key, (void *)(left - 1));
        return;
    }
    cp_trace_emit_end();
    /* The thread that joins this one may free or reuse its signal stack. */
    cp_sigaltstack_drop_others(&no_stack);
    cp_threads_unregister();
    if (is_main_thread())
        cp_main_thread_exit_begin();
}

/* The end of the main thread matters even if it has no record. */
static void register_thread(struct cp_stack_bounds bounds, uintptr_t start)
{
    bool is_registered = cp_threads_register(bounds, start) != NULL;

    if (thread_start.has_key && (is_registered || is_main_thread()))
        (void)pthread_setspecific(
            thread_start.key, (void *)(uintptr_t)PTHREAD_DESTRUCTOR_ITERATIONS);
}

static uintptr_t page_after(uintptr_t address)
{
    return (address + PAGE) & ~(PAGE - 1);
}

/*
 * The upper three quarters of a stack of `size` bytes whose top is near `top`.
 * The exact low end is unknown, and reading below it would fault.
 */
static struct cp_stack_bounds bounds_below(uintptr_t top, size_t size)
{
    uintptr_t high = page_after(top), len = size / 4 * 3;

    return (struct cp_stack_bounds){ high > len ? high - len : 0, high };
}

void cp_thread_start_register_main(void)
{
    uintptr_t top = getauxval(AT_EXECFN);

    if (!is_main_thread())
        return;
    cp_leak_stacks_register_main();
    if (top)
        register_thread(bounds_below(top, thread_start.default_stack), 0);
}

static void read_stack_limit(void)
{
    struct rlimit limit;

    thread_start.default_stack = MAX_DEFAULT_STACK;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 &&
        limit.rlim_cur < MAX_DEFAULT_STACK)
        thread_start.default_stack = (size_t)limit.rlim_cur;
}

void cp_thread_start_init(void)
{
    read_stack_limit();
    thread_start.has_key =
        pthread_key_create(&thread_start.key, on_thread_end) == 0;
}

struct wrapped {
    struct cp_thread_start start;
    size_t stack_size;      /* bytes */
    bool has_program_stack; /* the program allocated it, not libc */
};

/* Without a stack in attr, libc returns one whose top is address 0. */
static bool has_program_stack(const pthread_attr_t *attr)
{
    void *low = NULL;
    size_t size = 0;

    return pthread_attr_getstack(attr, &low, &size) != 0 ||
           (uintptr_t)low + size != 0;
}

void *cp_thread_start_wrap(const void *attr, struct cp_thread_start start)
{
    struct wrapped *w;

    if (!can_wrap || !cp_lifecycle_is_started())
        return NULL;
    cp_fork_handlers_restart_refresh_thread();
    w = cp_alloc(1, sizeof(*w), NULL);
    if (!w)
        return NULL;
    *w = (struct wrapped){ start, thread_start.default_stack, false };
    if (attr) {
        (void)pthread_attr_getstacksize(attr, &w->stack_size);
        w->has_program_stack = has_program_stack(attr);
    }
    return w;
}

void cp_thread_start_unwrap(void *wrapped)
{
    cp_free(wrapped);
}

/* A thread inherits the mask of its creator, which may block these signals. */
static void unblock_sampling_signals(void)
{
    int sig = cp_signal_owner_choose();
    uint64_t mask = sig ? (uint64_t)1 << (sig - 1) : 0;

    if (cp_lifecycle_uses_perf())
        mask |= (uint64_t)1 << (SIGTRAP - 1); /* perf events: perf_sampler.h */
    (void)CP_SYSCALL(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&mask, 0, 8);
}

struct cp_thread_start cp_thread_start_begin(void *wrapped)
{
    struct wrapped w = *(struct wrapped *)wrapped;
    struct cp_stack_bounds bounds;

    unblock_sampling_signals();
    bounds = bounds_below((uintptr_t)__builtin_frame_address(0), w.stack_size);
    register_thread(bounds, (uintptr_t)w.start.run);
    if (!w.has_program_stack)
        cp_leak_stacks_register(bounds.low);
    cp_trace_emit_start(wrapped, (uintptr_t)w.start.run);
    /* The trace identifies this start by the address, so free it last. */
    cp_free(wrapped);
    return w.start;
}
