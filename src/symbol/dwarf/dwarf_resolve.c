/*
 * dwarf_resolve.c - groups addresses by unit and distributes units to workers.
 *
 * The addresses of a unit need not be adjacent (cold code is placed elsewhere),
 * so they are grouped first. Each unit is then read by one worker, the largest
 * unit first.
 */
#include "symbol/dwarf/dwarf_resolve.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "symbol/dwarf/dwarf_find.h"
#include "symbol/dwarf/dwarf_index.h"
#include "symbol/dwarf/dwarf_source.h"
#include "symbol/dwarf/dwarf_split.h"
#include "symbol/dwarf/dwarf_worker.h"
#include "symbol/table/frame.h"

#define BYTES_PER_ADDRESS                                                      \
    256 /* denser addresses are resolved faster without the index */

/* All addresses of one unit. */
struct job {
    uint64_t unit;
    uint64_t len;                /* bytes of the unit */
    size_t first, n;             /* range of the grouped addresses */
    struct cp_unit_index *index; /* caches of the unit, or NULL */
};

struct batch {
    const struct cp_dwarf_source *source;
    const uint64_t *sorted;
    size_t n;
    struct cp_resolved *answers;
    struct cp_sort_pair *by_unit; /* unit, and index in `sorted` */
    size_t n_found;               /* addresses that have a unit */
    uint64_t *grouped;            /* addresses in the order of by_unit */
    struct job *jobs;
    size_t n_jobs;
    uint64_t units_end;         /* end of the units so far */
    struct cp_sort_pair *order; /* jobs by size */
    atomic_size_t next_job;
    atomic_bool has_failed;
};

/* Sorts the addresses by unit; within a unit they stay sorted. */
static enum cp_status group_by_unit(struct batch *b, _Atomic uint64_t *unit_of)
{
    b->by_unit = cp_alloc(b->n, sizeof(*b->by_unit), NULL);
    b->grouped = cp_alloc(b->n, sizeof(*b->grouped), NULL);
    if (!b->by_unit || !b->grouped)
        return CP_ENOMEM;
    for (size_t i = 0; i < b->n; i++) {
        uint64_t unit = atomic_load_explicit(&unit_of[i], memory_order_relaxed);

        if (unit != CP_NO_UNIT)
            b->by_unit[b->n_found++] = (struct cp_sort_pair){ unit, i };
    }
    if (cp_sort_pairs(b->by_unit, b->n_found, NULL) != CP_OK)
        return CP_ENOMEM;
    for (size_t i = 0; i < b->n_found; i++)
        b->grouped[i] = b->sorted[b->by_unit[i].value];
    return CP_OK;
}

static size_t count_units(const struct batch *b)
{
    size_t n = 0;

    for (size_t i = 0; i < b->n_found; i++)
        n += i == 0 || b->by_unit[i - 1].key != b->by_unit[i].key;
    return n;
}

/*
 * Adds a job. Of overlapping units only the first is read, because a malicious
 * file could make the same bytes be read many times.
 */
static void add_job(struct batch *b, uint64_t unit, size_t first)
{
    struct cp_dwarf_unit u;
    struct job job = { .unit = unit, .first = first };

    if (unit >= b->units_end &&
        cp_dwarf_unit_read(b->source->dwarf, unit, &u)) {
        job.len = (uint64_t)(u.end - u.start);
        b->units_end = unit + job.len;
    }
    if (b->source->index && job.len > 0)
        job.index = cp_dwarf_index_unit(b->source->index, unit);
    b->order[b->n_jobs] = (struct cp_sort_pair){ ~job.len, b->n_jobs };
    b->jobs[b->n_jobs++] = job;
}

static enum cp_status make_jobs(struct batch *b)
{
    size_t n = count_units(b);

    b->jobs = cp_alloc(n, sizeof(*b->jobs), NULL);
    b->order = cp_alloc(n, sizeof(*b->order), NULL);
    if (!b->jobs || !b->order)
        return CP_ENOMEM;
    for (size_t i = 0; i < b->n_found; i++) {
        if (i == 0 || b->by_unit[i - 1].key != b->by_unit[i].key)
            add_job(b, b->by_unit[i].key, i);
        b->jobs[b->n_jobs - 1].n++;
    }
    return cp_sort_pairs(b->order, b->n_jobs, NULL);
}

static size_t count_frames(const struct cp_worker *w, uint32_t head)
{
    size_t n = 0;

    for (; head != CP_NO_RECORD; head = w->records[head].outer)
        n++;
    return n;
}

/*
 * Builds the frames of one address: its records, innermost first, and its line
 * row.
 */
static enum cp_status build_frames(struct cp_worker *w,
                                   const struct cp_dwarf_unit *u, size_t i,
                                   struct cp_resolved *out)
{
    const struct cp_line_row *row = &w->rows[i];
    uint32_t head = w->heads[i];
    size_t n = head == CP_NO_RECORD ? row->is_found : count_frames(w, head);
    uint64_t file = row->file;
    struct cp_symbol_frame *frames;

