/* model_notices.c - adds, sorts and searches notices. */
#include "trace/model/model_notices.h"

#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "trace/model/model.h"

void cp_notices_release(struct cp_notices *s)
{
    cp_free(s->list);
    *s = (struct cp_notices){ 0 };
}

static bool sort_by(struct cp_notices *s, size_t key_at)
{
    return cp_sort_structs(s->list, s->n, sizeof(*s->list), key_at, NULL) ==
           CP_OK;
}

static void drop_older_half(struct cp_notices *s)
{
    size_t half = s->n / 2;

    (void)sort_by(s, offsetof(struct cp_notice, time_ns));
    s->n -= half;
    memmove(s->list, s->list + half, s->n * sizeof(*s->list));
}

void cp_notices_add(struct cp_notices *s, const struct cp_trace_input *in)
{
    if (s->n == CP_MAX_NOTICES)
        drop_older_half(s);
    if (cp_reserve(&s->list, &s->cap, s->n + 1, sizeof(*s->list), NULL) ==
        CP_OK)
        s->list[s->n++] =
            (struct cp_notice){ in->arg, in->time_ns, in->tid, in->stack, 0 };
}

void cp_notices_cancel(struct cp_notices *s, uint64_t key, int32_t tid)
{
    struct cp_notice *last = NULL;

    for (size_t i = s->n; i > 0; i--) {
        struct cp_notice *notice = &s->list[i - 1];

        if (notice->key != key || notice->tid != tid)
            continue;
        if (!last || notice->time_ns > last->time_ns)
            last = notice;
        if (i == s->n) /* usually the most recently added one */
            break;
    }
    if (last)
        *last = s->list[--s->n];
}

bool cp_notices_sort(struct cp_notices *s)
{
    return sort_by(s, offsetof(struct cp_notice, time_ns)) &&
           sort_by(s, offsetof(struct cp_notice, key));
}

size_t cp_notices_count_up_to(const struct cp_notices *s, uint64_t key,
                              uint64_t time_ns)
{
    size_t low = 0, high = s->n;

    while (low < high) {
        size_t at = low + (high - low) / 2;
        const struct cp_notice *notice = &s->list[at];

        if (notice->key < key ||
            (notice->key == key && notice->time_ns <= time_ns))
            low = at + 1;
        else
            high = at;
    }
    return low;
}

void cp_notices_drop(struct cp_notices *s, uint64_t before_ns)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        if (!s->list[i].is_used && s->list[i].time_ns >= before_ns)
            s->list[n++] = s->list[i];
    s->n = n;
}
