/*
 * firefox.c - the report "firefox": a file for profiler.firefox.com.
 *
 * The "processed" form, in version 55; the page upgrades what is older than
 * itself. Samples become threads by their labels thread, process, pid
 * and tid. Values
 * become weights: times in milliseconds, bytes, or plain numbers. The format
 * wants each sample to have a time, so they follow each other, each as long
 * as it weighs. "cpprof" in meta has the sample type for import/gecko.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"
#include "base/units.h"
#include "report/escape.h"
#include "report/firefox_tables.h"
#include "report/formats.h"

#define VERSION "55"

/* A thread, by the labels of its samples. */
struct thread {
    uint32_t name, process; /* strings, 0: none */
    int64_t pid, tid;
};

/* The file of a mapping. */
struct lib {
    uint32_t file, build_id; /* strings */
};

struct writer {
    const struct cp_report *r;
    struct cp_out *out;
    struct cp_frames frames;
    struct cp_firefox_tables tables;
    struct thread *threads;
    uint32_t n_threads;
    uint32_t *thread_of_set;
    uint32_t *samples;      /* those with a value, thread by thread */
    uint32_t *first_sample; /* by thread, and one past the last */
    struct lib *libs;
    uint32_t n_libs;
    uint32_t *lib_of; /* by string: a file's library, or CP_NONE */
    bool is_time;
    struct cp_scale to_ms;
    struct cp_error *err;
};

static struct cp_str text(const char *cstr)
{
    return (struct cp_str){ cstr, (uint32_t)strlen(cstr) };
}

/* What the labels of a set say of the thread. */
static struct thread thread_of(const struct cp_profile *p, uint32_t set)
{
    const struct cp_label_set *s = &p->label_sets[set];
    struct thread t = { 0 };

    for (uint32_t i = 0; i < s->n_labels; i++) {
        const struct cp_label *l = &p->labels[s->labels + i];
        const char *key = cp_profile_cstr(p, l->key);
        int64_t number = l->num;

        if (l->str != CP_NONE)
            number = atoll(cp_profile_cstr(p, l->str));
        if (strcmp(key, "thread") == 0 && l->str != CP_NONE)
            t.name = l->str;
        else if (strcmp(key, "process") == 0 && l->str != CP_NONE)
            t.process = l->str;
        else if (strcmp(key, "pid") == 0)
            t.pid = number;
        else if (strcmp(key, "tid") == 0 || strcmp(key, "thread") == 0)
            t.tid = number;
    }
    return t;
}

/* Finds the thread of each label set. */
static enum cp_status find_threads(struct writer *w)
{
    const struct cp_profile *p = w->r->profile;
    struct cp_arena arena = { 0 };
    struct cp_strtab keys;
    enum cp_status status =
        cp_strtab_init(&keys, &arena, p->n_label_sets, w->err);

    for (uint32_t i = 0; status == CP_OK && i < p->n_label_sets; i++) {
        struct thread t = thread_of(p, i);
        char key[80];
        int len = snprintf(key, sizeof(key), "%u/%u/%lld/%lld", t.name,
                           t.process, (long long)t.pid, (long long)t.tid);
        uint32_t n = cp_strtab_add(&keys, key, (size_t)len, w->err);

        if (n == CP_NO_STR) {
            status = CP_ENOMEM;
            break;
        }
        w->thread_of_set[i] = n - 1; /* 0 is the empty string */
        w->threads[n - 1] = t;
        w->n_threads = keys.n - 1;
    }
    cp_arena_release(&arena);
    return status;
}

static int64_t value_of(const struct writer *w, uint32_t sample)
{
    int64_t div, value = cp_report_sample(w->r, sample, &div);

    return cp_report_divide(w->r, cp_report_mean(value, div));
}

/* Sorts the samples that have a value by thread, keeping their order. */
static void sort_samples(struct writer *w)
{
    const struct cp_profile *p = w->r->profile;
    uint32_t *at = w->first_sample, n_all;

    for (uint32_t i = 0; i < p->n_samples; i++)
        if (value_of(w, i) != 0 && p->samples[i].n_locs > 0)
            at[w->thread_of_set[p->samples[i].label_set] + 1]++;
    for (uint32_t i = 0; i < w->n_threads; i++)
        at[i + 1] += at[i];
    n_all = at[w->n_threads];
    for (uint32_t i = p->n_samples; i-- > 0;)
        if (value_of(w, i) != 0 && p->samples[i].n_locs > 0)
            w->samples[--at[w->thread_of_set[p->samples[i].label_set] + 1]] = i;
    memmove(at, at + 1, w->n_threads * sizeof(*at));
    at[w->n_threads] = n_all;
}

