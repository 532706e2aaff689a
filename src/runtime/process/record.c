/* record.c - see record.h. */
#include "runtime/process/record.h"

#include <cpprof.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/new_file.h"
#include "base/pid_name.h"
#include "base/target_file.h"
#include "runtime/os/clock.h"
#include "runtime/os/lock.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/settings.h"
#include "runtime/threads/own_thread.h"
#include "signal/unwinder/syscall.h"

/* What the thread that watches is to know. */
enum {
    WATCHING,
    CANCELLED,
    PAUSED,
    SIGNALLED /* and above: by SIGNALLED + number */
};

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
#define N_ENDS (sizeof(ends) / sizeof(ends[0]))

static struct {
    struct cp_lock lock;
    const struct cp_settings *settings;
    struct cpprof_profile *cpu; /* NULL: not running */
    bool is_heap_due, has_atexit;
    pid_t pid;      /* of the process that is recorded */
    int64_t end_ns; /* of the CPU profile, monotonic; -1: when it ends */
    _Atomic uint32_t word;
    _Atomic bool is_on;
} record;

static void complain(const char *file, const char *why)
{
    char line[640];

    (void)snprintf(line, sizeof(line), "%.400s: %.200s", file, why);
    cp_lifecycle_say(line);
}

struct names {
    char file[sizeof(record.settings->cpu_file) + 64];
    /* Until it is whole; "": it is no file, and written to as it is. */
    char part[sizeof(record.settings->cpu_file) + 96];
};

static int open_part(const char *name, struct names *out)
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
        complain(name, cp_target_error(errno));
    return fd;
}

static void write_file(const char *name, bool is_cpu)
{
    struct names names;
    int failed, fd = open_part(name, &names);

    failed = is_cpu ? cpprof_stop(record.cpu, fd)
                    : (fd < 0 ? -1 : cpprof_write("heap", 0, fd));
    if (fd < 0)
        return;
    (void)close(fd);
    if (failed)
        complain(names.file, cpprof_error());
    else if (!names.part[0] || rename(names.part, names.file) == 0)
        return;
    else
        complain(names.file, strerror(errno));
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

bool cp_record_is_end(int sig)
{
    for (size_t i = 0; i < N_ENDS; i++)
        if (ends[i] == sig)
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
    uint32_t watching = WATCHING;
    int number = errno;

    if (atomic_compare_exchange_strong(&record.word, &watching,
                                       (uint32_t)(SIGNALLED + sig)))
        (void)CP_SYSCALL(SYS_futex, (long)&record.word, FUTEX_WAKE_PRIVATE, 1);
    errno = number;
}

/* Before main: nobody else changes them meanwhile. */
static void catch_ends(void)
{
    struct sigaction ours = { .sa_handler = cp_record_on_signal,
                              .sa_flags = SA_RESTART };
    struct sigaction now;

    for (size_t i = 0; i < N_ENDS; i++)
        if (sigaction(ends[i], NULL, &now) == 0 &&
            !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
            (void)sigaction(ends[i], &ours, NULL);
}

/* Leaves those to their default again that the program has not taken. */
static void release_ends(void)
{
    struct sigaction none = { .sa_handler = SIG_DFL }, now;

    for (size_t i = 0; i < N_ENDS; i++)
        if (sigaction(ends[i], NULL, &now) == 0 &&
            !(now.sa_flags & SA_SIGINFO) &&
            now.sa_handler == cp_record_on_signal)
            (void)sigaction(ends[i], &none, NULL);
}

void cp_record_end(void)
{
    cp_record_finish();
    atomic_store(&record.is_on, false);
    release_ends();
}

/* Until that time (-1: it is not limited), or until something comes. */
static uint32_t await(int64_t end_ns)
{
    uint32_t word;

    while ((word = atomic_load(&record.word)) == WATCHING) {
        int64_t left = end_ns < 0 ? 1 : end_ns - cp_clock_ns(CLOCK_MONOTONIC);
        struct timespec span = cp_clock_span(left);

        if (left <= 0)
            break;
        (void)CP_SYSCALL(SYS_futex, (long)&record.word, FUTEX_WAIT_PRIVATE,
                         WATCHING, end_ns < 0 ? 0 : (long)&span);
    }
    return word;
}

static void watch(void *arg)
{
    uint32_t word = await(record.end_ns);

    (void)arg;
    if (word == WATCHING) {
        finish_cpu();
        word = record.is_heap_due ? await(-1) : CANCELLED;
    }
    if (word == PAUSED && cp_own_thread_is_pausing())
        return;
    if (word > SIGNALLED)
        cp_record_finish();
    atomic_store(&record.is_on, false);
    release_ends();
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
    atomic_store(&record.word, WATCHING);
    atomic_store(&record.is_on, true);
    if (s->cpu_file[0] && !(record.cpu = cpprof_start("profile")))
        complain(s->cpu_file, cpprof_error());
    catch_ends();
    if (cp_own_thread_start("cpprof-record", watch, NULL, &err) != CP_OK) {
        atomic_store(&record.is_on, false);
        release_ends();
        complain(s->cpu_file[0] ? s->cpu_file : s->heap_file, err.msg);
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
    change_word(WATCHING, CANCELLED);
}

void cp_record_pause(void)
{
    if (cp_record_is_on())
        change_word(WATCHING, PAUSED);
}

void cp_record_resume(void)
{
    if (cp_record_is_on())
        change_word(PAUSED, WATCHING);
}

void cp_record_after_fork(void)
{
    cp_lock_reset(&record.lock);
    atomic_store(&record.is_on, false);
    if (record.settings)
        release_ends();
    record.cpu = NULL;
    record.is_heap_due = false;
    record.settings = NULL;
}
