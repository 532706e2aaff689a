/*
 * decode_samples.c - decodes samples on all cores, in two passes.
 *
 * The first pass counts the locations of each piece, which gives every stack
 * its offset in one array. The second pass fills samples, values and stacks.
 * Each worker collects labels as raw bytes in its own table (raw_labels.h). The
 * tables then become the profile's label sets in the order of first use, so the
 * result does not depend on the number of workers.
 */
#include "profile/codec/decode_samples.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/parallel.h"
#include "profile/codec/decode_scan.h"
#include "profile/codec/sample_reader.h"
#include "profile/model/profile.h"

#define DISCARD_BYTES ((size_t)1 << 20)

/* A run of consecutive samples, with its input range and its output offsets. */
struct piece {
    const struct cp_scan_run *run;
    uint32_t first_sample;
    uint64_t first_loc, n_locs;
};

/* One worker decodes the consecutive pieces [from, to). */
struct worker {
    size_t from, to;
    struct cp_sample_reader reader;
};

struct job {
    const struct cp_decode_samples *in;
    struct piece *pieces;
    size_t n_pieces;
    struct worker *workers;
    size_t n_workers;
};

/*
 * Returns the next sample message; the scan has already checked that it is
 * complete.
 */
static struct cp_wire next_sample(struct cp_wire *w)
{
    struct cp_wire_field f = { 0 };
    bool is_complete = cp_wire_field(w, &f);

    CP_ASSERT(is_complete && f.number == CP_SCAN_SAMPLE);
    (void)is_complete;
    return f.bytes;
}

static enum cp_status count_locs(struct cp_wire msg, uint32_t sample,
                                 uint64_t *total, struct cp_error *err)
{
    struct cp_wire_field f;
    uint64_t n = 0;

    while (msg.pos < msg.end) {
        if (!cp_wire_field(&msg, &f))
            return cp_sample_broken(err, sample, "is truncated");
        if (f.number == 1)
            n += f.type == CP_WIRE_BYTES ? cp_wire_count(f.bytes) : 1;
    }
    if (n > CP_MAX_DEPTH)
        return cp_error_set(err, CP_EFORMAT,
                            "malformed profile: sample %u has %llu locations; "
                            "the limit is %u",
                            sample, (unsigned long long)n, CP_MAX_DEPTH);
    *total += n;
    return CP_OK;
}

static void run_count(void *context, size_t number)
{
    struct job *job = context;
    struct worker *worker = &job->workers[number];

    for (size_t i = worker->from; i < worker->to; i++) {
        struct piece *piece = &job->pieces[i];
        struct cp_wire w = cp_scan_wire(job->in->scan, piece->run);
        uint32_t sample = piece->first_sample;

        while (w.pos < w.end)
            if (count_locs(next_sample(&w), sample++, &piece->n_locs,
                           &worker->reader.err) != CP_OK)
                return;
        CP_ASSERT(sample == piece->first_sample + piece->run->n);
    }
}

/*
 * Releases the pages from *from to `to`. Small ranges wait: each release
 * interrupts the other cores (TLB shootdown).
 */
static void discard(const struct job *job, size_t *from, size_t to)
{
    CP_ASSERT(*from <= to);
    if (!job->in->discard || to - *from < DISCARD_BYTES)
        return;
    cp_bytes_discard(job->in->discard, *from, to);
    *from = to;
}

static void run_read(void *context, size_t number)
{
    struct job *job = context;
    struct worker *worker = &job->workers[number];
    size_t read_from = 0, read_to = 0;

    for (size_t i = worker->from; i < worker->to; i++) {
        const struct piece *piece = &job->pieces[i];
        struct cp_wire w = cp_scan_wire(job->in->scan, piece->run);
        uint32_t sample = piece->first_sample;
        uint64_t first_loc = piece->first_loc;

        while (w.pos < w.end)
            if (cp_sample_read(&worker->reader, next_sample(&w), sample++,
                               &first_loc) != CP_OK)
                return;
        CP_ASSERT(first_loc == piece->first_loc + piece->n_locs);
        if (cp_raw_labels_flush(&worker->reader.labels, &worker->reader.err) !=
            CP_OK)
            return;
        if (piece->run->from != read_to) /* a different table lies between */
            read_from = piece->run->from;
        read_to = piece->run->to;
        discard(job, &read_from, read_to);
    }
}

