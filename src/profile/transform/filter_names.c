/* filter_names.c - the filters focus, ignore, hide, show and show_from. */
#include "profile/transform/filter_names.h"

#include <string.h>

#include "base/alloc.h"
#include "profile/model/match.h"
#include "profile/model/profile.h"
#include "regex/regex.h"

enum { NEITHER, FOCUSED, IGNORED };

struct marks {
    uint8_t *state; /* by location: focused, ignored or neither */
    bool *hidden;
    bool any_hidden;
};

static bool matches_name(struct cp_match *m, const struct cp_profile *p,
                         const struct cp_location *l)
{
    for (uint32_t i = 0; i < l->n_lines; i++)
        if (cp_match_line(m, p, &p->lines[l->lines + i]))
            return true;
    return cp_match_mapping(m, p, l);
}

/*
 * Keeps the lines whose match result equals `wanted`; a match of the mapping
 * counts for all.
 */
static void select_lines(struct cp_match *m, const struct cp_profile *p,
                         struct cp_location *l, bool wanted)
{
    struct cp_line *lines = p->lines + l->lines;
    bool by_mapping = cp_match_mapping(m, p, l);
    uint32_t n = 0;

    for (uint32_t i = 0; i < l->n_lines; i++)
        if ((by_mapping || cp_match_line(m, p, &lines[i])) == wanted)
            lines[n++] = lines[i];
    l->n_lines = n;
}

static void mark_location(struct cp_profile *p, uint32_t i,
                          struct cp_name_filter *f, struct cp_match m[4],
                          struct marks *marks)
{
    struct cp_location *l = &p->locations[i];

    if (f->ignore && matches_name(&m[1], p, l)) {
        f->ignore_matched = true;
        marks->state[i] = IGNORED;
    } else if (!f->focus || matches_name(&m[0], p, l)) {
        f->focus_matched = true;
        marks->state[i] = FOCUSED;
    }
    if (f->hide && matches_name(&m[2], p, l)) {
        f->hide_matched = true;
        select_lines(&m[2], p, l, false);
        marks->hidden[i] = l->n_lines == 0;
    }
    if (f->show) {
        select_lines(&m[3], p, l, true);
        if (l->n_lines > 0)
            f->show_matched = true;
        else
            marks->hidden[i] = true;
    }
    marks->any_hidden |= marks->hidden[i];
}

static bool is_wanted(const struct cp_profile *p, uint32_t sample,
                      const uint8_t *state)
{
    const uint32_t *stack = cp_profile_stack(p, sample);
    bool any = false;

    for (uint32_t i = 0; i < p->samples[sample].n_locs; i++) {
        if (state[stack[i]] == IGNORED)
            return false;
        any |= state[stack[i]] == FOCUSED;
    }
    return any;
}

static void drop_hidden(struct cp_profile *p, uint32_t sample,
                        const bool *hidden)
{
    uint32_t *stack = cp_profile_stack(p, sample), n = 0;

    for (uint32_t i = 0; i < p->samples[sample].n_locs; i++)
        if (!hidden[stack[i]])
            stack[n++] = stack[i];
    p->samples[sample].n_locs = n;
}

void cp_filter_keep(struct cp_profile *p, const bool *keep)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n_samples; i++) {
        if (!keep[i])
            continue;
        if (n != i) {
            p->samples[n] = p->samples[i];
            memcpy(p->values + (size_t)n * p->n_types,
                   p->values + (size_t)i * p->n_types,
                   p->n_types * sizeof(*p->values));
        }
        n++;
    }
    p->n_samples = n;
}

static enum cp_status apply_marks(struct cp_profile *p,
                                  const struct marks *marks,
                                  struct cp_error *err)
{
    bool *keep = cp_alloc(p->n_samples, sizeof(*keep), err);

