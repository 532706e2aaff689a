/*
 * api.c - the functions of include/cpprof.h, but for those of api_serve.c.
 */
#include "runtime/process/api.h"

#include <cpprof.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/out.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/render.h"
#include "runtime/kind/kind.h"
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
#define MAX_STRUCT ((size_t)4096)
#define MAX_KEPT ((size_t)64 << 20) /* of a stream that nobody reads yet */

static struct cp_symbols *symbols;
static struct cp_lock symbols_lock;

struct cpprof_profile {
    const struct cp_kind *kind;
    struct cpprof_options options;
    void *window;
    int64_t started_ns; /* monotonic */
    int64_t time_ns;    /* the same moment, since 1970 */
    struct cp_mappings before;
    struct cp_drain drain;  /* of a stream, while nobody reads it, */
    struct cp_out kept;     /* and what it has brought */
    struct cp_error failed; /* the drain */
};

static bool is_zero(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

enum cp_status cp_api_take(void *to, size_t size, const void *from,
                           size_t least, struct cp_error *err)
{
    size_t theirs = 0;

    if (from)
        memcpy(&theirs, from, sizeof(theirs));
    if (theirs < least || theirs > MAX_STRUCT)
        return cp_error_set(err, CP_EUSAGE, "a struct without its size");
    if (theirs > size && !is_zero((const char *)from + size, theirs - size))
        return cp_error_set(err, CP_EUSAGE,
                            "an option that this library does not have");
    memset(to, 0, size);
    memcpy(to, from, theirs < size ? theirs : size);
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
        status = cp_api_take(
            to, sizeof(*to), from,
            offsetof(struct cpprof_options, debug) + sizeof(to->debug), err);
    if (status != CP_OK)
        return status;
    if (to->flags & ~(CPPROF_NO_SYMBOLS | CPPROF_GC))
        return cp_error_set(err, CP_EUSAGE, "no such flags: %#x", to->flags);
    if (to->hz > MAX_HZ || to->debug > 2)
        return cp_error_set(err, CP_EUSAGE, "%s out of range",
                            to->debug > 2 ? "debug" : "hz");
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
        return cp_error_set(err, CP_EUSAGE, "no such profile: %.100s",
                            name ? name : "");
    (void)cp_mappings_read(&p->before, NULL); /* better, but not needed */
    p->started_ns = cp_clock_ns(CLOCK_MONOTONIC);
    p->time_ns = cp_clock_ns(CLOCK_REALTIME);
    request.kind = p->kind;
    request.seconds = p->kind->default_seconds;
    return p->kind->begin(&request, &p->window, err);
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
        p->kept.fd = -1;
        return p;
    }
    (void)cp_api_result(status, &err);
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
                                    .debug = (int)p->options.debug,
                                    .before = &p->before };
    struct cp_kind_sink sink = { out, symbols, &p->before };

    if (!profile)
        return is_last ? p->kind->finish_bytes(p->window, &sink, err)
                       : p->kind->pump(p->window, &sink, err);
    if (!(p->options.flags & CPPROF_NO_SYMBOLS))
        renderer.symbols = symbols;
    if (p->options.debug > 0 && p->kind->text != CP_KIND_TEXT_NONE)
        return cp_render_text(&renderer, profile, out, err);
    return cp_render_protobuf(&renderer, profile, out, err);
}

/* The files' symbols stay open for the next profile. */
static enum cp_status write_profile(struct cpprof_profile *p,
                                    struct cp_profile *profile, bool is_last,
                                    struct cp_error *err)
{
    enum cp_status status = CP_ENOMEM;

    cp_lock_acquire(&symbols_lock);
    if (!symbols)
        symbols = cp_symbols_new(err);
    if (symbols)
        status = render(p, profile, is_last, &p->kept, err);
    if (symbols)
        cp_symbols_release_frames(symbols);
    cp_lock_release(&symbols_lock);
    return status == CP_OK ? cp_out_finish(&p->kept, err) : status;
}

/* Is there room for more of it, and then some for everything else? */
static bool has_room(const struct cpprof_profile *p)
{
    size_t limit = cp_pages_limit();

    return p->kept.len < MAX_KEPT &&
           (limit == 0 || cp_pages_bytes() < limit / 2);
}

/*
 * On the drain's thread. Without room for more the stream is left alone: it
 * counts what it loses.
 */
static bool keep_more(void *context)
{
    struct cpprof_profile *p = context;

    if (!has_room(p))
        return true; /* there may be some later */
    p->failed.status = write_profile(p, NULL, false, &p->failed);
    return p->failed.status == CP_OK;
}