static enum cp_status first_error(const struct job *job, struct cp_error *err)
{
    for (size_t i = 0; i < job->n_workers; i++) {
        if (job->workers[i].reader.err.status != CP_OK) {
            if (err)
                *err = job->workers[i].reader.err;
            return job->workers[i].reader.err.status;
        }
    }
    return CP_OK;
}

/* Lists the pieces and splits them evenly between the workers. */
static enum cp_status split_pieces(struct job *job, struct cp_error *err)
{
    const struct cp_scan *scan = job->in->scan;
    uint32_t sample = 0;

    job->pieces = cp_alloc(scan->n_runs, sizeof(*job->pieces), err);
    if (!job->pieces)
        return CP_ENOMEM;
    for (size_t i = 0; i < scan->n_runs; i++) {
        if (scan->runs[i].field != CP_SCAN_SAMPLE)
            continue;
        job->pieces[job->n_pieces].run = &scan->runs[i];
        job->pieces[job->n_pieces++].first_sample = sample;
        sample += scan->runs[i].n;
    }
    CP_ASSERT(sample == scan->n[CP_SCAN_SAMPLE]);
    job->n_workers = cp_parallel_width();
    if (job->n_workers > job->n_pieces / 2)
        job->n_workers = job->n_pieces / 2 ? job->n_pieces / 2 : 1;
    job->workers = cp_alloc(job->n_workers, sizeof(*job->workers), err);
    if (!job->workers)
        return CP_ENOMEM;
    for (size_t i = 0; i < job->n_workers; i++) {
        job->workers[i].from = job->n_pieces * i / job->n_workers;
        job->workers[i].to = job->n_pieces * (i + 1) / job->n_workers;
        job->workers[i].reader.profile = job->in->profile;
        job->workers[i].reader.n_types = job->in->profile->n_types;
        job->workers[i].reader.ids = job->in->location_ids;
    }
    CP_ASSERT(job->workers[job->n_workers - 1].to == job->n_pieces);
    return CP_OK;
}

static enum cp_status alloc_arrays(struct job *job, struct cp_error *err)
{
    struct cp_profile *p = job->in->profile;

    p->n_samples = (uint32_t)job->in->scan->n[CP_SCAN_SAMPLE];
    for (size_t i = 0; i < job->n_pieces; i++) {
        job->pieces[i].first_loc = p->n_locs;
        p->n_locs += job->pieces[i].n_locs;
    }
    p->samples =
        cp_arena_alloc(&p->arena, p->n_samples, sizeof(*p->samples), err);
    p->values = cp_arena_alloc(&p->arena, (size_t)p->n_samples * p->n_types,
                               sizeof(*p->values), err);
    p->locs = cp_arena_alloc(&p->arena, p->n_locs, sizeof(*p->locs), err);
    return p->samples && p->values && p->locs ? CP_OK : CP_ENOMEM;
}

static enum cp_status finish_labels(struct job *job, struct cp_error *err)
{
    struct cp_raw_labels *tables[CP_PARALLEL_MAX];
    struct cp_raw_run runs[CP_PARALLEL_MAX];

    CP_ASSERT(job->n_workers <= CP_PARALLEL_MAX);
    for (size_t i = 0; i < job->n_workers; i++) {
        const struct worker *worker = &job->workers[i];

        tables[i] = &job->workers[i].reader.labels;
        runs[i].table = (uint32_t)i;
        runs[i].from = worker->from < job->n_pieces
                           ? job->pieces[worker->from].first_sample
                           : 0;
        runs[i].to = job->in->profile->n_samples;
        if (i > 0)
            runs[i - 1].to = runs[i].from;
    }
    return cp_raw_labels_finish(tables, job->n_workers, runs, job->n_workers,
                                job->in, err);
}

enum cp_status cp_decode_samples(const struct cp_decode_samples *in,
                                 struct cp_error *err)
{
    struct job job = { .in = in };
    enum cp_status status = split_pieces(&job, err);

    if (status == CP_OK) {
        cp_parallel_run(job.n_workers, run_count, &job);
        status = first_error(&job, err);
    }
    if (status == CP_OK)
        status = alloc_arrays(&job, err);
    if (status == CP_OK) {
        cp_parallel_run(job.n_workers, run_read, &job);
        status = first_error(&job, err);
    }
    if (status == CP_OK)
        status = finish_labels(&job, err);
    for (size_t i = 0; job.workers && i < job.n_workers; i++)
        cp_raw_labels_release(&job.workers[i].reader.labels);
    cp_free(job.workers);
    cp_free(job.pieces);
    return status;
}
