/*
 * heap.c - see heap.h.
 *
 * Slots of the table are apart by size as well as by stack, so each can be
 * scaled exactly when it is written: its count and bytes are whole numbers of
 * samples until then.
 */
#include "runtime/heap.h"

#include <string.h>
#include <sys/mman.h>

#include "profile/build.h"
#include "runtime/stack_writer.h"
#include "runtime/timer.h"
#include "signal/heap.h"

#define SLOTS ((size_t)1 << 17)
#define FRAMES ((size_t)1 << 22)
#define MOST_BUCKETS ((size_t)1 << 19)
#define LEAST_BUCKETS ((size_t)1 << 13)

/* Functions of allocators: shown as part of who called them. */
#define DROP_FRAMES                                                            \
    "operator new.*|operator new\\[\\].*|std::allocator.*|"                    \
    "__gnu_cxx::new_allocator.*|std::__new_allocator.*|"                       \
    "std::allocator_traits.*|__libc_.*alloc|(__)?strn?dup|"                    \
    "alloc::alloc::.*|__rust_.*alloc.*|__rdl_.*"

static void *map_pages(size_t n, size_t size)
{
    void *p = mmap(NULL, n * size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

/* Room for the samples of a heap of 64 GB, or for as many as are allowed. */
static size_t buckets_for(uint64_t interval)
{
    uint64_t blocks = ((uint64_t)64 << 30) / (interval ? interval : 1);
    size_t n = LEAST_BUCKETS;

    while (n < MOST_BUCKETS && n * CP_HEAP_BUCKET < blocks * 2)
        n *= 2;
    return n;
}

static enum cp_status map_tables(uint64_t interval, struct cp_error *err)
{
    struct cp_heap_sampler *h = &cp_heap_sampler;
    size_t n = buckets_for(interval) * CP_HEAP_BUCKET;

    h->samples.slots = map_pages(SLOTS, sizeof(*h->samples.slots));
    h->samples.frames = map_pages(FRAMES, sizeof(*h->samples.frames));
    h->freed = map_pages(SLOTS, sizeof(*h->freed));
    h->live.entries = map_pages(n, sizeof(*h->live.entries));
    if (!h->samples.slots || !h->samples.frames || !h->freed ||
        !h->live.entries)
        return cp_error_nomem(err);
    h->samples.n_slots = SLOTS;
    h->samples.n_frames = FRAMES;
    h->samples.seed = cp_timer_random(UINT64_MAX - 1);
    h->live.n_buckets = buckets_for(interval);
    h->live.keys = map_pages(n, sizeof(*h->live.keys));
    return h->live.keys ? CP_OK : cp_error_nomem(err);
}

enum cp_status cp_heap_start(uint64_t interval, struct cp_error *err)
{
    struct cp_heap_sampler *h = &cp_heap_sampler;

    if (interval && !h->live.keys) {
        enum cp_status status = map_tables(interval, err);

        if (status != CP_OK)
            return status;
        atomic_store(&h->seed, cp_timer_random(UINT64_MAX - 1));
    }
    atomic_store(&h->interval, interval);
    return CP_OK;
}

size_t cp_heap_bytes(void)
{
    const struct cp_heap_sampler *h = &cp_heap_sampler;
    size_t n_slots = (size_t)atomic_load(&h->samples.used_slots);
    size_t n_live = (size_t)atomic_load(&h->live.n);

    return (size_t)atomic_load(&h->samples.used_frames) * sizeof(uintptr_t) +
           n_slots * (sizeof(*h->samples.slots) + sizeof(*h->freed)) +
           n_live * (sizeof(*h->live.keys) + sizeof(*h->live.entries)) +
           sizeof(cp_heap_filter);
}

void cp_heap_stats(struct cp_heap_stats *out)
{
    const struct cp_heap_sampler *h = &cp_heap_sampler;

    out->interval = atomic_load(&h->interval);
    out->n_samples = atomic_load(&h->n_samples);
    out->n_live = atomic_load(&h->live.n);
    out->n_lost = atomic_load(&h->live.n_lost) +
                  atomic_load(&h->samples.lost_count);
}

/* 1 - exp(-x) for x >= 0, without loss for small x and without libm. */
static double one_less_exp(double x)
{
    double term = 1, sum = 0, part;
    int halvings = 0;

    if (x > 40)
        return 1;
    for (; x > 0.5; halvings++)
        x /= 2;
    for (int k = 1; k < 16; k++) {
        term *= -x / k;
        sum -= term;
    }
    part = sum; /* 1 - exp(-x) of the reduced x */
    for (; halvings > 0; halvings--)
        part = part * (2 - part); /* 1 - (1 - part)^2 */
    return part;
}

double cp_heap_weight(uint64_t size, uint64_t interval)
{
    if (interval <= 1 || size == 0)
        return 1;
    return 1 / one_less_exp((double)size / (double)interval);
}

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_window, struct cp_error *err)
{
    (void)err;
    *out_window = (void *)(uintptr_t)(request->debug != 0 ? 2 : 1);
    return CP_OK;
}

static void cancel(void *window)
{
    (void)window;
}

static int64_t scaled(uint64_t n, double weight)
{
    return (int64_t)((double)n * weight + 0.5);
}

/* alloc_objects, alloc_space, inuse_objects, inuse_space of a slot. */
static void values_of(size_t i, uint64_t size, bool is_raw, int64_t out[4])
{
    const struct cp_heap_sampler *h = &cp_heap_sampler;
    uint64_t freed = atomic_load(&h->freed[i].count);
    uint64_t freed_bytes = atomic_load(&h->freed[i].bytes);
    uint64_t count = atomic_load(&h->samples.slots[i].count);
    uint64_t bytes = atomic_load(&h->samples.slots[i].value);
    double weight =
        is_raw ? 1 : cp_heap_weight(size, atomic_load(&h->interval));

    out[0] = scaled(count, weight);
    out[1] = scaled(bytes, weight);
    out[2] = scaled(count - freed, weight);
    out[3] = scaled(bytes - freed_bytes, weight);
}

static uint64_t size_of(const struct cp_signal_slot *s)
{
    uint64_t count = atomic_load(&s->count);

    if (s->tag.state != UINT32_MAX)
        return s->tag.state;
    return count ? atomic_load(&s->value) / count : 0;
}

static enum cp_status write_slot(struct cp_stack_writer *w, size_t i,
                                 bool is_raw)
{
    const struct cp_signal_samples *s = &cp_heap_sampler.samples;
    const struct cp_signal_slot *slot = &s->slots[i];
    uint64_t size = size_of(slot);
    int64_t values[4];
    struct cp_stack stack = { .labels = slot->tag.labels,
                              .number_key = "bytes",
                              .number_unit = "bytes",
                              .number = (int64_t)size };

    if (!cp_stack_of_slot(s, slot, &stack))
        return CP_OK;
    values_of(i, size, is_raw, values);
    if (values[0] == 0)
        return CP_OK;
    return cp_stack_write(w, &stack, values);
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

static enum cp_status write_all(struct cp_builder *b, bool is_raw,
                                const char *default_type, struct cp_error *err)
{
    const struct cp_signal_samples *s = &cp_heap_sampler.samples;
    struct cp_stack_writer w = { .b = b, .err = err };
    enum cp_status status = cp_builder_init(b, err);

    if (status == CP_OK)
        status = describe(b, default_type, err);
    for (size_t i = 0; status == CP_OK && i < s->n_slots; i++)
        if (atomic_load_explicit(&s->slots[i].key, memory_order_relaxed))
            status = write_slot(&w, i, is_raw);
    if (status == CP_OK)
        cp_stack_writer_finish(&w);
    return status;
}

static enum cp_status finish_as(void *window, const char *default_type,
                                struct cp_profile **out, struct cp_error *err)
{
    struct cp_builder b = { 0 };
    enum cp_status status =
        write_all(&b, (uintptr_t)window == 2, default_type, err);

    if (status == CP_OK)
        *out = cp_builder_take(&b);
    cp_builder_release(&b);
    return status;
}

static enum cp_status finish_heap(void *window, struct cp_profile **out,
                                  struct cp_error *err)
{
    return finish_as(window, "inuse_space", out, err);
}

static enum cp_status finish_allocs(void *window, struct cp_profile **out,
                                    struct cp_error *err)
{
    return finish_as(window, "alloc_space", out, err);
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
               "A sample of one byte in 512 KiB, scaled to the whole.",
    .text = CP_KIND_TEXT_HEAP,
    .begin = begin,
    .finish = finish_heap,
    .cancel = cancel,
    .count = count_live,
};

const struct cp_kind cp_allocs_kind = {
    .name = "allocs",
    .summary = "All memory that was ever allocated, freed or not.",
    .text = CP_KIND_TEXT_HEAP,
    .begin = begin,
    .finish = finish_allocs,
    .cancel = cancel,
    .count = count_samples,
};
