/*
 * dump.c - runs the polling thread and the signal handler, and writes the
 * files.
 */
#include "runtime/process/dump.h"

#include <cpprof.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/new_file.h"
#include "runtime/os/lock.h"
#include "runtime/os/sandbox.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/settings.h"
#include "runtime/threads/internal_thread.h"
#include "signal/heap/alloc_sampler.h"

#define DUMP_POLL_NS 50000000
#define NAME_BYTES 320

static struct {
    struct cp_lock lock; /* held while a file is written */
    struct cp_settings settings;
    pid_t pid;  /* process that dumps; its children do not */
    uint32_t n; /* files written */
    _Atomic bool is_signalled;
    uint64_t last_all;  /* allocated bytes at the last dump */
    uint64_t last_high; /* high water mark at the last dump, bytes */
    bool has_failed;    /* a dump has failed, which was reported */
    bool is_exiting;    /* no more dumps */
} dump;

/* "PREFIX.0007.heap.pb.gz" */
static void name_of(uint32_t number, char out[NAME_BYTES])
{
    const char *prefix = dump.settings.dump_prefix;
    const char *pid = strstr(prefix, "{pid}");
    int before = pid ? (int)(pid - prefix) : (int)strlen(prefix);
    char text[16] = "";

    if (pid)
        (void)snprintf(text, sizeof(text), "%ld", (long)dump.pid);
    (void)snprintf(out, NAME_BYTES, "%.*s%s%s.%04u.heap.pb.gz", before, prefix,
                   text, pid ? pid + 5 : "", number);
}

static void report_once(const char *name, const char *why)
{
    char line[NAME_BYTES + 128];

    if (dump.has_failed)
        return;
    dump.has_failed = true;
    (void)snprintf(line, sizeof(line), "cannot write heap dump %s: %s", name,
                   why);
    cp_lifecycle_report(line);
}

/* Writes a temporary file and renames it when it is complete. */
static bool write_file(const char *name)
{
    char part[NAME_BYTES + sizeof(CP_NEW_FILE_RANDOM)];
    int fd = cp_new_file_beside(name, part, sizeof(part), 0600);
    int failed;

    if (fd < 0) {
        report_once(name, strerror(errno));
        return false;
    }
    failed = cpprof_write("heap", 0, fd);
    if (failed)
        report_once(name, cpprof_error());
    (void)close(fd);
    if (!failed && rename(part, name) != 0) {
        report_once(name, strerror(errno));
        failed = 1;
    }
    if (failed)
        (void)unlink(part);
    return !failed;
}

static void write_next(void)
{
    uint32_t keep = (uint32_t)dump.settings.dump_keep;
    char name[NAME_BYTES];

    name_of(dump.n + 1, name);
    if (write_file(name)) {
        dump.n++;
        if (keep && dump.n > keep) {
            name_of(dump.n - keep, name);
            (void)unlink(name);
        }
    }
}

static void write_dump(void)
{
    cp_lock_acquire(&dump.lock);
    if (!dump.is_exiting)
        write_next();
    cp_lock_release(&dump.lock);
}

/* Whether the value has grown by `step` since *last; updates *last. */
static bool has_risen(uint64_t value, uint64_t *last, uint64_t step)
{
    if (step == 0 || value < *last + step)
        return false;
    *last = value;
    return true;
}

static void poll_loop(void *arg)
{
    const struct cp_settings *s = &dump.settings;

    (void)arg;
    do {
        bool is_due = atomic_exchange(&dump.is_signalled, false);

        is_due |= has_risen(atomic_load(&cp_alloc_sampler.counts.all_bytes),
                            &dump.last_all, s->dump_interval);
        is_due |= has_risen(atomic_load(&cp_alloc_sampler.counts.high_bytes),
                            &dump.last_high, s->dump_on_high_water);
        if (is_due)
            write_dump();
    } while (cp_internal_thread_sleep(DUMP_POLL_NS));
}

static void on_signal(int sig)
{
    (void)sig;
    atomic_store(&dump.is_signalled, true);
}

/* Writes the last dump, after any dump that the thread is still writing. */
static void at_exit(void)
{
    if (cp_sandbox_is_sealed() || getpid() != dump.pid)
        return;
    cp_lock_acquire(&dump.lock);
    if (dump.settings.dump_at_exit && !dump.is_exiting)
        write_next();
    dump.is_exiting = true;
    cp_lock_release(&dump.lock);
}

static enum cp_status install_handler(int sig, struct cp_error *err)
{
    struct sigaction action = { .sa_handler = on_signal,
                                .sa_flags = SA_RESTART };
    struct sigaction now;

    if (sigaction(sig, NULL, &now) != 0)
        return cp_error_set(err, CP_EUSAGE, "cannot use dump_signal:%d: %s",
                            sig, strerror(errno));
    if (now.sa_flags & SA_SIGINFO ||
        (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN))
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot use dump_signal:%d: the program has a handler; choose "
            "another signal",
            sig);
    if (sigaction(sig, &action, NULL) != 0)
        return cp_error_set(err, CP_EUSAGE, "cannot use dump_signal:%d: %s",
                            sig, strerror(errno));
    return CP_OK;
}

enum cp_status cp_dump_start(const struct cp_settings *s, struct cp_error *err)
{
    bool needs_thread =
        s->dump_interval || s->dump_on_high_water || s->dump_signal;

    dump.settings = *s;
    dump.pid = getpid();
    if (s->dump_signal && install_handler(s->dump_signal, err) != CP_OK)
        return CP_EUSAGE;
    if ((needs_thread || s->dump_at_exit) && atexit(at_exit) != 0)
        return cp_error_nomem(err);
    if (!needs_thread)
        return CP_OK;
    return cp_internal_thread_start("cpprof-dump", poll_loop, NULL, err);
}