/* Libraries are the files of mappings, each once. */
static void list_libs(struct writer *w)
{
    const struct cp_profile *p = w->r->profile;

    memset(w->lib_of, 0xff, p->strings.n * sizeof(*w->lib_of));
    for (uint32_t i = 0; i < p->n_mappings; i++) {
        const struct cp_mapping *m = &p->mappings[i];
        uint32_t *lib = &w->lib_of[m->file];

        if (*lib == CP_NONE && m->file) {
            *lib = w->n_libs;
            w->libs[w->n_libs++].file = m->file;
        }
        if (*lib != CP_NONE && !w->libs[*lib].build_id)
            w->libs[*lib].build_id = m->build_id;
    }
}

static void write_libs(const struct writer *w)
{
    const struct cp_profile *p = w->r->profile;

    cp_out_cstr(w->out, "\"libs\":[");
    for (uint32_t i = 0; i < w->n_libs; i++) {
        struct cp_str path = cp_profile_str(p, w->libs[i].file);
        uint32_t build_id = w->libs[i].build_id;

        cp_out_cstr(w->out, i ? ",\n{\"arch\":null,\"name\":"
                              : "{\"arch\":null,\"name\":");
        cp_escape_json(w->out, cp_path_base(path));
        cp_out_cstr(w->out, ",\"path\":");
        cp_escape_json(w->out, path);
        cp_out_cstr(w->out, ",\"debugName\":");
        cp_escape_json(w->out, cp_path_base(path));
        cp_out_cstr(w->out, ",\"debugPath\":");
        cp_escape_json(w->out, path);
        cp_out_cstr(w->out, ",\"breakpadId\":"
                            "\"000000000000000000000000000000000\","
                            "\"codeId\":");
        if (build_id)
            cp_escape_json(w->out, cp_profile_str(p, build_id));
        else
            cp_out_cstr(w->out, "null");
        cp_out_char(w->out, '}');
    }
    cp_out_cstr(w->out, "],\n");
}

static void write_meta(const struct writer *w)
{
    const struct cp_profile *p = w->r->profile;
    struct cp_str product = text("program");

    if (p->n_mappings && p->mappings[0].file)
        product = cp_path_base(cp_profile_str(p, p->mappings[0].file));
    cp_out_printf(w->out,
                  "{\"meta\":{\"interval\":1,\"startTime\":%lld,"
                  "\"processType\":0,\"stackwalk\":1,\"debug\":false,"
                  "\"version\":30,\"preprocessedProfileVersion\":" VERSION
                  ",\"symbolicated\":true,\"markerSchema\":[],"
                  "\"importedFrom\":\"cpprof\",\"product\":",
                  (long long)(p->time_ns / 1000000));
    cp_escape_json(w->out, product);
    cp_out_cstr(w->out,
                ",\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
                "\"subcategories\":[\"Other\"]},{\"name\":\"User\",\"color\":"
                "\"yellow\",\"subcategories\":[\"Other\"]},{\"name\":"
                "\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]"
                "}],\"cpprof\":{\"type\":");
    cp_escape_json(w->out, text(w->r->sample_type));
    cp_out_cstr(w->out, ",\"unit\":");
    cp_escape_json(w->out, text(w->r->sample_unit));
    cp_out_cstr(w->out, "}},\n");
}

/* What a column of a table has in each row. */
enum column {
    COL_STACK_FRAME,
    COL_STACK_PREFIX,
    COL_SELF, /* the row's number; names are the first strings */
    COL_FILE,
    COL_LINE,
    COL_COLUMN,
    COL_START_LINE,
    COL_LIB,
    COL_CATEGORY,
    COL_NULL,
    COL_ZERO,
    COL_MINUS_ONE,
    COL_FALSE,
};

