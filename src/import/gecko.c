/*
 * gecko.c - reads profiles of Firefox and of tools with its format (samply).
 *
 * Threads become labels (thread, process, pid, tid). Values are the number of
 * samples, or the time or bytes if a thread has such weights, and the CPU time
 * between samples if it was recorded. Samples without a stack are ignored. In
 * the recorded form "processes" contains the profiles of other processes.
 */
#include "base/index.h"
#include "import/gather.h"
#include "import/gecko_tables.h"
#include "import/readers.h"

#include <string.h>

struct reader {
    struct cp_gather g;
    struct cp_arena arena; /* memory of a process and of shared tables */
    struct cp_arena thread_arena;
    struct cp_gecko_tables shared;
    struct cp_gecko_libs libs;
    double cpu_scale; /* factor to nanoseconds; 0 if unknown */
    struct cp_text type,
        unit; /* set in files that `pprof -firefox` wrote, else empty */
    double first_ms, last_ms;
    bool has_times;
    struct cp_error *err;
};

/* Members of a thread. */
enum { NAME, PROCESS, PID, TID, SAMPLES, LIBS, STACKS, N_PARTS };

/* Columns of samples. */
enum { STACK, TIME, DELTAS, WEIGHT, CPU, N_COLUMNS };

struct thread {
    struct cp_json at[N_PARTS];
    struct cp_gecko_tables own, *tables;
    struct cp_gecko_libs own_libs, *libs;
    uint32_t label_set;
    uint32_t weight_column, count_column, cpu_column; /* CP_NONE if unused */
    double scale;                                     /* factor for weights */
};

/* One sample; stack is CP_NONE if it has none. */
struct sample {
    uint32_t stack;
    double weight, cpu;
};

static bool is_bad(const struct reader *r, const struct cp_json *j)
{
    (void)r;
    return j->doc->err.status != CP_OK;
}

/* Adds a label whose value is a string or a number in the file. */
static enum cp_status add_label(struct reader *r, struct cp_label *labels,
                                uint32_t *n, const char *key,
                                struct cp_json *value)
{
    struct cp_label l = { .str = CP_NONE };
    struct cp_text text;

    if (cp_json_is(value, CP_JSON_NUMBER)) {
        l.num = cp_json_int(value);
    } else if (cp_json_is(value, CP_JSON_STRING)) {
        text = cp_json_string(value);
        if (text.pos == text.end)
            return CP_OK;
        if ((strcmp(key, "pid") != 0 && strcmp(key, "tid") != 0) ||
            !cp_text_to_int(text, &l.num)) {
            l.str = cp_gather_str(&r->g, text, r->err);
            if (l.str == CP_NO_STR)
                return CP_ENOMEM;
        }
    } else {
        return CP_OK;
    }
    l.key = cp_builder_str(&r->g.b, key, strlen(key), r->err);
    labels[(*n)++] = l;
    return l.key == CP_NO_STR ? CP_ENOMEM : CP_OK;
}

static enum cp_status label_thread(struct reader *r, struct thread *t)
{
    struct cp_label labels[4];
    uint32_t n = 0;

    if (add_label(r, labels, &n, "thread", &t->at[NAME]) != CP_OK ||
        add_label(r, labels, &n, "process", &t->at[PROCESS]) != CP_OK ||
        add_label(r, labels, &n, "pid", &t->at[PID]) != CP_OK ||
        add_label(r, labels, &n, "tid", &t->at[TID]) != CP_OK)
        return CP_ENOMEM;
    t->label_set = cp_builder_label_set(&r->g.b, labels, n, r->err);
    return t->label_set == CP_NONE ? CP_ENOMEM : CP_OK;
}

static uint32_t column(struct reader *r, const char *type, const char *unit)
{
    return cp_gather_column(&r->g, cp_text_of(type, strlen(type)), unit,
                            r->err);
}