    if (n > w->n_frames_left)
        n = w->n_frames_left;
    if (n == 0)
        return CP_OK;
    w->n_frames_left -= n;
    frames = cp_arena_alloc(&w->arena, n, sizeof(*frames), NULL);
    if (!frames)
        return CP_ENOMEM;
    frames[0].line = row->line;
    frames[0].column = row->column;
    frames[0].discriminator = row->discriminator;
    out->frames = frames;
    for (size_t k = 0; k < n; k++) {
        struct cp_record *r = head == CP_NO_RECORD ? NULL : &w->records[head];

        if (k > 0 || row->is_found)
            frames[k].file = cp_line_path(&w->line, file, &w->arena);
        out->n_frames = k + 1;
        if (!r)
            break;
        if (!r->is_named)
            cp_worker_name(w, u, r);
        frames[k].function = r->function;
        frames[k].start_line = r->start_line;
        out->is_plain = r->is_plain;
        if (k + 1 < n) {
            frames[k + 1].line = r->call_line;
            frames[k + 1].column = r->call_column;
            file = r->call_file;
        }
        head = r->outer;
    }
    return CP_OK;
}

/* Whether to use the caches: few addresses in a unit that occurred before. */
static bool uses_index(const struct job *job)
{
    return job->index && job->index->has_functions &&
           job->n < BYTES_PER_ADDRESS + job->len / BYTES_PER_ADDRESS;
}

/* Caches the functions of a unit when it occurs for the second time. */
static void cache_functions(struct cp_worker *w, const struct cp_dwarf_unit *u,
                            const struct job *job)
{
    struct cp_unit_index *x = job->index;

    if (!x || x->n_visits++ != 1)
        return;
    x->functions.max_items = (size_t)(u->end - u->start) / 16;
    x->has_functions = cp_functions_list(w, u, &x->functions);
    if (!x->has_functions) {
        cp_free(x->functions.items);
        x->functions = (struct cp_function_list){ 0 };
    }
}

/*
 * Finds the line rows of the addresses; records restart points the first time.
 */
static void find_rows(struct cp_worker *w, const struct job *job,
                      const uint64_t *addresses)
{
    struct cp_line_marks *marks = job->index ? &job->index->marks : NULL;

    if (marks && marks->n > 0 && !marks->is_incomplete && uses_index(job))
        cp_line_find_from(&w->line, addresses, job->n, w->rows, marks);
    else
        cp_line_find(&w->line, addresses, job->n, w->rows,
                     marks && marks->n == 0 ? marks : NULL);
}

/* Finds functions and line rows of the addresses of a unit, into the worker. */
static enum cp_status read_unit(struct batch *b, struct cp_worker *w,
                                const struct job *job, struct cp_dwarf_unit *u)
{
    const uint64_t *addresses = b->grouped + job->first;
    struct cp_dwarf_unit skeleton = *u;
    enum cp_status status;

    if (cp_reserve(&w->rows, &w->rows_cap, job->n, sizeof(*w->rows), NULL) !=
        CP_OK)
        return CP_ENOMEM;
    memset(w->rows, 0, job->n * sizeof(*w->rows));
    if (u->dwo_name)
        (void)cp_split_unit(b->source->split, w, &skeleton, u);
    cache_functions(w, u, job);
    if (uses_index(job))
        status = cp_functions_find_in(w, u, addresses, job->n,
                                      &job->index->functions);
    else
        status = cp_functions_find(w, u, addresses, job->n);
    if (status == CP_OK && cp_line_open(&w->line, &skeleton))
        find_rows(w, job, addresses);
    return status;
}

static enum cp_status do_job(struct batch *b, struct cp_worker *w,
                             const struct job *job)
{
    struct cp_dwarf_unit u;
    enum cp_status status;

    if (job->len == 0 || !cp_dwarf_unit_read(b->source->dwarf, job->unit, &u) ||
        !cp_worker_root(w, &u, NULL))
        return CP_OK;
    status = read_unit(b, w, job, &u);
    for (size_t i = 0; i < job->n && status == CP_OK; i++)
        status = build_frames(w, &u, i,
                              &b->answers[b->by_unit[job->first + i].value]);
    return status;
}

static void do_jobs(void *context, size_t piece)
{
    struct batch *b = context;
    size_t i;

    while ((i = atomic_fetch_add(&b->next_job, 1)) < b->n_jobs)
        if (do_job(b, &b->source->workers[piece],
                   &b->jobs[b->order[i].value]) != CP_OK)
            atomic_store(&b->has_failed, true);
}

/* Returns the bytes of the sections to read, for the workers' fuel. */
static size_t total_len(const struct cp_dwarf *d)
{
    size_t len = 0;

    for (unsigned i = 0; i < CP_DWARF_PARTS; i++)
        len += d->part[i].len;
    return d->alt ? len + total_len(d->alt) : len;
}

enum cp_status cp_dwarf_resolve(const struct cp_dwarf_source *source,
                                const uint64_t *sorted, size_t n,
                                struct cp_resolved *answers)
{
    struct batch b = {
        .source = source, .sorted = sorted, .n = n, .answers = answers
    };
    _Atomic uint64_t *unit_of = cp_alloc(n, sizeof(*unit_of), NULL);
    enum cp_status status = CP_ENOMEM;

    for (size_t i = 0; i < source->n_workers; i++)
        cp_worker_begin(&source->workers[i], n, total_len(source->dwarf));
    if (unit_of)
        status = cp_find_units(source, sorted, n, unit_of);
    if (status == CP_OK)
        status = group_by_unit(&b, unit_of);
    if (status == CP_OK)
        status = make_jobs(&b);
    if (status == CP_OK && source->n_workers > 1 && b.n_jobs > 1)
        cp_parallel_run(source->n_workers, do_jobs, &b);
    else if (status == CP_OK)
        do_jobs(&b, 0);
    if (atomic_load(&b.has_failed))
        status = CP_ENOMEM;
    cp_free((void *)unit_of);
    cp_free(b.by_unit);
    cp_free(b.grouped);
    cp_free(b.jobs);
    cp_free(b.order);
    return status;
}
