/* trace.c - options of `cpprof trace`, and the reports that they select. */
#include "tool/trace/trace.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/codec/encode.h"
#include "profile/model/profile.h"
#include "tool/cli/flags.h"
#include "tool/cli/output.h"
#include "tool/cli/print.h"
#include "tool/trace/serve_trace.h"
#include "tool/trace/trace_print.h"
#include "tool/trace/trace_source.h"
#include "trace/read/read_profile.h"
#include "trace/read/read_spans.h"
#include "trace/read/read_threads.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 };

#define DEFAULT_SORT "run"

struct settings {
    const char *source, *sort, *profile, *http, *output;
    int max_rows, seconds;
    bool is_json, is_csv, no_browser, wants_help;
};

#define OPTION(name, kind, field, argument, help)                              \
    {                                                                          \
        name, kind, CP_HELP_FORMATS, offsetof(struct settings, field), 0,      \
            CP_PRODUCT_TEXT, 0, NULL, NULL, argument, help                     \
    }

static const struct cp_flag flags[] = {
    OPTION("sort", CP_FLAG_STRING, sort, "COLUMN",
           "sort the table by COLUMN (run); -COLUMN reverses"),
    OPTION("n", CP_FLAG_INT, max_rows, "N", "only the first N threads"),
    OPTION("json", CP_FLAG_BOOL, is_json, NULL, "the table as JSON"),
    OPTION("csv", CP_FLAG_BOOL, is_csv, NULL, "the table as CSV"),
    OPTION("pprof", CP_FLAG_STRING, profile, "KIND",
           "a profile of waiting: sched, sync, syscall or net"),
    OPTION("http", CP_FLAG_STRING, http, "HOST:PORT",
           "serve a page with a timeline of the threads"),
    OPTION("no_browser", CP_FLAG_BOOL, no_browser, NULL,
           "do not open a browser on the page"),
    OPTION("seconds", CP_FLAG_INT, seconds, "N",
           "how long to trace a running program"),
    OPTION("output", CP_FLAG_STRING, output, "FILE",
           "write to FILE instead of standard output"),
    OPTION("help", CP_FLAG_BOOL, wants_help, NULL, "this text"),
};
#define N_FLAGS (sizeof(flags) / sizeof(flags[0]))

const struct cp_flag *cp_trace_flag_at(size_t i)
{
    return i < N_FLAGS ? &flags[i] : NULL;
}

static void write_help(FILE *to)
{
    (void)fputs("usage: cpprof trace [OPTION]... FILE|ADDRESS\n\n", to);
    for (size_t i = 0; i < N_FLAGS; i++) {
        char name[64];

        (void)snprintf(name, sizeof(name), "%s%s%s", flags[i].name,
                       flags[i].argument ? "=" : "",
                       flags[i].argument ? flags[i].argument : "");
        (void)fprintf(to, "  -%-18s %s\n", name, flags[i].help);
    }
}

/* Stores the value of an option in the settings. */
static enum cp_status set_value(struct settings *s, const struct cp_flag *f,
                                const char *value, struct cp_error *err)
{
    char *target = (char *)s + f->offset, *end;
    long number;

    if (f->kind == CP_FLAG_BOOL) {
        *(bool *)(void *)target = true;
        return CP_OK;
    }
    if (f->kind == CP_FLAG_STRING) {
        *(const char **)(void *)target = value;
        return CP_OK;
    }
    number = strtol(value, &end, 10);
    if (!*value || *end || number < 1 || number > INT_MAX)
        return cp_error_set(err, CP_EUSAGE, "-%s=%.64s: not a positive number",
                            f->name, value);
    *(int *)(void *)target = (int)number;
    return CP_OK;
}

static const struct cp_flag *find_flag(const char *name, size_t len)
{
    if (len == 1 && *name == 'h')
        return &flags[N_FLAGS - 1];
    for (size_t i = 0; i < N_FLAGS; i++)
        if (strlen(flags[i].name) == len &&
            memcmp(flags[i].name, name, len) == 0)
            return &flags[i];
    return NULL;
}

/*
 * Parses the option at argv[*i] and its value, which may be the next argument.
 */
static enum cp_status parse_option(struct settings *s, int argc,
                                   const char *const *argv, int *i,
                                   struct cp_error *err)
{
    const char *word = argv[*i] + 1 + (argv[*i][1] == '-');
    size_t len = strcspn(word, "=");
    const struct cp_flag *f = find_flag(word, len);
    const char *value = word[len] == '=' ? word + len + 1 : NULL;

    if (!f)
        return cp_error_set(err, CP_EUSAGE, "unknown option: %.100s", argv[*i]);
    if (f->kind == CP_FLAG_BOOL && value)
        return cp_error_set(err, CP_EUSAGE, "-%s takes no value", f->name);
    if (f->kind != CP_FLAG_BOOL && !value) {
        if (*i + 1 >= argc)
            return cp_error_set(err, CP_EUSAGE, "-%s needs a value", f->name);
        value = argv[++*i];
    }
    return set_value(s, f, value, err);
}

static bool parse_kind(const char *name, enum cp_trace_profile_kind *out)
{
    for (int i = 0; i < CP_TRACE_PROFILE_N; i++)
        if (strcmp(name,
                   cp_trace_profile_name((enum cp_trace_profile_kind)i)) == 0) {
            *out = (enum cp_trace_profile_kind)i;
            return true;
        }
    return false;
}

static enum cp_status check_settings(const struct settings *s,
                                     struct cp_error *err)
{
    enum cp_trace_profile_kind kind;

