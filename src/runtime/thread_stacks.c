/* thread_stacks.c - see thread_stacks.h. */
#include "runtime/thread_stacks.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "runtime/clock.h"
#include "runtime/recorder.h"
#include "runtime/sampler.h"
#include "runtime/stack_writer.h"
#include "runtime/still.h"
#include "runtime/threads.h"
#include "runtime/timer.h"
#include "signal/handler.h"
#include "signal/syscall.h"

#define MOST_ASKED 64         /* who have not answered yet */
#define PATIENCE_NS 200000000 /* with those who are asked */
#define LOOK_NS 100000        /* between looks for them */

static struct cp_recorder recorder = { .live = &cp_signal_sampler.stacks };

struct taker {
    struct cp_thread_stacks *s;
    struct cp_recorder_mark mark;
    struct cp_error *err;
    enum cp_status status;
    struct cp_still_look look;
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

/* Like wall.c's: the kernel throws such a signal away at an exec. */
static void ask(struct cp_thread_stack *t)
{
    struct cp_signal_thread *record = cp_signal_thread_at(t->number);
    siginfo_t info;

    memset(&info, 0, sizeof(info));
    info.si_code = SI_TIMER;
    info.si_value.sival_ptr = cp_signal_word(CP_SIGNAL_STACK, t->number);
    t->answer = atomic_load(&record->stack_answers) + 1;
    atomic_store(&cp_signal_sampler.has_asked, true);
    if (CP_SYSCALL(SYS_rt_tgsigqueueinfo, getpid(), t->tid, cp_sampler_signal(),
                   (long)&info) != 0)
        t->answer = 0;
}

/* Has it answered? Then its frames are taken. */
static bool collect(struct taker *k, struct cp_thread_stack *t)
{
    struct cp_signal_thread *record = cp_signal_thread_at(t->number);
    const struct cp_signal_slot *slot;
    struct cp_stack stack;

    if (atomic_load(&record->stack_answers) < t->answer)
        return false;
    t->answer = 0;
    slot = atomic_load(&record->stack_slot);
    if (slot && cp_stack_of_slot(&k->mark.table->samples, slot, &stack))
        keep_frames(k, t, stack.frames, stack.n);
    return true;
}

static size_t collect_all(struct taker *k, size_t n)
{
    size_t n_awaited = 0;

    for (size_t i = 0; i < n && k->status == CP_OK; i++)
        if (k->s->threads[i].answer)
            n_awaited += !collect(k, &k->s->threads[i]);
    return n_awaited;
}

/* Waits until no more than `most` of the first n owe an answer. */
static void await(struct taker *k, size_t n, size_t most)
{
    const struct timespec span = { 0, LOOK_NS };
    int64_t end_ns = cp_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;

    while (collect_all(k, n) > most && k->status == CP_OK &&
           cp_clock_ns(CLOCK_MONOTONIC) < end_ns)
        (void)CP_SYSCALL(SYS_nanosleep, (long)&span, 0);
}

/* Its stack if it can be had without it; true: it has to be asked. */
static bool look(struct taker *k, struct cp_thread_stack *t)
{
    enum cp_still still;
    bool is_known;

    t->cpu_ns = (uint64_t)cp_clock_ns(cp_timer_clock(t->tid));
    still = cp_still_walk(&k->look, t->tid);
    is_known = still == CP_STILL_WALKED || still == CP_STILL_ASLEEP;
    if (is_known && k->look.n == 0)
        cp_still_say_asleep(&k->look, cp_signal_thread_at(t->number));
    if (is_known)
        keep_frames(k, t, k->look.frames, k->look.n);
    if (!cp_thread_state_read(t->tid, k->look.place,
                              is_known ? 0 : cp_sampler_signal(), &t->state))
        return false;
    return !is_known && !t->state.blocks_ours && t->state.letter != 'D';
}

static void take_all(struct taker *k)
{
    size_t n_asked = 0;

    for (size_t i = 0; i < k->s->n_threads && k->status == CP_OK; i++) {
        if (!look(k, &k->s->threads[i]) || k->status != CP_OK)
            continue;
        ask(&k->s->threads[i]);
        if (++n_asked % MOST_ASKED == 0)
            await(k, i + 1, MOST_ASKED / 2);
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
    status = cp_recorder_open(&recorder, &k->mark, err);
    if (status == CP_OK) {
        cp_threads_each(note, k);
        take_all(k);
        cp_recorder_close(&recorder, &k->mark);
        status = k->status;
    }
    cp_free(k);
    return status;
}

enum cp_status cp_thread_stacks_take(struct cp_thread_stacks *s,
                                     struct cp_error *err)
{
    enum cp_status status;

    cp_lock_take(&cp_sampler_lock);
    status = cp_sampler_open_now(err);
    if (status == CP_OK) {
        status = take(s, err);
        cp_sampler_close();
    }
    cp_lock_give(&cp_sampler_lock);
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
    cp_recorder_forget(&recorder);
}
