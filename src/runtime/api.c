/* api.c - the functions of include/cpprof.h. */
#include "runtime/api.h"

#include <cpprof.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "runtime/clock.h"
#include "runtime/cost.h"
#include "runtime/custom.h"
#include "runtime/kinds.h"
#include "runtime/labels.h"
#include "runtime/lifecycle.h"
#include "runtime/listen.h"
#include "runtime/lock.h"
#include "runtime/locks.h"
#include "runtime/mappings.h"
#include "runtime/mount.h"
#include "runtime/render.h"
#include "runtime/symbols.h"
#include "runtime/threads.h"
#include "runtime/trace_notes.h"
#include "runtime/version.h"
#include "signal/capture.h"

#define EXPORT __attribute__((visibility("default")))
#define MOST_SECONDS 86400.0
#define NS_PER_S 1000000000
#define PUMP_NS 40000000 /* between pieces of a stream */

/* What is kept for cpprof_error: large, so not in the thread's own memory. */
static _Thread_local struct cp_error *last_error;

static struct cp_symbols *symbols;
static struct cp_lock symbols_lock;

struct cpprof_profile {
    const struct cp_kind *kind;
    void *window;
    struct cp_mappings before;
};

/* Keeps the message and gives back what the function is to return. */
static int result(enum cp_status status, const struct cp_error *err)
{
    if (status == CP_OK)
        return 0;
    if (!last_error)
        last_error = cp_alloc(1, sizeof(*last_error), NULL);
    if (last_error)
        *last_error = *err;
    return -1;
}

EXPORT const char *cpprof_version(void)
{
    return CP_VERSION;
}

EXPORT const char *cpprof_error(void)
{
    return last_error ? last_error->msg : "out of memory";
}

EXPORT int cpprof_listen(const char *where)
{
    struct cp_error err = { 0 };
    enum cp_status status = cp_lifecycle_start(&err);

    if (status == CP_OK)
        status = cp_listen(where, &err);
    return result(status, &err);
}

EXPORT const char *cpprof_address(void)
{
    return cp_listen_address();
}

EXPORT int cpprof_handle(const char *method, const char *target,
                         const void *body, size_t body_len, int fd)
{
    struct cp_endpoint_options options = { .kinds = cp_kinds, .cost = cp_cost };
    struct cp_mount_request request = { method, target, body, body_len };
    struct cp_error err = { 0 };
    enum cp_status status = cp_lifecycle_start(&err);

    if (status == CP_OK)
        status = cp_mount_answer(&options, &request, fd, &err);
    return result(status, &err);
}

static enum cp_status open_profile(struct cpprof_profile *p, const char *name,
                                   struct cp_error *err)
{
    struct cp_kind_request request = { 0 };
    enum cp_status status = cp_lifecycle_start(err);

    if (status != CP_OK)
        return status;
    p->kind = cp_kinds_find(name);
    if (!p->kind)
        return cp_error_set(err, CP_EUSAGE, "no such profile: %.100s", name);
    (void)cp_mappings_read(&p->before, NULL); /* better, but not needed */
    request.kind = p->kind;
    request.seconds = p->kind->default_seconds;
    return p->kind->begin(&request, &p->window, err);
}

EXPORT struct cpprof_profile *cpprof_start(const char *kind)
{
    struct cp_error err = { 0 };
    struct cpprof_profile *p = cp_alloc(1, sizeof(*p), &err);
    enum cp_status status = p ? open_profile(p, kind, &err) : CP_ENOMEM;

    if (status == CP_OK)
        return p;
    (void)result(status, &err);
    if (p)
        cp_mappings_release(&p->before);
    cp_free(p);
    return NULL;
}

/* The profile, or what there is of a kind that is none (NULL). */
static enum cp_status render(const struct cpprof_profile *p,
                             struct cp_profile *profile, bool is_last,
                             struct cp_out *out, struct cp_error *err)
{
    struct cp_renderer renderer = { .kind = p->kind,
                                    .before = &p->before,
                                    .symbols = symbols };
    struct cp_kind_sink sink = { out, symbols, &p->before };

    if (profile)
        return cp_render_protobuf(&renderer, profile, out, err);
    return is_last ? p->kind->finish_bytes(p->window, &sink, err)
                   : p->kind->pump(p->window, &sink, err);
}

/* The files' symbols stay open for the next profile. */
static enum cp_status write_profile(const struct cpprof_profile *p,
                                    struct cp_profile *profile, bool is_last,
                                    int fd, struct cp_error *err)
{
    struct cp_out out = { .fd = fd };
    enum cp_status status = CP_ENOMEM;

    cp_lock_take(&symbols_lock);
    if (!symbols)
        symbols = cp_symbols_new(err);
    if (symbols)
        status = render(p, profile, is_last, &out, err);
    if (symbols)
        cp_symbols_forget(symbols);
    cp_lock_give(&symbols_lock);
    if (status == CP_OK)
        status = cp_out_finish(&out, err);
    cp_out_release(&out);
    return status;
}

void cp_api_after_fork(void)
{
    if (atomic_load(&symbols_lock.word) != 0)
        symbols = NULL; /* somebody was at it */
    cp_lock_reset(&symbols_lock);
}

