/*
 * pieces.c - ordered output of parallel workers.
 *
 * Workers fetch parts in order and write each to a private buffer. A worker
 * that has finished a part waits until all earlier parts are written.
 */
#include "base/pieces.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/out.h"
#include "base/parallel.h"

struct job {
    uint32_t n, piece;
    cp_piece_writer *write;
    const void *context;
    atomic_uint_fast64_t next; /* next part to fetch */
    pthread_mutex_t lock;      /* protects the fields below */
    pthread_cond_t changed;
    uint64_t next_to_write; /* next part to write */
    struct cp_out *out;
};

/* Waits for the part's turn and appends its buffer. False after a failure. */
static bool put(struct job *job, uint64_t part, struct cp_out *buffer)
{
    bool is_ok;

    (void)pthread_mutex_lock(&job->lock);
    while (job->next_to_write != part)
        (void)pthread_cond_wait(&job->changed, &job->lock);
    cp_out_join(job->out, buffer);
    is_ok = job->out->err.status == CP_OK;
    job->next_to_write++;
    (void)pthread_cond_broadcast(&job->changed);
    (void)pthread_mutex_unlock(&job->lock);
    return is_ok;
}

static void work(void *context, size_t worker)
{
    struct job *job = context;
    struct cp_out buffer = { .fd = -1 };
    bool is_ok = true;

    while (is_ok) {
        uint64_t part = atomic_fetch_add(&job->next, 1);
        uint64_t from = part * job->piece, to = from + job->piece;

        if (from >= job->n)
            break;
        if (to > job->n)
            to = job->n;
        job->write(job->context,
                   (struct cp_piece){ (uint32_t)from, (uint32_t)to, worker },
                   &buffer);
        is_ok = put(job, part, &buffer);
    }
    cp_out_release(&buffer);
}

enum cp_status cp_pieces_write(uint32_t n, uint32_t piece,
                               cp_piece_writer *write, const void *context,
                               struct cp_out *out, struct cp_error *err)
{
    struct job job = {
        .n = n, .piece = piece, .write = write, .context = context, .out = out
    };

    if (n <= piece) {
        write(context, (struct cp_piece){ 0, n, 0 }, out);
        return out->err.status == CP_OK ? CP_OK : cp_out_finish(out, err);
    }
    (void)pthread_mutex_init(&job.lock, NULL);
    (void)pthread_cond_init(&job.changed, NULL);
    cp_parallel_run(cp_parallel_width(), work, &job);
    (void)pthread_cond_destroy(&job.changed);
    (void)pthread_mutex_destroy(&job.lock);
    if (out->err.status != CP_OK && err)
        *err = out->err;
    return out->err.status;
}
