/*
 * dwarf_resolve.c - addresses by unit, units by worker; see dwarf_resolve.h.
 *
 * The addresses of a unit need not be neighbours (cold code lies apart), so
 * they are brought together first; then each unit is read by one worker, the
 * largest first.
 */
#include "symbol/dwarf_resolve.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "symbol/dwarf_find.h"
#include "symbol/dwarf_functions.h"

/* Neighbouring addresses in one unit. */
struct run {
    uint64_t unit;
    size_t first, n; /* among the sorted addresses */
};

/* All addresses in one unit. */
struct job {
    uint64_t unit;
    uint64_t len;    /* of the unit */
    size_t first, n; /* among the gathered addresses */
};

struct batch {
    const struct cp_dwarf_source *source;
    const uint64_t *sorted;
    size_t n;
    struct cp_answer *answers;
    struct run *runs;
    size_t n_runs, runs_cap;
    struct job *jobs;
    size_t n_jobs;
    uint64_t *gathered; /* addresses in the order of jobs */
    size_t *origin;     /* where each stands in `sorted` */
    atomic_size_t next_job;
    atomic_bool has_failed;
};

static int by_unit(const void *a, const void *b)
{
    const struct run *x = a, *y = b;

    if (x->unit != y->unit)
        return x->unit > y->unit ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

static int by_len(const void *a, const void *b)
{
    const struct job *x = a, *y = b;

    if (x->len != y->len)
        return x->len < y->len ? 1 : -1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

static enum cp_status make_runs(struct batch *b, _Atomic uint64_t *unit_of)
{
    for (size_t i = 0; i < b->n; i++) {
        uint64_t unit = atomic_load_explicit(&unit_of[i], memory_order_relaxed);

        if (unit == CP_NO_UNIT)
            continue;
        if (b->n_runs > 0 && b->runs[b->n_runs - 1].unit == unit &&
            b->runs[b->n_runs - 1].first + b->runs[b->n_runs - 1].n == i) {
            b->runs[b->n_runs - 1].n++;
            continue;
        }
        if (cp_reserve(&b->runs, &b->runs_cap, b->n_runs + 1, sizeof(*b->runs),
                       NULL) != CP_OK)
            return CP_ENOMEM;
        b->runs[b->n_runs++] = (struct run){ unit, i, 1 };
    }
    if (b->n_runs > 0)
        qsort(b->runs, b->n_runs, sizeof(*b->runs), by_unit);
    return CP_OK;
}

/*
 * Units that overlap are a trick to have the same bytes read many times:
 * only the first of such units is read.
 */
static void add_job(struct batch *b, uint64_t unit, size_t first)
{
    const struct job *last = b->n_jobs ? &b->jobs[b->n_jobs - 1] : NULL;
    struct cp_dwarf_unit u;
    struct job job = { .unit = unit, .first = first };

    if (cp_dwarf_unit_read(b->source->dwarf, unit, &u) &&
        (!last || last->unit + last->len <= unit))
        job.len = (uint64_t)(u.end - u.start);
    b->jobs[b->n_jobs++] = job;
}

static enum cp_status make_jobs(struct batch *b)
{
    size_t at = 0;

    b->jobs = cp_alloc(b->n_runs, sizeof(*b->jobs), NULL);
    b->gathered = cp_alloc(b->n, sizeof(*b->gathered), NULL);
    b->origin = cp_alloc(b->n, sizeof(*b->origin), NULL);
    if (!b->jobs || !b->gathered || !b->origin)
        return CP_ENOMEM;
    for (size_t i = 0; i < b->n_runs; i++) {
        const struct run *run = &b->runs[i];

        if (i == 0 || run[-1].unit != run->unit)
            add_job(b, run->unit, at);
        b->jobs[b->n_jobs - 1].n += run->n;
        for (size_t k = run->first; k < run->first + run->n; k++) {
            b->gathered[at] = b->sorted[k];
            b->origin[at++] = k;
        }
    }
    qsort(b->jobs, b->n_jobs, sizeof(*b->jobs), by_len);
    return CP_OK;
}

static size_t count_frames(const struct cp_worker *w, uint32_t head)
{
    size_t n = 0;

    for (; head != CP_NO_RECORD; head = w->records[head].outer)
        n++;
    return n;
}

/* The frames of one address: its records, innermost first, and its row. */
static enum cp_status make_answer(struct cp_worker *w,
                                  const struct cp_dwarf_unit *u, size_t i,
                                  struct cp_answer *out)
{
    const struct cp_line_row *row = &w->rows[i];
    uint32_t head = w->heads[i];
    size_t n = head == CP_NO_RECORD ? row->is_found : count_frames(w, head);
    uint64_t file = row->file;
    struct cp_symbol_frame *frames;

    if (n == 0)
        return CP_OK;
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

/* Functions and rows of the addresses of a unit, into the worker. */
static enum cp_status read_unit(struct batch *b, struct cp_worker *w,
                                const struct job *job, struct cp_dwarf_unit *u)
{
    const uint64_t *addresses = b->gathered + job->first;
    struct cp_dwarf_unit skeleton = *u;
    enum cp_status status;

    if (cp_reserve(&w->rows, &w->rows_cap, job->n, sizeof(*w->rows), NULL) !=
        CP_OK)
        return CP_ENOMEM;
    memset(w->rows, 0, job->n * sizeof(*w->rows));
    if (u->dwo_name)
        (void)cp_split_unit(b->source->split, w, &skeleton, u);
    status = cp_functions_find(w, u, addresses, job->n);
    if (status == CP_OK && cp_line_open(&w->line, &skeleton))
        cp_line_find(&w->line, addresses, job->n, w->rows);
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
        status = make_answer(w, &u, i, &b->answers[b->origin[job->first + i]]);
    return status;
}

static void do_jobs(void *context, size_t piece)
{
    struct batch *b = context;
    size_t i;

    while ((i = atomic_fetch_add(&b->next_job, 1)) < b->n_jobs)
        if (do_job(b, &b->source->workers[piece], &b->jobs[i]) != CP_OK)
            atomic_store(&b->has_failed, true);
}

/* How much there is to read, for the workers' fuel. */
static size_t total_len(const struct cp_dwarf *d)
{
    size_t len = 0;

    for (unsigned i = 0; i < CP_DWARF_PARTS; i++)
        len += d->part[i].len;
    return d->alt ? len + total_len(d->alt) : len;
}

enum cp_status cp_dwarf_resolve(const struct cp_dwarf_source *source,
                                const uint64_t *sorted, size_t n,
                                struct cp_answer *answers)
{
    struct batch b = {
        .source = source, .sorted = sorted, .n = n, .answers = answers
    };
    _Atomic uint64_t *unit_of = cp_alloc(n, sizeof(*unit_of), NULL);
    enum cp_status status = CP_ENOMEM;

    for (size_t i = 0; i < source->n_workers; i++)
        cp_worker_begin(&source->workers[i], n, total_len(source->dwarf));
    if (unit_of)
        status = cp_find_units(source->dwarf, source->workers,
                               source->n_workers, sorted, n, unit_of);
    if (status == CP_OK)
        status = make_runs(&b, unit_of);
    if (status == CP_OK)
        status = make_jobs(&b);
    if (status == CP_OK && source->n_workers > 1 && b.n_jobs > 1)
        cp_parallel_run(source->n_workers, do_jobs, &b);
    else if (status == CP_OK)
        do_jobs(&b, 0);
    if (atomic_load(&b.has_failed))
        status = CP_ENOMEM;
    cp_free((void *)unit_of);
    cp_free(b.runs);
    cp_free(b.jobs);
    cp_free(b.gathered);
    cp_free(b.origin);
    return status;
}
