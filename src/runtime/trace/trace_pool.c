/* trace_pool.c - maps, grows, reads and frees the buffers of events. */
#include "runtime/trace/trace_pool.h"

#include <sys/mman.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/sort.h"
#include "signal/trace/trace.h"

static size_t n_mapped; /* buffers in the mapping, used or not */

static bool map(size_t n)
{
    void *p =
        mmap(NULL, n * sizeof(struct cp_trace_buffer), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        return false;
    cp_trace.buffers = p;
    n_mapped = n;
    return true;
}

/* Maps the maximum, or the minimum if RLIMIT_AS does not allow that. */
enum cp_status cp_trace_pool_map(struct cp_error *err)
{
    if (cp_trace.buffers)
        return CP_OK;
    if (!map(CP_TRACE_MAX_BUFFERS) && !map(CP_TRACE_BUFFERS))
        return cp_error_nomem(err);
    cp_trace_pool_grow(0);
    return CP_OK;
}

/* New buffers are zero, which is CP_TRACE_FREE. */
void cp_trace_pool_grow(size_t n_threads)
{
    size_t wanted = CP_TRACE_BUFFERS + 2 * n_threads;
    uint32_t n = atomic_load(&cp_trace.n_words);

    CP_ASSERT(n_mapped <= CP_TRACE_MAX_BUFFERS);
    if (wanted > n_mapped)
        wanted = n_mapped;
    while (n < wanted / 64) {
        atomic_store(&cp_trace.free[n], UINT64_MAX);
        atomic_store(&cp_trace.n_words, ++n);
    }
}

static size_t n_buffers(void)
{
    return (size_t)atomic_load(&cp_trace.n_words) * 64;
}

static bool is_free(size_t i)
{
    return atomic_load(&cp_trace.free[i / 64]) >> (i % 64) & 1;
}

/* A claimed buffer in the state FREE is skipped: a thread is acquiring it. */
void cp_trace_pool_clear(void)
{
    for (size_t i = 0; i < n_buffers(); i++)
        if (!is_free(i) &&
            atomic_load(&cp_trace.buffers[i].state) == CP_TRACE_DONE)
            cp_trace_free_buffer(&cp_trace.buffers[i]);
}

void cp_trace_pool_trim(void)
{
    size_t first = 0, n = n_buffers();

    for (size_t i = 0; i <= n; i++) {
        if (i < n && is_free(i))
            continue;
        if (i > first)
            (void)madvise(&cp_trace.buffers[first],
                          (i - first) * sizeof(*cp_trace.buffers),
                          MADV_DONTNEED);
        first = i + 1;
    }
}

size_t cp_trace_pool_bytes(void)
{
    size_t n = 0;

    for (size_t i = 0; i < n_buffers(); i++)
        n += !is_free(i);
    return n * sizeof(struct cp_trace_buffer);
}

/*
 * Lists the buffers of the session in the order in which threads acquired them,
 * and frees those of older sessions. Returns their number.
 */
static size_t list_buffers(struct cp_sort_pair *order)
{
    uint32_t session = atomic_load(&cp_trace.session) | 1;
    size_t n = 0;

    for (size_t i = 0; i < n_buffers(); i++) {
        struct cp_trace_buffer *p = &cp_trace.buffers[i];
        uint32_t state;

        if (is_free(i))
            continue;
        state = atomic_load_explicit(&p->state, memory_order_acquire);
        if (state == CP_TRACE_FREE)
            continue; /* a thread is just acquiring it */
        if (p->session == session)
            order[n++] = (struct cp_sort_pair){ p->order, i };
        else if (state == CP_TRACE_DONE)
            cp_trace_free_buffer(p);
    }
    return cp_sort_pairs(order, n, NULL) == CP_OK ? n : 0;
}

void cp_trace_pool_read(void (*take)(void *context, int32_t tid,
                                     const struct cp_trace_event *e),
                        void *context)
{
    struct cp_sort_pair *order = cp_alloc(n_buffers(), sizeof(*order), NULL);
    size_t n = order ? list_buffers(order) : 0;

    for (size_t i = 0; i < n; i++) {
        struct cp_trace_buffer *p = &cp_trace.buffers[order[i].value];
        bool is_done = atomic_load(&p->state) == CP_TRACE_DONE;
        uint32_t n_events = atomic_load_explicit(&p->n, memory_order_acquire);

        CP_ASSERT(n_events <= CP_TRACE_BUFFER_EVENTS);
        while (p->n_read < n_events) {
            const struct cp_trace_event *e = &p->events[p->n_read];

            take(context, p->tid, e);
            p->n_read += cp_trace_slots(e);
        }
        CP_ASSERT(p->n_read == n_events);
        if (is_done)
            cp_trace_free_buffer(p);
    }
    cp_free(order);
}
