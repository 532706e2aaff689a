/*
 * lifecycle.c - the state machine of lifecycle.h, the settings that belong to
 * each state, and the constructor of the library.
 */
#include "runtime/process/lifecycle.h"

#include <libdeflate.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "elf/elf_pages.h"
#include "runtime/endpoint/address_transfer.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/tcache.h"
#include "runtime/os/pages_alloc.h"
#include "runtime/os/sandbox.h"
#include "runtime/os/stderr.h"
#include "runtime/os/tables.h"
#include "runtime/os/valgrind.h"
#include "runtime/process/atexit_fork_lock.h"
#include "runtime/process/dump.h"
#include "runtime/process/fork_handlers.h"
#include "runtime/process/listen.h"
#include "runtime/process/record.h"
#include "runtime/process/settings.h"
#include "runtime/process/thread_start.h"
#include "runtime/profiles/contention.h"
#include "runtime/profiles/cpu.h"
#include "runtime/profiles/threadcreate.h"
#include "runtime/profiles/wall.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/stacks/unwind_publisher.h"
#include "runtime/threads/hooks_bypassed.h"
#include "runtime/threads/perf_sampler.h"
#include "runtime/threads/threads.h"
#include "runtime/threads/wait_switches.h"
#include "runtime/trace/trace.h"
#include "runtime/trace/trace_emit.h"
#include "signal/signals/mask.h"

/* ---- states ---- */

/* lifecycle.h describes each state and has a picture of the transitions. */
enum state {
    OFF,
    ACTIVE,
    ACTIVE_ATTACHED,
    DORMANT,
    DORMANT_ATTACHED,
    SEALED,
    N_STATES,
};

#define BIT(state) (1u << (state))

/* The states that may follow each state, as a set of bits. */
static const unsigned next_states[N_STATES] = {
    [OFF] = BIT(ACTIVE) | BIT(DORMANT_ATTACHED),
    [ACTIVE] = BIT(ACTIVE_ATTACHED) | BIT(SEALED),
    [ACTIVE_ATTACHED] = BIT(ACTIVE) | BIT(SEALED),
    [DORMANT] = BIT(ACTIVE) | BIT(DORMANT_ATTACHED) | BIT(SEALED),
    [DORMANT_ATTACHED] = BIT(DORMANT) | BIT(ACTIVE_ATTACHED) | BIT(SEALED),
    [SEALED] = BIT(ACTIVE) | BIT(ACTIVE_ATTACHED) | BIT(DORMANT) |
               BIT(DORMANT_ATTACHED),
};

static struct {
    struct cp_lock lock;            /* every field but state and pid */
    _Atomic uint32_t state;         /* enum state; written with the lock held */
    enum state before_seal;         /* the state that unseal returns to */
    struct cp_settings current;     /* the settings in force */
    struct cp_settings environment; /* without the settings of cpprof attach */
    _Atomic long pid; /* the process that the library was started in */
} life;

static enum state state_now(void)
{
    return (enum state)atomic_load_explicit(&life.state, memory_order_acquire);
}

/* The only function that writes the state. Called with the lock held. */
static void change_state(enum state to)
{
    enum state from = state_now();

    CP_ASSERT(from < N_STATES && to < N_STATES);
    CP_ASSERT(atomic_load(&life.lock.word) != 0);
    CP_ASSERT(from == to || next_states[from] & BIT(to));
    (void)from;
    (void)next_states;
    atomic_store_explicit(&life.state, (uint32_t)to, memory_order_release);
}

/* One load: every pthread_create calls it. */
bool cp_lifecycle_is_started(void)
{
    enum state now = state_now();

    return now != OFF && now != SEALED;
}

bool cp_lifecycle_is_own_process(void)
{
    return atomic_load(&life.pid) == CP_SYSCALL(SYS_getpid, 0);
}

bool cp_lifecycle_uses_perf(void)
{
    return life.current.has_perf;
}

void cp_lifecycle_reset_after_fork(void)
{
    atomic_store(&life.pid, CP_SYSCALL(SYS_getpid, 0));
    cp_lock_reset(&life.lock);
}

/* ---- reports ---- */

void cp_lifecycle_report(const char *line)
{
    char text[640];

    if (life.current.is_quiet)
        return;
    (void)snprintf(text, sizeof(text), "cpprof: %s\n", line);
    cp_stderr_write(text);
}

static void report_nothing(const char *line)
{
    (void)line;
}

/* ---- settings ---- */

static void configure_perf(const struct cp_settings *s)
{
    if (s->wants_perf)
        cp_perf_sampler_allow_filtered();
    /* A perf signal during Valgrind's own work looks like a crash to it. */
    if (!s->has_perf)
        cp_perf_sampler_forbid("switched off");
    else if (cp_valgrind_is_here())
        cp_perf_sampler_forbid("Valgrind takes SIGTRAP for its own");
}

