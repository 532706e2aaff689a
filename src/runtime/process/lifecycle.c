/* lifecycle.c - see lifecycle.h. */
#include "runtime/process/lifecycle.h"

#include <libdeflate.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "elf/elf_pages.h"
#include "http/token.h"
#include "runtime/endpoint/address_transfer.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/leak_stacks.h"
#include "runtime/heap/tcache.h"
#include "runtime/os/lock.h"
#include "runtime/os/pages_alloc.h"
#include "runtime/os/sandbox.h"
#include "runtime/os/stderr.h"
#include "runtime/os/tables.h"
#include "runtime/os/valgrind.h"
#include "runtime/process/api.h"
#include "runtime/process/dump.h"
#include "runtime/process/exit_gate.h"
#include "runtime/process/listen.h"
#include "runtime/process/record.h"
#include "runtime/process/registry.h"
#include "runtime/process/settings.h"
#include "runtime/process/socket_file.h"
#include "runtime/profiles/contention.h"
#include "runtime/profiles/cpu.h"
#include "runtime/profiles/custom.h"
#include "runtime/profiles/thread_stacks.h"
#include "runtime/profiles/threadcreate.h"
#include "runtime/profiles/wall.h"
#include "runtime/stacks/sampler.h"
#include "runtime/threads/hooks_bypassed.h"
#include "runtime/threads/labels.h"
#include "runtime/threads/main_thread_exit.h"
#include "runtime/threads/own_thread.h"
#include "runtime/threads/perf_sampler.h"
#include "runtime/threads/sigaltstack_sharing.h"
#include "runtime/threads/threads.h"
#include "runtime/threads/wait_switches.h"
#include "runtime/trace/trace.h"
#include "runtime/trace/trace_notes.h"
#include "signal/signals/mask.h"
#include "signal/unwinder/syscall.h"

#define PAGE ((uintptr_t)4096)
#define USUAL_STACK ((size_t)8 << 20)

static struct {
    struct cp_lock lock;
    _Atomic bool is_started;
    struct cp_settings settings;
    struct cp_settings before; /* anybody attached: those of the environment */
    pthread_key_t key;         /* its destructor ends a thread for us */
    bool has_key;
    bool is_asleep; /* when nobody is attached */
    _Atomic bool
        lacks_refresh_thread; /* a forked child in which hooks record */
    size_t default_stack;
    _Atomic long pid;
} life;

static _Thread_local uint64_t mask_before_fork;
static _Thread_local bool is_forking; /* and all locks for it are taken */

/*
 * A sanitizer that is built in wraps threads too, inside of us: at our first
 * instruction its own state is not there yet.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool can_wrap = false;
#else
static const bool can_wrap = true;
#endif

/* ThreadSanitizer locks up when a thread is begun in the child of a fork. */
#if defined(__SANITIZE_THREAD__)
static const bool children_serve = false;
#else
static const bool children_serve = true;
#endif

void cp_lifecycle_say(const char *line)
{
    char text[640];

    if (life.settings.is_quiet)
        return;
    (void)snprintf(text, sizeof(text), "cpprof: %s\n", line);
    cp_stderr_write(text);
}

/* Nobody is there who could be told. */
static void say_nothing(const char *line)
{
    (void)line;
}

/* One load: it is asked whenever a thread starts. */
static bool is_started(void)
{
    return atomic_load_explicit(&life.is_started, memory_order_acquire);
}

/* Threads. */

static bool is_main_thread(void)
{
    return CP_SYSCALL(SYS_gettid, 0) == CP_SYSCALL(SYS_getpid, 0);
}

/*
 * The destructors of a thread run in rounds, as long as they set values; the
 * program's own should still be seen in the profile, so we let some pass.
 */
static void end_thread(void *rounds)
{
    const stack_t no_stack = { .ss_flags = SS_DISABLE };
    uintptr_t left = (uintptr_t)rounds;

    if (cp_sandbox_is_sealed())
        return;
    if (left > 1) {
        (void)pthread_setspecific(life.key, (void *)(left - 1));
        return;
    }
    cp_trace_note_end();
    cp_sigaltstack_keep(&no_stack); /* who joins it may give it to another */
    cp_threads_leave();
    if (is_main_thread())
        cp_main_thread_exit_watch();
}

static void know_thread(struct cp_stack_bounds bounds, uintptr_t start)
{
    bool is_known = cp_threads_enter(bounds, start) != NULL;

    if (life.has_key && (is_known || is_main_thread())) /* its end matters */
        (void)pthread_setspecific(
            life.key, (void *)(uintptr_t)PTHREAD_DESTRUCTOR_ITERATIONS);
}

