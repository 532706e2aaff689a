/* timer.c - the binary heap: the earliest timer is at index 0. */
#include "http/timer.h"

#include <limits.h>
#include <time.h>

#include "base/alloc.h"
#include "base/assert/assert.h"

#define NS_PER_MS 1000000

int64_t cp_http_now(void)
{
    struct timespec t = { 0, 0 };

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

enum cp_status cp_http_timers_reserve(struct cp_http_timers *h, size_t n,
                                      struct cp_error *err)
{
    return cp_reserve(&h->heap, &h->cap, n, sizeof(struct cp_http_timer *),
                      err);
}

void cp_http_timers_release(struct cp_http_timers *h)
{
    cp_free(h->heap);
    *h = (struct cp_http_timers){ 0 };
}

static void store(struct cp_http_timers *h, size_t i, struct cp_http_timer *t)
{
    CP_ASSERT(i < h->n && h->n <= h->cap);
    h->heap[i] = t;
    t->slot = i + 1;
}

/* Stores t at index i, or at an ancestor of i to restore the heap order. */
static void move_up(struct cp_http_timers *h, size_t i, struct cp_http_timer *t)
{
    for (; i > 0 && h->heap[(i - 1) / 2]->due_ns > t->due_ns; i = (i - 1) / 2)
        store(h, i, h->heap[(i - 1) / 2]);
    store(h, i, t);
}

/* Stores t at index i, or at a descendant of i to restore the heap order. */
static void move_down(struct cp_http_timers *h, size_t i,
                      struct cp_http_timer *t)
{
    for (;;) {
        size_t child = 2 * i + 1;

        if (child + 1 < h->n &&
            h->heap[child + 1]->due_ns < h->heap[child]->due_ns)
            child++;
        if (child >= h->n || h->heap[child]->due_ns >= t->due_ns)
            break;
        store(h, i, h->heap[child]);
        i = child;
    }
    store(h, i, t);
}

void cp_http_timer_clear(struct cp_http_timers *h, struct cp_http_timer *t)
{
    size_t i = t->slot - 1;
    struct cp_http_timer *last;

    if (t->slot == 0)
        return;
    CP_ASSERT(i < h->n && h->heap[i] == t);
    t->slot = 0;
    last = h->heap[--h->n];
    if (last == t)
        return;
    if (i > 0 && h->heap[(i - 1) / 2]->due_ns > last->due_ns)
        move_up(h, i, last);
    else
        move_down(h, i, last);
}

void cp_http_timer_set(struct cp_http_timers *h, struct cp_http_timer *t,
                       int64_t due_ns)
{
    cp_http_timer_clear(h, t);
    CP_ASSERT(h->n < h->cap);
    t->due_ns = due_ns;
    h->n++;
    move_up(h, h->n - 1, t);
}

void cp_http_timers_fire(struct cp_http_timers *h, int64_t now_ns)
{
    while (h->n > 0 && h->heap[0]->due_ns <= now_ns) {
        struct cp_http_timer *t = h->heap[0];

        cp_http_timer_clear(h, t);
        t->fire(t->context);
    }
}

int cp_http_timers_wait_ms(const struct cp_http_timers *h, int64_t now_ns)
{
    int64_t wait;

    if (h->n == 0)
        return -1;
    wait = h->heap[0]->due_ns - now_ns;
    if (wait <= 0)
        return 0;
    wait = (wait - 1) / NS_PER_MS + 1;
    return wait > INT_MAX ? INT_MAX : (int)wait;
}