/* Settings that take effect once, before anything is recorded. */
static void apply_once(const struct cp_settings *s)
{
    struct cp_heap_options heap = { .interval = s->heap_interval,
                                    .table_bytes = s->max_memory / 16 * 7,
                                    .counts_mmap = s->heap_mmap,
                                    .seed = s->heap_seed,
                                    .report = cp_lifecycle_report,
                                    .reserve = cp_pages_reserve };

    const struct cp_elf_policy files = { .limit_bytes = s->max_memory / 2,
                                         .only_trusted_owners = true };

    struct cp_tables_options tables = { .max_bytes = s->max_memory / 64 * 5,
                                        .charge = cp_pages_charge,
                                        .uncharge = cp_pages_uncharge };

    cp_elf_set_policy(&files);
    cp_heap_configure(&heap);
    cp_tables_configure(&tables);
    cp_pages_set_limit(s->max_memory);
    cp_signal_owner_configure(s->signal);
    cp_unwind_publisher_configure(s->max_memory / 2);
    cp_cpu_set_default_hz(s->cpu_hz);
    configure_perf(s);
}

/* Without hooks the pages of these profiles say why they are empty. */
static enum cp_status set_wait_rates(struct cp_error *err)
{
    const struct cp_settings *s = &life.current;
    enum cp_status status = CP_OK;

    if (cp_hooks_are_bypassed())
        return CP_OK;
    cp_wait_switches_set_block_io(s->has_block_io);
    status = cp_contention_set_block_rate(s->block_rate, err);
    if (status == CP_OK)
        status = cp_contention_set_mutex_fraction(s->mutex_fraction, err);
    return status;
}

/* Settings that may change while the library runs. */
static enum cp_status apply_again(struct cp_error *err)
{
    cp_cpu_set_default_hz(life.current.cpu_hz);
    return set_wait_rates(err);
}

/* Reads twice: `quiet` also silences complaints about settings before it. */
static void read_environment(void)
{
    const char *listen = getenv("PPROFLISTEN"), *cpprof = getenv("CPPROF");

    cp_settings_init(&life.current);
    cp_settings_read(&life.current, listen, cpprof, report_nothing);
    if (!life.current.is_quiet)
        cp_settings_read(&life.current, listen, cpprof, cp_lifecycle_report);
    cp_settings_read_token(&life.current, getenv(CP_HTTP_TOKEN_VARIABLE));
    life.environment = life.current;
}

/* The settings of cpprof attach, on top of the environment. */
static void read_session_settings(const char *settings)
{
    cp_hooks_bypassed_detect();
    life.current = life.environment;
    cp_settings_read(&life.current, NULL, settings, report_nothing);
    life.current.is_quiet = life.current.is_attached = true;
}

/* ---- start ---- */

static void *alloc_for_libdeflate(size_t n)
{
    return cp_alloc(n, 1, NULL);
}

/*
 * Starts the parts that need a started library. Called after the state has
 * changed.
 */
static enum cp_status start_recording(struct cp_error *err)
{
    enum cp_status status;

    cp_thread_start_register_main();
    cp_heap_detect_malloc();
    if (cp_heap_is_libc_malloc())
        cp_tcache_detect();
    status = cp_threadcreate_start(err);
    return status == CP_OK ? set_wait_rates(err) : status;
}

/* `session`: the settings of cpprof attach, or NULL. */
static enum cp_status initialise(enum state to, const char *session,
                                 struct cp_error *err)
{
    CP_ASSERT(state_now() == OFF);
    if (getauxval(AT_SECURE))
        return cp_error_set(err, CP_EUSAGE,
                            "cannot profile a program that is set-user-ID, "
                            "set-group-ID or has file capabilities; run a copy "
                            "without them");
    cp_stderr_remember();
    read_environment();
    if (session)
        read_session_settings(session);
    apply_once(&life.current);
    libdeflate_set_memory_allocator(alloc_for_libdeflate, cp_free);
    cp_listen_configure(&life.current);
    cp_thread_start_init();
    if (!cp_fork_handlers_install(pthread_atfork) ||
        !cp_fork_handlers_install_endpoint())
        return cp_error_nomem(err);
    cp_atexit_fork_lock_enable();
    change_state(to);
    atomic_store(&life.pid, CP_SYSCALL(SYS_getpid, 0));
    return start_recording(err);
}

static enum cp_status refuse_sealed(struct cp_error *err)
{
    return cp_error_set(err, CP_EUSAGE,
                        "cannot profile: the program has installed a seccomp "
                        "filter that kills it for system calls of the "
                        "profiler; allow them in the filter");
}