static bool is_kernel(const struct writer *w, const struct cp_node_info *info)
{
    return strncmp(cp_profile_cstr(w->r->profile, info->objfile), "[kernel",
                   7) == 0;
}

static void write_or(struct cp_out *out, int64_t value, bool is_there,
                     const char *otherwise)
{
    if (is_there)
        cp_out_i64(out, value);
    else
        cp_out_cstr(out, otherwise);
}

static void write_cell(const struct writer *w, enum column c, uint32_t row)
{
    const struct cp_firefox_tables *t = &w->tables;
    const struct cp_node_info *info = c >= COL_SELF && row < t->n_frames
                                          ? &w->frames.infos[t->infos[row]]
                                          : NULL;
    struct cp_out *out = w->out;

    switch (c) {
    case COL_STACK_FRAME:
        cp_out_u64(out, t->stacks[row].frame);
        break;
    case COL_STACK_PREFIX:
        write_or(out, t->stacks[row].prefix, t->stacks[row].prefix != CP_NONE,
                 "null");
        break;
    case COL_SELF:
        cp_out_u64(out, row);
        break;
    case COL_FILE:
        write_or(out, (int64_t)t->n_frames + row,
                 info && info->name && info->file, "null");
        break;
    case COL_LINE:
        write_or(out, info ? info->line : 0,
                 info && info->name && info->line > 0, "null");
        break;
    case COL_COLUMN:
        write_or(out, info ? info->column : 0,
                 info && info->name && info->column > 0, "null");
        break;
    case COL_START_LINE:
        write_or(out, info ? info->start_line : 0, info && info->start_line > 0,
                 "null");
        break;
    case COL_LIB: {
        uint32_t lib = info ? w->lib_of[info->objfile] : CP_NONE;

        write_or(out, lib, lib != CP_NONE, "-1");
        break;
    }
    case COL_CATEGORY:
        cp_out_char(out, info && is_kernel(w, info) ? '2' : '1');
        break;
    case COL_NULL:
        cp_out_cstr(out, "null");
        break;
    case COL_ZERO:
        cp_out_char(out, '0');
        break;
    case COL_MINUS_ONE:
        cp_out_cstr(out, "-1");
        break;
    case COL_FALSE:
        cp_out_cstr(out, "false");
        break;
    }
}

struct table_column {
    const char *name;
    enum column what;
};

static void write_table(const struct writer *w, const char *name,
                        const struct table_column *columns, size_t n_columns,
                        uint32_t n_rows)
{
    cp_out_printf(w->out, ",\n\"%s\":{\"length\":%u", name, n_rows);
    for (size_t c = 0; c < n_columns; c++) {
        cp_out_printf(w->out, ",\"%s\":[", columns[c].name);
        for (uint32_t i = 0; i < n_rows; i++) {
            if (i)
                cp_out_char(w->out, ',');
            write_cell(w, columns[c].what, i);
        }
        cp_out_char(w->out, ']');
    }
    cp_out_char(w->out, '}');
}

#define WRITE_TABLE(w, name, columns, n_rows)                                  \
    write_table(w, name, columns, sizeof(columns) / sizeof(columns[0]), n_rows)

