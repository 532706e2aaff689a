/*
 * test_trace - events of many threads at once, an empty pool, and threads with
 * a buffer of an older session.
 */
#include "signal/tables/calls.h"
#include "signal/trace/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "check.h"

#define THREADS 8
#define EVENTS 20000
#define SLOTS 16

static struct cp_signal_thread records[THREADS + 1];
static struct cp_signal_slot slots[SLOTS];

static void map(void)
{
    cp_trace.buffers =
        mmap(NULL, CP_TRACE_BUFFERS * sizeof(struct cp_trace_buffer),
             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cp_trace.stacks.n_slots = SLOTS;
    cp_trace.stacks.n_frames = 16;
    cp_trace.stacks.slots = slots;
    cp_trace.stacks.frames = calloc(16, sizeof(uintptr_t));
}

/* Starts a session with this many free buffers. */
static void begin(size_t n_pieces)
{
    atomic_fetch_add(&cp_trace.session, cp_trace.session & 1 ? 2 : 1);
    atomic_store(&cp_trace.n_words, CP_TRACE_BUFFERS / 64);
    for (size_t i = 0; i < CP_TRACE_BUFFERS / 64; i++)
        atomic_store(&cp_trace.free[i], 0);
    for (size_t i = 0; i < CP_TRACE_BUFFERS; i++)
        atomic_store(&cp_trace.buffers[i].state, CP_TRACE_FREE);
    for (size_t i = 0; i < n_pieces; i++)
        cp_trace_free_buffer(&cp_trace.buffers[i]);
    atomic_store(&cp_trace.n_lost, 0);
}

static void be(int number)
{
    records[number].number = (uint32_t)number;
    atomic_store(&records[number].tid, number + 1);
    cp_signal_self = &records[number];
}

static void note(uint64_t arg, uint16_t more, const char *text)
{
    struct cp_trace_event e = { .kind = CP_TRACE_LOG,
                                .arg = arg,
                                .more = more };

    cp_trace_write(e, text, 0);
}

static void *write_many(void *arg)
{
    be((int)(intptr_t)arg);
    for (uint64_t i = 0; i < EVENTS; i++)
        note(i, i % 7 == 0 ? 40 : 0,
             "0123456789012345678901234567890123456789");
    cp_trace_release_buffers(cp_signal_self);
    return NULL;
}

/* Counts the events of a thread and checks their order. */
static uint64_t count(int32_t tid, uint64_t *last)
{
    uint64_t n = 0, order = 0;

    for (;;) {
        struct cp_trace_buffer *p = NULL;

        for (size_t i = 0; i < CP_TRACE_BUFFERS; i++) {
            struct cp_trace_buffer *one = &cp_trace.buffers[i];

            if (atomic_load(&one->state) != CP_TRACE_FREE && one->tid == tid &&
                one->order >= order && (!p || one->order < p->order))
                p = one;
        }
        if (!p)
            return n;
        order = p->order + 1;
        for (uint32_t i = 0; i < p->n; i += cp_trace_slots(&p->events[i])) {
            const struct cp_trace_event *e = &p->events[i];

            if (n > 0 && e->arg <= *last)
                return UINT64_MAX;
            if (e->more && memcmp(e + 1, "0123456789", 10) != 0)
                return UINT64_MAX;
            *last = e->arg;
            n++;
        }
    }
}

static uint64_t run_threads(void)
{
    pthread_t threads[THREADS];
    uint64_t sum = 0, last;

    for (intptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, write_many, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    for (int32_t tid = 1; tid <= THREADS; tid++) {
        uint64_t n = count(tid, &last);

        CHECK(n <= EVENTS);
        sum += n;
    }
    return sum;
}

static void test_room_for_all(void)
{
    begin(CP_TRACE_BUFFERS);
    CHECK_INT(run_threads(), THREADS * EVENTS);
    CHECK_INT(cp_trace.n_lost, 0);
}

static void test_lost_are_counted(void)
{
    begin(10);
    CHECK_INT(run_threads() + cp_trace.n_lost, THREADS * EVENTS);
    CHECK(cp_trace.n_lost > 0);
}

/* A full buffer still has room for the end of its thread. */
static void test_end_has_room(void)
{
    struct cp_trace_end words = { .cpu_ns = 5 };
    struct cp_trace_event end = { .kind = CP_TRACE_END, .more = sizeof(words) };
    struct cp_trace_buffer *p;
    uint64_t n = 0;

    begin(1);
    be(THREADS);
    cp_signal_self->trace.buffers[0] = NULL;
    while (cp_trace.n_lost == 0)
        note(++n, 0, NULL);
    cp_trace_write(end, &words, 0);
    CHECK_INT(cp_trace.n_lost, 1);
    p = cp_signal_self->trace.buffers[0];
    CHECK_INT(p->n, n - 1 + cp_trace_slots(&end));
    CHECK_INT(p->events[n - 1].kind, CP_TRACE_END);
    CHECK(p->n <= CP_TRACE_BUFFER_EVENTS);
}

/* A buffer of an older session is released and not used again. */
static void test_late_thread(void)
{
    uint64_t last = 0;
    struct cp_trace_buffer *old;

    begin(CP_TRACE_BUFFERS);
    be(THREADS);
    cp_signal_self->trace.buffers[0] = NULL;
    note(1, 0, NULL);
    old = cp_signal_self->trace.buffers[0];
    atomic_fetch_add(&cp_trace.session, 1);
    note(2, 0, NULL);
    CHECK_INT(old->n, 1);
    atomic_fetch_add(&cp_trace.session, 1);
    note(3, 0, NULL);
    CHECK_INT(old->state, CP_TRACE_DONE);
    CHECK(cp_signal_self->trace.buffers[0] != old);
    cp_trace_free_buffer(old);
    CHECK_INT(count(THREADS + 1, &last), 1);
    CHECK_INT(last, 3);
}

/* A signal handler of the program enters a hook while an event is written. */
static void test_hook_in_a_hook(void)
{
    begin(CP_TRACE_BUFFERS);
    be(THREADS);
    cp_signal_self->trace.buffers[0] = NULL;
    cp_signal_self->trace.session = cp_trace.session;
    note(1, 0, NULL);
    CHECK_INT(cp_trace.n_lost, 1);
    CHECK(!cp_signal_self->trace.buffers[0]);
    cp_signal_self->trace.session = 0;
    note(2, 0, NULL);
    CHECK_INT(cp_signal_self->trace.buffers[0]->n, 1);
}

static void test_waits(void)
{
    struct cp_trace_event e = {
        .time_ns = 200, .begin_ns = 100, .arg = 4096, .call = CP_CALL_READ
    };
    struct cp_trace_wait wait;

    begin(CP_TRACE_BUFFERS);
    be(THREADS);
    cp_signal_self->trace.buffers[0] = NULL;
    CHECK(!cp_trace_has_waiters(4096));
    wait = cp_trace_wait_begin(CP_CALL_READ, 4096, 100, NULL, 0);
    CHECK(cp_trace_has_waiters(4096));
    CHECK_INT(cp_signal_self->waits.since_ns, 100);
    CHECK_INT(cp_signal_self->waits.call, CP_CALL_READ);
    cp_trace_wait_end(&wait, &e, 0);
    CHECK(!cp_trace_has_waiters(4096));
    CHECK_INT(cp_signal_self->waits.since_ns, 0);
    CHECK_INT(cp_signal_self->trace.buffers[0]->n, 1);
    CHECK_INT(cp_signal_self->trace.buffers[0]->events[0].kind, CP_TRACE_WAIT);
    atomic_fetch_add(&cp_trace.session, 1);
    wait = cp_trace_wait_begin(CP_CALL_READ, 4096, 100, NULL, 0);
    CHECK_INT(wait.session, 0);
    CHECK(!cp_trace_has_waiters(4096));
}

int main(void)
{
    map();
    RUN(test_room_for_all);
    RUN(test_lost_are_counted);
    RUN(test_end_has_room);
    RUN(test_late_thread);
    RUN(test_hook_in_a_hook);
    RUN(test_waits);
    return check_failures != 0;
}