/* Returns the factor from milliseconds, the unit of time weights, to a unit. */
static double from_ms(struct cp_text unit)
{
    return cp_text_equals(unit, "nanoseconds")    ? 1e6
           : cp_text_equals(unit, "microseconds") ? 1e3
           : cp_text_equals(unit, "seconds")      ? 1e-3
                                                  : 1;
}

/* Sets the columns for a file that names the type of its weights. */
static enum cp_status set_named_columns(struct reader *r, struct thread *t,
                                        struct cp_text type)
{
    char unit[32];
    size_t len = cp_text_len(r->unit);

    len = len < sizeof(unit) ? len : sizeof(unit) - 1;
    memcpy(unit, r->unit.pos, len);
    unit[len] = '\0';
    t->scale = cp_text_equals(type, "tracing-ms") ? from_ms(r->unit) : 1;
    t->weight_column = cp_gather_column(&r->g, r->type, unit, r->err);
    return t->weight_column == CP_NONE ? CP_EFORMAT : CP_OK;
}

/* Sets the columns by the kind of the thread's weights. */
static enum cp_status set_columns(struct reader *r, struct thread *t,
                                  struct cp_json weight_type, bool has_cpu)
{
    struct cp_text type = { 0 };

    if (cp_json_is(&weight_type, CP_JSON_STRING))
        type = cp_json_string(&weight_type);
    t->count_column = t->cpu_column = CP_NONE;
    t->scale = 1;
    if (r->type.pos < r->type.end)
        return set_named_columns(r, t, type);
    if (cp_text_equals(type, "tracing-ms") || cp_text_equals(type, "bytes")) {
        bool is_time = *type.pos == 't';

        t->count_column = column(r, "samples", "count");
        t->weight_column = is_time ? column(r, "time", "nanoseconds")
                                   : column(r, "space", "bytes");
        t->scale = is_time ? 1e6 : 1;
        if (t->count_column == CP_NONE)
            return CP_EFORMAT;
    } else {
        t->weight_column = column(r, "samples", "count");
    }
    if (t->weight_column == CP_NONE)
        return CP_EFORMAT;
    if (!has_cpu || r->cpu_scale == 0)
        return CP_OK;
    t->cpu_column = column(r, "cpu", "nanoseconds");
    return t->cpu_column == CP_NONE ? CP_EFORMAT : CP_OK;
}

static enum cp_status add_sample(struct reader *r, const struct thread *t,
                                 const struct sample *s)
{
    uint32_t node, row;

    if (s->stack == CP_NONE)
        return CP_OK;
    if (s->stack >= t->tables->n_stacks)
        return cp_error_set(r->err, CP_EFORMAT, "stack %u does not exist",
                            s->stack);
    node = cp_gecko_stack(t->tables, t->libs, &r->g, s->stack, r->err);
    row = node == CP_NONE ? CP_NONE
                          : cp_gather_row(&r->g, node, t->label_set, r->err);
    if (row == CP_NONE)
        return CP_EFORMAT;
    if (t->count_column != CP_NONE &&
        cp_gather_add(&r->g, row, t->count_column, 1, r->err) != CP_OK)
        return CP_ENOMEM;
    if (t->cpu_column != CP_NONE && s->cpu != 0 &&
        cp_gather_add_real(&r->g, row, t->cpu_column, s->cpu * r->cpu_scale,
                           r->err) != CP_OK)
        return CP_EFORMAT;
    return cp_gather_add_real(&r->g, row, t->weight_column,
                              s->weight * t->scale, r->err);
}

static void note_time(struct reader *r, double ms)
{
    if (!r->has_times || ms < r->first_ms)
        r->first_ms = ms;
    if (!r->has_times || ms > r->last_ms)
        r->last_ms = ms;
    r->has_times = true;
}

/* Returns the next number of a column; `otherwise` if it is missing or null. */
static double next_number(struct cp_json *j, double otherwise)
{
    if (!j->doc)
        return otherwise;
    if (!cp_json_item(j)) {
        cp_json_fail(j, "columns have different lengths; the table ends");
        return otherwise;
    }
    if (cp_json_kind(j) == CP_JSON_NUMBER)
        return cp_json_number(j);
    cp_json_skip(j);
    return otherwise;
}

