/*
 * api.c - the functions of include/cpprof.h for profiles, labels and traces;
 * api_serve.c has those for HTTP.
 */
#include "runtime/process/api.h"

#include <cpprof.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/out.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/render.h"
#include "runtime/os/clock.h"
#include "runtime/os/lock.h"
#include "runtime/os/pages_alloc.h"
#include "runtime/os/version.h"
#include "runtime/process/kinds.h"
#include "runtime/process/lifecycle.h"
#include "runtime/profiles/contention.h"
#include "runtime/profiles/custom.h"
#include "runtime/symbolize/mappings.h"
#include "runtime/symbolize/symbols.h"
#include "runtime/threads/labels.h"
#include "runtime/threads/threads.h"
#include "runtime/trace/drain.h"
#include "runtime/trace/trace_emit.h"
#include "signal/tables/capture.h"
#include "signal/tables/thread.h"

#define MAX_SECONDS 86400.0
#define MAX_HZ 10000u
#define MAX_STRUCT_BYTES ((size_t)4096)
#define MAX_BUFFERED ((size_t)64 << 20) /* bytes of a trace before its stop */

static struct cp_symbols *symbols; /* open files, shared by all profiles */
static struct cp_lock symbols_lock;

struct cpprof_profile {
    const struct cp_kind *kind;
    struct cpprof_options options;
    void *recording;           /* handle of the kind */
    int64_t started_ns;        /* monotonic */
    int64_t time_ns;           /* same moment, since 1970 */
    struct cp_mappings before; /* mappings at the start */
    struct cp_drain drain;     /* trace: thread that empties its buffers */
    struct cp_out buffer;      /* trace: bytes until the stop */
    struct cp_error failed;    /* error of the drain thread */
};

