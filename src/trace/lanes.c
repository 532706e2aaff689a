/* lanes.c - tracks the current slice of each thread. */
#include "trace/lanes.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/step.h"

void cp_lanes_release(struct cp_lanes *l)
{
    cp_tid_release(&l->threads);
}

static struct cp_lane *add(struct cp_lanes *l, int32_t tid)
{
    struct cp_lane *lane = cp_tid_add(&l->threads, tid);

    if (lane)
        *lane = (struct cp_lane){ .tid = tid };
    return lane;
}

static void begin(struct cp_lane *lane, const struct cp_step *s,
                  const char *category)
{
    struct cp_str name = s->text;

    if (s->kind != CP_STEP_BLOCK && s->kind != CP_STEP_CALL)
        name = (struct cp_str){ category, (uint32_t)strlen(category) };
    (void)snprintf(lane->name, sizeof(lane->name), "%.*s", (int)name.len,
                   name.ptr);
    lane->category = category;
    lane->since_ns = s->time_ns;
    lane->stack = s->kind == CP_STEP_UNBLOCK ? 0 : s->stack;
    lane->is_open = true;
}

/*
 * Returns the category of the thread's slice after the step; NULL if it does
 * not change.
 */
static const char *category_after(enum cp_step_kind kind)
{
    switch (kind) {
    case CP_STEP_KNOWN:
    case CP_STEP_BEGIN:
    case CP_STEP_RESUME:
    case CP_STEP_RETURN:
        return "running";
    case CP_STEP_BLOCK:
        return "blocked";
    case CP_STEP_CALL:
        return "syscall";
    case CP_STEP_CREATE:
    case CP_STEP_UNBLOCK:
    case CP_STEP_STOP:
        return "runnable";
    default:
        return NULL;
    }
}

bool cp_lanes_step(struct cp_lanes *l, const struct cp_step *s,
                   struct cp_lane **out_lane, struct cp_lane *out_ended)
{
    struct cp_lane *lane = cp_tid_find(&l->threads, s->tid);
    const char *category = category_after(s->kind);
    bool has_ended = false;

    if (!lane && (s->kind == CP_STEP_KNOWN || s->kind == CP_STEP_CREATE))
        lane = add(l, s->tid);
    *out_lane = lane;
    if (!lane)
        return false;
    if (category || s->kind == CP_STEP_END) {
        has_ended = lane->is_open;
        *out_ended = *lane;
    }
    if (s->kind == CP_STEP_UNBLOCK && s->other)
        lane->flow = ++l->n_flows;
    if (category)
        begin(lane, s, category);
    if (s->kind == CP_STEP_END) {
        cp_tid_remove(&l->threads, s->tid);
        *out_lane = NULL;
    }
    return has_ended;
}

enum cp_status cp_lane_stacks_init(struct cp_lane_stacks *s, uint32_t n_stacks,
                                   struct cp_error *err)
{
    s->seen = cp_alloc(n_stacks, sizeof(*s->seen), err);
    s->n_stacks = n_stacks;
    return s->seen ? CP_OK : CP_ENOMEM;
}

void cp_lane_stacks_release(struct cp_lane_stacks *s)
{
    cp_free(s->seen);
    cp_free(s->wanted);
    *s = (struct cp_lane_stacks){ 0 };
}

uint32_t cp_lane_stacks_use(struct cp_lane_stacks *s, uint32_t stack)
{
    if (stack == 0 || stack >= s->n_stacks)
        return 0;
    if (s->seen[stack])
        return stack;
    if (cp_reserve(&s->wanted, &s->cap_wanted, s->n_wanted + 1,
                   sizeof(*s->wanted), NULL) != CP_OK)
        return 0;
    s->seen[stack] = true;
    s->wanted[s->n_wanted++] = stack;
    return stack;
}
