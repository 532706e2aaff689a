/* read_names.c - reads and deduplicates strings, frames and stacks. */
#include "trace/read/read_names.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "trace/read/read_events.h"
#include "trace/stacks.h"

#define STACK_FRAMES 1024 /* limit for one stack; Go writes at most 128 */

enum cp_status cp_trace_names_init(struct cp_trace_names *n,
                                   struct cp_error *err)
{
    enum cp_status status;

    *n = (struct cp_trace_names){ 0 };
    status = cp_strtab_init(&n->strings, &n->arena, 64, err);
    if (status == CP_OK)
        status =
            cp_reserve(&n->stacks, &n->cap_stacks, 1, sizeof(*n->stacks), err);
    if (status != CP_OK) {
        cp_trace_names_release(n);
        return status;
    }
    n->stacks[n->n_stacks++] = (struct cp_trace_read_stack){ 0 };
    return CP_OK;
}

void cp_trace_names_release(struct cp_trace_names *n)
{
    cp_table_release(&n->frame_table);
    cp_table_release(&n->stack_table);
    cp_table_release(&n->string_ids);
    cp_table_release(&n->stack_ids);
    cp_free(n->frames);
    cp_free(n->stacks);
    cp_free(n->stack_frames);
    cp_arena_release(&n->arena);
}

/*
 * Finds the number of an id. The hash is a bijection, so the first match is the
 * id.
 */
static uint32_t find_id(const struct cp_table *t, uint64_t id)
{
    size_t probe = 0;
    uint32_t found = cp_table_next(t, cp_hash_unique(id), &probe);

    return found == CP_TABLE_END ? 0 : found;
}

/* Adds an id. The first of several with the same id counts. */
static enum cp_status add_id(struct cp_table *t, uint64_t id, uint32_t number,
                             struct cp_error *err)
{
    size_t probe = 0;

    if (cp_table_next(t, cp_hash_unique(id), &probe) != CP_TABLE_END)
        return CP_OK;
    return cp_table_add(t, cp_hash_unique(id), number, err);
}

uint32_t cp_trace_names_string(const struct cp_trace_names *n, uint64_t id)
{
    return find_id(&n->string_ids, id);
}

uint32_t cp_trace_names_stack(const struct cp_trace_names *n, uint64_t id)
{
    return id ? find_id(&n->stack_ids, id) : 0;
}

uint32_t cp_trace_names_root(const struct cp_trace_names *n, uint32_t stack)
{
    const struct cp_trace_read_stack *s = &n->stacks[stack];

    return s->n ? n->frames[n->stack_frames[s->first + s->n - 1]].function : 0;
}

static enum cp_status bad(const char *what, const struct cp_trace_generation *g,
                          struct cp_error *err)
{
    return cp_error_set(err, CP_EFORMAT, "bad %s in generation %llu", what,
                        (unsigned long long)g->number);
}

static enum cp_status read_strings(struct cp_trace_names *n, struct cp_wire w,
                                   const struct cp_trace_generation *g,
                                   struct cp_error *err)
{
    struct cp_wire text;
    uint64_t id;
    uint32_t number;

