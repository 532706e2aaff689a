/*
 * interpose.c - libc's functions that are ours when the library is loaded.
 *
 * Only in the shared library: found before libc's own, they forward to what
 * comes next in the order of the loader. Threads that are started otherwise
 * are found by looking (threads.h).
 *
 * The functions that new threads begin in end in a jump, not a call, to what
 * the program asked for: our frame is in no stack.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <threads.h>

#include "runtime/process/lifecycle.h"
#include "runtime/profiles/threadcreate.h"
#include "runtime/threads/hooks_bypassed.h"
#include "runtime/threads/own_thread.h"
#include "runtime/trace/trace_emit.h"
#include "signal/tables/capture.h"

#define EXPORT __attribute__((visibility("default")))

typedef int pthread_create_fn(pthread_t *, const pthread_attr_t *,
                              void *(*)(void *), void *);
typedef int thrd_create_fn(thrd_t *, thrd_start_t, void *);

/* Filled by the constructor, or by whoever comes first. */
static _Atomic(void *) next_pthread_create, next_thrd_create;

static void *find_next(_Atomic(void *) *slot, const char *name)
{
    void *found = atomic_load_explicit(slot, memory_order_acquire);

    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        atomic_store_explicit(slot, found, memory_order_release);
    }
    return found;
}

static int make_thread(void *thread, const void *attr, void *(*run)(void *),
                       void *arg)
{
    pthread_create_fn *next =
        (pthread_create_fn *)find_next(&next_pthread_create, "pthread_create");

    return next ? next(thread, attr, run, arg) : EAGAIN;
}

static void unmake(void *wrapped)
{
    cp_trace_emit_create_failed(wrapped);
    cp_lifecycle_unwrap_thread(wrapped);
}

static void *begin_pthread(void *wrapped)
{
    struct cp_thread_start start = cp_lifecycle_begin_thread(wrapped);

    return start.run(start.arg);
}

EXPORT int pthread_create(pthread_t *restrict thread,
                          const pthread_attr_t *restrict attr,
                          void *(*run)(void *), void *restrict arg)
{
    struct cp_thread_start start = { run, arg };
    void *wrapped = cp_lifecycle_wrap_thread(attr, start);
    int failed;

    if (!wrapped)
        return make_thread(thread, attr, run, arg);
    cp_trace_emit_create(wrapped, CP_CALLER);
    failed = make_thread(thread, attr, begin_pthread, wrapped);
    if (failed)
        unmake(wrapped);
    else
        cp_threadcreate_note(CP_CALLER);
    return failed;
}

static int begin_thrd(void *wrapped)
{
    struct cp_thread_start start = cp_lifecycle_begin_thread(wrapped);
    thrd_start_t run = (thrd_start_t)(void (*)(void))start.run;

    return run(start.arg);
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *arg)
{
    struct cp_thread_start start = { (void *(*)(void *))(void (*)(void))run,
                                     arg };
    thrd_create_fn *next =
        (thrd_create_fn *)find_next(&next_thrd_create, "thrd_create");
    void *wrapped = cp_lifecycle_wrap_thread(NULL, start);
    int result;

    if (wrapped)
        cp_trace_emit_create(wrapped, CP_CALLER);
    if (!next)
        result = thrd_error;
    else if (!wrapped)
        return next(thread, run, arg);
    else
        result = next(thread, begin_thrd, wrapped);
    if (result == thrd_success)
        cp_threadcreate_note(CP_CALLER);
    else if (wrapped)
        unmake(wrapped);
    return result;
}

/* Is it our pthread_create that everybody finds? */
static bool is_seen(void)
{
    void *first = dlsym(RTLD_DEFAULT, "pthread_create");
    Dl_info its, mine;

    return first && dladdr(first, &its) && dladdr(&next_thrd_create, &mine) &&
           its.dli_fbase == mine.dli_fbase;
}

/* Before lifecycle.c's, which may start a thread. */
__attribute__((constructor(101))) static void prepare(void)
{
    (void)find_next(&next_pthread_create, "pthread_create");
    cp_hooks_bypassed_set_test(is_seen);
    /* Sanitizers stand before us, and have to see all threads begin. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    cp_own_thread_set_maker(make_thread);
#endif
}