    if (!keep)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < p->n_samples; i++) {
        keep[i] = is_wanted(p, i, marks->state);
        if (keep[i] && marks->any_hidden) {
            drop_hidden(p, i, marks->hidden);
            keep[i] = p->samples[i].n_locs > 0;
        }
    }
    cp_filter_keep(p, keep);
    cp_free(keep);
    return CP_OK;
}

/* Returns the first match error; cp_match reports errors only on request. */
static enum cp_status check_all(struct cp_name_filter *f, struct cp_error *err)
{
    struct cp_regex *all[] = { f->focus, f->ignore, f->hide, f->show };
    enum cp_status status = CP_OK;

    for (size_t i = 0; status == CP_OK && i < 4; i++)
        if (all[i])
            status = cp_regex_check(all[i], err);
    return status;
}

enum cp_status cp_filter_names(struct cp_profile *p, struct cp_name_filter *f,
                               struct cp_error *err)
{
    struct cp_match m[4] = { { 0 } };
    struct marks marks = { 0 };
    enum cp_status status = CP_ENOMEM;

    if (!f->focus && !f->ignore && !f->hide && !f->show) {
        f->focus_matched = true;
        return CP_OK;
    }
    marks.state = cp_alloc(p->n_locations, 1, err);
    marks.hidden = cp_alloc(p->n_locations, sizeof(bool), err);
    if (marks.state && marks.hidden &&
        cp_match_init(&m[0], f->focus, p, err) == CP_OK &&
        cp_match_init(&m[1], f->ignore, p, err) == CP_OK &&
        cp_match_init(&m[2], f->hide, p, err) == CP_OK &&
        cp_match_init(&m[3], f->show, p, err) == CP_OK) {
        for (uint32_t i = 0; i < p->n_locations; i++)
            mark_location(p, i, f, m, &marks);
        status = apply_marks(p, &marks, err);
    }
    for (size_t i = 0; i < 4; i++)
        cp_match_release(&m[i]);
    cp_free(marks.state);
    cp_free(marks.hidden);
    return status == CP_OK ? check_all(f, err) : status;
}

/*
 * Removes the lines outside of the outermost match; false if no line matches.
 */
static bool show_location_from(struct cp_match *m, const struct cp_profile *p,
                               struct cp_location *l)
{
    if (cp_match_mapping(m, p, l))
        return true;
    for (uint32_t i = l->n_lines; i > 0; i--) {
        if (cp_match_line(m, p, &p->lines[l->lines + i - 1])) {
            l->n_lines = i;
            return true;
        }
    }
    return false;
}

static bool show_sample_from(struct cp_profile *p, uint32_t sample,
                             const bool *has_match)
{
    const uint32_t *stack = cp_profile_stack(p, sample);

    for (uint32_t i = p->samples[sample].n_locs; i > 0; i--) {
        if (has_match[stack[i - 1]]) {
            p->samples[sample].n_locs = i;
            return true;
        }
    }
    return false;
}

enum cp_status cp_filter_show_from(struct cp_profile *p, struct cp_regex *re,
                                   bool *matched, struct cp_error *err)
{
    bool *has_match = cp_alloc(p->n_locations, sizeof(*has_match), err);
    bool *keep = cp_alloc(p->n_samples, sizeof(*keep), err);
    struct cp_match m = { 0 };
    enum cp_status status = CP_ENOMEM;

    *matched = false;
    if (has_match && keep && cp_match_init(&m, re, p, err) == CP_OK) {
        for (uint32_t i = 0; i < p->n_locations; i++) {
            has_match[i] = show_location_from(&m, p, &p->locations[i]);
            *matched |= has_match[i];
        }
        for (uint32_t i = 0; i < p->n_samples; i++)
            keep[i] = show_sample_from(p, i, has_match);
        cp_filter_keep(p, keep);
        status = cp_regex_check(re, err);
    }
    cp_match_release(&m);
    cp_free(keep);
    cp_free(has_match);
    return status;
}
