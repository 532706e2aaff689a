/*
 * fork_handlers.c - the table of fork handlers, and the functions that run it.
 *
 * fork() copies the memory of the process and one thread, the caller. The child
 * inherits every lock in the state of that moment, and no other thread exists
 * that could release one.
 *
 * Fork is safe:
 *
 * 1. No lock in the child belongs to a thread of the parent. The forking thread
 *    itself holds the three locks whose data the child keeps (thread list,
 *    labels, page allocator), so that data is consistent, and both processes
 *    release them. Every other lock is reset by the `child` handler of its
 *    module, which also drops data that an interrupted update may have left
 *    inconsistent.
 * 2. The parent does not deadlock. libc runs `before` handlers in reverse order
 *    of registration and the others in order. The library registers first
 *    (atfork_hooks.c), so no handler of the program runs while the locks are
 *    held. All code acquires them in the order of the table.
 * 3. No signal handler sees a held lock or a half-reset child: all signals are
 *    blocked from before the first lock until after the last handler. Blocking
 *    also avoids that a sampling signal makes the kernel restart the copy of a
 *    large process again and again.
 * 4. The child starts no thread in these handlers. serve_in_child does so. libc
 *    runs it later, when malloc works again.
 *
 * Limit: a fork that overlaps the first cp_lifecycle_start on another thread
 * runs no handler. The functions of cpprof.h may then block in the child.
 *
 * Exit is safe because nothing is torn down. Memory, locks and threads of the
 * library stay until the process is gone, so no destructor, no exit function
 * and no hook that runs late finds freed state. What happens at exit is limited
 * to files: the registry entry, the socket file, recordings and dumps. Each
 * compares the process id first, so a child never touches the files of its
 * parent. A child does not inherit glibc's exit lock (atexit_fork_lock.h).
 */
#include "runtime/process/fork_handlers.h"

#include <pthread.h>

#include "base/assert/assert.h"
#include "runtime/heap/heap.h"
#include "runtime/os/pages_alloc.h"
#include "runtime/process/api.h"
#include "runtime/process/atexit_fork_lock.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/listen.h"
#include "runtime/process/record.h"
#include "runtime/process/registry.h"
#include "runtime/process/socket_file.h"
#include "runtime/profiles/contention.h"
#include "runtime/profiles/cpu.h"
#include "runtime/profiles/custom.h"
#include "runtime/profiles/thread_stacks.h"
#include "runtime/profiles/threadcreate.h"
#include "runtime/profiles/wall.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/threads/internal_thread.h"
#include "runtime/threads/labels.h"
#include "runtime/threads/threads.h"
#include "runtime/trace/trace.h"
#include "signal/signals/mask.h"

struct fork_handler {
    const char *name;     /* unique; for debuggers */
    void (*before)(void); /* on the forking thread; NULL if none */
    void (*parent)(void);
    void (*child)(void);
};

/* True in a child whose parent had a refresh thread, until it has its own. */
static _Atomic bool lacks_refresh_thread;

static _Thread_local uint64_t mask_before_fork;
static _Thread_local bool has_run_before; /* the locks are held */

/* ThreadSanitizer deadlocks if the child of a fork creates a thread. */
#if defined(__SANITIZE_THREAD__)
static const bool can_child_serve = false;
#else
static const bool can_child_serve = true;
#endif

/* ---- handlers of modules whose functions have a different signature ---- */

static void wait_for_exit_functions(void)
{
    (void)cp_atexit_fork_lock_before_fork();
}

static void unlock_exit_functions(void)
{
    cp_atexit_fork_lock_after_fork(false);
}

static void reset_exit_functions(void)
{
    cp_atexit_fork_lock_after_fork(true);
}

static void block_signals(void)
{
    mask_before_fork = cp_signal_mask_block();
}

static void restore_signals(void)
{
    cp_signal_mask_restore(mask_before_fork);
}

static void release_threads(void)
{
    cp_threads_after_fork(false);
}

static void reset_threads(void)
{
    cp_threads_after_fork(true);
}

static void reset_sampler(void)
{
    if (cp_refresh_reset_after_fork())
        atomic_store(&lacks_refresh_thread, true);
}