static uintptr_t page_after(uintptr_t address)
{
    return (address + PAGE) & ~(PAGE - 1);
}

/*
 * Of a stack of this size, whose top is near; the lowest quarter is left out,
 * because where it ends exactly is not known.
 */
static struct cp_stack_bounds bounds_below(uintptr_t top, size_t size)
{
    uintptr_t high = page_after(top), len = size / 4 * 3;

    return (struct cp_stack_bounds){ high > len ? high - len : 0, high };
}

static void know_main_thread(void)
{
    uintptr_t top = getauxval(AT_EXECFN);

    if (!is_main_thread())
        return;
    cp_leak_stacks_note_main();
    if (top)
        know_thread(bounds_below(top, life.default_stack), 0);
}

static void measure_stacks(void)
{
    struct rlimit limit;

    life.default_stack = USUAL_STACK;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < USUAL_STACK)
        life.default_stack = (size_t)limit.rlim_cur;
}

struct wrapped {
    struct cp_thread_start start;
    size_t stack_size;
    bool is_own_stack; /* the program has made it, not libc */
};

/* Where no stack was set, libc says that one ends at address 0. */
static bool has_own_stack(const pthread_attr_t *attr)
{
    void *low = NULL;
    size_t size = 0;

    return pthread_attr_getstack(attr, &low, &size) != 0 ||
           (uintptr_t)low + size != 0;
}

/*
 * fork() copies no thread of the parent. The child starts the sampler's thread
 * with its own first thread, or when cpprof attach comes.
 */
static void have_refresh_thread(void)
{
    if (atomic_exchange(&life.lacks_refresh_thread, false) &&
        cp_sampler_watch_soon(NULL) != CP_OK)
        atomic_store(&life.lacks_refresh_thread,
                     true); /* the next thread tries */
}

void *cp_lifecycle_wrap_thread(const void *attr, struct cp_thread_start start)
{
    struct wrapped *w;

    if (!can_wrap || !is_started())
        return NULL;
    if (atomic_load_explicit(&life.lacks_refresh_thread, memory_order_relaxed))
        have_refresh_thread();
    w = cp_alloc(1, sizeof(*w), NULL);
    if (!w)
        return NULL;
    *w = (struct wrapped){ start, life.default_stack, false };
    if (attr) {
        (void)pthread_attr_getstacksize(attr, &w->stack_size);
        w->is_own_stack = has_own_stack(attr);
    }
    return w;
}

void cp_lifecycle_unwrap_thread(void *wrapped)
{
    cp_free(wrapped);
}

struct cp_thread_start cp_lifecycle_begin_thread(void *wrapped)
{
    struct wrapped w = *(struct wrapped *)wrapped;
    int sig = cp_sampler_choice();
    uint64_t mask = sig ? (uint64_t)1 << (sig - 1) : 0;
    struct cp_stack_bounds bounds;

    if (life.settings.has_perf)
        mask |= (uint64_t)1 << (SIGTRAP - 1); /* of events: perf_sampler.h */
    (void)CP_SYSCALL(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&mask, 0, 8);
    bounds = bounds_below((uintptr_t)__builtin_frame_address(0), w.stack_size);
    know_thread(bounds, (uintptr_t)w.start.run);
    if (!w.is_own_stack)
        cp_leak_stacks_note(bounds.low);
    cp_trace_note_start(wrapped, (uintptr_t)w.start.run);
    cp_free(wrapped); /* not before: it is what tells this start from others */
    return w.start;
}

/* Fork. */

/*
 * A signal would make the kernel begin the copying of a large process anew,
 * and the next one again.
 */
static void before_fork(void)
{
    uint64_t before;

    if (!is_started())
        return;
    (void)cp_exit_gate_before_fork();
    before = cp_signal_mask_block();
    mask_before_fork = before;
    cp_threads_before_fork();
    cp_labels_before_fork();
    cp_pages_before_fork();
    is_forking = true;
}

static void after_fork(bool is_child)
{
    uint64_t mask = mask_before_fork;

    if (!is_forking)
        return;
    is_forking = false;
    cp_exit_gate_after_fork(is_child);
    cp_pages_after_fork();
    cp_labels_after_fork();
    cp_threads_after_fork(is_child);
    if (is_child) {
        if (cp_sampler_after_fork())
            atomic_store(&life.lacks_refresh_thread, true);
        cp_cpu_after_fork();
        cp_heap_after_fork();
        cp_wall_after_fork();
        cp_custom_after_fork();
        cp_trace_after_fork();
        cp_contention_reset_after_fork();
        cp_thread_stacks_after_fork();
        cp_threadcreate_after_fork();
        cp_api_after_fork();
        cp_record_after_fork();
        cp_registry_after_fork();
        cp_socket_file_disown();
        cp_own_thread_after_fork();
        atomic_store(&life.pid, CP_SYSCALL(SYS_getpid, 0));
        cp_lock_reset(&life.lock);
    }
    cp_signal_mask_restore(mask);
}

