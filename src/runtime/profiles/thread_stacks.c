/* thread_stacks.c - collects the stacks of all threads for one answer. */
#include "runtime/profiles/thread_stacks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "runtime/os/clock.h"
#include "runtime/os/lock.h"
#include "runtime/os/timer.h"
#include "runtime/stacks/sample_recorder.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/stacks/sleeping_stack.h"
#include "runtime/stacks/stack_writer.h"
#include "runtime/threads/thread_state.h"
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"
#include "signal/tables/samples.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/syscall.h"

#define MAX_PENDING 64             /* requests without a reply */
#define REPLY_TIMEOUT_NS 200000000 /* some ticks of the kernel's clock */
#define REPLY_POLL_NS 200000
#define POLLS_PER_LOOK 8 /* then threads that fell asleep are looked for */

static struct cp_sample_recorder recorder = { .live =
                                                  &cp_handler_state.stacks };

struct taker {
    struct cp_thread_stacks *s;
    struct cp_sample_recorder_mark mark;
    struct cp_error *err;
    enum cp_status status;
    struct cp_sleeping_stack look;
};

/* Under the lock of the list: only noted. */
static void note(void *context, struct cp_signal_thread *t)
{
    struct taker *k = context;
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

static void keep_frames(struct taker *k, struct cp_thread_stack *t,
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

static void request(struct cp_thread_stack *t)
{
    struct cp_signal_thread *record = cp_signal_thread_at(t->number);

    t->reply = atomic_load(&record->stack_list.n_replies) + 1;
    if (!cp_threads_request(record, t->tid, CP_REQUEST_STACK))
        t->reply = 0;
}

/* Takes the frames of a thread that has replied; false: not yet. */
static bool collect(struct taker *k, struct cp_thread_stack *t)
{
    struct cp_signal_thread *record = cp_signal_thread_at(t->number);
    const struct cp_signal_slot *slot;
    struct cp_stack stack;

    if (atomic_load(&record->stack_list.n_replies) < t->reply)
        return false;
    t->reply = 0;
    slot = atomic_load(&record->stack_list.slot);
    if (slot && cp_stack_read_slot(&k->mark.table->samples, slot, &stack))
        keep_frames(k, t, stack.frames, stack.n);
    return true;
}

static size_t collect_all(struct taker *k, size_t n)
{
    size_t n_pending = 0;

    for (size_t i = 0; i < n && k->status == CP_OK; i++)
        if (k->s->threads[i].reply)
            n_pending += !collect(k, &k->s->threads[i]);
    return n_pending;
}

/* Reads the stack from outside; true: the thread has to be requested. */
static bool look(struct taker *k, struct cp_thread_stack *t)
{
    enum cp_sleep_result still;
    bool is_asleep;

    t->cpu_ns = (uint64_t)cp_clock_ns(cp_timer_clock(t->tid));
    still = cp_sleeping_stack_walk(&k->look, t->tid);
    is_asleep = still == CP_SLEEP_WALKED || still == CP_SLEEP_PARTIAL;
    if (still == CP_SLEEP_PARTIAL)
        cp_sleeping_stack_complete(&k->look, cp_signal_thread_at(t->number));
    if (is_asleep)
        keep_frames(k, t, k->look.frames, k->look.n);
    if (!cp_thread_state_read(t->tid, k->look.syscall_text,
                              is_asleep ? 0 : cp_signal_owner_signal(),
                              &t->state))
        return false;
    return !is_asleep && !t->state.blocks_signal;
}

/* Threads that fell asleep since do not reply, but can be read now. */
static void look_again(struct taker *k, size_t n)
{
    for (size_t i = 0; i < n && k->status == CP_OK; i++)
        if (k->s->threads[i].reply && !look(k, &k->s->threads[i]))
            k->s->threads[i].reply = 0;
}

/* Waits until at most `max` of the first n threads owe a reply. */
static void await(struct taker *k, size_t n, size_t max)
{
    const struct timespec span = { 0, REPLY_POLL_NS };
    int64_t end_ns = cp_clock_ns(CLOCK_MONOTONIC) + REPLY_TIMEOUT_NS;

    for (int i = 1; collect_all(k, n) > max && k->status == CP_OK &&
                    cp_clock_ns(CLOCK_MONOTONIC) < end_ns;
         i++) {
        (void)CP_SYSCALL(SYS_nanosleep, (long)&span, 0);
        if (i % POLLS_PER_LOOK == 0)
            look_again(k, n);
    }
}

static void take_all(struct taker *k)
{
    size_t n_requests = 0;

    for (size_t i = 0; i < k->s->n_threads && k->status == CP_OK; i++) {
        if (!look(k, &k->s->threads[i]) || k->status != CP_OK)
            continue;
        request(&k->s->threads[i]);
        if (++n_requests % MAX_PENDING == 0)
            await(k, i + 1, MAX_PENDING / 2);
    }
    await(k, k->s->n_threads, 0);
}

/* Called with the sampler's lock. */
static enum cp_status take(struct cp_thread_stacks *s, struct cp_error *err)
{
    struct taker *k = cp_alloc(1, sizeof(*k), err);
    enum cp_status status;

    if (!k)
        return CP_ENOMEM;
    k->s = s;
    k->err = err;
    status = cp_sample_recorder_open(&recorder, &k->mark, err);
    if (status == CP_OK) {
        cp_threads_each(note, k);
        take_all(k);
        cp_sample_recorder_close(&recorder, &k->mark);
        status = k->status;
    }
    cp_free(k);
    return status;
}

enum cp_status cp_thread_stacks_take(struct cp_thread_stacks *s,
                                     struct cp_error *err)
{
    enum cp_status status;

    cp_lock_acquire(&cp_refresh_lock);
    status = cp_refresh_acquire_and_wait(err);
    if (status == CP_OK) {
        status = take(s, err);
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

void cp_thread_stacks_after_fork(void)
{
    cp_sample_recorder_reset_after_fork(&recorder);
}
