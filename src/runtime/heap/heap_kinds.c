/* heap_kinds.c - converts the rows of heap.h into profiles. */
#include "runtime/heap/heap_kinds.h"

#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/out.h"
#include "profile/model/build.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/jemalloc_dump.h"
#include "runtime/heap/leak.h"
#include "runtime/kind/kind_build.h"
#include "runtime/stacks/stack_writer.h"
#include "signal/heap/alloc_sampler.h"

/*
 * Allocator functions; reports attribute their memory to the caller. Of the
 * containers' allocators only allocate() is listed, because construct() runs
 * code of the program.
 */
#define DROP_FRAMES                                                            \
    "operator new.*|operator new\\[\\].*|"                                     \
    "(std::(__new_)?allocator(_traits)?|"                                      \
    "__gnu_cxx::(new_allocator|__alloc_traits))(<.*>)?::allocate|"             \
    "malloc|calloc|realloc|__libc_.*alloc|(__)?strn?dup|"                      \
    "<?alloc::alloc::.*|__rust_.*alloc.*|__rdl_.*"

/* One request for a profile. */
struct recording {
    bool is_raw; /* sums of samples, not scaled (text form) */
    struct cp_leak_sum *unreachable; /* by row, for gc=1; NULL otherwise */
};

/* Writes one sample for each row that is not empty. */
typedef enum cp_status write_rows(struct cp_stack_writer *w,
                                  const struct recording *recording);

/*
 * For gc=1: finds the unreachable blocks, which then count as freed. If the
 * process cannot be scanned (CP_EIO), every block counts as live.
 */
static enum cp_status collect(struct recording *w, struct cp_error *err)
{
    struct cp_leak leak;
    enum cp_status status;

