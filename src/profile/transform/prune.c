/* prune.c - applies drop_frames, keep_frames and prune_from. */
#include "profile/transform/prune.h"

#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/path.h"
#include "profile/model/match.h"
#include "profile/model/profile.h"
#include "regex/regex.h"

enum { ORDINARY, CUT_BENEATH, CUT_WHOLE };

static bool names_match(struct cp_match *m, const struct cp_profile *p,
                        const struct cp_line *line)
{
    uint32_t name = p->functions[line->function].name;

    return name != 0 && cp_match_string(m, p, name);
}

/*
 * Returns the action for stacks at this location; removes lines if only some
 * match.
 */
static uint8_t prune_location(const struct cp_profile *p, struct cp_location *l,
                              struct cp_match *drop, struct cp_match *keep)
{
    for (uint32_t i = l->n_lines; i > 0; i--) {
        const struct cp_line *line = &p->lines[l->lines + i - 1];

        if (!names_match(drop, p, line) ||
            (keep->re && names_match(keep, p, line)))
            continue;
        if (i == l->n_lines)
            return CUT_WHOLE;
        l->lines += i;
        l->n_lines -= i;
        return CUT_BENEATH;
    }
    return ORDINARY;
}

static void cut_inner(struct cp_sample *s, uint32_t n)
{
    s->locs += n;
    s->n_locs -= n;
}

static void prune_sample(struct cp_profile *p, struct cp_sample *s,
                         const uint8_t *what)
{
    const uint32_t *stack = p->locs + s->locs;
    bool found_user = false;

    for (uint32_t i = s->n_locs; i > 0; i--) {
        uint8_t here = what[stack[i - 1]];

        if (here == ORDINARY) {
            found_user = true;
        } else if (found_user) {
            cut_inner(s, here == CUT_WHOLE ? i : i - 1);
            return;
        }
    }
}

static struct cp_regex *anchored(const struct cp_profile *p, uint32_t pattern,
                                 struct cp_error *err)
{
    struct cp_str text = cp_profile_str(p, pattern);
    char *whole = cp_alloc((size_t)text.len + 5, 1, err);
    struct cp_regex *re = NULL;

    if (whole) {
        memcpy(whole, "^(", 2);
        memcpy(whole + 2, text.ptr, text.len);
        memcpy(whole + 2 + text.len, ")$", 2);
        re = cp_regex_new(whole, (size_t)text.len + 4, err);
    }
    cp_free(whole);
    return re;
}

static enum cp_status prune_all(struct cp_profile *p, struct cp_match *drop,
                                struct cp_match *keep, struct cp_error *err)
{
    uint8_t *what = cp_alloc(p->n_locations, 1, err);
    bool any = false;

    if (!what)
        return CP_ENOMEM;
    drop->is_simplified = keep->is_simplified = true;
    for (uint32_t i = 0; i < p->n_locations; i++) {
        what[i] = prune_location(p, &p->locations[i], drop, keep);
        any |= what[i] != ORDINARY;
    }
    for (uint32_t i = 0; any && i < p->n_samples; i++)
        prune_sample(p, &p->samples[i], what);
    cp_free(what);
    return CP_OK;
}

enum cp_status cp_prune_uninteresting(struct cp_profile *p,
                                      struct cp_error *err)
{
    struct cp_regex *drop_re = NULL, *keep_re = NULL;
    struct cp_match drop = { 0 }, keep = { 0 };
    enum cp_status status = CP_EFORMAT;

    if (p->drop_frames == 0)
        return CP_OK;
    drop_re = anchored(p, p->drop_frames, err);
    keep_re =
        p->keep_frames && drop_re ? anchored(p, p->keep_frames, err) : NULL;
    if (drop_re && (keep_re || !p->keep_frames) &&
        cp_match_init(&drop, drop_re, p, err) == CP_OK &&
        cp_match_init(&keep, keep_re, p, err) == CP_OK)
        status = prune_all(p, &drop, &keep, err);
    if (status == CP_OK)
        status = cp_regex_check(drop_re, err);
    if (status == CP_OK && keep_re)
        status = cp_regex_check(keep_re, err);
    cp_match_release(&drop);
    cp_match_release(&keep);
    cp_regex_free(drop_re);
    cp_regex_free(keep_re);
    return status;
}

static bool prune_location_from(const struct cp_profile *p,
                                struct cp_location *l, struct cp_match *m)
{
    for (uint32_t i = 0; i < l->n_lines; i++) {
        if (names_match(m, p, &p->lines[l->lines + i])) {
            l->lines += i;
            l->n_lines -= i;
            return true;
        }
    }
    return false;
}

enum cp_status cp_prune_from(struct cp_profile *p, struct cp_regex *re,
                             struct cp_error *err)
{
    bool *cuts = cp_alloc(p->n_locations, sizeof(*cuts), err);
    struct cp_match m = { 0 };

    if (!cuts || cp_match_init(&m, re, p, err) != CP_OK) {
        cp_free(cuts);
        return CP_ENOMEM;
    }
    m.is_simplified = true;
    for (uint32_t i = 0; i < p->n_locations; i++)
        cuts[i] = prune_location_from(p, &p->locations[i], &m);
    for (uint32_t i = 0; i < p->n_samples; i++) {
        struct cp_sample *s = &p->samples[i];

        for (uint32_t k = 0; k < s->n_locs; k++) {
            if (cuts[p->locs[s->locs + k]]) {
                cut_inner(s, k);
                break;
            }
        }
    }
    cp_match_release(&m);
    cp_free(cuts);
    return cp_regex_check(re, err);
}

/* Whether the base name of the location's file begins with `name`. */
static bool is_in_file(const struct cp_profile *p, const struct cp_location *l,
                       const char *name)
{
    struct cp_str file = { "", 0 };

    if (l->mapping != CP_NONE)
        file = cp_path_base(cp_profile_str(p, p->mappings[l->mapping].file));
    return file.len >= strlen(name) &&
           memcmp(file.ptr, name, strlen(name)) == 0;
}

void cp_prune_file(struct cp_profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_samples; i++) {
        struct cp_sample *s = &p->samples[i];
        const uint32_t *stack = p->locs + s->locs;
        uint32_t n = 0;

        while (n < s->n_locs && is_in_file(p, &p->locations[stack[n]], name))
            n++;
        if (n < s->n_locs)
            cut_inner(s, n);
    }
}
