/*
 * stack_names.c - symbolizes stacks by way of a profile.
 *
 * Each stack becomes a sample of a temporary profile, because
 * symbolize/annotate.h symbolizes profiles.
 */
#include "runtime/trace/stack_names.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/build.h"
#include "runtime/kind/kind.h"
#include "runtime/stacks/stack_writer.h"
#include "runtime/symbolize/annotate.h"
#include "runtime/symbolize/mappings.h"
#include "runtime/trace/trace_calls.h"
#include "signal/trace/trace.h"
#include "trace/stacks.h"

#define MAX_HOOK_FRAMES 8 /* frames of the library above the program's */

struct namer {
    struct cp_trace_stacks *out;
    const uint32_t *numbers; /* stack number of each sample */
    const struct cp_profile *profile;
    uint32_t library_mapping; /* index; CP_NONE if linked statically */
};

/*
 * Writes the stacks that *known does not contain as samples. Reduces numbers[]
 * and *n to these stacks.
 */
static enum cp_status build(const struct cp_trace_stacks *known,
                            struct cp_builder *b, uint32_t *numbers, size_t *n,
                            struct cp_error *err)
{
    struct cp_stack_writer w = { .b = b, .err = err };
    enum cp_status status = cp_builder_init(b, err);
    const int64_t one = 1;
    size_t n_new = 0;

    if (status == CP_OK)
        status = cp_builder_type(b, "stacks", "count", err);
    for (size_t i = 0; i < *n && status == CP_OK; i++) {
        const struct cp_signal_samples *s = &cp_trace.stacks;
        struct cp_stack stack = { 0 };
        uint32_t number = numbers[i];

        if (cp_trace_stacks_find(known, number) || number > s->n_slots ||
            !cp_stack_read_slot(s, &s->slots[number - 1], &stack))
            continue;
        numbers[n_new++] = number;
        status = cp_stack_write(&w, &stack, &one);
    }
    if (status == CP_OK)
        cp_stack_writer_finish(&w);
    *n = n_new;
    return status;
}

static enum cp_status annotate(struct cp_profile *p,
                               const struct cp_kind_sink *sink,
                               struct cp_error *err)
{
    struct cp_mappings m = { 0 };
    enum cp_status status = cp_mappings_read(&m, err);

    if (status == CP_OK && sink->before)
        status = cp_mappings_join(&m, sink->before, err);
    if (status == CP_OK)
        status = cp_annotate_mappings(p, &m, err);
    if (status == CP_OK && sink->symbols)
        status = cp_annotate_lines(p, &m, sink->symbols, err);
    if (status == CP_OK)
        status = cp_annotate_replace_invalid_utf8(p, err);
    cp_mappings_release(&m);
    return status;
}

/* Whether the frame is in libc or the loader, or has no address. */
static bool is_libc_frame(const struct cp_profile *p,
                          const struct cp_location *l)
{
    const char *file, *base;

    if (l->mapping == CP_NONE)
        return l->address == 0;
    file = cp_profile_cstr(p, p->mappings[l->mapping].file);
    base = strrchr(file, '/');
    base = base ? base + 1 : file;
    return strncmp(base, "libc.so", 7) == 0 || strncmp(base, "libc-", 5) == 0 ||
           strncmp(base, "ld-", 3) == 0;
}

/* Whether the frame belongs to the start of a thread or of the program. */
static bool is_start_frame(const struct cp_profile *p,
                           const struct cp_location *l)
{
    const struct cp_line *line;

    if (is_libc_frame(p, l))
        return true;
    if (l->n_lines == 0)
        return false;
    line = &p->lines[l->lines + l->n_lines - 1];
    return strcmp(cp_profile_cstr(p, p->functions[line->function].name),
                  "_start") == 0;
}