EXPORT int cpprof_stop(struct cpprof_profile *p, int fd)
{
    struct cp_error err = { 0 };
    struct cp_profile *profile = NULL;
    enum cp_status status = CP_OK;

    if (!p)
        return -1; /* its start has failed, and said why */
    if (fd < 0) {
        p->kind->cancel(p->window);
    } else {
        if (p->kind->finish)
            status = p->kind->finish(p->window, &profile, &err);
        if (status == CP_OK)
            status = write_profile(p, profile, true, fd, &err);
        cp_profile_free(profile);
    }
    cp_mappings_release(&p->before);
    cp_free(p);
    return result(status, &err);
}

/* Has it to be watched for a while, or is it there at any time? */
static bool is_of_time(const char *name)
{
    const struct cp_kind *kind = cp_kinds_find(name);

    return kind && kind->default_seconds > 0;
}

/* Waits; a kind that is a stream gets rid of what it has meanwhile. */
static enum cp_status wait_until(const struct cpprof_profile *p, int64_t end_ns,
                                 int fd, struct cp_error *err)
{
    int64_t left, most = p->kind->pump ? PUMP_NS : INT64_MAX;
    enum cp_status status = CP_OK;

    while (status == CP_OK &&
           (left = end_ns - cp_clock_ns(CLOCK_MONOTONIC)) > 0) {
        struct timespec span;

        left = left < most ? left : most;
        span.tv_sec = left / NS_PER_S;
        span.tv_nsec = left % NS_PER_S;
        (void)nanosleep(&span, NULL); /* it may be interrupted: see above */
        if (p->kind->pump)
            status = write_profile(p, NULL, false, fd, err);
    }
    return status;
}

EXPORT int cpprof_write(const char *kind, double seconds, int fd)
{
    int64_t end_ns;
    struct cpprof_profile *p;
    struct cp_error err = { 0 };

    if (!(seconds >= 0 && seconds <= MOST_SECONDS) ||
        (seconds == 0 && is_of_time(kind)))
        return result(cp_error_set(&err, CP_EUSAGE, "seconds out of range"),
                      &err);
    p = cpprof_start(kind);
    if (!p)
        return -1;
    end_ns = cp_clock_ns(CLOCK_MONOTONIC) + (int64_t)(seconds * NS_PER_S);
    if (wait_until(p, end_ns, fd, &err) == CP_OK)
        return cpprof_stop(p, fd);
    (void)cpprof_stop(p, -1);
    return result(err.status, &err);
}

EXPORT int cpprof_set_block_rate(unsigned long nanoseconds)
{
    struct cp_error err = { 0 };
    enum cp_status status = cp_lifecycle_start(&err);

    if (status == CP_OK)
        status = cp_locks_set_block_rate(nanoseconds, &err);
    return result(status, &err);
}

EXPORT int cpprof_set_mutex_fraction(unsigned long n)
{
    struct cp_error err = { 0 };
    enum cp_status status = cp_lifecycle_start(&err);

    if (status == CP_OK)
        status = cp_locks_set_mutex_fraction(n, &err);
    return result(status, &err);
}

EXPORT struct cpprof_custom *cpprof_custom_new(const char *name)
{
    struct cp_error err = { 0 };
    struct cp_custom *custom = NULL;
    enum cp_status status = cp_lifecycle_start(&err);

    if (status == CP_OK)
        status = cp_custom_new(&custom, name, &err);
    (void)result(status, &err);
    return (struct cpprof_custom *)custom;
}

EXPORT int cpprof_custom_add(struct cpprof_custom *custom, const void *value)
{
    struct cp_error err = { 0 };

    return result(
        cp_custom_add((struct cp_custom *)custom, value, CP_CALLER, &err),
        &err);
}

EXPORT int cpprof_custom_remove(struct cpprof_custom *custom, const void *value)
{
    struct cp_error err = { 0 };

    return result(cp_custom_remove((struct cp_custom *)custom, value, &err),
                  &err);
}

/* The current thread, made known if it is not yet. */
static struct cp_signal_thread *self(struct cp_error *err)
{
    struct cp_stack_bounds unknown = { 0, 0 };
    struct cp_signal_thread *t = cp_signal_self;

    if (t)
        return t;
    if (cp_lifecycle_start(err) != CP_OK)
        return NULL;
    t = cp_threads_enter(unknown, 0);
    if (!t)
        (void)cp_error_nomem(err);
    return t;
}

static int change_label(const char *key, const char *value)
{
    struct cp_error err = { 0 };
    struct cp_signal_thread *t = self(&err);
    uint32_t set;
    enum cp_status status = CP_ENOMEM;

    if (t)
        status =
            cp_labels_change(atomic_load(&t->labels), key, value, &set, &err);
    if (status == CP_OK)
        atomic_store(&t->labels, set);
    return result(status, &err);
}

EXPORT int cpprof_label_set(const char *key, const char *value)
{
    return change_label(key, value ? value : "");
}

EXPORT int cpprof_label_clear(const char *key)
{
    return change_label(key, NULL);
}

EXPORT unsigned cpprof_labels_get(void)
{
    return cp_signal_self ? atomic_load(&cp_signal_self->labels) : 0;
}

EXPORT void cpprof_labels_put(unsigned labels)
{
    struct cp_signal_thread *t = self(NULL);

    if (t && labels < CP_LABELS_MOST_SETS)
        atomic_store(&t->labels, labels);
}

EXPORT void cpprof_region_begin(const char *name)
{
    cp_trace_note_region(name, true, CP_CALLER);
}

EXPORT void cpprof_region_end(const char *name)
{
    cp_trace_note_region(name, false, CP_CALLER);
}

EXPORT void cpprof_log(const char *category, const char *message)
{
    cp_trace_note_log(category, message, CP_CALLER);
}
