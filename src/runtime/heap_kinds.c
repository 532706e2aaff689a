/* heap_kinds.c - see heap_kinds.h. */
#include "runtime/heap_kinds.h"

#include <malloc.h>
#include <string.h>

#include "profile/build.h"
#include "runtime/heap.h"
#include "runtime/stack_writer.h"
#include "signal/heap.h"

/* Functions of allocators: shown as part of who called them. */
#define DROP_FRAMES                                                            \
    "operator new.*|operator new\\[\\].*|std::allocator.*|"                    \
    "__gnu_cxx::new_allocator.*|std::__new_allocator.*|"                       \
    "std::allocator_traits.*|__libc_.*alloc|(__)?strn?dup|"                    \
    "alloc::alloc::.*|__rust_.*alloc.*|__rdl_.*"

enum view { SCALED, RAW };

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_window, struct cp_error *err)
{
    if (request->gc)
        (void)malloc_trim(0);
    *out_window = (void *)(uintptr_t)(request->debug != 0 ? RAW : SCALED);
    return cp_heap_enable(err);
}

static void cancel(void *window)
{
    (void)window;
}

static int64_t scaled(uint64_t n, double weight)
{
    return (int64_t)((double)n * weight + 0.5);
}

/* alloc_objects, alloc_space, inuse_objects, inuse_space. */
static void values_of(const struct cp_heap_row *row, enum view view,
                      int64_t out[4])
{
    double weight = view == RAW ? 1 : row->weight;

    out[0] = scaled(row->count, weight);
    out[1] = scaled(row->bytes, weight);
    out[2] = scaled(row->count - row->freed, weight);
    out[3] = scaled(row->bytes - row->freed_bytes, weight);
}

static enum cp_status write_row(struct cp_stack_writer *w, size_t i,
                                const struct cp_heap_row *row,
                                const int64_t *values)
{
    const struct cp_signal_samples *s = &cp_heap_sampler.samples;
    struct cp_stack stack = { .labels = s->slots[i].tag.labels,
                              .number_key = "bytes",
                              .number_unit = "bytes",
                              .number = (int64_t)row->size };

    if (!cp_stack_of_slot(s, &s->slots[i], &stack))
        return CP_OK;
    return cp_stack_write(w, &stack, values);
}

static enum cp_status write_heap(struct cp_stack_writer *w, enum view view)
{
    enum cp_status status = CP_OK;
    struct cp_heap_row row;
    int64_t values[4];

    for (size_t i = 0; status == CP_OK && i < cp_heap_n_rows(); i++) {
        if (!cp_heap_row(i, &row))
            continue;
        values_of(&row, view, values);
        status = write_row(w, i, &row, values);
    }
    return status;
}

/* Growth is in bytes that are scaled already: text of it is as it is. */
static enum cp_status write_growth(struct cp_stack_writer *w, enum view view)
{
    enum cp_status status = CP_OK;
    struct cp_heap_row row;

    (void)view;
    for (size_t i = 0; status == CP_OK && i < cp_heap_n_rows(); i++) {
        int64_t values[4];

        if (!cp_heap_row(i, &row) || row.growth == 0)
            continue;
        values[1] = values[3] = (int64_t)row.growth;
        values[0] = values[2] =
            (int64_t)(row.growth / (row.size ? row.size : 1)) + 1;
        status = write_row(w, i, &row, values);
    }
    return status;
}

static enum cp_status describe(struct cp_builder *b, const char *default_type,
                               struct cp_error *err)
{
    static const char *const types[][2] = { { "alloc_objects", "count" },
                                            { "alloc_space", "bytes" },
                                            { "inuse_objects", "count" },
                                            { "inuse_space", "bytes" } };
    int64_t interval = (int64_t)atomic_load(&cp_heap_sampler.interval);

    for (size_t i = 0; i < 4; i++)
        if (cp_builder_type(b, types[i][0], types[i][1], err) != CP_OK)
            return CP_ENOMEM;
    b->profile->default_type =
        cp_builder_str(b, default_type, strlen(default_type), err);
    b->profile->drop_frames =
        cp_builder_str(b, DROP_FRAMES, strlen(DROP_FRAMES), err);
    if (b->profile->default_type == CP_NO_STR ||
        b->profile->drop_frames == CP_NO_STR)
        return CP_ENOMEM;
    return cp_builder_period(b, "space", "bytes", interval, err);
}

/* A form of the profile: what is shown first, and what fills it. */
struct form {
    const char *default_type;
    enum cp_status (*write)(struct cp_stack_writer *w, enum view view);
};

static enum cp_status finish_as(const struct form *form, void *window,
                                struct cp_profile **out, struct cp_error *err)
{
    struct cp_builder b = { 0 };
    struct cp_stack_writer w = { .b = &b, .err = err };
    enum cp_status status = cp_builder_init(&b, err);

    if (status == CP_OK)
        status = describe(&b, form->default_type, err);
    if (status == CP_OK)
        status = form->write(&w, (enum view)(uintptr_t)window);
    if (status == CP_OK) {
        cp_stack_writer_finish(&w);
        *out = cp_builder_take(&b);
    }
    cp_builder_release(&b);
    return status;
}

static enum cp_status finish_heap(void *window, struct cp_profile **out,
                                  struct cp_error *err)
{
    static const struct form form = { "inuse_space", write_heap };

    return finish_as(&form, window, out, err);
}

static enum cp_status finish_allocs(void *window, struct cp_profile **out,
                                    struct cp_error *err)
{
    static const struct form form = { "alloc_space", write_heap };

    return finish_as(&form, window, out, err);
}

static enum cp_status finish_growth(void *window, struct cp_profile **out,
                                    struct cp_error *err)
{
    static const struct form form = { "inuse_space", write_growth };

    return finish_as(&form, window, out, err);
}

static uint64_t count_live(void)
{
    return atomic_load(&cp_heap_sampler.live.n);
}

static uint64_t count_samples(void)
{
    return atomic_load(&cp_heap_sampler.n_samples);
}

const struct cp_kind cp_heap_kind = {
    .name = "heap",
    .summary = "Memory in use: which calls allocated what has not been freed. "
               "A sample of one byte in 512 KiB unless heap_interval says "
               "otherwise, scaled to the whole.",
    .text = CP_KIND_TEXT_HEAP,
    .begin = begin,
    .finish = finish_heap,
    .cancel = cancel,
    .count = count_live,
    .note = cp_heap_note,
};

const struct cp_kind cp_allocs_kind = {
    .name = "allocs",
    .summary = "All memory that was ever allocated, freed or not.",
    .text = CP_KIND_TEXT_HEAP,
    .begin = begin,
    .finish = finish_allocs,
    .cancel = cancel,
    .count = count_samples,
    .note = cp_heap_note,
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
    .note = cp_heap_note,
};
