/* heap_kinds.c - see heap_kinds.h. */
#include "runtime/heap/heap_kinds.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/out.h"
#include "base/strtab.h"
#include "profile/model/build.h"
#include "profile/model/profile.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/jemalloc_dump.h"
#include "runtime/heap/leak.h"
#include "runtime/kind/kind.h"
#include "runtime/kind/kind_build.h"
#include "runtime/stacks/stack_writer.h"
#include "signal/heap/alloc_sampler.h"
#include "signal/tables/samples.h"

/* Functions of allocators: shown as part of who called them. */
/*
 * Of containers' allocators the one function that allocates: what they also do,
 * construct(), runs the program's own code.
 */
#define DROP_FRAMES                                                            \
    "operator new.*|operator new\\[\\].*|"                                     \
    "(std::(__new_)?allocator(_traits)?|"                                      \
    "__gnu_cxx::(new_allocator|__alloc_traits))(<.*>)?::allocate|"             \
    "malloc|calloc|realloc|__libc_.*alloc|(__)?strn?dup|"                      \
    "<?alloc::alloc::.*|__rust_.*alloc.*|__rdl_.*"

struct window {
    bool is_raw;              /* for text */
    struct cp_leak_sum *lost; /* gc=1: what does not count, by row; or NULL */
};

/* Writes what the rows of the table say. */
typedef enum cp_status write_rows(struct cp_stack_writer *w,
                                  const struct window *window);

/*
 * gc=1: what nothing points to any more is as good as freed. If that cannot be
 * known, all counts.
 */
static enum cp_status collect(struct window *w, struct cp_error *err)
{
    struct cp_leak leak;
    enum cp_status status;

    (void)malloc_trim(0);
    status = cp_leak_find(&leak, err);
    if (status != CP_OK)
        return status == CP_EIO ? CP_OK : status;
    w->lost = cp_leak_sums(&leak, err);
    cp_leak_release(&leak);
    return w->lost ? CP_OK : CP_ENOMEM;
}

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_window, struct cp_error *err)
{
    struct window *w = cp_alloc(1, sizeof(*w), err);
    enum cp_status status = w ? cp_heap_enable(err) : CP_ENOMEM;

    if (status == CP_OK) {
        w->is_raw = request->debug != 0;
        if (request->gc)
            status = collect(w, err);
    }
    if (status != CP_OK)
        cp_free(w);
    else
        *out_window = w;
    return status;
}

static void cancel(void *window)
{
    struct window *w = window;

    cp_free(w->lost);
    cp_free(w);
}

/* Counts what is lost among what is freed. */
static bool get_row(const struct window *w, size_t i, struct cp_heap_row *out)
{
    if (!cp_heap_row(i, out))
        return false;
    if (w->lost) {
        out->freed += w->lost[i].count;
        out->freed_bytes += w->lost[i].bytes;
    }
    if (out->freed > out->count || out->freed_bytes > out->bytes) {
        out->freed = out->count;
        out->freed_bytes = out->bytes;
    }
    return true;
}

static int64_t scaled(uint64_t n, double weight)
{
    return (int64_t)((double)n * weight + 0.5);
}

/* alloc_objects, alloc_space, inuse_objects, inuse_space. */
static void values_of(const struct cp_heap_row *row, bool is_raw,
                      int64_t out[4])
{
    uint64_t live = row->count - row->freed;
    uint64_t live_bytes = row->bytes - row->freed_bytes;
    double of_all = 1, of_live = 1;

    if (!is_raw) {
        of_all = cp_heap_weight(row, row->count, row->bytes);
        of_live = cp_heap_weight(row, live, live_bytes);
    }
    out[0] = scaled(row->count, of_all);
    out[1] = scaled(row->bytes, of_all);
    out[2] = scaled(live, of_live);
    out[3] = scaled(live_bytes, of_live);
}

enum cp_status cp_heap_write_row(struct cp_stack_writer *w, size_t i,
                                 const struct cp_heap_row *row,
                                 const int64_t *values)
{
    const struct cp_signal_samples *s = &cp_alloc_sampler.samples;
    struct cp_stack stack = { .number_key = "bytes",
                              .number_unit = "bytes",
                              .number = (int64_t)row->size };

    if (!cp_stack_of_slot(s, &s->slots[i], &stack))
        return CP_OK;
    return cp_stack_write(w, &stack, values);
}

static enum cp_status write_heap(struct cp_stack_writer *w,
                                 const struct window *window)
{
    enum cp_status status = CP_OK;
    struct cp_heap_row row;
    int64_t values[4];

    for (size_t i = 0; status == CP_OK && i < cp_heap_n_rows(); i++) {
        if (!get_row(window, i, &row))
            continue;
        values_of(&row, window->is_raw, values);
        status = cp_heap_write_row(w, i, &row, values);
    }
    return status;
}

/* Growth is in bytes that are scaled already: text of it is as it is. */
static enum cp_status write_growth(struct cp_stack_writer *w,
                                   const struct window *window)
{
    enum cp_status status = CP_OK;
    struct cp_heap_row row;

    (void)window;
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

/* Hides the allocators, and has `write` fill the profile. */
static enum cp_status fill(struct cp_builder *b, const struct window *window,
                           write_rows *write, struct cp_error *err)
{
    struct cp_stack_writer w = { .b = b, .err = err };
    enum cp_status status = cp_heap_hide_allocators(b, err);

    if (status == CP_OK)
        status = write(&w, window);
    if (status == CP_OK)
        cp_stack_writer_finish(&w);
    return status;
}

static enum cp_status fill_heap(struct cp_builder *b, void *window,
                                struct cp_error *err)
{
    return fill(b, window, write_heap, err);
}

static enum cp_status fill_growth(struct cp_builder *b, void *window,
                                  struct cp_error *err)
{
    return fill(b, window, write_growth, err);
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

static enum cp_status finish_as(const struct cp_kind_form *form, void *window,
                                struct cp_profile **out, struct cp_error *err)
{
    enum cp_status status = cp_heap_build(form, window, out, err);

    cancel(window);
    return status;
}

static enum cp_status finish_heap(void *window, struct cp_profile **out,
                                  struct cp_error *err)
{
    static const struct cp_kind_form form = HEAP_FORM("inuse_space", fill_heap);

    return finish_as(&form, window, out, err);
}

static enum cp_status finish_allocs(void *window, struct cp_profile **out,
                                    struct cp_error *err)
{
    static const struct cp_kind_form form = HEAP_FORM("alloc_space", fill_heap);

    return finish_as(&form, window, out, err);
}

static enum cp_status finish_growth(void *window, struct cp_profile **out,
                                    struct cp_error *err)
{
    static const struct cp_kind_form form =
        HEAP_FORM("inuse_space", fill_growth);

    return finish_as(&form, window, out, err);
}

static enum cp_status dump(const char *source, struct cp_out *out,
                           struct cp_error *err)
{
    if (strcmp(source, "jemalloc") != 0)
        return cp_error_set(err, CP_EUSAGE, "there is only source=jemalloc");
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
