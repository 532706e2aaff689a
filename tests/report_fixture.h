/*
 * report_fixture - small profiles and reports on them, for tests of reports.
 *
 * A stack is written "root|caller|leaf"; "outer~inner" is one location in
 * which inner was inlined into outer. A name may be followed by its place,
 * "name@/src/b.c:5:2"; the default is line 7 of /src/a.c. "-" is a location
 * without lines. Labels follow after tabs, "key=text" or "key:5 bytes". Each
 * frame of each stack has its own address and location, so that only names can
 * make frames equal. Values have the type cpu in nanoseconds, after a count of
 * 1.
 */
#ifndef CP_REPORT_FIXTURE_H
#define CP_REPORT_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/out.h"
#include "profile/model/build.h"
#include "profile/model/profile.h"
#include "report/core/options.h"
#include "report/core/report.h"

struct fixture_row {
    const char *stack;
    int64_t value;
    bool is_base; /* labelled pprof::base=true */
};

#define FIXTURE_MAX_DEPTH 64
#define FIXTURE_MAX_LABELS 8

/* Parses "name@file:line:column" into a line. */
static inline struct cp_line fixture_line(struct cp_builder *b,
                                          const char *text, size_t len)
{
    const char *at = memchr(text, '@', len);
    const char *file = at ? at + 1 : "/src/a.c";
    const char *colon = at ? strchr(at, ':') : NULL;
    size_t file_len = colon ? (size_t)(colon - file) : strlen("/src/a.c");
    struct cp_function f = {
        .name = cp_builder_str(b, text, at ? (size_t)(at - text) : len, NULL),
        .filename = cp_builder_str(b, file, file_len, NULL),
    };
    struct cp_line line = { .line = 7 };
    char *end = NULL;

    if (colon)
        line.line = strtol(colon + 1, &end, 10);
    if (end && *end == ':')
        line.column = strtol(end + 1, NULL, 10);
    line.function = cp_builder_function(b, f, NULL);
    return line;
}

/* A location whose lines are the names of text, outermost first. */
static inline uint32_t fixture_location(struct cp_builder *b, const char *text,
                                        size_t len)
{
    uint64_t address = 0x1000 + (uint64_t)b->profile->n_locations * 16;
    uint32_t location = cp_builder_location(b, address, NULL);
    size_t end = len;

    if (len == 1 && *text == '-')
        return location;
    for (size_t i = len; location != CP_NONE && i-- > 0;) {
        if (i > 0 && text[i - 1] != '~')
            continue;
        (void)cp_builder_line(b, location, fixture_line(b, text + i, end - i),
                              NULL);
        end = i > 0 ? i - 1 : 0;
    }
    return location;
}

/* The label "key=text" or "key:5 bytes"; ends at a tab or the end. */
static inline struct cp_label fixture_label(struct cp_builder *b,
                                            const char *text)
{
    size_t len = strcspn(text, "\t");
    bool is_text = memchr(text, '=', len) != NULL;
    size_t key_len = strcspn(text, is_text ? "=" : ":");
    struct cp_label label = { .key = cp_builder_str(b, text, key_len, NULL),
                              .str = CP_NONE };
    const char *value = text + key_len + 1;
    char *unit;

    if (is_text) {
        label.str = cp_builder_str(b, value, len - key_len - 1, NULL);
        return label;
    }
    label.num = strtoll(value, &unit, 10);
    if (*unit == ' ')
        label.unit =
            cp_builder_str(b, unit + 1, (size_t)(text + len - unit - 1), NULL);
    return label;
}

static inline void fixture_sample(struct cp_builder *b,
                                  const struct fixture_row *row)
{
    struct cp_label labels[FIXTURE_MAX_LABELS];
    int64_t values[] = { 1, row->value };
    uint32_t locs[FIXTURE_MAX_DEPTH], n = 0, n_labels = 0, set = 0;
    size_t end = strcspn(row->stack, "\t");
    const char *tab = strchr(row->stack, '\t');

    for (size_t i = end; i-- > 0 && n < FIXTURE_MAX_DEPTH;) {
        if (i > 0 && row->stack[i - 1] != '|')
            continue;
        locs[n++] = fixture_location(b, row->stack + i, end - i);
        end = i > 0 ? i - 1 : 0;
    }
    for (; tab && n_labels < FIXTURE_MAX_LABELS - 1;
         tab = strchr(tab + 1, '\t'))
        labels[n_labels++] = fixture_label(b, tab + 1);
    if (row->is_base)
        labels[n_labels++] = fixture_label(b, "pprof::base=true");
    if (n_labels > 0)
        set = cp_builder_label_set(b, labels, n_labels, NULL);
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

/* Warnings of the last report, one per line. */
static char fixture_warnings[1024];

static inline void fixture_warn(void *context, const char *line)
{
    size_t used = strlen(fixture_warnings);

    (void)context;
    (void)snprintf(fixture_warnings + used, sizeof(fixture_warnings) - used,
                   "%s\n", line);
}

/* The report, which the caller frees; or NULL with *err set. */
static inline char *fixture_write(struct cp_profile *p,
                                  struct cp_options options,
                                  struct cp_error *err)
{
    struct cp_report r = { .profile = p,
                           .options = options,
                           .warn = fixture_warn };
    struct cp_out out = { .fd = -1 };
    enum cp_status status;
    char *text = NULL;

    fixture_warnings[0] = '\0';
    status = cp_report_init(&r, err);
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