    if (!s->source)
        return cp_error_set(err, CP_EUSAGE,
                            "no trace given; name a file or an address");
    if (s->profile && !parse_kind(s->profile, &kind))
        return cp_error_set(err, CP_EUSAGE,
                            "-pprof=%.40s: use sched, sync, syscall or net",
                            s->profile);
    if (s->is_json + s->is_csv + (s->profile != NULL) + (s->http != NULL) > 1)
        return cp_error_set(err, CP_EUSAGE,
                            "-json, -csv, -pprof and -http exclude each other");
    return cp_trace_threads_sort(NULL, s->sort, err);
}

static enum cp_status read_words(struct settings *s, int argc,
                                 const char *const *argv, struct cp_error *err)
{
    enum cp_status status = CP_OK;

    for (int i = 1; status == CP_OK && i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1])
            status = parse_option(s, argc, argv, &i, err);
        else if (s->source)
            status = cp_error_set(err, CP_EUSAGE,
                                  "more than one trace given: %.100s", argv[i]);
        else
            s->source = argv[i];
    }
    return status == CP_OK && !s->wants_help ? check_settings(s, err) : status;
}

static void warn(void *context, const char *line)
{
    (void)context;
    cp_print_line("", line);
}

/* Warns that the trace is truncated; the report covers the readable part. */
static void warn_truncated(const struct cp_trace_source *source,
                           const struct cp_trace_spans *spans)
{
    const struct cp_trace_summary *s = cp_trace_spans_summary(spans);
    char line[512];

    if (!s->is_cut)
        return;
    (void)snprintf(
        line, sizeof(line),
        "%s: truncated at byte %llu; the report covers the part before it",
        source->name, (unsigned long long)s->cut_at);
    warn(NULL, line);
}

static enum cp_status open_output(const struct settings *s,
                                  struct cp_output *output,
                                  struct cp_error *err)
{
    struct cp_command c = { .product =
                                s->profile ? CP_PRODUCT_FILE : CP_PRODUCT_TEXT,
                            .suffix = "pb.gz" };

    c.options.output = s->output ? s->output : "";
    return cp_output_open(output, &c, err);
}

static enum cp_status write_profile(const struct settings *s,
                                    const struct cp_trace_source *source,
                                    struct cp_out *out, struct cp_error *err)
{
    struct cp_trace_profile p = { 0 };
    struct cp_trace_watcher watcher = { .context = &p,
                                        .span = cp_trace_profile_add };
    struct cp_trace_spans *spans = NULL;
    struct cp_profile *profile = NULL;
    enum cp_status status;

    (void)parse_kind(s->profile, &p.kind);
    status =
        cp_trace_spans_read(&spans, source->bytes, source->len, &watcher, err);
    if (status == CP_OK) {
        warn_truncated(source, spans);
        profile = cp_trace_profile_make(&p, cp_trace_spans_names(spans), err);
        status = profile ? cp_encode_gzip(profile, out, err) : CP_ENOMEM;
    }
    cp_profile_free(profile);
    cp_trace_spans_free(spans);
    cp_trace_profile_release(&p);
    return status;
}

static enum cp_status write_table(const struct settings *s,
                                  const struct cp_trace_source *source,
                                  struct cp_out *out, struct cp_error *err)
{
    struct cp_trace_threads *t = NULL;
    enum cp_status status =
        cp_trace_threads_read(&t, source->bytes, source->len, err);

    if (status == CP_OK) {
        warn_truncated(source, t->spans);
        status = cp_trace_threads_sort(t, s->sort, err);
    }
    if (status == CP_OK)
        cp_trace_print(t,
                       s->is_json  ? CP_TRACE_STYLE_JSON
                       : s->is_csv ? CP_TRACE_STYLE_CSV
                                   : CP_TRACE_STYLE_TEXT,
                       (size_t)s->max_rows, out);
    cp_trace_threads_free(t);
    return status;
}

static enum cp_status write_answer(const struct settings *s,
                                   const struct cp_trace_source *source,
                                   struct cp_error *err)
{
    struct cp_output output;
    enum cp_status status = open_output(s, &output, err);

    if (status != CP_OK)
        return status;
    status = s->profile ? write_profile(s, source, &output.out, err)
                        : write_table(s, source, &output.out, err);
    if (status == CP_OK)
        return cp_output_finish(&output, err);
    cp_error_prefix(err, "%s: ", source->name);
    cp_output_abandon(&output);
    return status;
}

static enum cp_status run(const struct settings *s, struct cp_error *err)
{
    struct cp_trace_source source = { 0 };
    enum cp_status status =
        cp_trace_source_open(&source, s->source, s->seconds, warn, err);

    if (status != CP_OK) {
        cp_error_prefix(err, "%s: ", source.name);
        return status;
    }
    if (s->http)
        status = cp_serve_trace(&source, s->http, s->no_browser, err);
    else
        status = write_answer(s, &source, err);
    cp_trace_source_close(&source);
    return status;
}

int cp_trace_main(int argc, const char *const *argv)
{
    struct settings s = { .sort = DEFAULT_SORT };
    struct cp_error err = { 0 };
    enum cp_status status = read_words(&s, argc, argv, &err);

    if (status == CP_OK && s.wants_help) {
        write_help(stdout);
        return EXIT_OK;
    }
    if (status == CP_OK)
        status = run(&s, &err) == CP_OK ? CP_OK : CP_EIO;
    if (status == CP_OK)
        return EXIT_OK;
    cp_print_line("cpprof trace: ", err.msg);
    if (status != CP_EUSAGE)
        return EXIT_FAILED;
    (void)fputs("run cpprof trace -help for the options\n", stderr);
    return EXIT_MISUSED;
}