static bool is_zero(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

enum cp_status cp_api_copy_struct(void *to, size_t size, const void *from,
                                  size_t min_size, struct cp_error *err)
{
    size_t given = 0;

    if (from)
        memcpy(&given, from, sizeof(given));
    if (given < min_size || given > MAX_STRUCT_BYTES)
        return cp_error_set(
            err, CP_EUSAGE,
            "invalid size field; initialise the struct with its "
            "CPPROF_..._INIT macro");
    if (given > size && !is_zero((const char *)from + size, given - size))
        return cp_error_set(err, CP_EUSAGE,
                            "the program sets a field that this version of "
                            "libcpprof does not know; update the library");
    memset(to, 0, size);
    memcpy(to, from, given < size ? given : size);
    return CP_OK;
}

EXPORT const char *cpprof_version(void)
{
    return CP_VERSION;
}

static enum cp_status take_options(struct cpprof_options *to,
                                   const struct cpprof_options *from,
                                   struct cp_error *err)
{
    enum cp_status status = CP_OK;

    if (from)
        status = cp_api_copy_struct(
            to, sizeof(*to), from,
            offsetof(struct cpprof_options, debug) + sizeof(to->debug), err);
    if (status != CP_OK)
        return status;
    if (to->flags & ~(CPPROF_NO_SYMBOLS | CPPROF_GC))
        return cp_error_set(
            err, CP_EUSAGE,
            "unknown flags %#x; use CPPROF_NO_SYMBOLS or CPPROF_GC", to->flags);
    if (to->hz > MAX_HZ || to->debug > 2)
        return cp_error_set(err, CP_EUSAGE, "invalid %s; the maximum is %u",
                            to->debug > 2 ? "debug" : "hz",
                            to->debug > 2 ? 2 : MAX_HZ);
    return CP_OK;
}

static enum cp_status open_profile(struct cpprof_profile *p, const char *name,
                                   struct cp_error *err)
{
    struct cp_kind_request request = { .hz = (int)p->options.hz,
                                       .debug = (int)p->options.debug,
                                       .gc = p->options.flags & CPPROF_GC };
    enum cp_status status = cp_lifecycle_start(err);

    if (status != CP_OK)
        return status;
    p->kind = cp_kinds_find(name ? name : "");
    if (!p->kind)
        return cp_error_set(
            err, CP_EUSAGE,
            "unknown profile \"%.100s\"; cpprof.h lists the kinds",
            name ? name : "");
    /* Without the mappings the profile only lacks unloaded libraries. */
    (void)cp_mappings_read(&p->before, NULL);
    p->started_ns = cp_clock_ns(CLOCK_MONOTONIC);
    p->time_ns = cp_clock_ns(CLOCK_REALTIME);
    request.kind = p->kind;
    request.seconds = p->kind->default_seconds;
    return p->kind->begin(&request, &p->recording, err);
}

static struct cpprof_profile *start(const char *kind,
                                    const struct cpprof_options *options)
{
    struct cp_error err = { 0 };
    struct cpprof_profile *p = cp_alloc(1, sizeof(*p), &err);
    enum cp_status status =
        p ? take_options(&p->options, options, &err) : CP_ENOMEM;

    if (status == CP_OK)
        status = open_profile(p, kind, &err);
    if (status == CP_OK) {
        p->buffer.fd = -1;
        return p;
    }
    (void)cp_api_result(status, &err);
    if (p)
        cp_mappings_release(&p->before);
    cp_free(p);
    return NULL;
}

/*
 * Writes the profile. If it is NULL, writes the bytes of a kind that has no
 * profile, such as a trace.
 */
static enum cp_status render(const struct cpprof_profile *p,
                             struct cp_profile *profile, bool is_last,
                             struct cp_out *out, struct cp_error *err)
{
    struct cp_renderer renderer = { .kind = p->kind,
                                    .debug = (int)p->options.debug,
                                    .before = &p->before };
    struct cp_kind_sink sink = { out, symbols, &p->before };

    if (!profile)
        return is_last ? p->kind->finish_bytes(p->recording, &sink, err)
                       : p->kind->pump(p->recording, &sink, err);
    if (!(p->options.flags & CPPROF_NO_SYMBOLS))
        renderer.symbols = symbols;
    if (p->options.debug > 0 && p->kind->text != CP_KIND_TEXT_NONE)
        return cp_render_text(&renderer, profile, out, err);
    return cp_render_protobuf(&renderer, profile, out, err);
}

/* Symbol files stay open for the next profile. */
static enum cp_status write_profile(struct cpprof_profile *p,
                                    struct cp_profile *profile, bool is_last,
                                    struct cp_error *err)
{
    enum cp_status status = CP_ENOMEM;

    cp_lock_acquire(&symbols_lock);
    if (!symbols)
        symbols = cp_symbols_new(err);
    if (symbols)
        status = render(p, profile, is_last, &p->buffer, err);
    if (symbols)
        cp_symbols_release_frames(symbols);
    cp_lock_release(&symbols_lock);
    return status == CP_OK ? cp_out_finish(&p->buffer, err) : status;
}

/* Whether the buffer may grow; half of max_memory stays for other data. */
static bool may_grow(const struct cpprof_profile *p)
{
    size_t limit = cp_pages_limit();

    return p->buffer.len < MAX_BUFFERED &&
           (limit == 0 || cp_pages_bytes() < limit / 2);
}

/*
 * Runs on the drain thread. If the buffer may not grow, the events stay in the
 * ring buffers, which count lost events.
 */
static bool drain_some(void *context)
{
    struct cpprof_profile *p = context;

    if (!may_grow(p))
        return true; /* retry later */
    p->failed.status = write_profile(p, NULL, false, &p->failed);
    return p->failed.status == CP_OK;
}

EXPORT struct cpprof_profile *
cpprof_start_with(const char *kind, const struct cpprof_options *options)
{
    struct cpprof_profile *p = start(kind, options);

    CP_ASSERT(!p || (p->kind && p->buffer.fd == -1));
    if (p && p->kind->pump) {
        p->drain.step = drain_some;
        p->drain.context = p;
        /*
         * Without the thread, the trace has only the events that fit into its
         * buffers.
         */
        (void)cp_drain_start(&p->drain, "cpprof-trace", NULL);
    }
    return p;
}

EXPORT struct cpprof_profile *cpprof_start(const char *kind)
{
    return cpprof_start_with(kind, NULL);
}

void cp_api_reset_after_fork(void)
{
    if (atomic_load(&symbols_lock.word) != 0)
        symbols = NULL; /* a thread of the parent was changing it */
    cp_lock_reset(&symbols_lock);
}

/* Sets time and duration; a snapshot has no duration. */
static void set_times(const struct cpprof_profile *p,
                      struct cp_profile *profile)
{
    bool is_snapshot = p->kind->default_seconds <= 0;

    if (profile->time_ns == 0)
        profile->time_ns =
            is_snapshot ? cp_clock_ns(CLOCK_REALTIME) : p->time_ns;
    if (profile->duration_ns == 0 && !is_snapshot)
        profile->duration_ns = cp_clock_ns(CLOCK_MONOTONIC) - p->started_ns;
}

/* Ends the recording, whatever the outcome. */
static enum cp_status finish(struct cpprof_profile *p, struct cp_error *err)
{
    struct cp_profile *profile = NULL;
    enum cp_status status;

    if (p->kind->finish_bytes)
        return write_profile(p, NULL, true, err);
    status = p->kind->finish(p->recording, &profile, err);
    if (status == CP_OK) {
        set_times(p, profile);
        status = write_profile(p, profile, true, err);
    }
    cp_profile_free(profile);
    return status;
}

/* In a forked child: leaks the buffer that the parent thread was writing. */
static enum cp_status abandon(struct cpprof_profile *p, struct cp_error *err)
{
    p->buffer = (struct cp_out){ .fd = -1 };
    return cp_error_set(err, CP_EUSAGE,
                        "cannot stop the trace: the parent process started it; "
                        "stop it there");
}

static enum cp_status stop(struct cpprof_profile *p, int fd,
                           struct cp_error *err)
{
    if (!cp_drain_stop(&p->drain))
        return abandon(p, err);
    *err = p->failed;
    if (fd >= 0 && err->status == CP_OK) {
        p->buffer.fd = fd;
        return finish(p, err);
    }
    p->kind->cancel(p->recording);
    return fd < 0 ? CP_OK : err->status;
}

EXPORT int cpprof_stop(struct cpprof_profile *p, int fd)
{
    struct cp_error err = { 0 };
    enum cp_status status;

    if (!p)
        return -1; /* cpprof_start has set the error */
    status = stop(p, fd, &err);
    cp_out_release(&p->buffer);
    cp_mappings_release(&p->before);
    cp_free(p);
    return cp_api_result(status, &err);
}

/* Whether the kind is recorded over time, not a snapshot. */
static bool is_over_time(const char *name)
{
    const struct cp_kind *kind = cp_kinds_find(name);

    return kind && kind->default_seconds > 0;
}

/*
 * Waits until end_ns. If the profile is a trace, writes it to fd during the
 * wait.
 */
static enum cp_status record_until(struct cpprof_profile *p, int64_t end_ns,
                                   int fd, struct cp_error *err)
{
    int64_t left, slice = p->kind->pump ? CP_DRAIN_PERIOD_NS : INT64_MAX;
    enum cp_status status = CP_OK;

    p->buffer.fd = fd;
    while (status == CP_OK &&
           (left = end_ns - cp_clock_ns(CLOCK_MONOTONIC)) > 0) {
        struct timespec span = cp_clock_span(left < slice ? left : slice);

        (void)nanosleep(&span, NULL); /* a signal may interrupt it */
        if (p->kind->pump)
            status = write_profile(p, NULL, false, err);
    }
    return status;
}

EXPORT int cpprof_write_with(const char *kind, double seconds,
                             const struct cpprof_options *options, int fd)
{
    int64_t end_ns;
    struct cpprof_profile *p;
    struct cp_error err = { 0 };

    if (!(seconds >= 0 && seconds <= MAX_SECONDS) ||
        (seconds == 0 && kind && is_over_time(kind)))
        return cp_api_result(
            cp_error_set(&err, CP_EUSAGE,
                         "invalid seconds; use 0 to 86400, and more than 0 "
                         "for profile, wall and trace"),
            &err);
    p = start(kind, options);
    if (!p)
        return -1;
    end_ns = cp_clock_ns(CLOCK_MONOTONIC) + (int64_t)(seconds * CP_NS_PER_S);
    if (record_until(p, end_ns, fd, &err) == CP_OK)
        return cpprof_stop(p, fd);
    (void)cpprof_stop(p, -1);
    return cp_api_result(err.status, &err);
}

EXPORT int cpprof_write(const char *kind, double seconds, int fd)
{
    return cpprof_write_with(kind, seconds, NULL, fd);
}

EXPORT int cpprof_set_block_rate(unsigned long nanoseconds)
{
    struct cp_error err = { 0 };
    enum cp_status status = cp_lifecycle_start(&err);

    if (status == CP_OK)
        status = cp_contention_set_block_rate(nanoseconds, &err);
    return cp_api_result(status, &err);
}

EXPORT int cpprof_set_mutex_fraction(unsigned long n)
{
    struct cp_error err = { 0 };
    enum cp_status status = cp_lifecycle_start(&err);

    if (status == CP_OK)
        status = cp_contention_set_mutex_fraction(n, &err);
    return cp_api_result(status, &err);
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

EXPORT struct cpprof_custom *cpprof_custom_new(const char *name)
{
    struct cp_error err = { 0 };
    struct cp_custom *custom = NULL;
    enum cp_status status = cp_lifecycle_start(&err);

    if (status == CP_OK)
        status = cp_custom_new(&custom, or_empty(name),
                               cp_kinds_find(or_empty(name)) != NULL, &err);
    (void)cp_api_result(status, &err);
    return (struct cpprof_custom *)custom;
}

EXPORT int cpprof_custom_add(struct cpprof_custom *custom, const void *value)
{
    struct cp_error err = { 0 };

    if (!custom)
        return cp_api_result(
            cp_error_set(&err, CP_EUSAGE,
                         "custom is NULL; create it with cpprof_custom_new"),
            &err);
    return cp_api_result(
        cp_custom_add((struct cp_custom *)custom, value, CP_CALLER, &err),
        &err);
}

EXPORT int cpprof_custom_remove(struct cpprof_custom *custom, const void *value)
{
    struct cp_error err = { 0 };

    if (!custom)
        return cp_api_result(
            cp_error_set(&err, CP_EUSAGE,
                         "custom is NULL; create it with cpprof_custom_new"),
            &err);
    return cp_api_result(
        cp_custom_remove((struct cp_custom *)custom, value, &err), &err);
}

/* The record of the current thread, registered if necessary. */
static struct cp_signal_thread *self(struct cp_error *err)
{
    struct cp_stack_bounds unknown = { 0, 0 };
    struct cp_signal_thread *t = cp_signal_self;

    if (t)
        return t;
    if (cp_lifecycle_start(err) != CP_OK)
        return NULL;
    t = cp_threads_register(unknown, 0);
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

    if (!key)
        status = cp_error_set(&err, CP_EUSAGE, "label key is NULL");
    else if (t)
        status =
            cp_labels_change(atomic_load(&t->labels), key, value, &set, &err);
    if (status == CP_OK)
        atomic_store(&t->labels, set);
    return cp_api_result(status, &err);
}

EXPORT int cpprof_label_set(const char *key, const char *value)
{
    return change_label(key, or_empty(value));
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

    if (t && labels < CP_LABELS_MAX_SETS)
        atomic_store(&t->labels, labels);
}

EXPORT void cpprof_region_begin(const char *name)
{
    cp_trace_emit_region(or_empty(name), true, CP_CALLER);
}

EXPORT void cpprof_region_end(const char *name)
{
    cp_trace_emit_region(or_empty(name), false, CP_CALLER);
}

EXPORT void cpprof_log(const char *category, const char *message)
{
    cp_trace_emit_log(or_empty(category), or_empty(message), CP_CALLER);
}
