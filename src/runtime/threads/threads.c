/* threads.c - the lock of the thread list, registration, scans and fork. */
#include "runtime/threads/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "runtime/os/clock.h"
#include "runtime/os/lock.h"
#include "runtime/os/timer.h"
#include "runtime/threads/perf_sampler.h"
#include "runtime/threads/thread_records.h"
#include "runtime/threads/thread_request.h"
#include "runtime/threads/thread_timer.h"
#include "signal/signals/perf_signals.h"
#include "signal/trace/trace.h"
#include "signal/waits/waiters.h"

static struct {
    struct cp_lock lock;  /* protects all below, and the records */
    bool has_main_exited; /* it is a zombie until the process ends */
    _Atomic int32_t internal[CP_THREADS_MAX_INTERNAL]; /* tids */
    _Atomic size_t n_internal;
    int32_t pid;              /* process of the internal threads */
    uint64_t internal_cpu_ns; /* CPU time of exited internal threads */
    uint64_t period_ns;       /* 0 means no timers */
    int sig;
    uint64_t n_scans;
} list;

_Atomic int32_t cp_threads_id_change_owner;

static int32_t current_tid(void)
{
    return (int32_t)CP_SYSCALL(SYS_gettid, 0);
}

static bool is_main(int32_t tid)
{
    return tid == (int32_t)CP_SYSCALL(SYS_getpid, 0);
}

static void free_record(struct cp_signal_thread *t)
{
    CP_ASSERT(cp_lock_is_held(&list.lock) && atomic_load(&t->tid) != 0);
    cp_thread_timer_stop_at_exit(t);
    cp_thread_request_end(t);
    cp_trace_release_buffers(t);
    cp_waiters_unregister(t);
    cp_thread_records_free(t);
}

static struct cp_signal_thread *
add_record(int32_t tid, struct cp_stack_bounds stack, uintptr_t start)
{
    struct cp_signal_thread *t;

    CP_ASSERT(cp_lock_is_held(&list.lock) && tid > 0);
    CP_ASSERT(stack.low <= stack.high);
    t = cp_thread_records_alloc();
    if (!t)
        return NULL;
    t->cpu.timer_id = CP_NO_TIMER;
    atomic_store(&t->stack_low, stack.low);
    atomic_store(&t->stack_high, stack.high);
    cp_thread_records_insert(t, tid);
    t->runtime.start_pc = start;
    if (list.period_ns && start)
        cp_thread_timer_start_new(t);
    else if (list.period_ns)
        cp_thread_timer_start(t);
    return t;
}

struct cp_signal_thread *cp_threads_register(struct cp_stack_bounds stack,
                                             uintptr_t start)
{
    struct cp_signal_thread *t = cp_signal_self;
    int32_t tid;

    if (t)
        return t;
    tid = current_tid();
    cp_lock_acquire(&list.lock);
    t = cp_thread_records_find(tid);
    if (t && start && !t->runtime.start_pc) {
        free_record(t); /* a scan has registered it without its stack */
        t = NULL;
    }
    if (!t)
        t = add_record(tid, stack, start);
    cp_signal_self = t;
    cp_lock_release(&list.lock);
    return t;
}

void cp_threads_stop_own_timer(void)
{
    struct cp_signal_thread *t = cp_signal_self;

    if (!t)
        return;
    cp_lock_acquire(&list.lock);
    if (atomic_load(&t->tid) == current_tid())
        cp_thread_timer_stop_at_exit(t);
    cp_lock_release(&list.lock);
}

void cp_threads_unregister(void)
{
    struct cp_signal_thread *t = cp_signal_self;
    int32_t tid;

    if (!t)
        return;
    tid = current_tid();
    cp_lock_acquire(&list.lock);
    if (atomic_load(&t->tid) == tid)
        free_record(t);
    list.has_main_exited |= is_main(tid);
    cp_signal_self = NULL;
    cp_lock_release(&list.lock);
}

static bool is_internal(int32_t tid)
{
    CP_ASSERT(list.n_internal <= CP_THREADS_MAX_INTERNAL);
    for (size_t i = 0; i < list.n_internal; i++)
        if (list.internal[i] == tid)
            return true;
    return false;
}

/*
 * Updates list.pid. A child of _Fork() runs no fork handlers, so this also
 * drops an id change that a thread of the parent had begun.
 */
static void update_pid(void)
{
    int32_t pid = (int32_t)CP_SYSCALL(SYS_getpid, 0);

    if (list.pid != pid)
        atomic_store(&cp_threads_id_change_owner, 0);
    list.pid = pid;
}

