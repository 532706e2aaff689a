/*
 * record.c - runs the waiting thread, handles the terminating signals, and
 * writes the files.
 */
#include "runtime/process/record.h"

#include <cpprof.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "base/new_file.h"
#include "base/pid_name.h"
#include "base/target_file.h"
#include "runtime/os/clock.h"
#include "runtime/os/lock.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/settings.h"
#include "runtime/threads/internal_thread.h"

/* Values of record.word, the futex that the thread waits on. */
enum {
    RECORDING,
    CANCELLED,
    PAUSED,
    SIGNALLED /* SIGNALLED + number of the signal */
};

static const int end_signals[] = { SIGINT, SIGTERM, SIGHUP };
#define N_END_SIGNALS (sizeof(end_signals) / sizeof(end_signals[0]))

static struct {
    struct cp_lock lock;
    const struct cp_settings *settings;
    struct cpprof_profile *cpu; /* NULL if not running */
    bool is_heap_due;           /* the heap file is not written yet */
    bool has_atexit;            /* cp_record_finish is an exit function */
    pid_t pid;                  /* process that is recorded */
    int64_t end_ns; /* end of the CPU profile, monotonic; -1 means at exit */
    _Atomic uint32_t word;
    _Atomic bool is_on;
} record;

static void report_failure(const char *file, const char *why)
{
    char line[640];

    (void)snprintf(line, sizeof(line),
                   "cannot write the profile %.400s: %.200s", file, why);
    cp_lifecycle_report(line);
}

struct names {
    char file[sizeof(record.settings->cpu_file) + 64];
    /* Temporary name; "": not a regular file, written directly. */
    char part[sizeof(record.settings->cpu_file) + 96];
};

static int open_output(const char *name, struct names *out)
{
    long pid = (long)record.pid;
    int fd = -1;

    out->part[0] = '\0';
    if (!cp_pid_name_expand(name, pid, out->file, sizeof(out->file))) {
        errno = ENAMETOOLONG;
    } else if (!cp_target_is_replaceable(out->file)) {
        fd = cp_target_open(out->file, false);
    } else {
        fd = cp_new_file_beside(out->file, out->part, sizeof(out->part), 0666);
    }
    if (fd < 0)
        report_failure(name, cp_target_error(errno));
    return fd;
}

static void write_file(const char *name, bool is_cpu)
{
    struct names names;
    int failed, fd = open_output(name, &names);

    failed = is_cpu ? cpprof_stop(record.cpu, fd)
                    : (fd < 0 ? -1 : cpprof_write("heap", 0, fd));
    if (fd < 0)
        return;
    (void)close(fd);
    if (failed)
        report_failure(names.file, cpprof_error());
    else if (!names.part[0] || rename(names.part, names.file) == 0)
        return;
    else
        report_failure(names.file, strerror(errno));
    if (names.part[0])
        (void)unlink(names.part);
}

static void finish_cpu(void)
{
    cp_lock_acquire(&record.lock);
    if (record.cpu)
        write_file(record.settings->cpu_file, true);
    record.cpu = NULL;
    cp_lock_release(&record.lock);
}

static void finish_heap(void)
{
    cp_lock_acquire(&record.lock);
    if (record.is_heap_due)
        write_file(record.settings->heap_file, false);
    record.is_heap_due = false;
    cp_lock_release(&record.lock);
}

bool cp_record_is_on(void)
{
    return atomic_load_explicit(&record.is_on, memory_order_relaxed) &&
           getpid() == record.pid;
}

bool cp_record_is_end_signal(int sig)
{
    for (size_t i = 0; i < N_END_SIGNALS; i++)
        if (end_signals[i] == sig)
            return true;
    return false;
}

void cp_record_finish(void)
{
    if (!cp_record_is_on())
        return;
    finish_cpu();
    finish_heap();
}

void cp_record_on_signal(int sig)
{
    uint32_t recording = RECORDING;
    int saved_errno = errno;

    if (atomic_compare_exchange_strong(&record.word, &recording,
                                       (uint32_t)(SIGNALLED + sig)))
        (void)CP_SYSCALL(SYS_futex, (long)&record.word, FUTEX_WAKE_PRIVATE, 1);
    errno = saved_errno;
}

/*
 * Runs before main(), so no other thread changes the handlers at the same time.
 */
