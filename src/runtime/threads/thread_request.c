/* thread_request.c - requests by timers on the threads' CPU clocks. */
#include "runtime/threads/thread_request.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/os/timer.h"
#include "signal/signals/handler.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/syscall.h"

#define SOON_NS 1 /* of the thread's CPU time */

/*
 * The calling thread's own request is handled before this call returns: there
 * is no other system call that the signal could end. Sent as if by a timer: the
 * kernel drops such signals at an exec.
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
    cp_timer_set(t->requests.timer - 1, SOON_NS, 0);
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