EXPORT struct cpprof_profile *
cpprof_start_with(const char *kind, const struct cpprof_options *options)
{
    struct cpprof_profile *p = start(kind, options);

    if (p && p->kind->pump) {
        p->drain.step = keep_more;
        p->drain.context = p;
        /* Without a thread what has room until the end is told. */
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
        symbols = NULL; /* somebody was at it */
    cp_lock_reset(&symbols_lock);
}

/* When it was taken: a snapshot has a time, but takes none. */
static void date_profile(const struct cpprof_profile *p,
                         struct cp_profile *profile)
{
    bool is_snapshot = p->kind->default_seconds <= 0;

    if (profile->time_ns == 0)
        profile->time_ns =
            is_snapshot ? cp_clock_ns(CLOCK_REALTIME) : p->time_ns;
    if (profile->duration_ns == 0 && !is_snapshot)
        profile->duration_ns = cp_clock_ns(CLOCK_MONOTONIC) - p->started_ns;
}

/* Ends the window, whatever the outcome. */
static enum cp_status finish(struct cpprof_profile *p, struct cp_error *err)
{
    struct cp_profile *profile = NULL;
    enum cp_status status;

    if (p->kind->finish_bytes)
        return write_profile(p, NULL, true, err);
    status = p->kind->finish(p->window, &profile, err);
    if (status == CP_OK) {
        date_profile(p, profile);
        status = write_profile(p, profile, true, err);
    }
    cp_profile_free(profile);
    return status;
}

/* What the parent's thread was at stays as it is. */
static enum cp_status leave(struct cpprof_profile *p, struct cp_error *err)
{
    p->kept = (struct cp_out){ .fd = -1 };
    return cp_error_set(err, CP_EUSAGE,
                        "a trace cannot be stopped in the child of a fork");
}

static enum cp_status stop(struct cpprof_profile *p, int fd,
                           struct cp_error *err)
{
    if (!cp_drain_stop(&p->drain))
        return leave(p, err);
    *err = p->failed;
    if (fd >= 0 && err->status == CP_OK) {
        p->kept.fd = fd;
        return finish(p, err);
    }
    p->kind->cancel(p->window);
    return fd < 0 ? CP_OK : err->status;
}

EXPORT int cpprof_stop(struct cpprof_profile *p, int fd)
{
    struct cp_error err = { 0 };
    enum cp_status status;

    if (!p)
        return -1; /* its start has failed, and said why */
    status = stop(p, fd, &err);
    cp_out_release(&p->kept);
    cp_mappings_release(&p->before);
    cp_free(p);
    return cp_api_result(status, &err);
}

/* Has it to be watched for a while, or is it there at any time? */
static bool is_of_time(const char *name)
{
    const struct cp_kind *kind = cp_kinds_find(name);

    return kind && kind->default_seconds > 0;
}

/* Waits; a kind that is a stream gets rid of what it has meanwhile. */
static enum cp_status wait_until(struct cpprof_profile *p, int64_t end_ns,
                                 int fd, struct cp_error *err)
{
    int64_t left, most = p->kind->pump ? CP_DRAIN_PERIOD_NS : INT64_MAX;
    enum cp_status status = CP_OK;

    p->kept.fd = fd;
    while (status == CP_OK &&
           (left = end_ns - cp_clock_ns(CLOCK_MONOTONIC)) > 0) {
        struct timespec span = cp_clock_span(left < most ? left : most);

        (void)nanosleep(&span, NULL); /* it may be interrupted: see above */
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
        (seconds == 0 && kind && is_of_time(kind)))
        return cp_api_result(
            cp_error_set(&err, CP_EUSAGE, "seconds out of range"), &err);
    p = start(kind, options);
    if (!p)
        return -1;
    end_ns = cp_clock_ns(CLOCK_MONOTONIC) + (int64_t)(seconds * CP_NS_PER_S);
    if (wait_until(p, end_ns, fd, &err) == CP_OK)
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

static const char *text_of(const char *text)
{
    return text ? text : "";
}

EXPORT struct cpprof_custom *cpprof_custom_new(const char *name)
{
    struct cp_error err = { 0 };
    struct cp_custom *custom = NULL;
    enum cp_status status = cp_lifecycle_start(&err);

    if (status == CP_OK)
        status = cp_custom_new(&custom, text_of(name),
                               cp_kinds_find(text_of(name)) != NULL, &err);
    (void)cp_api_result(status, &err);
    return (struct cpprof_custom *)custom;
}

EXPORT int cpprof_custom_add(struct cpprof_custom *custom, const void *value)
{
    struct cp_error err = { 0 };

    if (!custom)
        return cp_api_result(cp_error_set(&err, CP_EUSAGE, "no such profile"),
                             &err);
    return cp_api_result(
        cp_custom_add((struct cp_custom *)custom, value, CP_CALLER, &err),
        &err);
}

EXPORT int cpprof_custom_remove(struct cpprof_custom *custom, const void *value)
{
    struct cp_error err = { 0 };

    if (!custom)
        return cp_api_result(cp_error_set(&err, CP_EUSAGE, "no such profile"),
                             &err);
    return cp_api_result(
        cp_custom_remove((struct cp_custom *)custom, value, &err), &err);
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
        status = cp_error_set(&err, CP_EUSAGE, "a label without a key");
    else if (t)
        status =
            cp_labels_change(atomic_load(&t->labels), key, value, &set, &err);
    if (status == CP_OK)
        atomic_store(&t->labels, set);
    return cp_api_result(status, &err);
}

EXPORT int cpprof_label_set(const char *key, const char *value)
{
    return change_label(key, text_of(value));
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
    cp_trace_emit_region(text_of(name), true, CP_CALLER);
}

EXPORT void cpprof_region_end(const char *name)
{
    cp_trace_emit_region(text_of(name), false, CP_CALLER);
}

EXPORT void cpprof_log(const char *category, const char *message)
{
    cp_trace_emit_log(text_of(category), text_of(message), CP_CALLER);
}