static void after_fork_in_parent(void)
{
    after_fork(false);
}

static void after_fork_in_child(void)
{
    after_fork(true);
}

/* When all others have been called: it makes threads, and needs malloc. */
static void serve_in_child(void)
{
    if (children_serve)
        cp_listen_after_fork();
}

/*
 * Those that take locks come before all others, by which they are the last
 * before a fork and the first after it: those of others may wait for threads to
 * end, and make new ones, for which we need the locks. Without hooks they come
 * when they do.
 */
bool cp_lifecycle_watch_forks(cp_atfork *add)
{
    static _Atomic bool is_done;

    if (atomic_exchange(&is_done, true))
        return true;
    if (add(before_fork, after_fork_in_parent, after_fork_in_child) == 0)
        return true;
    atomic_store(&is_done, false);
    return false;
}

/* Start. */

static void apply_settings(void)
{
    struct cp_settings *s = &life.settings;
    struct cp_sampler_options options = { .table_bytes = s->max_memory / 2,
                                          .signal = s->signal };

    struct cp_heap_options heap = { .interval = s->heap_interval,
                                    .table_bytes = s->max_memory / 16 * 7,
                                    .counts_mmap = s->heap_mmap,
                                    .seed = s->heap_seed,
                                    .say = cp_lifecycle_say,
                                    .reserve = cp_pages_reserve };

    const struct cp_elf_policy files = { .limit_bytes = s->max_memory / 2,
                                         .only_trusted_owners = true };

    struct cp_tables_options tables = { .most_bytes = s->max_memory / 64 * 5,
                                        .hold = cp_pages_hold,
                                        .let_go = cp_pages_let_go };

    cp_elf_set_policy(&files);
    cp_heap_configure(&heap);
    cp_tables_configure(&tables);
    cp_pages_set_limit(s->max_memory);
    cp_sampler_configure(&options);
    cp_cpu_set_default_hz(s->cpu_hz);
    /* A signal of an event that comes while it is at its own work Valgrind
     * takes for a fault in it, and ends. */
    if (s->wants_perf)
        cp_perf_sampler_insist();
    if (!s->has_perf)
        cp_perf_sampler_forbid("switched off");
    else if (cp_valgrind_is_here())
        cp_perf_sampler_forbid("Valgrind takes SIGTRAP for its own");
}

static void *packer_alloc(size_t n)
{
    return cp_alloc(n, 1, NULL);
}

/* Nobody can be told more than the note that is on their pages. */
static enum cp_status set_locks(struct cp_error *err)
{
    const struct cp_settings *s = &life.settings;
    enum cp_status status = CP_OK;

    if (cp_hooks_are_bypassed())
        return CP_OK;
    cp_wait_switches_set_block_io(s->has_block_io);
    status = cp_contention_set_block_rate(s->block_rate, err);
    if (status == CP_OK)
        status = cp_contention_set_mutex_fraction(s->mutex_fraction, err);
    return status;
}

/* Twice: `quiet` silences complaints about what stands before it, too. */
static void read_settings(void)
{
    const char *listen = getenv("PPROFLISTEN"), *cpprof = getenv("CPPROF");

    cp_settings_init(&life.settings);
    cp_settings_read(&life.settings, listen, cpprof, say_nothing);
    if (!life.settings.is_quiet)
        cp_settings_read(&life.settings, listen, cpprof, cp_lifecycle_say);
    cp_settings_read_token(&life.settings, getenv(CP_HTTP_TOKEN_VARIABLE));
}

/* Settings of who attaches, over those of the environment. */
static void read_session_settings(const char *settings)
{
    cp_hooks_bypassed_detect();
    life.settings = life.before;
    cp_settings_read(&life.settings, NULL, settings, say_nothing);
    life.settings.is_quiet = life.settings.is_attached = true;
}

/* With the settings of who attaches, if somebody does. */
static enum cp_status start(const char *session, struct cp_error *err)
{
    enum cp_status status;

