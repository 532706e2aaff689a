/*
 * thread_stacks.c - reads the stacks of sleeping threads, sends requests to
 * running ones, at most 64 at a time, and waits for their replies.
 */
#include "runtime/profiles/thread_stacks.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "runtime/os/clock.h"
#include "runtime/os/timer.h"
#include "runtime/stacks/sample_recorder.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/stacks/sleeping_stack.h"
#include "runtime/stacks/stack_writer.h"
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"
#include "signal/tables/thread.h"

#define MAX_PENDING 64             /* requests without a reply */
#define REPLY_TIMEOUT_NS 200000000 /* several scheduler ticks */
#define REPLY_POLL_NS 200000
#define POLLS_PER_SCAN 8 /* polls between two scans for sleeping threads */

static struct cp_sample_recorder recorder = { .live =
                                                  &cp_handler_state.stacks };

struct collector {
    struct cp_thread_stacks *s;
    struct cp_sample_recorder_mark mark;
    struct cp_error *err;
    enum cp_status status;
    struct cp_sleeping_stack walker;
};

/* Called with the lock of the thread list: only stores the thread. */
static void add_thread(void *context, struct cp_signal_thread *t)
{
    struct collector *k = context;
    struct cp_thread_stacks *s = k->s;

    if (k->status == CP_OK)
        k->status = cp_reserve(&s->threads, &s->cap_threads, s->n_threads + 1,
                               sizeof(*s->threads), k->err);
    if (k->status != CP_OK)
        return;
    s->threads[s->n_threads++] =
        (struct cp_thread_stack){ .tid = atomic_load(&t->tid),
                                  .labels = atomic_load(&t->labels),
                                  .number = t->number };
}

static void store_frames(struct collector *k, struct cp_thread_stack *t,
                         const uintptr_t *frames, size_t n)
{
    struct cp_thread_stacks *s = k->s;

    k->status = cp_reserve(&s->frames, &s->cap_frames, s->n_frames + n,
                           sizeof(*s->frames), k->err);
    if (k->status != CP_OK)
        return;
    memcpy(s->frames + s->n_frames, frames, n * sizeof(*frames));
    t->first = s->n_frames;
    t->n = n;
    s->n_frames += n;
}

/* Requests the stack; leaves t->reply 0 if the thread cannot reply. */
static void request(struct cp_thread_stack *t)
{
    struct cp_signal_thread *record = cp_signal_thread_at(t->number);

    t->reply = atomic_load(&record->stack_list.n_replies) + 1;
    if (!cp_threads_request(record, t->tid, CP_REQUEST_STACK))
        t->reply = 0;
}

/* Stores the frames of a thread that has replied; returns false if not yet. */
static bool receive(struct collector *k, struct cp_thread_stack *t)
{
    struct cp_signal_thread *record = cp_signal_thread_at(t->number);
    const struct cp_signal_slot *slot;
    struct cp_stack stack;

    if (atomic_load(&record->stack_list.n_replies) < t->reply)
        return false;
    t->reply = 0;
    slot = atomic_load(&record->stack_list.slot);
    if (slot && cp_stack_read_slot(&k->mark.table->samples, slot, &stack))
        store_frames(k, t, stack.frames, stack.n);
    return true;
}

/* Returns how many of the first n threads have not replied yet. */
static size_t receive_all(struct collector *k, size_t n)
{
    size_t n_pending = 0;

    for (size_t i = 0; i < n && k->status == CP_OK; i++)
        if (k->s->threads[i].reply)
            n_pending += !receive(k, &k->s->threads[i]);
    return n_pending;
}

/* Reads a sleeping thread's stack; returns true if it needs a request. */
static bool read_stack(struct collector *k, struct cp_thread_stack *t)
{
    enum cp_sleep_result result;
    bool is_asleep;

    t->cpu_ns = (uint64_t)cp_clock_ns(cp_timer_clock(t->tid));
    result = cp_sleeping_stack_walk(&k->walker, t->tid);
    is_asleep = result == CP_SLEEP_WALKED || result == CP_SLEEP_PARTIAL;
    if (result == CP_SLEEP_PARTIAL)
        cp_sleeping_stack_complete(&k->walker, cp_signal_thread_at(t->number));
    if (is_asleep)
        store_frames(k, t, k->walker.frames, k->walker.n);
    if (!cp_thread_state_read(t->tid, k->walker.syscall_text,
                              is_asleep ? 0 : cp_signal_owner_signal(),
                              &t->state))
        return false;
    return !is_asleep && !t->state.blocks_signal;
}

/* A thread that fell asleep after the request does not reply: reads it. */
static void read_sleeping(struct collector *k, size_t n)
{
    for (size_t i = 0; i < n && k->status == CP_OK; i++)
        if (k->s->threads[i].reply && !read_stack(k, &k->s->threads[i]))
            k->s->threads[i].reply = 0;
}

/* Waits until at most `max` of the first n threads have not replied. */
static void wait_for_replies(struct collector *k, size_t n, size_t max)
{
    const struct timespec span = { 0, REPLY_POLL_NS };
    int64_t end_ns = cp_clock_ns(CLOCK_MONOTONIC) + REPLY_TIMEOUT_NS;

    for (int i = 1; receive_all(k, n) > max && k->status == CP_OK &&
                    cp_clock_ns(CLOCK_MONOTONIC) < end_ns;
         i++) {
        (void)CP_SYSCALL(SYS_nanosleep, (long)&span, 0);
        if (i % POLLS_PER_SCAN == 0)
            read_sleeping(k, n);
    }
}

static void collect_all(struct collector *k)
{
    size_t n_requests = 0;

    for (size_t i = 0; i < k->s->n_threads && k->status == CP_OK; i++) {
        if (!read_stack(k, &k->s->threads[i]) || k->status != CP_OK)
            continue;
        request(&k->s->threads[i]);
        if (++n_requests % MAX_PENDING == 0)
            wait_for_replies(k, i + 1, MAX_PENDING / 2);
    }
    wait_for_replies(k, k->s->n_threads, 0);
}

/* Called with cp_refresh_lock held. */
static enum cp_status collect(struct cp_thread_stacks *s, struct cp_error *err)
{
    struct collector *k = cp_alloc(1, sizeof(*k), err);
    enum cp_status status;

    CP_ASSERT(atomic_load(&cp_refresh_lock.word) != 0);
    if (!k)
        return CP_ENOMEM;
    k->s = s;
    k->err = err;
    status = cp_sample_recorder_open(&recorder, &k->mark, err);
    if (status == CP_OK) {
        cp_threads_each(add_thread, k);
        collect_all(k);
        cp_sample_recorder_close(&recorder, &k->mark);
        status = k->status;
    }
    cp_free(k);
    return status;
}

enum cp_status cp_thread_stacks_collect(struct cp_thread_stacks *s,
                                        struct cp_error *err)
{
    enum cp_status status;

    cp_lock_acquire(&cp_refresh_lock);
    status = cp_refresh_acquire_and_wait(err);
    if (status == CP_OK) {
        status = collect(s, err);
        cp_refresh_release();
    }
    cp_lock_release(&cp_refresh_lock);
    return status;
}

void cp_thread_stacks_release(struct cp_thread_stacks *s)
{
    cp_free(s->threads);
    cp_free(s->frames);
    *s = (struct cp_thread_stacks){ 0 };
}

void cp_thread_stacks_reset_after_fork(void)
{
    cp_sample_recorder_reset_after_fork(&recorder);
}
