/*
 * legacy_jemalloc.c - reads jemalloc's heap dumps.
 *
 *   heap_v2/524288                        mean bytes between samples
 *     t*: 28106: 56637512 [0: 0]          totals of all threads
 *     t0: 352: 16777344 [0: 0]            totals of each thread, with its name
 *     t3: 27754: 39860168 [0: 0] worker
 *   @ 0x5f1384 0x5f83c1                   a stack, leaf first
 *     t*: 13: 6688 [0: 0]                 the sum over all threads
 *     t0: 12: 6496 [0: 0]                 the share of each thread
 *     t3: 1: 192 [0: 0]
 *
 *   MAPPED_LIBRARIES:
 *
 * Lines count objects and bytes, in use and [allocated since the start]; the
 * latter are 0 unless the program ran with prof_accum. The reference tool does
 * not read this format. Numbers and addresses are scaled as in legacy_heap.c,
 * so that a dump and its conversion agree.
 *
 * Each thread's line becomes a sample with the labels "thread" and
 * "thread_name". If the threads do not add up to the t* line, only the t* line
 * is used. jeprof mode (heap_values.h) uses the line of one thread or the t*
 * line, without labels.
 */
#include "base/alloc.h"
#include "base/index.h"
#include "profile/legacy/drop_frames.h"
#include "profile/legacy/heap_values.h"
#include "profile/legacy/legacy.h"
#include "profile/legacy/memory_map.h"

#include <string.h>

/* One "tK:" line or the "t*:" line. */
struct thread_counts {
    struct cp_text thread;
    struct cp_legacy_heap_pair in_use, allocated;
};

struct jemalloc_reader {
    struct cp_legacy_reader base;
    struct cp_legacy_heap_options options;
    int64_t rate;
    bool has_allocations, in_stacks;
    bool has_total;             /* whether the current stack has a t* line */
    struct thread_counts total; /* t* line of the current stack */
    struct thread_counts *threads;
    size_t n_threads, cap_threads;
    /* string number of a thread's name, by the string number of its id */
    uint32_t *names;
    size_t cap_names;
};

static enum cp_status malformed(struct cp_text line, struct cp_error *err)
{
    return cp_error_set(err, CP_EFORMAT, "malformed jemalloc heap dump: %.*s",
                        CP_TEXT_ARG(line));
}

static bool read_header(struct jemalloc_reader *r, struct cp_text line)
{
    struct cp_text digits;

    line = cp_text_trim(line);
    return cp_text_consume(&line, "heap_v2/") &&
           cp_text_consume_digits(&line, &digits) && line.pos == line.end &&
           cp_text_to_int(digits, &r->rate);
}

/*
 * Parses "tK: n: b [n: b]"; *counts has the digits, *line the rest of the line.
 */
static bool scan_thread(struct cp_text *line, struct thread_counts *out,
                        struct cp_legacy_heap_counts *counts)
{
    bool is_thread = cp_text_consume(line, "t") &&
                     (cp_text_consume_digits(line, &out->thread) ||
                      cp_text_consume_set(line, "*", &out->thread)) &&
                     cp_text_consume(line, ":");

    (void)cp_text_consume_blanks(line);
    return is_thread && cp_legacy_heap_parse_counts(line, false, counts) &&
           cp_text_to_int(counts->in_use[0], &out->in_use.objects) &&
           cp_text_to_int(counts->in_use[1], &out->in_use.bytes) &&
           cp_text_to_int(counts->allocated[0], &out->allocated.objects) &&
           cp_text_to_int(counts->allocated[1], &out->allocated.bytes);
}

static bool is_total(const struct thread_counts *t)
{
    return *t->thread.pos == '*';
}

/*
 * Returns the string number of a thread id such as "t3" and grows r->names to
 * cover it.
 */
static uint32_t thread_string(struct jemalloc_reader *r, struct cp_text thread,
                              struct cp_error *err)
{
    uint32_t number = cp_builder_str(&r->base.b, thread.pos - 1,
                                     cp_text_len(thread) + 1, err);
    size_t old = r->cap_names;

    if (number == CP_NO_STR ||
        cp_reserve(&r->names, &r->cap_names, (size_t)number + 1,
                   sizeof(*r->names), err) != CP_OK)
        return CP_NO_STR;
    if (r->cap_names > old)
        memset(r->names + old, 0, (r->cap_names - old) * sizeof(*r->names));
    return number;
}

/* Parses a header line: totals, and optionally the name of a thread. */
static enum cp_status read_totals(struct jemalloc_reader *r,
                                  struct cp_text line, struct cp_error *err)
{
    struct cp_text rest = line;
    struct cp_legacy_heap_counts counts;
    struct thread_counts t;
    uint32_t thread, name;

