/*
 * read_file.c - checks the header and splits a trace into generations and
 * batches.
 */
#include "trace/read/read_file.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/read/read_events.h"

#define BATCH_BYTES ((uint64_t)1 << 20) /* limit; Go writes at most 64 KiB */
#define FIRST_MINOR 22
#define LAST_MINOR 26

/*
 * Returns the minor version, 22 for "go 1.22 trace"; 0 if the header is
 * different.
 */
static int minor_of(const void *bytes, size_t len)
{
    char text[CP_TRACE_HEAD_BYTES + 1] = { 0 };
    int minor = 0, end = 0;

    if (len < CP_TRACE_HEAD_BYTES)
        return 0;
    memcpy(text, bytes, CP_TRACE_HEAD_BYTES);
    if (sscanf(text, "go 1.%2d trace%n", &minor, &end) != 1 || end == 0)
        return 0;
    return minor > 0 ? minor : 0;
}

enum cp_status cp_trace_file_init(struct cp_trace_file *f, const void *bytes,
                                  size_t len, struct cp_error *err)
{
    int minor = minor_of(bytes, len);

    if (minor == 0)
        return cp_error_set(err, CP_EFORMAT,
                            "not an execution trace: it does not start with "
                            "\"go 1.22 trace\"");
    if (minor < FIRST_MINOR)
        return cp_error_set(err, CP_EFORMAT,
                            "the trace is from Go 1.%d; supported are 1.%d and "
                            "later",
                            minor, FIRST_MINOR);
    if (minor > LAST_MINOR)
        return cp_error_set(
            err, CP_EFORMAT,
            "the trace has the format of Go 1.%d; supported are "
            "versions up to 1.%d",
            minor, LAST_MINOR);
    *f = (struct cp_trace_file){ .start = bytes, .minor = minor };
    f->at.pos = f->start + CP_TRACE_HEAD_BYTES;
    f->at.end = f->start + len;
    return CP_OK;
}

static enum cp_status bad(const struct cp_trace_file *f, const uint8_t *at,
                          const char *what, struct cp_error *err)
{
    return cp_error_set(err, CP_EFORMAT, "%s at byte %llu", what,
                        (unsigned long long)(at - f->start));
}

/* The start and the header of a batch. */
struct head {
    const uint8_t *at;
    bool is_experiment;
    uint64_t number;
    struct cp_trace_batch batch;
};

/* Reads a batch; sets *is_cut if the bytes end inside it. */
static enum cp_status read_batch(const struct cp_trace_file *f,
                                 struct cp_wire *w, struct head *h,
                                 bool *is_cut, struct cp_error *err)
{
    uint64_t experiment, len;

    *h = (struct head){ .at = w->pos };
    h->is_experiment = *w->pos == CP_TRACE_EXPERIMENTAL_BATCH;
    if (!h->is_experiment && *w->pos != CP_TRACE_BATCH)
        return bad(f, w->pos, "no batch", err);
    w->pos++;
    *is_cut = false;
    if ((h->is_experiment && !cp_wire_varint(w, &experiment)) ||
        !cp_wire_varint(w, &h->number) ||
        !cp_wire_varint(w, &h->batch.thread) ||
        !cp_wire_varint(w, &h->batch.time) || !cp_wire_varint(w, &len)) {
        *is_cut = w->end - w->pos < 10;
        return *is_cut ? CP_OK
                       : bad(f, h->at, "invalid number in the batch", err);
    }
    if (h->number == 0)
        return bad(f, h->at, "batch without a generation", err);
    if (len > BATCH_BYTES)
        return bad(f, h->at, "batch longer than 1 MB", err);
    h->batch.data = (struct cp_wire){ w->pos, w->pos + len };
    if (!cp_wire_skip(w, len))
        *is_cut = true;
    return CP_OK;
}

/*
 * Reads the clock: ticks per second, alone or after the mark of a sync batch.
 */