void cp_threads_mark_internal(void)
{
    struct cp_signal_thread *t;
    int32_t tid = current_tid();

    cp_signal_is_internal = true;
    cp_lock_acquire(&list.lock);
    t = cp_thread_records_find(tid);
    if (t)
        free_record(t);
    cp_signal_self = NULL;
    if (!is_internal(tid) && list.n_internal < CP_THREADS_MAX_INTERNAL)
        list.internal[list.n_internal++] = tid;
    update_pid();
    cp_lock_release(&list.lock);
}

void cp_threads_unmark_internal(void)
{
    int32_t tid = current_tid();

    cp_lock_acquire(&list.lock);
    list.internal_cpu_ns += (uint64_t)cp_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; i < list.n_internal; i++)
        if (list.internal[i] == tid)
            list.internal[i] = list.internal[--list.n_internal];
    cp_lock_release(&list.lock);
}

size_t cp_threads_list_internal(int32_t out[CP_THREADS_MAX_INTERNAL])
{
    size_t n = list.n_internal;

    if (n == 0 || list.pid != (int32_t)CP_SYSCALL(SYS_getpid, 0))
        return 0;
    for (size_t i = 0; i < n; i++)
        out[i] = list.internal[i];
    return n;
}

static uint64_t internal_cpu_ns(void)
{
    uint64_t sum = list.internal_cpu_ns;

    for (size_t i = 0; i < list.n_internal; i++)
        sum += (uint64_t)cp_clock_ns(cp_timer_clock(list.internal[i]));
    return sum;
}

uint64_t cp_threads_internal_cpu_ns(void)
{
    uint64_t sum;

    cp_lock_acquire(&list.lock);
    sum = internal_cpu_ns();
    cp_lock_release(&list.lock);
    return sum;
}

int64_t cp_threads_unattributed_ns(void)
{
    int64_t ns = cp_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    const struct cp_signal_thread *t = NULL;

    cp_lock_acquire(&list.lock);
    ns -= (int64_t)(internal_cpu_ns() + cp_thread_timer_stopped_ns());
    while ((t = cp_thread_records_next(t)))
        ns -= (int64_t)cp_thread_timer_seen_ns(t);
    cp_lock_release(&list.lock);
    return ns;
}

/* Registers a thread that a scan has found, and marks it as seen. */
static void register_found(int32_t tid)
{
    struct cp_stack_bounds unknown = { 0, 0 };
    struct cp_signal_thread *t;

    if (is_internal(tid) || (list.has_main_exited && is_main(tid)))
        return;
    t = cp_thread_records_find(tid);
    if (!t)
        t = add_record(tid, unknown, 0);
    if (t)
        t->runtime.last_scan = list.n_scans;
}

/*
 * /proc may omit a live thread while others exit. Its record must not be freed:
 * the thread would go on to use it.
 */
static bool is_alive(int32_t tid)
{
    return CP_SYSCALL(SYS_tgkill, CP_SYSCALL(SYS_getpid, 0), tid, 0) == 0;
}

static void unregister_exited(void)
{
    struct cp_signal_thread *t = NULL;

    while ((t = cp_thread_records_next(t)))
        if (t->runtime.last_scan != list.n_scans &&
            !is_alive(atomic_load(&t->tid)))
            free_record(t);
}

/* The kernel's struct linux_dirent64; readdir() would allocate. */
struct entry {
    uint64_t inode, offset;
    uint16_t len;
    uint8_t type;
    char name[];
};

static void register_all(int fd)
{
    char bytes[4096];
    long n;

    while ((n = CP_SYSCALL(SYS_getdents64, fd, (long)bytes, sizeof(bytes))) >
           0) {
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(bytes + at);
            int tid = atoi(e->name);

            CP_ASSERT(e->len > 0 && at + e->len <= n);
            if (tid > 0)
                register_found(tid);
            at += e->len;
        }
    }
}

enum cp_status cp_threads_scan(struct cp_error *err)
{
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return cp_error_set(err, CP_EIO, "/proc/self/task: %s",
                            strerror(errno));
    cp_lock_acquire(&list.lock);
    list.n_scans++;
    register_all(fd);
    unregister_exited();
    cp_lock_release(&list.lock);
    (void)close(fd);
    return CP_OK;
}

/* Called with the lock held. */
static void each_thread(void (*act)(struct cp_signal_thread *t))
{
    struct cp_signal_thread *t = NULL;

    CP_ASSERT(cp_lock_is_held(&list.lock));
    while ((t = cp_thread_records_next(t)))
        act(t);
}

