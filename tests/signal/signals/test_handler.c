/* test_handler - signals become samples, are lost, or are forwarded. */
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"
#include "signal/signals/perf_event.h"
#include "signal/tables/thread.h"
#include "unwind/objects.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "keep.h"

#define COOKIE 0x5eed0001u
#define SECOND_NS 1000000000u

static struct cp_signal_slot slots[1];
static uintptr_t frames[4096];
static struct cp_signal_samples table = {
    .seed = 1, .n_slots = 1, .n_frames = 4096, .slots = slots, .frames = frames
};
static struct cp_signal_thread *self;
static volatile int n_others;

static void send(int sig, void *payload)
{
    siginfo_t info;

    memset(&info, 0, sizeof(info));
    info.si_code = SI_TIMER;
    info.si_value.sival_ptr = payload;
    CHECK(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), sig, &info) == 0);
}

KEEP static void from_here(int sig)
{
    send(sig, cp_signal_payload(CP_SIGNAL_CPU, self->number));
}

KEEP static void from_there(int sig)
{
    send(sig, cp_signal_payload(CP_SIGNAL_CPU, self->number));
}

static void on_other(int sig)
{
    (void)sig;
    n_others++;
}

static struct cp_objects *objects;

static void set_up(void)
{
    struct sigaction ours = { .sa_sigaction = cp_signal_handle,
                              .sa_flags = SA_SIGINFO | SA_RESTART };
    struct sigaction traps = { .sa_sigaction = cp_signal_handle_trap,
                               .sa_flags = SA_SIGINFO | SA_RESTART };
    const struct cp_stack_bounds unknown = { 0, 0 };

    objects = cp_objects_new((size_t)64 << 20, NULL);
    CHECK(objects && cp_objects_refresh(objects, false, NULL) == CP_OK);
    self = cp_threads_register(unknown, 0);
    CHECK(self != NULL);
    cp_handler_state.cookie = COOKIE;
    cp_handler_state.previous.sa_handler = on_other;
    CHECK(sigaction(SIGPROF, &ours, NULL) == 0);
    CHECK(sigaction(SIGTRAP, &traps, NULL) == 0);
    atomic_store(&cp_handler_state.cpu, &table);
    atomic_store(&self->cpu.period_ns, 10);
}

/* The table has room for one stack. */
static void test_full_table(void)
{
    volatile int n = 3; /* from one call site */

    while (n-- > 0)
        from_here(SIGPROF);
    CHECK_INT(atomic_load(&cp_handler_state.n_samples), 3);
    CHECK_INT(atomic_load(&slots[0].count), 3);
    CHECK_INT(atomic_load(&slots[0].value), 30);
    CHECK_INT(atomic_load(&cp_handler_state.n_full), 0);
    from_there(SIGPROF);
    from_there(SIGPROF);
    CHECK_INT(atomic_load(&cp_handler_state.n_full), 2);
    CHECK_INT(atomic_load(&table.lost_count), 2);
    CHECK_INT(atomic_load(&cp_handler_state.n_truncated), 0);
}

/* A signal without the cookie gets the action of the program. */
static void test_others(void)
{
    uint64_t before = atomic_load(&cp_handler_state.n_samples);

    (void)raise(SIGPROF);
    send(SIGPROF, (void *)(uintptr_t)12345);
    CHECK_INT(n_others, 2);
    CHECK_INT(atomic_load(&cp_handler_state.n_samples), before);
}

static uint64_t clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

/*
 * A perf event fires when the CPU time is used up, independent of the tick, and
 * stands for all periods due. Without perf events nothing is checked.
 */
static void test_event(void)
{
    uint64_t before = atomic_load(&cp_handler_state.n_samples);
    uint64_t payload =
        (uint64_t)(uintptr_t)cp_signal_payload(CP_SIGNAL_CPU, self->number);
    void *event = NULL;

    atomic_store(&self->cpu.period_ns, 1000000);
    atomic_store(&self->cpu.count, 0);
    atomic_store(&self->perf.period_ns, 0);
    self->cpu.first_ns = clock_ns() + 1000000;
    self->perf.has_fired = false;
    if (cp_signal_perf_open(0, 1000000, payload, &event) != 0)
        return;
    atomic_store(&self->perf.event, event);
    while (atomic_load(&cp_handler_state.n_samples) == before)
        ;
    CHECK(atomic_load(&self->perf.event) == NULL); /* it fires once */
    CHECK(clock_ns() >= self->cpu.first_ns);
    CHECK(atomic_load(&self->cpu.count) >= 1);
}

/* After the end of a profile nothing is counted, and the event is closed. */
static void test_late_event(void)
{
    uint64_t payload =
        (uint64_t)(uintptr_t)cp_signal_payload(CP_SIGNAL_CPU, self->number);
    uint64_t before = atomic_load(&cp_handler_state.n_samples);
    void *event = NULL;

    atomic_store(&self->cpu.period_ns, 0);
    self->perf.has_fired = true;
    if (cp_signal_perf_open(0, 1000000, payload, &event) != 0)
        return;
    atomic_store(&self->perf.event, event);
    while (atomic_load(&self->perf.event))
        ;
    CHECK_INT(atomic_load(&cp_handler_state.n_samples), before);
}

int main(void)
{
    set_up();
    RUN(test_full_table);
    RUN(test_others);
    RUN(test_event);
    RUN(test_late_event);
    cp_objects_free(objects);
    return check_failures != 0;
}