static enum cp_status read_clock(const struct cp_trace_file *f,
                                 struct cp_trace_generation *g,
                                 struct cp_wire data, struct cp_error *err)
{
    const uint8_t *at = data.pos;
    uint64_t ticks = 0;

    if (*data.pos == CP_TRACE_SYNC_MARK)
        data.pos++;
    if (data.pos == data.end || *data.pos++ != CP_TRACE_FREQUENCY ||
        !cp_wire_varint(&data, &ticks) || ticks == 0)
        return bad(f, at, "invalid clock", err);
    g->ns_per_tick = 1e9 / (double)ticks;
    return CP_OK;
}

static enum cp_status add_batch(const struct cp_trace_file *f,
                                struct cp_trace_generation *g,
                                const struct head *h, struct cp_error *err)
{
    struct cp_wire data = h->batch.data;

    if (h->is_experiment || data.pos == data.end)
        return CP_OK;
    if (*data.pos == CP_TRACE_SYNC_MARK || *data.pos == CP_TRACE_FREQUENCY)
        return read_clock(f, g, data, err);
    if (cp_reserve(&g->batches, &g->cap, g->n + 1, sizeof(*g->batches), err) !=
        CP_OK)
        return CP_ENOMEM;
    g->batches[g->n++] = h->batch;
    return CP_OK;
}

/* Checks whether the batch belongs to the current generation. */
static enum cp_status check_number(struct cp_trace_file *f,
                                   struct cp_trace_generation *g,
                                   const struct head *h, bool *is_next,
                                   struct cp_error *err)
{
    *is_next = g->number != 0 && h->number != g->number;
    if (*is_next || g->number != 0)
        return CP_OK;
    if (h->number <= f->number)
        return bad(f, h->at, "repeated generation", err);
    f->number = g->number = h->number;
    return CP_OK;
}

static void cut(struct cp_trace_file *f, const uint8_t *at)
{
    f->is_cut = true;
    f->cut_at = (uint64_t)(at - f->start);
    f->at.pos = f->at.end;
}

/* Reads batches up to the end of the generation. */
static enum cp_status read_batches(struct cp_trace_file *f,
                                   struct cp_trace_generation *g,
                                   struct cp_error *err)
{
    enum cp_status status = CP_OK;

    while (status == CP_OK && f->at.pos < f->at.end) {
        struct cp_wire w = f->at;
        struct head h;
        bool is_next = false, is_cut = false;

        if (*w.pos == CP_TRACE_END_OF_GENERATION) {
            f->at.pos++;
            if (g->number != 0)
                break;
            continue;
        }
        status = read_batch(f, &w, &h, &is_cut, err);
        if (status == CP_OK && is_cut) {
            cut(f, h.at);
            break;
        }
        if (status == CP_OK)
            status = check_number(f, g, &h, &is_next, err);
        if (is_next)
            break;
        if (status == CP_OK)
            status = add_batch(f, g, &h, err);
        f->at = w;
    }
    return status;
}

enum cp_status cp_trace_file_next(struct cp_trace_file *f,
                                  struct cp_trace_generation *g,
                                  struct cp_error *err)
{
    enum cp_status status = CP_OK;

    do {
        g->n = 0;
        g->number = 0;
        g->ns_per_tick = 0;
        status = read_batches(f, g, err);
    } while (status == CP_OK && g->n == 0 && f->at.pos < f->at.end);
    if (status != CP_OK || g->n == 0 || g->ns_per_tick != 0)
        return status;
    /* A generation without its clock is incomplete and cannot be used. */
    g->n = 0;
    if (f->at.pos < f->at.end)
        return cp_error_set(err, CP_EFORMAT, "generation %llu has no clock",
                            (unsigned long long)g->number);
    if (!f->is_cut)
        cut(f, f->at.end);
    return CP_OK;
}

void cp_trace_generation_release(struct cp_trace_generation *g)
{
    cp_free(g->batches);
    *g = (struct cp_trace_generation){ 0 };
}