static void write_tables(const struct writer *w)
{
    static const struct table_column stacks[] = {
        { "frame", COL_STACK_FRAME }, { "prefix", COL_STACK_PREFIX }
    };
    static const struct table_column frames[] = {
        { "address", COL_MINUS_ONE },  { "inlineDepth", COL_ZERO },
        { "category", COL_CATEGORY },  { "subcategory", COL_ZERO },
        { "func", COL_SELF },          { "nativeSymbol", COL_NULL },
        { "innerWindowID", COL_NULL }, { "line", COL_LINE },
        { "column", COL_COLUMN },
    };
    static const struct table_column funcs[] = {
        { "name", COL_SELF },           { "isJS", COL_FALSE },
        { "relevantForJS", COL_FALSE }, { "resource", COL_LIB },
        { "fileName", COL_FILE },       { "lineNumber", COL_START_LINE },
        { "columnNumber", COL_NULL },
    };

    WRITE_TABLE(w, "stackTable", stacks, w->tables.n_stacks);
    WRITE_TABLE(w, "frameTable", frames, w->tables.n_frames);
    WRITE_TABLE(w, "funcTable", funcs, w->tables.n_frames);
    cp_out_cstr(w->out,
                ",\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],"
                "\"address\":[],\"name\":[],\"functionSize\":[]},\n"
                "\"markers\":{\"length\":0,\"data\":[],\"name\":[],"
                "\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]}"
                ",\n\"resourceTable\":{\"length\":");
    cp_out_u64(w->out, w->n_libs);
    for (int c = 0; c < 4; c++) {
        static const char *const names[] = { "lib", "name", "host", "type" };

        cp_out_printf(w->out, ",\"%s\":[", names[c]);
        for (uint32_t i = 0; i < w->n_libs; i++) {
            cp_out_cstr(w->out, i ? "," : "");
            if (c < 2)
                cp_out_u64(w->out, c ? w->tables.n_frames * 2 + i : i);
            else
                cp_out_cstr(w->out, c == 2 ? "null" : "1");
        }
        cp_out_char(w->out, ']');
    }
    cp_out_char(w->out, '}');
}

/* The names of the frames, their files, and the libraries. */
static enum cp_status write_strings(const struct writer *w)
{
    const struct cp_profile *p = w->r->profile;
    const struct cp_firefox_tables *t = &w->tables;
    struct cp_arena scratch = { 0 };
    enum cp_status status = CP_OK;

    cp_out_cstr(w->out, ",\n\"stringArray\":[");
    for (uint32_t i = 0; status == CP_OK && i < t->n_frames; i++) {
        const struct cp_node_info *info = &w->frames.infos[t->infos[i]];
        struct cp_str name = info->name
                                 ? cp_profile_str(p, info->name)
                                 : cp_frames_name(p, info, &scratch, w->err);

        status = name.ptr ? CP_OK : CP_ENOMEM;
        cp_out_cstr(w->out, i ? ",\n" : "");
        cp_escape_json(w->out, name);
    }
    for (uint32_t i = 0; i < t->n_frames; i++) {
        cp_out_cstr(w->out, ",\n");
        cp_escape_json(w->out,
                       cp_profile_str(p, w->frames.infos[t->infos[i]].file));
    }
    for (uint32_t i = 0; i < w->n_libs; i++) {
        cp_out_cstr(w->out, t->n_frames || i ? ",\n" : "");
        cp_escape_json(w->out,
                       cp_path_base(cp_profile_str(p, w->libs[i].file)));
    }
    cp_out_char(w->out, ']');
    cp_arena_release(&scratch);
    return status;
}

/* A weight; times are in milliseconds, exact to the nanosecond. */
static void write_weight(const struct writer *w, int64_t value)
{
    const char *unit;

    if (w->is_time)
        cp_out_printf(w->out, "%.6f", cp_scale_value(&w->to_ms, value, &unit));
    else
        cp_out_i64(w->out, value);
}

static double length_ms(const struct writer *w, int64_t value)
{
    const char *unit;
    double ms = w->is_time ? cp_scale_value(&w->to_ms, value, &unit) : 1;

    return ms > 0 ? ms : 0;
}

static enum cp_status write_samples(struct writer *w, uint32_t thread)
{
    uint32_t from = w->first_sample[thread], to = w->first_sample[thread + 1];
    const char *type = w->is_time                                ? "tracing-ms"
                       : strcmp(w->r->sample_unit, "bytes") == 0 ? "bytes"
                                                                 : "samples";
    enum cp_status status = CP_OK;
    double now = 0;
    uint32_t stack;

    cp_out_printf(w->out,
                  ",\n\"samples\":{\"length\":%u,\"weightType\":\"%s\","
                  "\"stack\":[",
                  to - from, type);
    for (uint32_t i = from; status == CP_OK && i < to; i++) {
        status = cp_firefox_tables_add(&w->tables, w->r->profile, w->samples[i],
                                       &stack, w->err);
        cp_out_cstr(w->out, i > from ? "," : "");
        cp_out_u64(w->out, stack);
    }
    cp_out_cstr(w->out, "],\"time\":[");
    for (uint32_t i = from; i < to; i++) {
        cp_out_printf(w->out, "%s%.6f", i > from ? "," : "", now);
        now += length_ms(w, value_of(w, w->samples[i]));
    }
    cp_out_cstr(w->out, "],\"weight\":[");
    for (uint32_t i = from; i < to; i++) {
        cp_out_cstr(w->out, i > from ? "," : "");
        write_weight(w, value_of(w, w->samples[i]));
    }
    cp_out_cstr(w->out, "]}");
    return status;
}

