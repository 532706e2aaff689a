/* thread_request.c - requests by timers on the threads' CPU clocks. */
#include "runtime/threads/thread_request.h"

#include <string.h>
#include <sys/syscall.h>

#include "runtime/os/timer.h"
#include "signal/signals/handler.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/syscall.h"

#define DELAY_NS 1 /* CPU time of the thread */

/*
 * The calling thread handles its own request before this call returns, so the
 * signal can interrupt no other call. It is marked as a timer's (SI_TIMER): the
 * kernel discards such signals at an exec.
 */
static bool send_to_self(struct cp_signal_thread *t, int sig)
{
    siginfo_t info;

    memset(&info, 0, sizeof(info));
    info.si_code = SI_TIMER;
    info.si_value.sival_ptr = cp_signal_payload(CP_SIGNAL_REQUEST, t->number);
    return CP_SYSCALL(SYS_rt_tgsigqueueinfo, CP_SYSCALL(SYS_getpid, 0),
                      atomic_load(&t->tid), sig, (long)&info) == 0;
}

bool cp_thread_request_arm(struct cp_signal_thread *t, int sig, uint32_t what)
{
    CP_ASSERT(what != 0 && sig > 0);
    CP_ASSERT(atomic_load(&t->tid) != 0 && t->requests.timer >= 0);
    if (atomic_load(&t->tid) == CP_SYSCALL(SYS_gettid, 0)) {
        atomic_fetch_or(&t->requests.pending, what);
        return send_to_self(t, sig);
    }
    if (!t->requests.timer)
        t->requests.timer =
            1 +
            cp_timer_create(atomic_load(&t->tid), sig,
                            cp_signal_payload(CP_SIGNAL_REQUEST, t->number));
    if (!t->requests.timer)
        return false;
    atomic_fetch_or(&t->requests.pending, what);
    cp_timer_set(t->requests.timer - 1, DELAY_NS, 0);
    return true;
}

void cp_thread_request_end(struct cp_signal_thread *t)
{
    if (t->requests.timer)
        cp_timer_delete(t->requests.timer - 1);
    cp_thread_request_reset_after_fork(t);
}

void cp_thread_request_reset_after_fork(struct cp_signal_thread *t)
{
    t->requests.timer = 0;
    atomic_store(&t->requests.pending, 0);
}