static enum cp_status start_locked(struct cp_error *err)
{
    switch (state_now()) {
    case OFF:
        return initialise(ACTIVE, NULL, err);
    case DORMANT:
        change_state(ACTIVE);
        return CP_OK;
    case DORMANT_ATTACHED:
        change_state(ACTIVE_ATTACHED);
        return CP_OK;
    case SEALED:
        return refuse_sealed(err);
    default:
        return CP_OK;
    }
}

enum cp_status cp_lifecycle_start(struct cp_error *err)
{
    enum cp_status status;

    if (cp_sandbox_is_sealed())
        return refuse_sealed(err);
    cp_lock_acquire(&life.lock);
    status = start_locked(err);
    cp_lock_release(&life.lock);
    return status;
}

/* ---- sessions of cpprof attach ---- */

static enum cp_status attach_locked(const char *settings, struct cp_error *err)
{
    enum state now = state_now();

    if (now == SEALED)
        return refuse_sealed(err);
    if (now == OFF)
        return initialise(DORMANT_ATTACHED, settings, err);
    if (now == ACTIVE)
        change_state(ACTIVE_ATTACHED);
    else if (now == DORMANT)
        change_state(DORMANT_ATTACHED);
    read_session_settings(settings);
    cp_fork_handlers_restart_refresh_thread();
    return apply_again(err);
}

enum cp_status cp_lifecycle_attach(const char *settings, struct cp_error *err)
{
    enum cp_status status;

    cp_lock_acquire(&life.lock);
    status = attach_locked(settings, err);
    cp_lock_release(&life.lock);
    return status;
}

static void detach_locked(void)
{
    enum state now = state_now();

    if (now != ACTIVE_ATTACHED && now != DORMANT_ATTACHED)
        return;
    life.current = life.environment;
    (void)apply_again(NULL);
    if (now == DORMANT_ATTACHED) {
        cp_heap_pause();
        cp_refresh_release_for_hooks();
    }
    change_state(now == DORMANT_ATTACHED ? DORMANT : ACTIVE);
}

void cp_lifecycle_detach(void)
{
    if (!cp_lifecycle_is_started())
        return;
    cp_lock_acquire(&life.lock);
    detach_locked();
    cp_lock_release(&life.lock);
}

/* ---- seccomp filters ---- */

static void seal_locked(void)
{
    enum state now = state_now();

    if (now == OFF || now == SEALED)
        return;
    life.before_seal = now;
    change_state(SEALED);
    cp_wait_switches_set_block_io(false);
    (void)cp_contention_set_block_rate(0, NULL);
    (void)cp_contention_set_mutex_fraction(0, NULL);
    cp_heap_pause();
    cp_threads_set_period(0);
    cp_signal_owner_seal();
    atomic_store(&cp_sandbox_sealed, true);
}

void cp_lifecycle_seal(void)
{
    cp_lock_acquire(&life.lock);
    seal_locked();
    cp_lock_release(&life.lock);
}

static void unseal_locked(void)
{
    if (state_now() != SEALED)
        return;
    atomic_store(&cp_sandbox_sealed, false);
    change_state(life.before_seal);
    (void)apply_again(NULL);
    if (life.before_seal != DORMANT)
        (void)cp_heap_enable(NULL);
}

void cp_lifecycle_unseal(void)
{
    cp_lock_acquire(&life.lock);
    unseal_locked();
    cp_lock_release(&life.lock);
}

/* ---- the constructor ---- */

static enum cp_status serve_or_record(struct cp_error *err)
{
    enum cp_status status;

    if (life.current.listen[0]) /* the endpoint starts the recording */
        return cp_listen(life.current.listen, err);
    status = cp_heap_enable(err);
    if (status == CP_OK)
        cp_record_start(&life.current);
    return status;
}

/* Runs when the library is loaded, or at the start of a static program. */
__attribute__((constructor)) static void load(void)
{
    const char *listen = getenv("PPROFLISTEN"), *cpprof = getenv("CPPROF");
    struct cp_error err = { 0 };
    enum cp_status status;

    if (getauxval(AT_SECURE) ||
        ((!listen || !*listen) && (!cpprof || !*cpprof)))
        return;
    status = cp_lifecycle_start(&err);
    if (status == CP_OK)
        status = serve_or_record(&err);
    if (status == CP_OK)
        status = cp_dump_start(&life.current, &err);
    if (status == CP_OK)
        return;
    if (cp_address_transfer_is_inherited(life.current.listen))
        cp_listen_later(life.current.listen);
    else
        cp_lifecycle_report(err.msg);
}