    if (!scan_thread(&rest, &t, &counts))
        return malformed(line, err);
    if (is_total(&t)) {
        r->has_allocations =
            cp_legacy_heap_has_allocations(&counts, &r->options);
        return CP_OK;
    }
    rest = cp_text_trim(rest);
    if (rest.pos == rest.end)
        return CP_OK;
    thread = thread_string(r, t.thread, err);
    name = cp_builder_str(&r->base.b, rest.pos, cp_text_len(rest), err);
    if (thread == CP_NO_STR || name == CP_NO_STR)
        return CP_ENOMEM;
    r->names[thread] = name;
    return CP_OK;
}

/* Parses a line below a stack. */
static enum cp_status read_counts(struct jemalloc_reader *r,
                                  struct cp_text line, struct cp_error *err)
{
    struct cp_text rest = line;
    struct cp_legacy_heap_counts counts;
    struct thread_counts t;

    if (!scan_thread(&rest, &t, &counts))
        return malformed(line, err);
    if (is_total(&t)) {
        r->total = t;
        r->has_total = true;
        return CP_OK;
    }
    if (cp_reserve(&r->threads, &r->cap_threads, r->n_threads + 1, sizeof(t),
                   err) != CP_OK)
        return CP_ENOMEM;
    r->threads[r->n_threads++] = t;
    return CP_OK;
}

/*
 * Creates the labels of a sample; returns their number, 0 with *err set on
 * failure.
 */
static uint32_t make_labels(struct jemalloc_reader *r,
                            const struct thread_counts *t,
                            struct cp_label labels[3], struct cp_error *err)
{
    struct cp_legacy_heap_pair seen = t->in_use;
    uint32_t n = 1, thread;

    if (seen.objects == 0 && r->has_allocations)
        seen = t->allocated;
    if (!cp_legacy_heap_label(&r->base.b, cp_legacy_heap_mean(seen), &labels[0],
                              err))
        return 0;
    if (is_total(t))
        return n;
    thread = thread_string(r, t->thread, err);
    labels[n].key = cp_builder_str(&r->base.b, "thread", 6, err);
    labels[n].str = thread;
    if (labels[n++].key == CP_NO_STR || thread == CP_NO_STR)
        return 0;
    if (!r->names[thread])
        return n;
    labels[n].key = cp_builder_str(&r->base.b, "thread_name", 11, err);
    labels[n].str = r->names[thread];
    return labels[n++].key == CP_NO_STR ? 0 : n;
}

static enum cp_status add_sample(struct jemalloc_reader *r,
                                 const struct thread_counts *t,
                                 struct cp_error *err)
{
    struct cp_legacy_heap_pair in_use =
        cp_legacy_heap_unbias(t->in_use, r->rate);
    struct cp_legacy_heap_pair allocated =
        cp_legacy_heap_unbias(t->allocated, r->rate);
    int64_t values[] = { allocated.objects, allocated.bytes, in_use.objects,
                         in_use.bytes };
    struct cp_label labels[3] = { { 0 } };
    uint32_t n = make_labels(r, t, labels, err), set;

    if (n == 0)
        return CP_ENOMEM;
    set = cp_builder_label_set(&r->base.b, labels, n, err);
    if (set == CP_NONE)
        return CP_ENOMEM;
    return cp_address_stack_sample(&r->base.stack, &r->base.b,
                                   r->has_allocations ? values : values + 2,
                                   set, err);
}

static enum cp_status add_plain(struct jemalloc_reader *r,
                                const struct thread_counts *t,
                                struct cp_error *err)
{
    struct cp_legacy_heap_pair in_use = cp_legacy_heap_unbias_parts(
        t->in_use, r->rate, cp_legacy_heap_in_use_parts(&r->options), false);
    struct cp_legacy_heap_pair allocated = cp_legacy_heap_unbias_parts(
        t->allocated, r->rate, r->options.parts, false);
    int64_t values[] = { allocated.objects, allocated.bytes, in_use.objects,
                         in_use.bytes };

    return cp_address_stack_sample(&r->base.stack, &r->base.b,
                                   r->has_allocations ? values : values + 2, 0,
                                   err);
}

/* Whether the line belongs to the requested thread. */
static bool is_wanted(const struct jemalloc_reader *r,
                      const struct thread_counts *t)
{
    return r->options.thread && cp_text_equals(t->thread, r->options.thread);
}

/* Adds the sample of a complete stack in jeprof mode. */
static enum cp_status end_plain_stack(struct jemalloc_reader *r,
                                      struct cp_error *err)
{
    bool is_one = !r->options.thread && r->has_total;
    enum cp_status status = is_one ? add_plain(r, &r->total, err) : CP_OK;

