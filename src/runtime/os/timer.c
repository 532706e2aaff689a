/* timer.c - timer system calls, splitmix64 and a golden ratio sequence. */
#include "runtime/os/timer.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>

#include "runtime/os/clock.h"
#include "signal/unwinder/syscall.h"

/* CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED, as the kernel encodes clocks. */
#define THREAD_CPU_CLOCK 6

clockid_t cp_timer_clock(int32_t tid)
{
    return (clockid_t)((~(uint32_t)tid << 3) | THREAD_CPU_CLOCK);
}

int cp_timer_create(int32_t tid, int sig, void *word)
{
    struct sigevent event;
    int id = -1;

    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = sig;
    event.sigev_value.sival_ptr = word;
    event._sigev_un._tid = tid;
    if (CP_SYSCALL(SYS_timer_create, cp_timer_clock(tid), (long)&event,
                   (long)&id) != 0)
        return -1;
    return id;
}

/* splitmix64 with a random seed; not for secrets. */
uint64_t cp_timer_random(uint64_t n)
{
    static _Atomic uint64_t state;
    uint64_t x;

    if (atomic_load(&state) == 0 &&
        getrandom(&x, sizeof(x), GRND_NONBLOCK) == (long)sizeof(x))
        atomic_store(&state, x | 1);
    x = atomic_fetch_add(&state, 0x9e3779b97f4a7c15u);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) % n + 1;
}

/*
 * A Weyl sequence: multiples of the golden ratio from a random start. Each
 * phase is equally likely, and the phases of consecutive threads are spread
 * more evenly than independent random numbers.
 */
uint64_t cp_timer_phase(uint64_t n)
{
    static _Atomic uint64_t state;
    uint64_t none = 0, x;

    if (atomic_load(&state) == 0)
        (void)atomic_compare_exchange_strong(&state, &none,
                                             cp_timer_random(UINT64_MAX - 1));
    x = atomic_fetch_add(&state, 0x9e3779b97f4a7c15u);
    return ((x >> 32) * n >> 32) + 1;
}

void cp_timer_set(int id, uint64_t first_ns, uint64_t period_ns)
{
    struct itimerspec spec = {
        .it_interval = cp_clock_span((int64_t)period_ns),
        .it_value = cp_clock_span((int64_t)first_ns),
    };

    (void)CP_SYSCALL(SYS_timer_settime, id, 0, (long)&spec, 0);
}

void cp_timer_delete(int id)
{
    (void)CP_SYSCALL(SYS_timer_delete, id);
}
