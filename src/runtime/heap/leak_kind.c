/* leak_kind.c - runs a leak scan and writes the unreachable blocks by stack. */
#include "runtime/heap/leak_kind.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "profile/model/build.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/heap_kinds.h"
#include "runtime/heap/leak.h"
#include "runtime/kind/kind_build.h"
#include "runtime/stacks/stack_writer.h"

/* One request for a profile. */
struct recording {
    struct cp_leak leak;
    bool is_raw; /* sums of samples, not scaled (text form) */
};

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_recording, struct cp_error *err)
{
    struct recording *w = cp_alloc(1, sizeof(*w), err);
    enum cp_status status = w ? cp_heap_enable(err) : CP_ENOMEM;

    if (status == CP_OK) {
        w->is_raw = request->debug != 0;
        status = cp_leak_find(&w->leak, err);
    }
    if (status != CP_OK)
        cp_free(w);
    else
        *out_recording = w;
    return status;
}

static void cancel(void *recording)
{
    struct recording *w = recording;

    cp_leak_release(&w->leak);
    cp_free(w);
}

/* Adds a comment to the profile that describes the scan. */
static enum cp_status comment(struct cp_builder *b, const struct cp_leak *leak,
                              struct cp_error *err)
{
    char text[256];
    int len = snprintf(
        text, sizeof(text),
        "%zu sampled blocks in use, %llu bytes scanned in %llu us; no pause, "
        "registers "
        "of %u running threads within %llu us; %u did not reply; %u slept",
        leak->n, (unsigned long long)leak->scanned_bytes,
        (unsigned long long)leak->scan_ns / 1000, leak->n_requested,
        (unsigned long long)leak->reply_ns / 1000, leak->n_no_reply,
        leak->n_asleep);

    CP_ASSERT(len > 0 && (size_t)len < sizeof(text));
    return cp_builder_comment(b, text, (size_t)len, err);
}

static enum cp_status write_rows(struct cp_stack_writer *s,
                                 const struct recording *w)
{
    struct cp_leak_sum *sums = cp_leak_sums(&w->leak, s->err);
    enum cp_status status = sums ? CP_OK : CP_ENOMEM;
    struct cp_heap_row row;

    for (size_t i = 0; status == CP_OK && i < cp_heap_n_rows(); i++) {
        int64_t values[2];
        double weight;

        if (sums[i].count == 0 || !cp_heap_row(i, &row))
            continue;
        weight =
            w->is_raw ? 1 : cp_heap_weight(&row, sums[i].count, sums[i].bytes);
        values[0] = (int64_t)((double)sums[i].count * weight + 0.5);
        values[1] = (int64_t)((double)sums[i].bytes * weight + 0.5);
        status = cp_heap_write_row(s, i, &row, values);
    }
    cp_free(sums);
    return status;
}

static enum cp_status fill(struct cp_builder *b, void *recording,
                           struct cp_error *err)
{
    const struct recording *w = recording;
    struct cp_stack_writer s = { .b = b, .err = err };
    enum cp_status status = cp_heap_hide_allocators(b, err);

    if (status == CP_OK)
        status = comment(b, &w->leak, err);
    if (status == CP_OK)
        status = write_rows(&s, w);
    if (status == CP_OK)
        cp_stack_writer_finish(&s);
    return status;
}

static enum cp_status finish(void *recording, struct cp_profile **out,
                             struct cp_error *err)
{
    static const struct cp_kind_form form = {
        .types = { { "leak_objects", "count" }, { "leak_space", "bytes" } },
        .period = { "space", "bytes" },
        .default_type = "leak_space",
        .fill = fill,
    };
    enum cp_status status = cp_heap_build(&form, recording, out, err);

    cancel(recording);
    return status;
}

const struct cp_kind cp_leak_kind = {
    .name = "leak",
    .summary = "Memory that no pointer refers to, by where it was allocated. "
               "Scans all memory of the program, and requests the registers "
               "of every running thread by a signal.",
    .text = CP_KIND_TEXT_HEAP,
    .no_delta = true,
    .begin = begin,
    .finish = finish,
    .cancel = cancel,
    .disabled_reason = cp_heap_disabled_reason,
};
