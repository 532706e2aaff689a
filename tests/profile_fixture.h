/*
 * profile_fixture - converts small profiles from and to text, for tests of code
 * that reads and changes profiles.
 *
 * A stack is written "root|caller|leaf". A frame is "outer~inner" where inner
 * was inlined into outer, a name may have a file as in "name@file", and a
 * location ends in "!file" when it is in a mapping. "?" is a location without
 * function and mapping, "!file" one with only a mapping. Equal text is the same
 * location. Labels are written "key:text key=7unit".
 */
#ifndef CP_PROFILE_FIXTURE_H
#define CP_PROFILE_FIXTURE_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/strtab.h"
#include "profile/model/build.h"
#include "profile/model/profile.h"

struct profile_row {
    const char *stack; /* NULL ends the rows */
    int64_t values[2]; /* types samples/count and cpu/nanoseconds */
    const char *labels;
};

#define PROFILE_MAX_LOCATIONS 64
#define PROFILE_MAX_LABELS 16

struct profile_maker {
    struct cp_builder b;
    struct cp_str known[PROFILE_MAX_LOCATIONS]; /* text of each location */
};

static inline bool profile_is(const struct cp_profile *p, uint32_t id,
                              const char *text, size_t len)
{
    struct cp_str s = cp_profile_str(p, id);

    return s.len == len && memcmp(s.ptr, text, len) == 0;
}

/* The function "name" or "name@file", added if new. */
static inline uint32_t profile_function(struct cp_builder *b, const char *text,
                                        size_t len)
{
    const struct cp_profile *p = b->profile;
    const char *at = memchr(text, '@', len);
    size_t name = at ? (size_t)(at - text) : len;
    size_t file = at ? len - name - 1 : 0;
    struct cp_function f = { 0 };

    for (uint32_t i = 0; i < p->n_functions; i++)
        if (profile_is(p, p->functions[i].name, text, name) &&
            profile_is(p, p->functions[i].filename, at ? at + 1 : "", file))
            return i;
    f.name = f.system_name = cp_builder_str(b, text, name, NULL);
    f.filename = cp_builder_str(b, at ? at + 1 : "", file, NULL);
    return cp_builder_function(b, f, NULL);
}

static inline uint32_t profile_mapping(struct cp_builder *b, const char *file,
                                       size_t len)
{
    const struct cp_profile *p = b->profile;
    struct cp_mapping m = { .start = 0x1000, .limit = 0x100000 };

    for (uint32_t i = 0; i < p->n_mappings; i++)
        if (profile_is(p, p->mappings[i].file, file, len))
            return i;
    m.file = cp_builder_str(b, file, len, NULL);
    return cp_builder_mapping(b, m, NULL);
}

/* The location of this text; its address is 0x1000 times its id. */
static inline uint32_t profile_location(struct profile_maker *m,
                                        const char *text, size_t len)
{
    struct cp_builder *b = &m->b;
    const char *mark = memchr(text, '!', len);
    size_t end = mark ? (size_t)(mark - text) : len;
    uint32_t n = b->profile->n_locations, at;

    for (at = 0; at < n; at++)
        if (m->known[at].len == len && memcmp(m->known[at].ptr, text, len) == 0)
            return at;
    m->known[at] = (struct cp_str){ text, (uint32_t)len };
    (void)cp_builder_location(b, 0x1000 * ((uint64_t)at + 1), NULL);
    if (mark)
        b->profile->locations[at].mapping =
            profile_mapping(b, mark + 1, len - end - 1);
    if (end == 1 && text[0] == '?')
        return at;
    for (size_t i = end; i-- > 0;) {
        if (i > 0 && text[i - 1] != '~')
            continue;
        struct cp_line line = { profile_function(b, text + i, end - i), 0, 0 };

        (void)cp_builder_line(b, at, line, NULL);
        end = i > 0 ? i - 1 : 0;
    }
    return at;
}

static inline uint32_t profile_label_set(struct cp_builder *b, const char *text)
{
    struct cp_label labels[PROFILE_MAX_LABELS];
    uint32_t n = 0;

    while (text && *text && n < PROFILE_MAX_LABELS) {
        size_t key = strcspn(text, ":="), len = strcspn(text, " ");
        struct cp_label *l = &labels[n++];
        const char *value = text + key + 1;
        char *unit;

        *l = (struct cp_label){ .key = cp_builder_str(b, text, key, NULL) };
        if (text[key] == ':') {
            l->str = cp_builder_str(b, value, len - key - 1, NULL);
        } else {
            l->str = CP_NONE;
            l->num = strtoll(value, &unit, 10);
            l->unit =
                cp_builder_str(b, unit, len - (size_t)(unit - text), NULL);
        }
        text += len + (size_t)(text[len] == ' ');
    }
    return cp_builder_label_set(b, labels, n, NULL);
}

