/* read_profile.c - adds up waiting spans by stack and builds the profile. */
#include "trace/read/read_profile.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "profile/model/build.h"
#include "trace/read/read_spans.h"

static const struct {
    const char *name;
    uint8_t state;
} kinds[] = {
    [CP_TRACE_PROFILE_SCHED] = { "sched", CP_TRACE_RUNNABLE },
    [CP_TRACE_PROFILE_SYNC] = { "sync", CP_TRACE_SYNC },
    [CP_TRACE_PROFILE_SYSCALL] = { "syscall", CP_TRACE_SYSCALL },
    [CP_TRACE_PROFILE_NET] = { "net", CP_TRACE_NETWORK },
};

const char *cp_trace_profile_name(enum cp_trace_profile_kind kind)
{
    return kinds[kind].name;
}

static enum cp_status make_room(struct cp_trace_profile *p, uint32_t stack,
                                struct cp_error *err)
{
    size_t need = (size_t)stack + 1;

    if (cp_reserve(&p->counts, &p->cap_counts, need, sizeof(*p->counts), err) !=
            CP_OK ||
        cp_reserve(&p->ns, &p->cap_ns, need, sizeof(*p->ns), err) != CP_OK)
        return CP_ENOMEM;
    memset(p->counts + p->n, 0, (need - p->n) * sizeof(*p->counts));
    memset(p->ns + p->n, 0, (need - p->n) * sizeof(*p->ns));
    p->n = need;
    return CP_OK;
}

enum cp_status cp_trace_profile_add(void *context,
                                    const struct cp_trace_span *s,
                                    struct cp_error *err)
{
    struct cp_trace_profile *p = context;
    uint64_t start = s->start_ns, end = s->end_ns;

    if (s->state != kinds[p->kind].state || s->is_open || s->is_early)
        return CP_OK;
    if (p->to_ns) {
        start = start > p->from_ns ? start : p->from_ns;
        end = end < p->to_ns ? end : p->to_ns;
    }
    if (end <= start)
        return CP_OK;
    if (s->stack >= p->n && make_room(p, s->stack, err) != CP_OK)
        return CP_ENOMEM;
    p->counts[s->stack]++;
    p->ns[s->stack] += end - start;
    return CP_OK;
}

/* A profile under construction. */
struct profile_builder {
    struct cp_builder builder;
    const struct cp_trace_names *names;
    uint32_t *locations;       /* indexed by frame: location + 1 */
    struct cp_table functions; /* keyed by name and file */
};

static enum cp_status add_string(struct profile_builder *m, uint32_t string,
                                 uint32_t *out, struct cp_error *err)
{
    struct cp_str text = cp_trace_text(m->names, string);

    *out = cp_builder_str(&m->builder, text.ptr, text.len, err);
    return *out == CP_NO_STR ? CP_ENOMEM : CP_OK;
}

static enum cp_status add_function(struct profile_builder *m,
                                   const struct cp_trace_read_frame *f,
                                   uint32_t *out, struct cp_error *err)
{
    uint64_t key = (uint64_t)f->function << 32 | f->file;
    struct cp_function function = { 0 };
    size_t probe = 0;

    *out = cp_table_next(&m->functions, cp_hash_unique(key), &probe);
    if (*out != CP_TABLE_END)
        return CP_OK;
    if (add_string(m, f->function, &function.name, err) != CP_OK ||
        add_string(m, f->file, &function.filename, err) != CP_OK)
        return CP_ENOMEM;
    function.system_name = function.name;
    *out = cp_builder_function(&m->builder, function, err);
    if (*out == CP_NONE)
        return CP_ENOMEM;
    return cp_table_add(&m->functions, cp_hash_unique(key), *out, err);
}

static enum cp_status add_location(struct profile_builder *m, uint32_t frame,
                                   uint32_t *out, struct cp_error *err)
{
    const struct cp_trace_read_frame *f = &m->names->frames[frame];
    struct cp_location l = { .address = f->pc, .mapping = CP_NONE };
    struct cp_line line = { .line = f->line };

    if (m->locations[frame] == 0) {
        if (add_function(m, f, &line.function, err) != CP_OK)
            return CP_ENOMEM;
        *out = cp_builder_new_location(&m->builder, l, err);
        if (*out == CP_NONE ||
            cp_builder_line(&m->builder, *out, line, err) != CP_OK)
            return CP_ENOMEM;
        m->locations[frame] = *out + 1;
    }
    *out = m->locations[frame] - 1;
    return CP_OK;
}

static enum cp_status add_sample(struct profile_builder *m, uint32_t stack,
                                 const int64_t values[2], struct cp_error *err)
{
    const struct cp_trace_read_stack *s = &m->names->stacks[stack];
    uint32_t *locs = cp_alloc(s->n, sizeof(*locs), err);
    enum cp_status status = locs ? CP_OK : CP_ENOMEM;

    for (uint32_t i = 0; status == CP_OK && i < s->n; i++)
        status = add_location(m, m->names->stack_frames[s->first + i], &locs[i],
                              err);
    if (status == CP_OK)
        status = cp_builder_sample(&m->builder, locs, s->n, values, 0, err);
    cp_free(locs);
    return status;
}

static enum cp_status make(struct profile_builder *m,
                           const struct cp_trace_profile *p,
                           struct cp_error *err)
{
    enum cp_status status = cp_builder_init(&m->builder, err);

    if (status == CP_OK)
        status = cp_builder_type(&m->builder, "contentions", "count", err);
    if (status == CP_OK)
        status = cp_builder_type(&m->builder, "delay", "nanoseconds", err);
    if (status == CP_OK)
        status = cp_builder_period(&m->builder, "trace", "count", 1, err);
    for (uint32_t i = 0; status == CP_OK && i < p->n; i++) {
        int64_t values[] = { (int64_t)p->counts[i], (int64_t)p->ns[i] };

        if (p->counts[i] > 0)
            status = add_sample(m, i, values, err);
    }
    return status;
}

struct cp_profile *cp_trace_profile_make(const struct cp_trace_profile *p,
                                         const struct cp_trace_names *names,
                                         struct cp_error *err)
{
    struct profile_builder m = { .names = names };
    struct cp_profile *profile = NULL;

    m.locations = cp_alloc(names->n_frames + 1, sizeof(*m.locations), err);
    if (m.locations && make(&m, p, err) == CP_OK)
        profile = cp_builder_take(&m.builder);
    cp_builder_release(&m.builder);
    cp_table_release(&m.functions);
    cp_free(m.locations);
    return profile;
}

void cp_trace_profile_release(struct cp_trace_profile *p)
{
    cp_free(p->counts);
    cp_free(p->ns);
    p->counts = p->ns = NULL;
    p->n = p->cap_counts = p->cap_ns = 0;
}
