/* match.c - matches strings of a profile and caches the results. */
#include "profile/model/match.h"

#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/profile.h"
#include "profile/model/simple_name.h"
#include "regex/regex.h"

enum cp_status cp_match_init(struct cp_match *m, struct cp_regex *re,
                             const struct cp_profile *p, struct cp_error *err)
{
    *m = (struct cp_match){ .re = re };
    if (!re)
        return CP_OK;
    m->results = cp_alloc(p->strings.n, 1, err);
    return m->results ? CP_OK : CP_ENOMEM;
}

void cp_match_release(struct cp_match *m)
{
    cp_free(m->results);
    *m = (struct cp_match){ 0 };
}

bool cp_match_string(struct cp_match *m, const struct cp_profile *p,
                     uint32_t id)
{
    if (!m->results[id]) {
        struct cp_str text = cp_profile_str(p, id);

        if (m->is_simplified)
            text = cp_simple_name(text);
        m->results[id] = cp_regex_match(m->re, text.ptr, text.len) ? 2 : 1;
    }
    return m->results[id] == 2;
}

bool cp_match_line(struct cp_match *m, const struct cp_profile *p,
                   const struct cp_line *line)
{
    const struct cp_function *f = &p->functions[line->function];

    return cp_match_string(m, p, f->name) || cp_match_string(m, p, f->filename);
}

bool cp_match_mapping(struct cp_match *m, const struct cp_profile *p,
                      const struct cp_location *location)
{
    return location->mapping != CP_NONE &&
           cp_match_string(m, p, p->mappings[location->mapping].file);
}
