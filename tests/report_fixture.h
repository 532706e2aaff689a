/*
 * report_fixture - small profiles and reports on them, for tests of reports.
 *
 * A stack is written "root|caller|leaf"; "outer~inner" is one location in
 * which inner was inlined into outer. Each frame of each stack gets an address
 * and a location of its own, so that only names can make them equal. Values
 * are of the type cpu in nanoseconds, with a count of 1 before them.
 */
#ifndef CP_REPORT_FIXTURE_H
#define CP_REPORT_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "profile/build.h"
#include "report/report.h"

struct fixture_row {
    const char *stack;
    int64_t value;
    bool is_base; /* labelled pprof::base=true */
};

#define FIXTURE_MOST_DEPTH 64

/* A location whose lines are the names of text, outermost first. */
static inline uint32_t fixture_location(struct cp_builder *b, const char *text,
                                        size_t len)
{
    uint64_t address = 0x1000 + (uint64_t)b->profile->n_locations * 16;
    uint32_t location = cp_builder_location(b, address, NULL);
    size_t end = len;

    for (size_t i = len; location != CP_NONE && i-- > 0;) {
        if (i > 0 && text[i - 1] != '~')
            continue;
        struct cp_function f = {
            .name = cp_builder_str(b, text + i, end - i, NULL),
            .filename = cp_builder_str(b, "/src/a.c", 8, NULL),
        };
        struct cp_line line = { .function = cp_builder_function(b, f, NULL),
                                .line = 7 };

        (void)cp_builder_line(b, location, line, NULL);
        end = i > 0 ? i - 1 : 0;
    }
    return location;
}

static inline void fixture_sample(struct cp_builder *b,
                                  const struct fixture_row *row)
{
    struct cp_label base = { .key = cp_builder_str(b, "pprof::base", 11, NULL),
                             .str = cp_builder_str(b, "true", 4, NULL) };
    int64_t values[] = { 1, row->value };
    uint32_t locs[FIXTURE_MOST_DEPTH], n = 0, set = 0;
    size_t end = strlen(row->stack);

    for (size_t i = end; i-- > 0 && n < FIXTURE_MOST_DEPTH;) {
        if (i > 0 && row->stack[i - 1] != '|')
            continue;
        locs[n++] = fixture_location(b, row->stack + i, end - i);
        end = i > 0 ? i - 1 : 0;
    }
    if (row->is_base)
        set = cp_builder_label_set(b, &base, 1, NULL);
    (void)cp_builder_sample(b, locs, n, values, set, NULL);
}

static inline struct cp_profile *fixture_profile(const struct fixture_row *rows,
                                                 size_t n)
{
    struct cp_builder b;

    if (cp_builder_init(&b, NULL) != CP_OK)
        return NULL;
    (void)cp_builder_type(&b, "samples", "count", NULL);
    (void)cp_builder_type(&b, "cpu", "nanoseconds", NULL);
    for (size_t i = 0; i < n; i++)
        fixture_sample(&b, &rows[i]);
    return cp_builder_take(&b);
}

/* The report as text to be freed, or NULL with *err set. */
static inline char *fixture_write(struct cp_profile *p,
                                  struct cp_options options,
                                  struct cp_error *err)
{
    struct cp_report r = { .profile = p, .options = options };
    struct cp_out out = { .fd = -1 };
    enum cp_status status = cp_report_init(&r, err);
    char *text = NULL;

    if (status != CP_OK)
        return NULL;
    status = cp_report_write(&r, &out, err);
    cp_out_char(&out, '\0');
    if (status == CP_OK)
        status = cp_out_finish(&out, err);
    if (status == CP_OK)
        text = strdup(out.buf);
    cp_out_release(&out);
    cp_report_release(&r);
    return text;
}

/* The same on a profile of these rows. */
static inline char *fixture_report(const struct fixture_row *rows, size_t n,
                                   struct cp_options options)
{
    struct cp_profile *p = fixture_profile(rows, n);
    char *text = p ? fixture_write(p, options, NULL) : NULL;

    cp_profile_free(p);
    return text;
}

#endif