static void catch_end_signals(void)
{
    struct sigaction action = { .sa_handler = cp_record_on_signal,
                                .sa_flags = SA_RESTART };
    struct sigaction now;

    for (size_t i = 0; i < N_END_SIGNALS; i++)
        if (sigaction(end_signals[i], NULL, &now) == 0 &&
            !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
            (void)sigaction(end_signals[i], &action, NULL);
}

/* Restores SIG_DFL unless the program has set a handler of its own. */
static void release_end_signals(void)
{
    struct sigaction none = { .sa_handler = SIG_DFL }, now;

    for (size_t i = 0; i < N_END_SIGNALS; i++)
        if (sigaction(end_signals[i], NULL, &now) == 0 &&
            !(now.sa_flags & SA_SIGINFO) &&
            now.sa_handler == cp_record_on_signal)
            (void)sigaction(end_signals[i], &none, NULL);
}

void cp_record_end(void)
{
    cp_record_finish();
    atomic_store(&record.is_on, false);
    release_end_signals();
}

/* Waits until end_ns (-1: no limit) or a new value of the futex word. */
static uint32_t wait_for_word(int64_t end_ns)
{
    uint32_t word;

    while ((word = atomic_load(&record.word)) == RECORDING) {
        int64_t left = end_ns < 0 ? 1 : end_ns - cp_clock_ns(CLOCK_MONOTONIC);
        struct timespec span = cp_clock_span(left);

        if (left <= 0)
            break;
        (void)CP_SYSCALL(SYS_futex, (long)&record.word, FUTEX_WAIT_PRIVATE,
                         RECORDING, end_ns < 0 ? 0 : (long)&span);
    }
    return word;
}

static void record_thread(void *arg)
{
    uint32_t word = wait_for_word(record.end_ns);

    (void)arg;
    CP_ASSERT(word < SIGNALLED + 65);
    if (word == RECORDING) {
        finish_cpu();
        word = record.is_heap_due ? wait_for_word(-1) : CANCELLED;
    }
    if (word == PAUSED && cp_internal_thread_is_pausing())
        return;
    if (word > SIGNALLED)
        cp_record_finish();
    atomic_store(&record.is_on, false);
    release_end_signals();
    if (word > SIGNALLED)
        (void)kill(getpid(), (int)(word - SIGNALLED));
}

void cp_record_start(const struct cp_settings *s)
{
    struct cp_error err = { 0 };

    if ((!s->cpu_file[0] && !s->heap_file[0]) || record.pid == getpid())
        return;
    record.settings = s;
    record.pid = getpid();
    record.is_heap_due = s->heap_file[0] != '\0';
    record.end_ns = s->cpu_seconds > 0 ? cp_clock_ns(CLOCK_MONOTONIC) +
                                             (int64_t)(s->cpu_seconds * 1e9)
                                       : -1;
    atomic_store(&record.word, RECORDING);
    atomic_store(&record.is_on, true);
    if (s->cpu_file[0] && !(record.cpu = cpprof_start("profile")))
        report_failure(s->cpu_file, cpprof_error());
    catch_end_signals();
    if (cp_internal_thread_start("cpprof-record", record_thread, NULL, &err) !=
        CP_OK) {
        atomic_store(&record.is_on, false);
        release_end_signals();
        report_failure(s->cpu_file[0] ? s->cpu_file : s->heap_file, err.msg);
    }
    if (!record.has_atexit)
        record.has_atexit = atexit(cp_record_finish) == 0;
}

static void change_word(uint32_t from, uint32_t to)
{
    if (atomic_compare_exchange_strong(&record.word, &from, to))
        (void)CP_SYSCALL(SYS_futex, (long)&record.word, FUTEX_WAKE_PRIVATE, 1);
}

void cp_record_cancel(void)
{
    if (!record.settings)
        return;
    cp_lock_acquire(&record.lock);
    if (record.cpu)
        (void)cpprof_stop(record.cpu, -1);
    record.cpu = NULL;
    record.is_heap_due = false;
    cp_lock_release(&record.lock);
    atomic_store(&record.is_on, false);
    change_word(RECORDING, CANCELLED);
}

void cp_record_pause(void)
{
    if (cp_record_is_on())
        change_word(RECORDING, PAUSED);
}

void cp_record_resume(void)
{
    if (cp_record_is_on())
        change_word(PAUSED, RECORDING);
}

void cp_record_reset_after_fork(void)
{
    cp_lock_reset(&record.lock);
    atomic_store(&record.is_on, false);
    if (record.settings)
        release_end_signals();
    record.cpu = NULL;
    record.is_heap_due = false;
    record.settings = NULL;
}
