/*
 * firefox.c - the report "firefox": a file for profiler.firefox.com.
 *
 * It is the "processed" format, version 55; the site upgrades older versions.
 * Samples are split into threads by their labels thread, process, pid and tid.
 * Values become weights: times in milliseconds, bytes, or plain numbers. The
 * format requires a time for each sample, so samples follow each other, each as
 * long as its weight. "cpprof" in meta holds the sample type for
 * import/gecko.c. firefox_tables.c builds the stacks and frames of a thread;
 * firefox_columns.c writes them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/path.h"
#include "base/units.h"
#include "report/core/escape.h"
#include "report/core/formats.h"
#include "report/core/frames.h"
#include "report/core/report.h"
#include "report/export/firefox_columns.h"
#include "report/export/firefox_libs.h"
#include "report/export/firefox_tables.h"

#define VERSION "55"

/* A thread, identified by the labels of its samples. */
struct thread {
    uint32_t name, process; /* strings, or 0 */
    int64_t pid, tid;
};

struct writer {
    const struct cp_report *r;
    struct cp_out *out;
    struct cp_frames frames;
    struct cp_firefox_tables tables;
    struct thread *threads;
    uint32_t n_threads;
    uint32_t *thread_of_set;
    uint32_t *samples;      /* samples with a value, by thread */
    uint32_t *first_sample; /* indexed by thread, plus the end */
    struct cp_firefox_libs libs;
    bool is_time;
    struct cp_scale to_ms;
    struct cp_error *err;
};

static struct cp_str text(const char *cstr)
{
    return (struct cp_str){ cstr, (uint32_t)strlen(cstr) };
}

/* Reads the thread from the labels of a set. */
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
        w->thread_of_set[i] = n - 1; /* string 0 is the empty string */
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

/* Sorts the samples with a value by thread; stable. */
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

/* Writes a weight; times are in milliseconds, exact to the nanosecond. */
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
    status = cp_firefox_columns_write(&w->tables, &w->libs, w->out, w->err);
    cp_out_char(w->out, '}');
    return status;
}

static enum cp_status write_all(struct writer *w)
{
    enum cp_status status = CP_OK;
    bool is_first = true;

    write_meta(w);
    cp_out_cstr(w->out, "\"libs\":");
    cp_firefox_libs_write(&w->libs, w->out);
    cp_out_cstr(w->out, ",\n\"threads\":[");
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
    if (!w->threads || !w->thread_of_set || !w->samples || !w->first_sample ||
        cp_firefox_libs_init(&w->libs, p, w->err) != CP_OK ||
        find_threads(w) != CP_OK)
        return CP_ENOMEM;
    w->is_time = cp_unit_same_family(w->r->sample_unit, "nanoseconds");
    cp_scale_init(&w->to_ms, w->r->sample_unit, "ms");
    sort_samples(w);
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
    cp_firefox_libs_release(&w.libs);
    cp_frames_release(&w.frames);
    return status;
}