    for (size_t i = 0; i < r->n_threads && status == CP_OK && !is_one; i++)
        if (!r->options.thread || is_wanted(r, &r->threads[i]))
            status = add_plain(r, &r->threads[i], err);
    return status;
}

static void subtract(struct cp_legacy_heap_pair *from,
                     struct cp_legacy_heap_pair what)
{
    from->objects = (int64_t)((uint64_t)from->objects - (uint64_t)what.objects);
    from->bytes = (int64_t)((uint64_t)from->bytes - (uint64_t)what.bytes);
}

/* Whether the lines of the threads add up to the t* line. */
static bool threads_add_up(const struct jemalloc_reader *r)
{
    struct cp_legacy_heap_pair in_use = r->total.in_use;
    struct cp_legacy_heap_pair allocated = r->total.allocated;

    if (!r->has_total)
        return true;
    for (size_t i = 0; i < r->n_threads; i++) {
        subtract(&in_use, r->threads[i].in_use);
        subtract(&allocated, r->threads[i].allocated);
    }
    return in_use.objects == 0 && in_use.bytes == 0 && allocated.objects == 0 &&
           allocated.bytes == 0;
}

/* Adds the samples of a complete stack. */
static enum cp_status end_stack(struct jemalloc_reader *r, struct cp_error *err)
{
    enum cp_status status = CP_OK;

    if (r->options.parts > 0)
        status = end_plain_stack(r, err);
    else if (r->has_total && (r->n_threads == 0 || !threads_add_up(r)))
        status = add_sample(r, &r->total, err);
    else
        for (size_t i = 0; i < r->n_threads && status == CP_OK; i++)
            status = add_sample(r, &r->threads[i], err);
    r->has_total = false;
    r->n_threads = 0;
    return status;
}

static enum cp_status begin_stack(struct jemalloc_reader *r,
                                  struct cp_text line, struct cp_error *err)
{
    enum cp_status status = CP_OK;

    if (r->in_stacks)
        status = end_stack(r, err);
    else
        status = cp_legacy_heap_add_types(&r->base.b, r->has_allocations,
                                          &r->options, r->rate, err);
    r->in_stacks = true;
    if (status != CP_OK)
        return status;
    return cp_address_stack_read_tail(
        &r->base.stack, (struct cp_text){ line.pos + 1, line.end }, line, err);
}

static enum cp_status read_all(struct cp_legacy_reader *base,
                               struct cp_text rest, struct cp_error *err)
{
    struct jemalloc_reader *r = (struct jemalloc_reader *)base;
    struct cp_text line = cp_text_of("", 0);
    enum cp_status status = CP_OK;

    (void)cp_text_next_line(&rest, &line);
    if (!read_header(r, line))
        return cp_error_set(err, CP_EOTHER, "not a jemalloc heap dump");
    while (status == CP_OK && cp_text_next_line(&rest, &line)) {
        line = cp_text_trim(line);
        if (cp_text_is_blank(line))
            continue;
        if (cp_memory_map_starts(line))
            break;
        if (cp_text_starts(line, "@"))
            status = begin_stack(r, line, err);
        else if (r->in_stacks)
            status = read_counts(r, line, err);
        else
            status = read_totals(r, line, err);
    }
    if (status == CP_OK && !r->in_stacks)
        status = cp_legacy_heap_add_types(&r->base.b, r->has_allocations,
                                          &r->options, r->rate, err);
    if (status == CP_OK)
        status = end_stack(r, err);
    if (status == CP_OK)
        status = cp_memory_map_finish(&r->base.b, line, rest, err);
    if (status != CP_OK)
        return status;
    return cp_drop_frames_set_jemalloc(r->base.b.profile, err);
}

struct cp_profile *
cp_jemalloc_read(const char *bytes, size_t len,
                 const struct cp_legacy_heap_options *options,
                 struct cp_error *err)
{
    struct jemalloc_reader r = { .base.stack.returns = options->parts > 0
                                                           ? CP_RETURN_CALLERS
                                                           : CP_RETURN_ALL,
                                 .options = *options };
    struct cp_profile *profile =
        cp_legacy_run(&r.base, read_all, cp_text_of(bytes, len), err);

    cp_free(r.threads);
    cp_free(r.names);
    return profile;
}

struct cp_profile *cp_legacy_read_jemalloc(const char *bytes, size_t len,
                                           struct cp_error *err)
{
    return cp_jemalloc_read(bytes, len, &(struct cp_legacy_heap_options){ 0 },
                            err);
}