/* Reads the first and the last time; times are ascending. */
static void read_times(struct reader *r, struct cp_json *j)
{
    struct cp_json last = { 0 };
    bool has_first = false;

    while (cp_json_item(j)) {
        last = *j;
        if (!has_first && cp_json_kind(j) == CP_JSON_NUMBER)
            note_time(r, cp_json_number(j));
        else
            cp_json_skip(j);
        has_first = true;
    }
    if (cp_json_is(&last, CP_JSON_NUMBER))
        note_time(r, cp_json_number(&last));
}

/* Reads samples of the processed form: one list per column. */
static enum cp_status read_columns(struct reader *r, struct thread *t,
                                   struct cp_json at[N_COLUMNS])
{
    enum cp_status status = CP_OK;
    double now = 0;

    for (int i = 0; i < N_COLUMNS; i++) {
        if (!cp_json_is(&at[i], CP_JSON_ARRAY))
            at[i].doc = NULL;
        else
            (void)cp_json_enter(&at[i], CP_JSON_ARRAY);
    }
    while (status == CP_OK && cp_json_item(&at[STACK])) {
        struct sample s = { .stack = cp_json_index(&at[STACK]) };

        s.weight = next_number(&at[WEIGHT], 1);
        s.cpu = next_number(&at[CPU], 0);
        now += next_number(&at[DELTAS], 0);
        if (is_bad(r, &at[STACK]))
            return CP_EFORMAT;
        status = add_sample(r, t, &s);
    }
    if (status == CP_OK && at[TIME].doc)
        read_times(r, &at[TIME]);
    else if (at[DELTAS].doc) {
        note_time(r, 0);
        note_time(r, now);
    }
    return status;
}

/*
 * Reads one sample of the recorded form: a list; positions[] gives the index of
 * each column.
 */
static enum cp_status read_row(struct reader *r, struct thread *t,
                               struct cp_json *j, const uint32_t *positions)
{
    struct sample s = { .stack = CP_NONE, .weight = 1 };

    if (!cp_json_enter(j, CP_JSON_ARRAY))
        return CP_EFORMAT;
    for (uint32_t i = 0; cp_json_item(j); i++) {
        bool is_number = cp_json_kind(j) == CP_JSON_NUMBER;

        if (i == positions[STACK])
            s.stack = cp_json_index(j);
        else if (i == positions[TIME] && is_number)
            note_time(r, cp_json_number(j));
        else if (i == positions[CPU] && is_number)
            s.cpu = cp_json_number(j);
        else
            cp_json_skip(j);
    }
    return is_bad(r, j) ? CP_EFORMAT : add_sample(r, t, &s);
}

static enum cp_status read_rows(struct reader *r, struct thread *t,
                                struct cp_json schema, struct cp_json data)
{
    static const char *const names[N_COLUMNS] = {
        [STACK] = "stack",   [TIME] = "time",          [DELTAS] = "",
        [WEIGHT] = "weight", [CPU] = "threadCPUDelta",
    };
    struct cp_json at[N_COLUMNS];
    uint32_t positions[N_COLUMNS];
    enum cp_status status;

    cp_json_pick(&schema, names, N_COLUMNS, at);
    for (int i = 0; i < N_COLUMNS; i++)
        positions[i] = at[i].doc ? cp_json_index(&at[i]) : CP_NONE;
    status =
        set_columns(r, t, (struct cp_json){ 0 }, positions[CPU] != CP_NONE);
    if (status != CP_OK || !cp_json_enter(&data, CP_JSON_ARRAY))
        return CP_EFORMAT;
    while (status == CP_OK && cp_json_item(&data))
        status = read_row(r, t, &data, positions);
    return status;
}

