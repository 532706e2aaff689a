/* stacks.c - adds strings and frames of symbolized stacks. */
#include "trace/stacks.h"

#include "base/alloc.h"

enum cp_status cp_trace_stacks_init(struct cp_trace_stacks *s,
                                    uint32_t n_stacks, struct cp_error *err)
{
    s->stacks = cp_alloc(n_stacks, sizeof(*s->stacks), err);
    if (!s->stacks)
        return CP_ENOMEM;
    s->n_stacks = n_stacks;
    return cp_strtab_init(&s->strings, &s->arena, 256, err);
}

void cp_trace_stacks_release(struct cp_trace_stacks *s)
{
    cp_free(s->stacks);
    cp_free(s->frames);
    cp_arena_release(&s->arena);
    *s = (struct cp_trace_stacks){ 0 };
}

uint32_t cp_trace_stacks_str(struct cp_trace_stacks *s, const char *text,
                             size_t len)
{
    uint32_t id = cp_strtab_add(&s->strings, text, len, NULL);

    return id == CP_NO_STR ? 0 : id;
}

enum cp_status cp_trace_stacks_push(struct cp_trace_stacks *s, uint32_t number,
                                    struct cp_trace_frame frame,
                                    struct cp_error *err)
{
    struct cp_trace_stack *stack = &s->stacks[number];
    enum cp_status status = CP_OK;

    if (!stack->is_known)
        *stack = (struct cp_trace_stack){ (uint32_t)s->n_frames, 0, true };
    if (stack->n == CP_TRACE_DEPTH)
        return CP_OK;
    status = cp_reserve(&s->frames, &s->cap_frames, s->n_frames + 1,
                        sizeof(*s->frames), err);
    if (status != CP_OK)
        return status;
    s->frames[s->n_frames++] = frame;
    stack->n++;
    return CP_OK;
}
