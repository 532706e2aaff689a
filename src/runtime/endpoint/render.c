/*
 * render.c - adds mappings, names and comments to a profile, and encodes it as
 * protobuf or in the CPU format of gperftools.
 */
#include "runtime/endpoint/render.h"

#include <stdio.h>

#include "base/assert/assert.h"
#include "base/out.h"
#include "profile/codec/encode.h"
#include "profile/codec/gzip.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/render_text.h"
#include "runtime/kind/kind.h"
#include "runtime/os/version.h"
#include "runtime/symbolize/annotate.h"
#include "runtime/symbolize/mappings.h"
#include "runtime/symbolize/unloaded_modules.h"

/* Reads the mappings into *m, and adds mappings and names to the profile. */
static enum cp_status annotate(const struct cp_renderer *r,
                               struct cp_profile *p, struct cp_mappings *m,
                               struct cp_error *err)
{
    enum cp_status status = cp_mappings_read(m, err);

    CP_ASSERT(r->kind && p);
    if (status == CP_OK && r->before)
        status = cp_mappings_join(m, r->before, err);
    if (status == CP_OK)
        status = cp_unloaded_modules_join(m, err);
    if (status == CP_OK)
        status = cp_annotate_mappings(p, m, err);
    if (status == CP_OK && r->symbols)
        status = cp_annotate_lines(p, m, r->symbols, err);
    return status;
}

static enum cp_status pack(const struct cp_profile *p, struct cp_out *out,
                           struct cp_error *err)
{
    struct cp_out plain = { .fd = -1 };
    enum cp_status status = cp_encode(p, &plain, err);

    if (status == CP_OK)
        status = cp_gzip_compress(plain.buf, plain.len, out, err);
    cp_out_release(&plain);
    return status;
}

/*
 * Adds a comment to an empty snapshot that says why it is empty, if the kind
 * knows. A recording over time is empty because nothing happened.
 */
static enum cp_status explain(const struct cp_kind *kind, struct cp_profile *p,
                              struct cp_error *err)
{
    bool is_empty_snapshot = p->n_samples == 0 && kind->default_seconds <= 0;
    const char *reason = is_empty_snapshot && kind->disabled_reason
                             ? kind->disabled_reason()
                             : NULL;
    char line[256];

    if (!reason)
        return CP_OK;
    (void)snprintf(line, sizeof(line), "%s: %s", kind->name, reason);
    return cp_annotate_comment(p, line, err);
}

enum cp_status cp_render_protobuf(const struct cp_renderer *r,
                                  struct cp_profile *p, struct cp_out *out,
                                  struct cp_error *err)
{
    struct cp_mappings m = { 0 };
    enum cp_status status = annotate(r, p, &m, err);

    if (status == CP_OK)
        status = explain(r->kind, p, err);
    if (status == CP_OK)
        status = cp_annotate_comment(p, "cpprof " CP_VERSION, err);
    if (status == CP_OK)
        status = cp_annotate_executables(p, &m, err);
    if (status == CP_OK)
        status = cp_annotate_replace_invalid_utf8(p, err);
    if (status == CP_OK)
        status = pack(p, out, err);
    cp_mappings_release(&m);
    return status;
}

enum cp_status cp_render_text(const struct cp_renderer *r, struct cp_profile *p,
                              struct cp_out *out, struct cp_error *err)
{
    struct cp_mappings m = { 0 };
    enum cp_status status = annotate(r, p, &m, err);

    if (status == CP_OK)
        status = cp_annotate_replace_invalid_utf8(p, err);
    if (status == CP_OK)
        status = cp_render_text_write(r, p, &m, out, err);
    cp_mappings_release(&m);
    return status;
}

/* ---- gperftools ---- */

static void put_word(struct cp_out *out, uint64_t word)
{
    cp_out_bytes(out, (const char *)&word, sizeof(word));
}

static void put_record(struct cp_out *out, const struct cp_profile *p,
                       uint32_t i)
{
    const struct cp_sample *s = &p->samples[i];
    const uint32_t *stack = cp_profile_stack(p, i);

    CP_ASSERT(i < p->n_samples && p->n_types > 0);
    put_word(out, (uint64_t)p->values[(size_t)i * p->n_types]);
    put_word(out, s->n_locs);
    for (uint32_t k = 0; k < s->n_locs; k++) {
        CP_ASSERT(stack[k] < p->n_locations);
        /* The leaf is a program counter, callers are return addresses. */
        put_word(out, p->locations[stack[k]].address + (k > 0));
    }
}

enum cp_status cp_render_gperf(struct cp_profile *p, struct cp_out *out,
                               struct cp_error *err)
{
    struct cp_mappings m = { 0 };
    enum cp_status status = cp_mappings_read(&m, err);

    if (status == CP_OK)
        status = cp_unloaded_modules_join(&m, err);
    put_word(out, 0);
    put_word(out, 3);
    put_word(out, 0);
    put_word(out, (uint64_t)p->period / 1000);
    put_word(out, 0);
    for (uint32_t i = 0; i < p->n_samples; i++)
        if (p->samples[i].n_locs > 0)
            put_record(out, p, i);
    put_word(out, 0);
    put_word(out, 1);
    put_word(out, 0);
    cp_render_text_maps(&m, out);
    cp_mappings_release(&m);
    return status == CP_OK ? cp_out_finish(out, err) : status;
}