static enum cp_status read_samples(struct reader *r, struct thread *t)
{
    static const char *const names[] = {
        [STACK] = "stack",
        [TIME] = "time",
        [DELTAS] = "timeDeltas",
        [WEIGHT] = "weight",
        [CPU] = "threadCPUDelta",
        "weightType",
        "schema",
        "data",
    };
    struct cp_json at[N_COLUMNS + 3];
    enum cp_status status;

    cp_json_pick(&t->at[SAMPLES], names, N_COLUMNS + 3, at);
    if (is_bad(r, &t->at[SAMPLES]))
        return CP_EFORMAT;
    if (cp_json_is(&at[N_COLUMNS + 1], CP_JSON_OBJECT) &&
        cp_json_is(&at[N_COLUMNS + 2], CP_JSON_ARRAY))
        return read_rows(r, t, at[N_COLUMNS + 1], at[N_COLUMNS + 2]);
    if (!cp_json_is(&at[STACK], CP_JSON_ARRAY)) {
        cp_json_fail(&t->at[SAMPLES], "samples have no stacks; they end");
        return CP_EFORMAT;
    }
    status =
        set_columns(r, t, at[N_COLUMNS], cp_json_is(&at[CPU], CP_JSON_ARRAY));
    return status == CP_OK ? read_columns(r, t, at) : status;
}

static enum cp_status read_thread(struct reader *r, struct cp_json *j)
{
    static const char *const names[N_PARTS] = {
        [NAME] = "name",         [PROCESS] = "processName", [PID] = "pid",
        [TID] = "tid",           [SAMPLES] = "samples",     [LIBS] = "libs",
        [STACKS] = "stackTable",
    };
    struct cp_json start = *j;
    struct thread t = { .own = r->shared };

    cp_json_pick(j, names, N_PARTS, t.at);
    if (is_bad(r, j))
        return CP_EFORMAT;
    if (!cp_json_is(&t.at[SAMPLES], CP_JSON_OBJECT))
        return CP_OK;
    t.tables = &r->shared;
    t.libs = &r->libs;
    if (cp_json_is(&t.at[STACKS], CP_JSON_OBJECT)) {
        cp_gecko_tables_read(&t.own, start, &r->thread_arena);
        t.tables = &t.own;
    }
    if (cp_json_is(&t.at[LIBS], CP_JSON_ARRAY)) {
        cp_gecko_libs_read(&t.own_libs, t.at[LIBS], &r->thread_arena);
        t.libs = &t.own_libs;
    }
    if (is_bad(r, j) || label_thread(r, &t) != CP_OK)
        return CP_EFORMAT;
    return read_samples(r, &t);
}

/* Reads units, types and the start time. */
static void read_meta(struct reader *r, struct cp_json j)
{
    static const char *const names[] = { "sampleUnits", "startTime", "interval",
                                         "cpprof" };
    static const char *const cpu[] = { "threadCPUDelta" };
    static const char *const own_names[] = { "type", "unit" };
    struct cp_profile *p = r->g.b.profile;
    struct cp_json at[4], part[2];
    struct cp_text unit;
    double ms;

    cp_json_pick(&j, names, 4, at);
    r->cpu_scale = 0;
    if (cp_json_is(&at[0], CP_JSON_OBJECT)) {
        cp_json_pick(&at[0], cpu, 1, part);
        unit = cp_json_is(&part[0], CP_JSON_STRING) ? cp_json_string(&part[0])
                                                    : (struct cp_text){ 0 };
        r->cpu_scale = cp_text_equals(unit, "ns")          ? 1
                       : cp_text_equals(unit, "\xc2\xb5s") ? 1e3
                                                           : 0;
    }
    if (cp_json_is(&at[3], CP_JSON_OBJECT)) {
        cp_json_pick(&at[3], own_names, 2, part);
        if (part[0].doc && part[1].doc) {
            r->type = cp_json_text(&part[0], &r->arena);
            r->unit = cp_json_text(&part[1], &r->arena);
        }
    }
    ms = cp_json_is(&at[1], CP_JSON_NUMBER) ? cp_json_number(&at[1]) : 0;
    if (ms > 0 && ms < 9e12 && p->time_ns == 0)
        p->time_ns = (int64_t)(ms * 1e6);
    ms = cp_json_is(&at[2], CP_JSON_NUMBER) ? cp_json_number(&at[2]) : 0;
    if (ms > 0 && ms < 9e12 && p->period == 0)
        (void)cp_builder_period(&r->g.b, "wall", "nanoseconds",
                                (int64_t)(ms * 1e6), r->err);
}