static inline void profile_sample(struct profile_maker *m,
                                  const struct profile_row *row)
{
    uint32_t locs[PROFILE_MAX_LOCATIONS], n = 0;
    size_t end = strlen(row->stack);

    for (size_t i = end; i-- > 0;) {
        if (i > 0 && row->stack[i - 1] != '|')
            continue;
        locs[n++] = profile_location(m, row->stack + i, end - i);
        end = i > 0 ? i - 1 : 0;
    }
    (void)cp_builder_sample(&m->b, locs, n, row->values,
                            profile_label_set(&m->b, row->labels), NULL);
}

/* A profile of the rows up to the first without a stack, at most n. */
static inline struct cp_profile *profile_of(const struct profile_row *rows,
                                            size_t n)
{
    struct profile_maker m;

    if (cp_builder_init(&m.b, NULL) != CP_OK)
        return NULL;
    (void)cp_builder_type(&m.b, "samples", "count", NULL);
    (void)cp_builder_type(&m.b, "cpu", "nanoseconds", NULL);
    (void)cp_builder_period(&m.b, "cpu", "nanoseconds", 1, NULL);
    for (size_t i = 0; i < n && rows[i].stack; i++)
        profile_sample(&m, &rows[i]);
    return cp_builder_take(&m.b);
}

/* Buffer of the text. */
struct profile_writer {
    char *text;
    size_t len, room;
};

__attribute__((format(printf, 2, 3))) static inline void
profile_put(struct profile_writer *w, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(w->text + w->len, w->room - w->len, fmt, args);
    va_end(args);
    if (n > 0 && (size_t)n < w->room - w->len)
        w->len += (size_t)n;
}

static inline void profile_put_location(struct profile_writer *w,
                                        const struct cp_profile *p,
                                        const struct cp_location *l)
{
    for (uint32_t i = l->n_lines; i-- > 0;) {
        const struct cp_function *f =
            &p->functions[p->lines[l->lines + i].function];

        profile_put(w, "%s", cp_profile_cstr(p, f->name));
        if (f->filename)
            profile_put(w, "@%s", cp_profile_cstr(p, f->filename));
        profile_put(w, "%s", i ? "~" : "");
    }
    if (l->mapping != CP_NONE)
        profile_put(w, "!%s", cp_profile_cstr(p, p->mappings[l->mapping].file));
    else if (l->n_lines == 0)
        profile_put(w, "?");
}

static inline void profile_put_labels(struct profile_writer *w,
                                      const struct cp_profile *p, uint32_t set)
{
    const struct cp_label_set *s = &p->label_sets[set];

    for (uint32_t i = 0; i < s->n_labels; i++) {
        const struct cp_label *l = &p->labels[s->labels + i];

        profile_put(w, " %s", cp_profile_cstr(p, l->key));
        if (l->str != CP_NONE)
            profile_put(w, ":%s", cp_profile_cstr(p, l->str));
        else
            profile_put(w, "=%" PRId64 "%s", l->num,
                        cp_profile_cstr(p, l->unit));
    }
}

/* One line "1,2 root|leaf key:text" per sample; valid until the next call. */
static inline const char *profile_text(const struct cp_profile *p)
{
    static char text[1 << 14];
    struct profile_writer w = { text, 0, sizeof(text) };

    text[0] = '\0';
    for (uint32_t i = 0; p && i < p->n_samples; i++) {
        const struct cp_sample *s = &p->samples[i];

        for (uint32_t k = 0; k < p->n_types; k++)
            profile_put(&w, "%s%" PRId64, k ? "," : "",
                        p->values[(size_t)i * p->n_types + k]);
        for (uint32_t k = s->n_locs; k-- > 0;) {
            profile_put(&w, "%s", k + 1 == s->n_locs ? " " : "|");
            profile_put_location(&w, p,
                                 &p->locations[cp_profile_stack(p, i)[k]]);
        }
        profile_put_labels(&w, p, s->label_set);
        profile_put(&w, "\n");
    }
    return text;
}

#endif