    for (w.pos++; w.pos < w.end;) {
        if (*w.pos++ != CP_TRACE_STRING || !cp_wire_varint(&w, &id) ||
            !cp_wire_bytes(&w, &text))
            return bad("strings", g, err);
        number = cp_strtab_add(&n->strings, (const char *)text.pos,
                               (size_t)(text.end - text.pos), err);
        if (number == CP_NO_STR ||
            add_id(&n->string_ids, id, number, err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

static bool is_same_frame(const struct cp_trace_read_frame *a,
                          const struct cp_trace_read_frame *b)
{
    return a->pc == b->pc && a->function == b->function && a->file == b->file &&
           a->line == b->line;
}

/* Returns the number of a frame, added if new. */
static enum cp_status add_frame(struct cp_trace_names *n,
                                const struct cp_trace_read_frame *f,
                                uint32_t *out, struct cp_error *err)
{
    uint64_t hash = cp_hash_mix(cp_hash_mix(f->pc, f->line),
                                (uint64_t)f->function << 32 | f->file);
    size_t probe = 0;

    while ((*out = cp_table_next(&n->frame_table, hash, &probe)) !=
           CP_TABLE_END)
        if (is_same_frame(&n->frames[*out], f))
            return CP_OK;
    *out = (uint32_t)n->n_frames;
    if (cp_reserve(&n->frames, &n->cap_frames, n->n_frames + 1,
                   sizeof(*n->frames), err) != CP_OK ||
        cp_table_add(&n->frame_table, hash, *out, err) != CP_OK)
        return CP_ENOMEM;
    n->frames[n->n_frames++] = *f;
    return CP_OK;
}

/* Returns the number of a stack, added if new. */
static enum cp_status add_stack(struct cp_trace_names *n,
                                const uint32_t *frames, uint32_t n_frames,
                                uint32_t *out, struct cp_error *err)
{
    uint64_t hash = cp_hash_bytes(frames, n_frames * sizeof(*frames));
    size_t probe = 0;

    while ((*out = cp_table_next(&n->stack_table, hash, &probe)) !=
           CP_TABLE_END) {
        const struct cp_trace_read_stack *s = &n->stacks[*out];

        if (s->n == n_frames && memcmp(n->stack_frames + s->first, frames,
                                       n_frames * sizeof(*frames)) == 0)
            return CP_OK;
    }
    *out = (uint32_t)n->n_stacks;
    if (cp_reserve(&n->stacks, &n->cap_stacks, n->n_stacks + 1,
                   sizeof(*n->stacks), err) != CP_OK ||
        cp_reserve(&n->stack_frames, &n->cap_stack_frames,
                   n->n_stack_frames + n_frames, sizeof(*frames),
                   err) != CP_OK ||
        cp_table_add(&n->stack_table, hash, *out, err) != CP_OK)
        return CP_ENOMEM;
    memcpy(n->stack_frames + n->n_stack_frames, frames,
           n_frames * sizeof(*frames));
    n->stacks[n->n_stacks++] =
        (struct cp_trace_read_stack){ n->n_stack_frames, n_frames };
    n->n_stack_frames += n_frames;
    return CP_OK;
}

/* Reads a frame; sets *is_there unless it is empty. */
static enum cp_status read_frame(struct cp_trace_names *n, struct cp_wire *w,
                                 uint32_t *out, bool *is_there,
                                 struct cp_error *err)
{
    struct cp_trace_read_frame f;
    uint64_t function, file, line;

    if (!cp_wire_varint(w, &f.pc) || !cp_wire_varint(w, &function) ||
        !cp_wire_varint(w, &file) || !cp_wire_varint(w, &line))
        return CP_EFORMAT;
    /* Clears the counter that go_file.c stores above the address bits. */
    f.pc &= ((uint64_t)1 << CP_TRACE_PC_BITS) - 1;
    f.function = cp_trace_names_string(n, function);
    f.file = cp_trace_names_string(n, file);
    f.line = line > UINT32_MAX ? UINT32_MAX : (uint32_t)line;
    *is_there = f.pc != 0 || f.function != 0;
    return *is_there ? add_frame(n, &f, out, err) : CP_OK;
}

static enum cp_status read_stack(struct cp_trace_names *n, struct cp_wire *w,
                                 const struct cp_trace_generation *g,
                                 struct cp_error *err)
{
    uint32_t frames[STACK_FRAMES], n_kept = 0, number;
    uint64_t id, n_frames;
    enum cp_status status = CP_OK;
    bool is_there;

    if (*w->pos++ != CP_TRACE_STACK || !cp_wire_varint(w, &id) ||
        !cp_wire_varint(w, &n_frames) || n_frames > STACK_FRAMES)
        return bad("stacks", g, err);
    for (uint64_t i = 0; status == CP_OK && i < n_frames; i++) {
        status = read_frame(n, w, &frames[n_kept], &is_there, err);
        n_kept += status == CP_OK && is_there;
    }
    if (status == CP_EFORMAT)
        return bad("stacks", g, err);
    if (status != CP_OK || n_kept == 0 || id == 0)
        return status;
    status = add_stack(n, frames, n_kept, &number, err);
    if (status == CP_OK)
        status = add_id(&n->stack_ids, id, number, err);
    return status;
}

static enum cp_status read_stacks(struct cp_trace_names *n, struct cp_wire w,
                                  const struct cp_trace_generation *g,
                                  struct cp_error *err)
{
    enum cp_status status = CP_OK;

    for (w.pos++; status == CP_OK && w.pos < w.end;)
        status = read_stack(n, &w, g, err);
    return status;
}

enum cp_status cp_trace_names_read(struct cp_trace_names *n,
                                   const struct cp_trace_generation *g,
                                   struct cp_error *err)
{
    enum cp_status status = CP_OK;

    cp_table_release(&n->string_ids);
    cp_table_release(&n->stack_ids);
    for (size_t i = 0; status == CP_OK && i < g->n; i++)
        if (*g->batches[i].data.pos == CP_TRACE_STRINGS)
            status = read_strings(n, g->batches[i].data, g, err);
    for (size_t i = 0; status == CP_OK && i < g->n; i++)
        if (*g->batches[i].data.pos == CP_TRACE_STACKS)
            status = read_stacks(n, g->batches[i].data, g, err);
    return status;
}
