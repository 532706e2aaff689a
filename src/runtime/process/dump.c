/* dump.c - see dump.h. */
#include "runtime/process/dump.h"

#include <cpprof.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/new_file.h"
#include "runtime/os/lock.h"
#include "runtime/os/sandbox.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/settings.h"
#include "runtime/threads/own_thread.h"
#include "signal/heap/alloc_sampler.h"

#define LOOK_NS 50000000
#define NAME_BYTES 320

static struct {
    struct cp_lock lock; /* one dump at a time */
    struct cp_settings settings;
    pid_t pid;             /* of the process that dumps: no child of it does */
    uint32_t n;            /* dumps so far */
    _Atomic bool is_asked; /* by the signal */
    uint64_t last_all, last_high;
    bool has_failed; /* and it was said */
    bool is_over;    /* the program ends: no more dumps */
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

static void complain(const char *name, const char *why)
{
    char line[NAME_BYTES + 128];

    if (dump.has_failed)
        return;
    dump.has_failed = true;
    (void)snprintf(line, sizeof(line), "dump: %s: %s", name, why);
    cp_lifecycle_report(line);
}

/* Under another name until it is complete. */
static bool write_file(const char *name)
{
    char part[NAME_BYTES + sizeof(CP_NEW_FILE_RANDOM)];
    int fd = cp_new_file_beside(name, part, sizeof(part), 0600);
    int failed;

    if (fd < 0) {
        complain(name, strerror(errno));
        return false;
    }
    failed = cpprof_write("heap", 0, fd);
    if (failed)
        complain(name, cpprof_error());
    (void)close(fd);
    if (!failed && rename(part, name) != 0) {
        complain(name, strerror(errno));
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
    if (!dump.is_over)
        write_next();
    cp_lock_release(&dump.lock);
}

/* Has the value gone up by the step since it was last noted? */
static bool has_risen(uint64_t value, uint64_t *last, uint64_t step)
{
    if (step == 0 || value < *last + step)
        return false;
    *last = value;
    return true;
}

static void look(void *arg)
{
    const struct cp_settings *s = &dump.settings;

    (void)arg;
    do {
        bool is_due = atomic_exchange(&dump.is_asked, false);

        is_due |= has_risen(atomic_load(&cp_alloc_sampler.counts.all_bytes),
                            &dump.last_all, s->dump_interval);
        is_due |= has_risen(atomic_load(&cp_alloc_sampler.counts.high_bytes),
                            &dump.last_high, s->dump_on_high_water);
        if (is_due)
            write_dump();
    } while (cp_own_thread_sleep(LOOK_NS));
}

static void on_signal(int sig)
{
    (void)sig;
    atomic_store(&dump.is_asked, true);
}

/* The last one; what the thread is just writing is finished first. */
static void at_exit(void)
{
    if (cp_sandbox_is_sealed() || getpid() != dump.pid)
        return;
    cp_lock_acquire(&dump.lock);
    if (dump.settings.dump_at_exit && !dump.is_over)
        write_next();
    dump.is_over = true;
    cp_lock_release(&dump.lock);
}

static enum cp_status take_signal(int sig, struct cp_error *err)
{
    struct sigaction ours = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    struct sigaction now;

    if (sigaction(sig, NULL, &now) != 0)
        return cp_error_set(err, CP_EUSAGE, "dump_signal: %d: %s", sig,
                            strerror(errno));
    if (now.sa_flags & SA_SIGINFO ||
        (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN))
        return cp_error_set(err, CP_EUSAGE, "dump_signal: %d is in use", sig);
    if (sigaction(sig, &ours, NULL) != 0)
        return cp_error_set(err, CP_EUSAGE, "dump_signal: %d: %s", sig,
                            strerror(errno));
    return CP_OK;
}

enum cp_status cp_dump_start(const struct cp_settings *s, struct cp_error *err)
{
    bool is_watched =
        s->dump_interval || s->dump_on_high_water || s->dump_signal;

    dump.settings = *s;
    dump.pid = getpid();
    if (s->dump_signal && take_signal(s->dump_signal, err) != CP_OK)
        return CP_EUSAGE;
    if ((is_watched || s->dump_at_exit) && atexit(at_exit) != 0)
        return cp_error_nomem(err);
    if (!is_watched)
        return CP_OK;
    return cp_own_thread_start("cpprof-dump", look, NULL, err);
}