    if (getauxval(AT_SECURE))
        return cp_error_set(err, CP_EUSAGE,
                            "not in a program that runs with the rights of "
                            "its file's owner");
    cp_stderr_note();
    read_settings();
    life.before = life.settings;
    if (session)
        read_session_settings(session);
    apply_settings();
    libdeflate_set_memory_allocator(packer_alloc, cp_free);
    cp_listen_configure(&life.settings);
    measure_stacks();
    life.has_key = pthread_key_create(&life.key, end_thread) == 0;
    if (!cp_lifecycle_watch_forks(pthread_atfork) ||
        pthread_atfork(NULL, NULL, serve_in_child) != 0)
        return cp_error_nomem(err);
    cp_exit_gate_open();
    atomic_store_explicit(&life.is_started, true, memory_order_release);
    atomic_store(&life.pid, CP_SYSCALL(SYS_getpid, 0));
    know_main_thread();
    cp_heap_learn();
    if (cp_heap_is_of_libc())
        cp_tcache_learn();
    status = cp_threadcreate_start(err);
    return status == CP_OK ? set_locks(err) : status;
}

enum cp_status cp_lifecycle_start(struct cp_error *err)
{
    enum cp_status status = CP_OK;

    if (cp_sandbox_is_sealed())
        return cp_error_set(err, CP_EUSAGE,
                            "the program has installed a seccomp filter that "
                            "kills it for calls of the profiler");
    cp_lock_acquire(&life.lock);
    life.is_asleep = false; /* the program has use for it */
    if (!is_started())
        status = start(NULL, err);
    cp_lock_release(&life.lock);
    return status;
}

/* What can be set as often as one likes. */
static enum cp_status set_anew(struct cp_error *err)
{
    cp_cpu_set_default_hz(life.settings.cpu_hz);
    return set_locks(err);
}

enum cp_status cp_lifecycle_attach(const char *settings, struct cp_error *err)
{
    enum cp_status status;

    cp_lock_acquire(&life.lock);
    if (is_started()) {
        read_session_settings(settings);
        have_refresh_thread();
        status = set_anew(err);
    } else {
        life.is_asleep = true;
        status = start(settings, err);
    }
    cp_lock_release(&life.lock);
    return status;
}

bool cp_lifecycle_is_started(void)
{
    return is_started();
}

bool cp_lifecycle_is_own_process(void)
{
    return atomic_load(&life.pid) == CP_SYSCALL(SYS_getpid, 0);
}

/* Threads of the library have ended before, or end in cp_pause_begin. */
void cp_lifecycle_seal(void)
{
    cp_lock_acquire(&life.lock);
    atomic_store(&life.is_started, false);
    cp_wait_switches_set_block_io(false);
    (void)cp_contention_set_block_rate(0, NULL);
    (void)cp_contention_set_mutex_fraction(0, NULL);
    cp_heap_pause();
    cp_threads_set_period(0);
    cp_sampler_seal();
    atomic_store(&cp_sandbox_sealed, true);
    cp_lock_release(&life.lock);
}

/* The filter was not installed. */
void cp_lifecycle_unseal(void)
{
    cp_lock_acquire(&life.lock);
    atomic_store(&cp_sandbox_sealed, false);
    atomic_store(&life.is_started, true);
    (void)set_anew(NULL);
    (void)cp_heap_enable(NULL);
    cp_lock_release(&life.lock);
}

void cp_lifecycle_detach(void)
{
    if (!is_started())
        return;
    cp_lock_acquire(&life.lock);
    life.settings = life.before;
    (void)set_anew(NULL);
    if (life.is_asleep) {
        cp_heap_pause();
        cp_sampler_unwatch();
    }
    cp_lock_release(&life.lock);
}

/* When the library is loaded, or the program that has it inside starts. */
__attribute__((constructor)) static void load(void)
{
    const char *listen = getenv("PPROFLISTEN"), *cpprof = getenv("CPPROF");
    struct cp_error err = { 0 };
    enum cp_status status;

    if (getauxval(AT_SECURE) ||
        ((!listen || !*listen) && (!cpprof || !*cpprof)))
        return;
    status = cp_lifecycle_start(&err);
    if (status == CP_OK && life.settings.listen[0])
        status = cp_listen(life.settings.listen, &err);
    else if (status == CP_OK)
        status = cp_heap_enable(&err);
    if (status == CP_OK && !life.settings.listen[0])
        cp_record_start(&life.settings); /* else the endpoint does */
    if (status == CP_OK)
        status = cp_dump_start(&life.settings, &err);
    if (status == CP_OK)
        return;
    if (cp_address_transfer_is_inherited(life.settings.listen))
        cp_listen_later(life.settings.listen);
    else
        cp_lifecycle_say(err.msg);
}