/* Adds a location with its inlined calls, or its address without symbols. */
static enum cp_status push(const struct namer *g, uint32_t number,
                           const struct cp_location *l, struct cp_error *err)
{
    const struct cp_profile *p = g->profile;
    enum cp_status status = CP_OK;
    char text[32];

    if (l->n_lines == 0) {
        struct cp_trace_frame f = { .pc = l->address };
        int len = snprintf(text, sizeof(text), "0x%llx",
                           (unsigned long long)l->address);

        f.function = cp_trace_stacks_str(g->out, text, (size_t)len);
        return cp_trace_stacks_push(g->out, number, f, err);
    }
    for (uint32_t i = 0; i < l->n_lines && status == CP_OK; i++) {
        const struct cp_line *line = &p->lines[l->lines + i];
        const struct cp_function *fn = &p->functions[line->function];
        struct cp_str name = cp_profile_str(p, fn->name);
        struct cp_str file = cp_profile_str(p, fn->filename);
        struct cp_trace_frame f = { .pc = l->address,
                                    .line = (uint32_t)line->line };

        f.function = cp_trace_stacks_str(g->out, name.ptr, name.len);
        f.file = cp_trace_stacks_str(g->out, file.ptr, file.len);
        status = cp_trace_stacks_push(g->out, number, f, err);
    }
    return status;
}

/* Adds the name of the call as the leaf of the stack. */
static enum cp_status push_call(const struct namer *g, uint32_t number,
                                uint32_t call, struct cp_error *err)
{
    const char *name = cp_trace_calls[call].name;
    struct cp_trace_frame f = { .pc = call };

    f.function = cp_trace_stacks_str(g->out, name, strlen(name));
    return cp_trace_stacks_push(g->out, number, f, err);
}

/* Number of leaf frames that belong to the hook and its callees. */
static uint32_t count_hook_frames(const struct namer *g, const uint32_t *locs,
                                  uint32_t n)
{
    uint32_t n_hook = 0;

    if (g->library_mapping == CP_NONE)
        return 0;
    for (uint32_t i = 0; i < n && i < MAX_HOOK_FRAMES; i++)
        if (g->profile->locations[locs[i]].mapping == g->library_mapping)
            n_hook = i + 1;
    return n_hook < n ? n_hook : 0;
}

/* Adds the stack of sample i. */
static enum cp_status add(const struct namer *g, uint32_t i,
                          struct cp_error *err)
{
    const struct cp_profile *p = g->profile;
    uint32_t number = g->numbers[i], n = p->samples[i].n_locs, from = 0;
    const uint32_t *locs = cp_profile_stack(p, i);
    uint32_t call = cp_trace.stacks.slots[number - 1].tag.state, left = n;
    enum cp_status status = CP_OK;

    if (call > 0 && call < CP_CALLS) {
        from = count_hook_frames(g, locs, n);
        status = push_call(g, number, call, err);
    }
    while (left > from && is_start_frame(p, &p->locations[locs[left - 1]]))
        left--;
    if (left == from) /* all frames are libc's: keep them */
        left = n;
    for (uint32_t k = from; k < left && status == CP_OK; k++)
        status = push(g, number, &p->locations[locs[k]], err);
    return status;
}

/* The mapping of this function, unless it is the executable (index 0). */
static uint32_t find_library(const struct cp_profile *p)
{
    uint64_t here = (uint64_t)(uintptr_t)&find_library;

    for (uint32_t i = 1; i < p->n_mappings; i++)
        if (p->mappings[i].start <= here && here < p->mappings[i].limit)
            return i;
    return CP_NONE;
}

enum cp_status cp_stack_names_add(struct cp_trace_stacks *out,
                                  const uint32_t *numbers, size_t n,
                                  const struct cp_kind_sink *sink,
                                  struct cp_error *err)
{
    uint32_t *unnamed = cp_alloc(n, sizeof(*unnamed), err);
    struct cp_builder b = { 0 };
    struct namer g = { .out = out, .numbers = unnamed };
    enum cp_status status = CP_ENOMEM;

    if (unnamed) {
        if (n)
            memcpy(unnamed, numbers, n * sizeof(*unnamed));
        status = build(out, &b, unnamed, &n, err);
    }
    if (status == CP_OK && n > 0)
        status = annotate(b.profile, sink, err);
    if (status == CP_OK && n > 0) {
        g.profile = b.profile;
        g.library_mapping = find_library(b.profile);
        for (uint32_t i = 0; i < n && status == CP_OK; i++)
            status = add(&g, i, err);
    }
    cp_builder_release(&b);
    cp_free(unnamed);
    return status;
}