    (void)malloc_trim(0);
    status = cp_leak_find(&leak, err);
    if (status != CP_OK)
        return status == CP_EIO ? CP_OK : status;
    w->unreachable = cp_leak_sums(&leak, err);
    cp_leak_release(&leak);
    return w->unreachable ? CP_OK : CP_ENOMEM;
}

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_recording, struct cp_error *err)
{
    struct recording *w = cp_alloc(1, sizeof(*w), err);
    enum cp_status status = w ? cp_heap_enable(err) : CP_ENOMEM;

    if (status == CP_OK) {
        w->is_raw = request->debug != 0;
        if (request->gc)
            status = collect(w, err);
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

    cp_free(w->unreachable);
    cp_free(w);
}

/*
 * Reads row i and adds its unreachable blocks to the freed ones. A block may be
 * freed after the scan and be counted twice, so the sum is limited.
 */
static bool get_row(const struct recording *w, size_t i,
                    struct cp_heap_row *out)
{
    if (!cp_heap_row(i, out))
        return false;
    if (w->unreachable) {
        out->freed += w->unreachable[i].count;
        out->freed_bytes += w->unreachable[i].bytes;
    }
    if (out->freed > out->count || out->freed_bytes > out->bytes) {
        out->freed = out->count;
        out->freed_bytes = out->bytes;
    }
    CP_ASSERT(out->freed <= out->count && out->freed_bytes <= out->bytes);
    return true;
}

static int64_t scaled(uint64_t n, double weight)
{
    return (int64_t)((double)n * weight + 0.5);
}

/* Sets out[] to alloc_objects, alloc_space, inuse_objects, inuse_space. */
static void values_of(const struct cp_heap_row *row, bool is_raw,
                      int64_t out[4])
{
    uint64_t live = row->count - row->freed;
    uint64_t live_bytes = row->bytes - row->freed_bytes;
    double alloc_weight = 1, live_weight = 1;

    CP_ASSERT(row->freed <= row->count && row->freed_bytes <= row->bytes);
    if (!is_raw) {
        alloc_weight = cp_heap_weight(row, row->count, row->bytes);
        live_weight = cp_heap_weight(row, live, live_bytes);
    }
    out[0] = scaled(row->count, alloc_weight);
    out[1] = scaled(row->bytes, alloc_weight);
    out[2] = scaled(live, live_weight);
    out[3] = scaled(live_bytes, live_weight);
}

enum cp_status cp_heap_write_row(struct cp_stack_writer *w, size_t i,
                                 const struct cp_heap_row *row,
                                 const int64_t *values)
{
    const struct cp_signal_samples *s = &cp_alloc_sampler.samples;
    struct cp_stack stack = { .number_key = "bytes",
                              .number_unit = "bytes",
                              .number = (int64_t)row->size };

    if (!cp_stack_read_slot(s, &s->slots[i], &stack))
        return CP_OK;
    return cp_stack_write(w, &stack, values);
}

static enum cp_status write_heap(struct cp_stack_writer *w,
                                 const struct recording *recording)
{
    enum cp_status status = CP_OK;
    struct cp_heap_row row;
    int64_t values[4];

    for (size_t i = 0; status == CP_OK && i < cp_heap_n_rows(); i++) {
        if (!get_row(recording, i, &row))
            continue;
        values_of(&row, recording->is_raw, values);
        status = cp_heap_write_row(w, i, &row, values);
    }
    return status;
}

/*
 * The hooks record growth in scaled bytes, so the text form has the same values
 * as protobuf.
 */
static enum cp_status write_growth(struct cp_stack_writer *w,
                                   const struct recording *recording)
{
    enum cp_status status = CP_OK;
    struct cp_heap_row row;

    (void)recording;
    for (size_t i = 0; status == CP_OK && i < cp_heap_n_rows(); i++) {
        int64_t values[4];

        if (!cp_heap_row(i, &row) || row.growth == 0)
            continue;
        values[1] = values[3] = (int64_t)row.growth;
        values[0] = values[2] =
            (int64_t)(row.growth / (row.size ? row.size : 1)) + 1;
        status = cp_heap_write_row(w, i, &row, values);
    }
    return status;
}

enum cp_status cp_heap_build(const struct cp_kind_form *form, void *context,
                             struct cp_profile **out, struct cp_error *err)
{
    int64_t interval = (int64_t)atomic_load(&cp_alloc_sampler.interval);

    return cp_kind_build(form, interval, context, out, err);
}

enum cp_status cp_heap_hide_allocators(struct cp_builder *b,
                                       struct cp_error *err)
{
    b->profile->drop_frames =
        cp_builder_str(b, DROP_FRAMES, strlen(DROP_FRAMES), err);
    return b->profile->drop_frames == CP_NO_STR ? CP_ENOMEM : CP_OK;
}

/* Sets drop_frames and writes the rows. */
static enum cp_status fill(struct cp_builder *b,
                           const struct recording *recording, write_rows *write,
                           struct cp_error *err)
{
    struct cp_stack_writer w = { .b = b, .err = err };
    enum cp_status status = cp_heap_hide_allocators(b, err);

    if (status == CP_OK)
        status = write(&w, recording);
    if (status == CP_OK)
        cp_stack_writer_finish(&w);
    return status;
}

static enum cp_status fill_heap(struct cp_builder *b, void *recording,
                                struct cp_error *err)
{
    return fill(b, recording, write_heap, err);
}

static enum cp_status fill_growth(struct cp_builder *b, void *recording,
                                  struct cp_error *err)
{
    return fill(b, recording, write_growth, err);
}

#define HEAP_FORM(first, how)                                                  \
    {                                                                          \
        .types = { { "alloc_objects", "count" },                               \
                   { "alloc_space", "bytes" },                                 \
                   { "inuse_objects", "count" },                               \
                   { "inuse_space", "bytes" } },                               \
        .period = { "space", "bytes" }, .default_type = (first),               \
        .fill = (how),                                                         \
    }

static enum cp_status finish_as(const struct cp_kind_form *form,
                                void *recording, struct cp_profile **out,
                                struct cp_error *err)
{
    enum cp_status status = cp_heap_build(form, recording, out, err);

    cancel(recording);
    return status;
}

static enum cp_status finish_heap(void *recording, struct cp_profile **out,
                                  struct cp_error *err)
{
    static const struct cp_kind_form form = HEAP_FORM("inuse_space", fill_heap);

    return finish_as(&form, recording, out, err);
}

static enum cp_status finish_allocs(void *recording, struct cp_profile **out,
                                    struct cp_error *err)
{
    static const struct cp_kind_form form = HEAP_FORM("alloc_space", fill_heap);

    return finish_as(&form, recording, out, err);
}

static enum cp_status finish_growth(void *recording, struct cp_profile **out,
                                    struct cp_error *err)
{
    static const struct cp_kind_form form =
        HEAP_FORM("inuse_space", fill_growth);

    return finish_as(&form, recording, out, err);
}

static enum cp_status dump(const char *source, struct cp_out *out,
                           struct cp_error *err)
{
    if (strcmp(source, "jemalloc") != 0)
        return cp_error_set(err, CP_EUSAGE,
                            "unknown source; the only one is source=jemalloc");
    return cp_jemalloc_dump(out, err);
}

static uint64_t count_live(void)
{
    return atomic_load(&cp_alloc_sampler.counts.n_live);
}

static uint64_t count_samples(void)
{
    return atomic_load(&cp_alloc_sampler.counts.n_samples);
}

const struct cp_kind cp_heap_kind = {
    .name = "heap",
    .summary = "Memory in use: which calls allocated what has not been freed. "
               "A sample of one byte in 512 KiB unless heap_interval says "
               "otherwise, scaled to the whole.",
    .text = CP_KIND_TEXT_HEAP,
    .begin = begin,
    .finish = finish_heap,
    .dump = dump,
    .cancel = cancel,
    .count = count_live,
    .disabled_reason = cp_heap_disabled_reason,
};

const struct cp_kind cp_allocs_kind = {
    .name = "allocs",
    .summary = "All memory that was ever allocated, freed or not.",
    .text = CP_KIND_TEXT_HEAP,
    .begin = begin,
    .finish = finish_allocs,
    .cancel = cancel,
    .count = count_samples,
    .disabled_reason = cp_heap_disabled_reason,
};

const struct cp_kind cp_growth_kind = {
    .name = "growth",
    .summary = "Which allocations made the memory in use larger than it had "
               "ever been.",
    .text = CP_KIND_TEXT_HEAP,
    .begin = begin,
    .finish = finish_growth,
    .cancel = cancel,
    .count = count_samples,
    .disabled_reason = cp_heap_disabled_reason,
};
