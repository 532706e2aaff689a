/*
 * report_cases - tables of reports: a profile, flags, and the text wanted.
 *
 * Profiles are written as in report_fixture.h and have one mapping, /bin/prog.
 * Filters also match file names: -focus=b matches every frame because of "bin".
 * Flags are as on the command line. The texts were taken from google/pprof,
 * on the same profiles with the same flags.
 */
#ifndef CP_REPORT_CASES_H
#define CP_REPORT_CASES_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/out.h"
#include "base/strtab.h"
#include "check.h"
#include "profile/load/load.h"
#include "profile/model/profile.h"
#include "report/core/options.h"
#include "report/core/report.h"
#include "report_fixture.h"
#include "tool/cli/command.h"

#define REPORT_MAX_ROWS 8
#define REPORT_MAX_FLAGS 16

/* Texts that several reports contain. */
#define OF_PROG "File: prog\nType: cpu\n"
#define TOP_COLUMNS "      flat  flat%   sum%        cum   cum%\n"
#define RULE                                                                   \
    "----------------------------------------------------------+-------------" \
    "\n"
#define TREE_COLUMNS                                                           \
    "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "  \
    "\t \n"
#define TREE_HEAD RULE TREE_COLUMNS RULE
#define TRACE_RULE                                                             \
    "-----------+-------------------------------------------------------\n"

/* clang-format off */
/* Profiles of many cases. */
#define PLAIN_STACKS \
    { { "main|a", 30, false }, \
      { "main|b", 10, false }, \
      { "main|a|c", 60, false } }
#define TAGGED_STACKS \
    { { "main|get\tuser=bob\tbytes:64 bytes", 40, false }, \
      { "main|get\tuser=amy\tbytes:16 bytes", 30, false }, \
      { "main|put\tbytes:32 bytes", 20, false }, \
      { "main|put\twait:5 ms\tuser=bob", 10, false } }
/* The same as text. */
#define TAGGED_RAW \
    "PeriodType:  \n" \
    "Period: 0\n" \
    "Samples:\n" \
    "samples/count cpu/nanoseconds\n" \
    "          1         40: 1 2 \n" \
    "                user:[bob]\n" \
    "                bytes:[64 bytes]\n" \
    "          1         30: 3 4 \n" \
    "                user:[amy]\n" \
    "                bytes:[16 bytes]\n" \
    "          1         20: 5 6 \n" \
    "                bytes:[32 bytes]\n" \
    "          1         10: 7 8 \n" \
    "                user:[bob]\n" \
    "                wait:[5 ms]\n" \
    "Locations\n" \
    "     1: 0x1000 M=1 get /src/a.c:7:0 s=0()\n" \
    "     2: 0x1010 M=1 main /src/a.c:7:0 s=0()\n" \
    "     3: 0x1020 M=1 get /src/a.c:7:0 s=0()\n" \
    "     4: 0x1030 M=1 main /src/a.c:7:0 s=0()\n" \
    "     5: 0x1040 M=1 put /src/a.c:7:0 s=0()\n" \
    "     6: 0x1050 M=1 main /src/a.c:7:0 s=0()\n" \
    "     7: 0x1060 M=1 put /src/a.c:7:0 s=0()\n" \
    "     8: 0x1070 M=1 main /src/a.c:7:0 s=0()\n" \
    "Mappings\n" \
    "1: 0x1000/0x100000/0x0 /bin/prog  [FN]\n"
#define CROSSING_STACKS \
    { { "m|a1", 100, false }, \
      { "m|b2|a1", 90, false }, \
      { "m|c3", 5, false }, \
      { "m|c3|d4", 4, false }, \
      { "m|e5", 1, false }, \
      { "m|b2|c3|d4", 50, false } }
#define INLINED_STACKS \
    { { "main|outer~inner", 40, false }, \
      { "main|outer", 20, false }, \
      { "main|inner", 10, false } }
#define DIFF_STACKS \
    { { "main|a", 50, false }, \
      { "main|b", 20, false }, \
      { "main|c", 30, false }, \
      { "main|a", -40, true }, \
      { "main|b", -60, true } }
/* clang-format on */

struct report_case {
    const char *what;
    const char *flags; /* separated by spaces */
    struct fixture_row rows[REPORT_MAX_ROWS];
    const char *want;     /* the report or the error message */
    const char *warnings; /* NULL for none */
};

/* One mapping for all locations. */
static inline void report_add_mapping(struct cp_profile *p,
                                      struct cp_mapping mapping)
{
    p->mappings = cp_arena_alloc(&p->arena, 1, sizeof(*p->mappings), NULL);
    p->mappings[0] = mapping;
    p->mappings[0].id = 1;
    p->n_mappings = 1;
    for (uint32_t i = 0; i < p->n_locations; i++)
        p->locations[i].mapping = 0;
}

/* A written profile in the form of -raw. */
static inline char *report_reread(char *bytes, size_t len)
{
    struct cp_options o = cp_options_default();
    struct cp_bytes file = { 0 };
    struct cp_profile *p = NULL;
    char *text = NULL;

    if (cp_bytes_reserve(&file, len, NULL) == CP_OK) {
        memcpy(file.data, bytes, len);
        file.len = len;
        p = cp_load(&file, NULL);
    }
    o.format = CP_FORMAT_RAW;
    if (p && p->n_mappings == 0)
        report_add_mapping(p, (struct cp_mapping){ 0 });
    if (p)
        text = fixture_write(p, o, NULL);
    cp_profile_free(p);
    return text;
}

/* The report or the error message; the caller frees it. */
static inline char *report_text(struct cp_profile *p, struct cp_options options)
{
    struct cp_report r = { .profile = p,
                           .options = options,
                           .warn = fixture_warn };
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };
    enum cp_status status;
    char *text;

    fixture_warnings[0] = '\0';
    status = cp_report_init(&r, &err);
    if (status == CP_OK) {
        status = cp_report_write(&r, &out, &err);
        cp_report_release(&r);
    }
    if (status != CP_OK)
        text = strdup(err.msg);
    else if (options.format == CP_FORMAT_PROTO ||
             options.format == CP_FORMAT_TOPPROTO)
        text = report_reread(out.buf, out.len);
    else
        text = strndup(out.buf ? out.buf : "", out.len);
    cp_out_release(&out);
    return text;
}

static inline void report_run_case(const struct report_case *c)
{
    const char *argv[REPORT_MAX_FLAGS] = { "pprof", "source" };
    char *flags = strdup(c->flags), *save = NULL, *text = NULL;
    struct cp_command command;
    struct cp_profile *p;
    size_t n = 0;
    int argc = 2;

    for (char *word = strtok_r(flags, " ", &save);
         word && argc < REPORT_MAX_FLAGS; word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    while (n < REPORT_MAX_ROWS && c->rows[n].stack)
        n++;
    p = fixture_profile(c->rows, n);
    if (CHECK(p) && CHECK(cp_command_init(&command, argc, argv, NULL) == 0)) {
        report_add_mapping(
            p, (struct cp_mapping){
                   .start = 0x1000,
                   .limit = 0x100000,
                   .file = cp_strtab_add(&p->strings, "/bin/prog", 9, NULL),
                   .has_functions = true });
        text = report_text(p, command.options);
        CHECK_STR(text, c->want);
        CHECK_STR(fixture_warnings, c->warnings ? c->warnings : "");
        cp_command_release(&command);
    }
    cp_profile_free(p);
    free(text);
    free(flags);
}

static inline void report_run_cases(const struct report_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check_case(cases[i].what);
        report_run_case(&cases[i]);
    }
}

#endif