/*
 * `before` runs from the first entry to the last, `parent` and `child` from the
 * last to the first. So the entries nest: each runs inside the entries that
 * precede it.
 */
static const struct fork_handler handlers[] = {
    /*
     * Waits up to 20 ms, so it comes before signals are blocked. Its
     * counterpart is the entry "exit functions", which runs before signals are
     * unblocked: after that, a signal handler may leave by longjmp.
     */
    { "wait for exit functions", wait_for_exit_functions, NULL, NULL },
    { "signal mask", block_signals, restore_signals, restore_signals },
    { "exit functions", NULL, unlock_exit_functions, reset_exit_functions },

    /* Last in the child: from here on the process has its own identity. */
    { "lifecycle", NULL, NULL, cp_lifecycle_reset_after_fork },
    { "own threads", NULL, NULL, cp_internal_thread_reset_after_fork },

    /* Files that belong to the parent. */
    { "socket file", NULL, NULL, cp_socket_file_disown },
    { "registry", NULL, NULL, cp_registry_reset_after_fork },
    { "record", NULL, NULL, cp_record_reset_after_fork },
    { "api", NULL, NULL, cp_api_reset_after_fork },

    /* Profiles. They read thread records and use the sampler, so both are
     * reset before them. */
    { "threadcreate", NULL, NULL, cp_threadcreate_reset_after_fork },
    { "thread stacks", NULL, NULL, cp_thread_stacks_reset_after_fork },
    { "contention", NULL, NULL, cp_contention_reset_after_fork },
    { "trace", NULL, NULL, cp_trace_reset_after_fork },
    { "custom", NULL, NULL, cp_custom_reset_after_fork },
    { "wall", NULL, NULL, cp_wall_reset_after_fork },
    { "heap", NULL, NULL, cp_heap_reset_after_fork },
    { "cpu", NULL, NULL, cp_cpu_reset_after_fork },
    { "sampler", NULL, NULL, reset_sampler },

    /* The three locks, in lock order: the first two allocate while held. */
    { "threads", cp_threads_before_fork, release_threads, reset_threads },
    { "labels", cp_labels_before_fork, cp_labels_after_fork,
      cp_labels_after_fork },
    { "pages", cp_pages_before_fork, cp_pages_after_fork, cp_pages_after_fork },
};

#define N_HANDLERS (sizeof(handlers) / sizeof(handlers[0]))

/* ---- running the table ---- */

static void before_fork(void)
{
    if (!cp_lifecycle_is_started())
        return;
    for (size_t i = 0; i < N_HANDLERS; i++)
        if (handlers[i].before)
            handlers[i].before();
    has_run_before = true;
}

static void after_fork_in_parent(void)
{
    if (!has_run_before)
        return;
    has_run_before = false;
    for (size_t i = N_HANDLERS; i-- > 0;)
        if (handlers[i].parent)
            handlers[i].parent();
}

static void after_fork_in_child(void)
{
    if (!has_run_before)
        return;
    has_run_before = false;
    for (size_t i = N_HANDLERS; i-- > 0;) {
        CP_ASSERT(!handlers[i].parent || handlers[i].child);
        if (handlers[i].child)
            handlers[i].child();
    }
}

/* Creates threads and calls malloc, so it runs after the table. */
static void serve_in_child(void)
{
    if (can_child_serve)
        cp_listen_after_fork();
}

bool cp_fork_handlers_install(cp_atfork *add)
{
    static _Atomic bool is_installed;

    if (atomic_exchange(&is_installed, true))
        return true;
    if (add(before_fork, after_fork_in_parent, after_fork_in_child) == 0)
        return true;
    atomic_store(&is_installed, false);
    return false;
}

bool cp_fork_handlers_install_endpoint(void)
{
    return pthread_atfork(NULL, NULL, serve_in_child) == 0;
}

void cp_fork_handlers_restart_refresh_thread(void)
{
    if (!atomic_load_explicit(&lacks_refresh_thread, memory_order_relaxed))
        return;
    if (atomic_exchange(&lacks_refresh_thread, false) &&
        cp_refresh_acquire_for_hooks_nowait(NULL) != CP_OK)
        atomic_store(&lacks_refresh_thread, true); /* retry at the next call */
}