/* Members of a process. */
enum { META, TOP_LIBS, SHARED, THREADS, PROCESSES, N_TOP };

static enum cp_status read_threads(struct reader *r, struct cp_json *j)
{
    enum cp_status status = CP_OK;

    if (!cp_json_enter(j, CP_JSON_ARRAY))
        return CP_EFORMAT;
    while (status == CP_OK && cp_json_item(j)) {
        status = read_thread(r, j);
        cp_arena_release(&r->thread_arena);
    }
    return status;
}

/* Reads one process; *processes becomes the position of its child processes. */
static enum cp_status read_process(struct reader *r, struct cp_json *j,
                                   struct cp_json *processes)
{
    static const char *const names[N_TOP] = {
        [META] = "meta",       [TOP_LIBS] = "libs",       [SHARED] = "shared",
        [THREADS] = "threads", [PROCESSES] = "processes",
    };
    struct cp_json at[N_TOP];

    cp_arena_release(&r->arena);
    r->shared = (struct cp_gecko_tables){ 0 };
    r->libs = (struct cp_gecko_libs){ 0 };
    r->type = r->unit = (struct cp_text){ 0 };
    cp_json_pick(j, names, N_TOP, at);
    *processes = at[PROCESSES];
    if (cp_json_is(&at[META], CP_JSON_OBJECT))
        read_meta(r, at[META]);
    if (cp_json_is(&at[TOP_LIBS], CP_JSON_ARRAY))
        cp_gecko_libs_read(&r->libs, at[TOP_LIBS], &r->arena);
    if (cp_json_is(&at[SHARED], CP_JSON_OBJECT))
        cp_gecko_tables_read(&r->shared, at[SHARED], &r->arena);
    if (is_bad(r, j))
        return CP_EFORMAT;
    return at[THREADS].doc ? read_threads(r, &at[THREADS]) : CP_OK;
}

/* Reads the first process and its children; processes do not nest deeper. */
static enum cp_status read_all(struct reader *r, struct cp_json top)
{
    struct cp_json children, unused;
    enum cp_status status = read_process(r, &top, &children);

    if (status != CP_OK || !cp_json_is(&children, CP_JSON_ARRAY))
        return status;
    (void)cp_json_enter(&children, CP_JSON_ARRAY);
    while (status == CP_OK && cp_json_item(&children)) {
        if (cp_json_kind(&children) == CP_JSON_OBJECT)
            status = read_process(r, &children, &unused);
        else
            cp_json_skip(&children);
    }
    return status;
}

struct cp_profile *cp_import_gecko(struct cp_json top, struct cp_error *err)
{
    size_t len = (size_t)(top.doc->end - top.doc->begin);
    struct reader r = { .err = err };
    struct cp_profile *p = NULL;
    enum cp_status status;

    if (cp_gather_init(&r.g, len, err) != CP_OK)
        return NULL;
    status = read_all(&r, top);
    if (cp_json_status(top.doc, err) == CP_OK && status == CP_OK)
        p = cp_gather_take(&r.g, err);
    else
        cp_error_prefix(err, "Firefox profile: ");
    if (p && r.has_times && r.last_ms - r.first_ms < 9e12)
        p->duration_ns = (int64_t)((r.last_ms - r.first_ms) * 1e6);
    cp_gather_release(&r.g);
    cp_arena_release(&r.arena);
    cp_arena_release(&r.thread_arena);
    return p;
}
