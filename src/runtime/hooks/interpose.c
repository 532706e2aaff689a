/*
 * interpose.c - hooks of pthread_create and thrd_create.
 *
 * The hooks exist in the shared library only. The loader finds them before
 * libc's functions, which they call. Threads that the program creates without
 * these functions are found by a scan of /proc (threads.h).
 *
 * A new thread starts in begin_pthread or begin_thrd, which ends in a tail call
 * of the program's start function. So no stack has a frame of the library.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>

#include "runtime/process/thread_start.h"
#include "runtime/profiles/threadcreate.h"
#include "runtime/threads/hooks_bypassed.h"
#include "runtime/threads/internal_thread.h"
#include "runtime/trace/trace_emit.h"
#include "signal/tables/capture.h"

#define EXPORT __attribute__((visibility("default")))

typedef int pthread_create_fn(pthread_t *, const pthread_attr_t *,
                              void *(*)(void *), void *);
typedef int thrd_create_fn(thrd_t *, thrd_start_t, void *);

/* libc's functions; set by the constructor or by the first call. */
static _Atomic(void *) real_pthread_create, real_thrd_create;

static void *get_real(_Atomic(void *) *slot, const char *name)
{
    void *found = atomic_load_explicit(slot, memory_order_acquire);

    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        atomic_store_explicit(slot, found, memory_order_release);
    }
    return found;
}

static int create_thread(void *thread, const void *attr, void *(*run)(void *),
                         void *arg)
{
    pthread_create_fn *real =
        (pthread_create_fn *)get_real(&real_pthread_create, "pthread_create");

    return real ? real(thread, attr, run, arg) : EAGAIN;
}

static void cancel_start(void *wrapped)
{
    cp_trace_emit_create_failed(wrapped);
    cp_thread_start_unwrap(wrapped);
}

static void *begin_pthread(void *wrapped)
{
    struct cp_thread_start start = cp_thread_start_begin(wrapped);

    return start.run(start.arg);
}

EXPORT int pthread_create(pthread_t *restrict thread,
                          const pthread_attr_t *restrict attr,
                          void *(*run)(void *), void *restrict arg)
{
    struct cp_thread_start start = { run, arg };
    void *wrapped = cp_thread_start_wrap(attr, start);
    int failed;

    if (!wrapped)
        return create_thread(thread, attr, run, arg);
    cp_trace_emit_create(wrapped, CP_CALLER);
    failed = create_thread(thread, attr, begin_pthread, wrapped);
    if (failed)
        cancel_start(wrapped);
    else
        cp_threadcreate_record(CP_CALLER);
    return failed;
}

static int begin_thrd(void *wrapped)
{
    struct cp_thread_start start = cp_thread_start_begin(wrapped);
    thrd_start_t run = (thrd_start_t)(void (*)(void))start.run;

    return run(start.arg);
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *arg)
{
    struct cp_thread_start start = { (void *(*)(void *))(void (*)(void))run,
                                     arg };
    thrd_create_fn *real =
        (thrd_create_fn *)get_real(&real_thrd_create, "thrd_create");
    void *wrapped = cp_thread_start_wrap(NULL, start);
    int result;

    if (wrapped)
        cp_trace_emit_create(wrapped, CP_CALLER);
    if (!real)
        result = thrd_error;
    else if (!wrapped)
        return real(thread, run, arg);
    else
        result = real(thread, begin_thrd, wrapped);
    if (result == thrd_success)
        cp_threadcreate_record(CP_CALLER);
    else if (wrapped)
        cancel_start(wrapped);
    return result;
}

/* Whether the loader resolves pthread_create to this library. */
static bool is_interposed(void)
{
    void *first = dlsym(RTLD_DEFAULT, "pthread_create");
    Dl_info object, own;

    return first && dladdr(first, &object) && dladdr(&real_thrd_create, &own) &&
           object.dli_fbase == own.dli_fbase;
}

/* Runs before the constructor of lifecycle.c, which may start a thread. */
__attribute__((constructor(101))) static void prepare(void)
{
    (void)get_real(&real_pthread_create, "pthread_create");
    cp_hooks_bypassed_set_test(is_interposed);
    /* A sanitizer interposes before us and must see every thread start. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    cp_internal_thread_set_creator(create_thread);
#endif
}
