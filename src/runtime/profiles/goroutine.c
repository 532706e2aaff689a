/* goroutine.c - groups equal threads with a hash table, one sample each. */
#include "runtime/profiles/goroutine.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/hash.h"
#include "profile/model/build.h"
#include "runtime/profiles/thread_stacks.h"
#include "runtime/stacks/stack_writer.h"
#include "runtime/threads/threads.h"

#define N_LABELS 3

struct group {
    const struct cp_thread_stack *first; /* equal to all others */
    int64_t n;                           /* threads */
    uint64_t cpu_ns;                     /* sum over the threads */
};

struct grouping {
    const struct cp_thread_stacks *s;
    struct group *groups; /* one for each thread at most */
    size_t n_groups;
    uint32_t *table; /* open addressing; index of a group + 1, 0 if free */
    size_t mask;     /* table size - 1; at least 2 * threads */
    bool is_single;  /* one group for each thread */
};

static uint64_t hash_of(const struct cp_thread_stacks *s,
                        const struct cp_thread_stack *t)
{
    uint64_t h = cp_hash_bytes(s->frames + t->first, t->n * sizeof(uintptr_t));

    h = cp_hash_mix(h, cp_hash_bytes(t->state.name, strlen(t->state.name)));
    return cp_hash_mix(h, (uint64_t)t->labels << 8 | (uint8_t)t->state.letter);
}

static bool are_equal(const struct cp_thread_stacks *s,
                      const struct cp_thread_stack *a,
                      const struct cp_thread_stack *b)
{
    return a->n == b->n && a->labels == b->labels &&
           a->state.letter == b->state.letter &&
           strcmp(a->state.name, b->state.name) == 0 &&
           strcmp(a->state.wait, b->state.wait) == 0 &&
           memcmp(s->frames + a->first, s->frames + b->first,
                  a->n * sizeof(uintptr_t)) == 0;
}

static void add(struct grouping *g, const struct cp_thread_stack *t)
{
    uint64_t at = hash_of(g->s, t);
    struct group *group = NULL;

    for (; !g->is_single && g->table[at & g->mask]; at++) {
        group = &g->groups[g->table[at & g->mask] - 1];
        if (are_equal(g->s, group->first, t))
            break;
        group = NULL;
    }
    if (!group) {
        CP_ASSERT(g->n_groups < g->s->n_threads);
        group = &g->groups[g->n_groups++];
        group->first = t;
        g->table[at & g->mask] = (uint32_t)g->n_groups;
    }
    group->n++;
    group->cpu_ns += t->cpu_ns;
}

static enum cp_status group_threads(struct grouping *g, struct cp_error *err)
{
    size_t n = g->s->n_threads, size = 16;

    while (size < 2 * n)
        size *= 2;
    g->mask = size - 1;
    g->groups = cp_alloc(n ? n : 1, sizeof(*g->groups), err);
    g->table = cp_alloc(size, sizeof(*g->table), err);
    if (!g->groups || !g->table)
        return CP_ENOMEM;
    memset(g->table, 0, size * sizeof(*g->table));
    memset(g->groups, 0, (n ? n : 1) * sizeof(*g->groups));
    for (size_t i = 0; i < n; i++)
        if (g->s->threads[i].state.letter) /* 0 if the thread has ended */
            add(g, &g->s->threads[i]);
    return CP_OK;
}

/* With debug=2 the state of a sleeping thread is the call, as in Go. */
static const char *state_text(const struct grouping *g,
                              const struct cp_thread_state *state)
{
    if (g->is_single && state->letter == 'S' && state->wait[0])
        return state->wait;
    return cp_thread_state_name(state->letter);
}

static enum cp_status write_group(struct cp_stack_writer *w,
                                  const struct grouping *g,
                                  const struct group *group)
{
    static const uintptr_t no_reply = CP_FRAME_NO_REPLY;
    const struct cp_thread_stack *t = group->first;
    const char *texts[N_LABELS][2] = { { "thread", t->state.name },
                                       { "state", state_text(g, &t->state) },
                                       { "wait", t->state.wait } };
    struct cp_stack stack = {
        .frames = g->s->frames + t->first,
        .n = t->n,
        .labels = t->labels,
        .texts = texts,
        .n_texts = t->state.wait[0] ? N_LABELS : N_LABELS - 1,
        .number_key = g->is_single ? "tid" : "cpu",
        .number_unit = g->is_single ? "" : "nanoseconds",
        .number = g->is_single ? t->tid : (int64_t)group->cpu_ns
    };

    if (t->n == 0) {
        stack.frames = &no_reply;
        stack.n = 1;
    }
    return cp_stack_write(w, &stack, &group->n);
}

static enum cp_status write_all(struct cp_builder *b, const struct grouping *g,
                                struct cp_error *err)
{
    struct cp_stack_writer w = { .b = b, .err = err };
    enum cp_status status = cp_builder_init(b, err);

    if (status == CP_OK)
        status = cp_builder_type(b, "goroutine", "count", err);
    if (status == CP_OK)
        status = cp_builder_period(b, "goroutine", "count", 1, err);
    for (size_t i = 0; status == CP_OK && i < g->n_groups; i++)
        status = write_group(&w, g, &g->groups[i]);
    if (status == CP_OK)
        cp_stack_writer_finish(&w);
    return status;
}

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_recording, struct cp_error *err)
{
    (void)err;
    *out_recording = (void *)(uintptr_t)(request->debug >= 2);
    return CP_OK;
}

static enum cp_status finish(void *recording, struct cp_profile **out,
                             struct cp_error *err)
{
    struct cp_thread_stacks s = { 0 };
    struct grouping g = { .s = &s, .is_single = recording != NULL };
    struct cp_builder b = { 0 };
    enum cp_status status = cp_thread_stacks_collect(&s, err);

    if (status == CP_OK)
        status = group_threads(&g, err);
    if (status == CP_OK)
        status = write_all(&b, &g, err);
    if (status == CP_OK)
        *out = cp_builder_take(&b);
    cp_builder_release(&b);
    cp_free(g.groups);
    cp_free(g.table);
    cp_thread_stacks_release(&s);
    return status;
}

static void cancel(void *recording)
{
    (void)recording;
}

static uint64_t count(void)
{
    struct cp_threads_stats stats;

    (void)cp_threads_scan(NULL);
    cp_threads_stats(&stats);
    return stats.n_threads;
}

const struct cp_kind cp_goroutine_kind = {
    .name = "goroutine",
    .summary = "The stacks of all threads, now. Tools made for Go know it "
               "under this name; threads is the same. debug=2 prints each "
               "thread by itself.",
    .text = CP_KIND_TEXT_COUNT,
    .begin = begin,
    .finish = finish,
    .cancel = cancel,
    .count = count,
};
