/* leak_registers.c - see leak_registers.h. */
#include "runtime/leak_registers.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/clock.h"
#include "runtime/sampler.h"
#include "runtime/still.h"
#include "runtime/threads.h"
#include "signal/handler.h"
#include "signal/syscall.h"

#define PATIENCE_NS 100000000
#define NAP_NS 100000

static void ask(struct cp_signal_thread *t, int32_t tid)
{
    siginfo_t info;

    memset(&info, 0, sizeof(info));
    info.si_code = SI_TIMER; /* see wall.c */
    info.si_value.sival_ptr = cp_signal_word(CP_SIGNAL_REGISTERS, t->number);
    t->registers_asked = atomic_load(&t->registers_answers) + 1;
    atomic_store(&cp_signal_sampler.has_asked, true);
    (void)CP_SYSCALL(SYS_rt_tgsigqueueinfo, getpid(), tid, cp_sampler_signal(),
                     (long)&info);
}

bool cp_leak_has_answered(const struct cp_signal_thread *t)
{
    return t->registers_asked != 0 &&
           t->registers_asked == atomic_load(&t->registers_answers);
}

static uint32_t count_silent(void)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < cp_threads_records(); i++) {
        const struct cp_signal_thread *t = cp_signal_thread_at(i);

        n += atomic_load(&t->tid) != 0 && t->registers_asked != 0 &&
             !cp_leak_has_answered(t);
    }
    return n;
}

void cp_leak_ask_threads(struct cp_leak *leak)
{
    const struct timespec nap = { 0, NAP_NS };
    int64_t start = cp_clock_ns(CLOCK_MONOTONIC), now = start;

    for (uint32_t i = 0; i < cp_threads_records(); i++) {
        struct cp_signal_thread *t = cp_signal_thread_at(i);
        int32_t tid = atomic_load(&t->tid);

        t->registers_asked = 0;
        if (tid == 0)
            continue;
        if (cp_still_may_be_asked(tid)) {
            ask(t, tid);
            leak->n_asked++;
        } else {
            leak->n_left++;
        }
    }
    while ((leak->n_silent = count_silent()) > 0 && now - start < PATIENCE_NS) {
        (void)nanosleep(&nap, NULL);
        now = cp_clock_ns(CLOCK_MONOTONIC);
    }
    leak->answer_ns = (uint64_t)(cp_clock_ns(CLOCK_MONOTONIC) - start);
}