void cp_threads_set_signal(int sig)
{
    cp_lock_acquire(&list.lock);
    if (sig != list.sig) {
        list.sig = sig;
        each_thread(cp_thread_request_end);
        each_thread(cp_thread_timer_stop);
        cp_thread_timer_setup(list.period_ns, sig);
        if (list.period_ns)
            each_thread(cp_thread_timer_start);
    }
    cp_lock_release(&list.lock);
}

void cp_threads_set_period(uint64_t period_ns)
{
    cp_lock_acquire(&list.lock);
    list.period_ns = period_ns;
    if (period_ns)
        cp_thread_timer_setup(period_ns, list.sig);
    each_thread(period_ns ? cp_thread_timer_start : cp_thread_timer_stop);
    cp_lock_release(&list.lock);
}

bool cp_threads_use_only_events(void)
{
    bool are;

    cp_lock_acquire(&list.lock);
    are = list.period_ns && cp_thread_timer_uses_only_events();
    cp_lock_release(&list.lock);
    return are;
}

void cp_threads_check_events(void)
{
    cp_lock_acquire(&list.lock);
    if (list.period_ns && cp_perf_sampler_is_lost()) {
        each_thread(cp_thread_timer_stop);
        cp_thread_timer_setup(list.period_ns, list.sig);
        each_thread(cp_thread_timer_start);
    }
    cp_lock_release(&list.lock);
}

bool cp_threads_request(struct cp_signal_thread *t, int32_t tid, uint32_t what)
{
    bool is_armed;

    cp_lock_acquire(&list.lock);
    CP_ASSERT(cp_signal_thread_at(t->number) == t);
    is_armed =
        atomic_load(&t->tid) == tid && cp_thread_request_arm(t, list.sig, what);
    cp_lock_release(&list.lock);
    return is_armed;
}

void cp_threads_end_requests(void)
{
    cp_lock_acquire(&list.lock);
    each_thread(cp_thread_request_end);
    cp_lock_release(&list.lock);
}

void cp_threads_each(void (*visit)(void *context, struct cp_signal_thread *t),
                     void *context)
{
    struct cp_signal_thread *t = NULL;

    cp_lock_acquire(&list.lock);
    while ((t = cp_thread_records_next(t)))
        visit(context, t);
    cp_lock_release(&list.lock);
}

uint32_t cp_threads_count_records(void)
{
    uint32_t n;

    cp_lock_acquire(&list.lock);
    n = cp_thread_records_count();
    cp_lock_release(&list.lock);
    return n;
}

void cp_threads_stats(struct cp_threads_stats *out)
{
    struct cp_signal_thread *t = NULL;

    cp_lock_acquire(&list.lock);
    *out = (struct cp_threads_stats){ .n_threads = cp_thread_records_used(),
                                      .n_internal = list.n_internal };
    while (list.period_ns && (t = cp_thread_records_next(t)))
        out->n_no_timer +=
            t->cpu.timer_id == CP_NO_TIMER && !atomic_load(&t->perf.event);
    cp_lock_release(&list.lock);
}

/*
 * Each thread is a directory of /proc/self/task. An internal thread takes the
 * lock before it exits, so while the lock is held every internal thread has a
 * directory.
 */
bool cp_threads_is_single(void)
{
    struct stat task;
    bool is_single;

    cp_lock_acquire(&list.lock);
    is_single = stat("/proc/self/task", &task) == 0 &&
                (size_t)task.st_nlink == 2 + list.n_internal + 1;
    cp_lock_release(&list.lock);
    return is_single;
}

/* Threads open events with the lock held; handlers open them without it. */
void cp_threads_before_fork(void)
{
    cp_lock_acquire(&list.lock);
    cp_perf_signals_before_fork();
}

/* Keeps the record of the forking thread alone, under its new tid. */
static void unregister_other_threads(void)
{
    struct cp_signal_thread *self = cp_signal_self;

    list.period_ns = 0;
    list.n_internal = 0;
    list.has_main_exited = false;
    list.internal_cpu_ns = 0;
    atomic_store(&cp_threads_id_change_owner, 0);
    for (uint32_t i = 0; i < cp_thread_records_count(); i++) {
        struct cp_signal_thread *t = cp_signal_thread_at(i);

        cp_thread_timer_reset_after_fork(t);
        cp_thread_request_reset_after_fork(t);
        if (atomic_load(&t->tid) && t != self)
            free_record(t);
    }
    CP_ASSERT(cp_thread_records_used() == (self != NULL));
    if (self) {
        cp_thread_records_remove(self);
        cp_thread_records_insert(self, current_tid());
    }
}

void cp_threads_after_fork(bool is_child)
{
    cp_perf_signals_after_fork(is_child);
    if (is_child) {
        cp_perf_sampler_reset_after_fork();
        unregister_other_threads();
    }
    cp_lock_release(&list.lock);
}