static enum cp_status write_thread(struct writer *w, uint32_t i)
{
    const struct thread *t = &w->threads[i];
    enum cp_status status;

    cp_out_cstr(w->out, "{\"name\":");
    cp_escape_json(w->out, t->name ? cp_profile_str(w->r->profile, t->name)
                                   : text("all"));
    if (t->process) {
        cp_out_cstr(w->out, ",\"processName\":");
        cp_escape_json(w->out, cp_profile_str(w->r->profile, t->process));
    }
    cp_out_printf(w->out,
                  ",\"pid\":\"%lld\",\"tid\":%lld,\"isMainThread\":%s,"
                  "\"processType\":\"default\",\"processStartupTime\":0,"
                  "\"processShutdownTime\":null,\"registerTime\":0,"
                  "\"unregisterTime\":null,\"pausedRanges\":[]",
                  (long long)t->pid, (long long)t->tid,
                  t->pid == t->tid ? "true" : "false");
    status = write_samples(w, i);
    if (status != CP_OK)
        return status;
    write_tables(w);
    status = write_strings(w);
    cp_out_char(w->out, '}');
    return status;
}

static enum cp_status write_all(struct writer *w)
{
    enum cp_status status = CP_OK;
    bool is_first = true;

    write_meta(w);
    write_libs(w);
    cp_out_cstr(w->out, "\"threads\":[");
    for (uint32_t i = 0; status == CP_OK && i < w->n_threads; i++) {
        if (w->first_sample[i] == w->first_sample[i + 1])
            continue;
        cp_out_cstr(w->out, is_first ? "\n" : ",\n");
        is_first = false;
        cp_firefox_tables_reset(&w->tables);
        status = write_thread(w, i);
    }
    cp_out_cstr(w->out,
                "],\"pages\":[],\"counters\":[],\"profilerOverhead\":[]}"
                "\n");
    return status;
}

static enum cp_status prepare(struct writer *w)
{
    const struct cp_profile *p = w->r->profile;
    size_t n_sets = p->n_label_sets;

    w->threads = cp_alloc(n_sets, sizeof(*w->threads), w->err);
    w->thread_of_set = cp_alloc(n_sets, sizeof(*w->thread_of_set), w->err);
    w->samples = cp_alloc(p->n_samples, sizeof(*w->samples), w->err);
    w->first_sample = cp_alloc(n_sets + 2, sizeof(*w->first_sample), w->err);
    w->libs = cp_alloc(p->n_mappings, sizeof(*w->libs), w->err);
    w->lib_of = cp_alloc(p->strings.n, sizeof(*w->lib_of), w->err);
    if (!w->threads || !w->thread_of_set || !w->samples || !w->first_sample ||
        !w->libs || !w->lib_of || find_threads(w) != CP_OK)
        return CP_ENOMEM;
    w->is_time = cp_unit_same_family(w->r->sample_unit, "nanoseconds");
    cp_scale_init(&w->to_ms, w->r->sample_unit, "ms");
    sort_samples(w);
    list_libs(w);
    return cp_firefox_tables_init(&w->tables, &w->frames, w->err);
}

enum cp_status cp_write_firefox(struct cp_report *r, struct cp_out *out,
                                struct cp_error *err)
{
    struct writer w = { .r = r, .out = out, .err = err };
    enum cp_status status = cp_frames_init(&w.frames, r, CP_KEEP_OBJECT, err);

    if (status != CP_OK)
        return status;
    status = prepare(&w);
    if (status == CP_OK)
        status = write_all(&w);
    cp_firefox_tables_release(&w.tables);
    cp_free(w.threads);
    cp_free(w.thread_of_set);
    cp_free(w.samples);
    cp_free(w.first_sample);
    cp_free(w.libs);
    cp_free(w.lib_of);
    cp_frames_release(&w.frames);
    return status;
}
