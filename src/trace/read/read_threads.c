/* read_threads.c - fills and sorts the rows of the table of threads. */
#include "trace/read/read_threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/read/read_spans.h"

const struct cp_trace_column_info cp_trace_columns[CP_TRACE_N_COLUMNS] = {
    [CP_TRACE_COL_ID] = { "id", "ID", NULL, CP_TRACE_UNIT_COUNT, true },
    [CP_TRACE_COL_START] = { "start", "START", NULL, CP_TRACE_UNIT_NS, true },
    [CP_TRACE_COL_DURATION] = { "duration", "DURATION", NULL, CP_TRACE_UNIT_NS,
                                false },
    [CP_TRACE_COL_RUN] = { "run", "RUN", NULL, CP_TRACE_UNIT_NS, false },
    [CP_TRACE_COL_USER] = { "user", "USER", "user_ns", CP_TRACE_UNIT_NS,
                            false },
    [CP_TRACE_COL_SYS] = { "sys", "SYS", "sys_ns", CP_TRACE_UNIT_NS, false },
    [CP_TRACE_COL_IDLE] = { "idle", "IDLE", "wait_ns", CP_TRACE_UNIT_NS,
                            false },
    [CP_TRACE_COL_WAIT] = { "wait", "WAIT", "run_delay_ns", CP_TRACE_UNIT_NS,
                            false },
    [CP_TRACE_COL_IO] = { "io", "I/O", "io_ns", CP_TRACE_UNIT_NS, false },
    [CP_TRACE_COL_SYSCALLS] = { "syscalls", "SYSCALLS", "syscalls",
                                CP_TRACE_UNIT_COUNT, false },
    [CP_TRACE_COL_ERRORS] = { "errors", "ERRORS", "errors", CP_TRACE_UNIT_COUNT,
                              false },
    [CP_TRACE_COL_BLOCKS] = { "blocks", "BLOCKS", "blocks", CP_TRACE_UNIT_COUNT,
                              false },
    [CP_TRACE_COL_VCSW] = { "vcsw", "VCSW", "vcsw", CP_TRACE_UNIT_COUNT,
                            false },
    [CP_TRACE_COL_IVCSW] = { "ivcsw", "IVCSW", "ivcsw", CP_TRACE_UNIT_COUNT,
                             false },
    [CP_TRACE_COL_DUTY] = { "duty", "DUTY", NULL, CP_TRACE_UNIT_PERCENT,
                            false },
    [CP_TRACE_COL_CPU] = { "cpu", "CPU", "cpu", CP_TRACE_UNIT_COUNT, true },
    [CP_TRACE_COL_MINFLT] = { "minflt", NULL, "minflt", CP_TRACE_UNIT_COUNT,
                              false },
    [CP_TRACE_COL_MAJFLT] = { "majflt", NULL, "majflt", CP_TRACE_UNIT_COUNT,
                              false },
    [CP_TRACE_COL_READ] = { "read", NULL, "read_bytes", CP_TRACE_UNIT_BYTES,
                            false },
    [CP_TRACE_COL_WRITE] = { "write", NULL, "write_bytes", CP_TRACE_UNIT_BYTES,
                             false },
    [CP_TRACE_COL_SAMPLES] = { "samples", NULL, NULL, CP_TRACE_UNIT_COUNT,
                               false },
};

/* Returns the row of a lane; rows are in the order of lanes until sorted. */
static struct cp_trace_row *row_of(struct cp_trace_threads *t, uint32_t lane,
                                   struct cp_error *err)
{
    if (lane < t->n_rows)
        return &t->rows[lane];
    if (cp_reserve(&t->rows, &t->cap_rows, (size_t)lane + 1, sizeof(*t->rows),
                   err) != CP_OK)
        return NULL;
    for (; t->n_rows <= lane; t->n_rows++)
        t->rows[t->n_rows] =
            (struct cp_trace_row){ .lane = (uint32_t)t->n_rows };
    return &t->rows[lane];
}

/* Adds to a column, unless it already has the kernel's figure. */
static void add(struct cp_trace_row *r, enum cp_trace_column c, uint64_t value)
{
    if (!(r->given >> c & 1))
        r->values[c] += value;
    r->has |= 1u << c;
}

static void set(struct cp_trace_row *r, enum cp_trace_column c, uint64_t value)
{
    r->values[c] = value;
    r->has |= 1u << c;
}

static enum cp_status on_span(void *context, const struct cp_trace_span *s,
                              struct cp_error *err)
{
    static const uint8_t columns[] = {
        [CP_TRACE_RUNNING] = CP_TRACE_COL_RUN,
        [CP_TRACE_RUNNABLE] = CP_TRACE_COL_WAIT,
        [CP_TRACE_SYSCALL] = CP_TRACE_COL_IO,
        [CP_TRACE_NETWORK] = CP_TRACE_COL_IO,
        [CP_TRACE_SYNC] = CP_TRACE_COL_IDLE,
        [CP_TRACE_SLEEP] = CP_TRACE_COL_IDLE,
        [CP_TRACE_BLOCKED] = CP_TRACE_COL_IDLE,
    };
    struct cp_trace_row *r = row_of(context, s->lane, err);

    if (!r)
        return CP_ENOMEM;
    add(r, columns[s->state], s->end_ns - s->start_ns);
    if (s->state == CP_TRACE_SYSCALL)
        add(r, CP_TRACE_COL_SYSCALLS, 1);
    else if (s->state >= CP_TRACE_NETWORK)
        add(r, CP_TRACE_COL_BLOCKS, 1);
    return CP_OK;
}

/* Splits the next "key=value" off a text; false at the end. */
static bool next_pair(struct cp_str *rest, struct cp_str *key,
                      struct cp_str *value)
{
    const char *space, *equals;
    uint32_t len;

    while (rest->len > 0 && *rest->ptr == ' ') {
        rest->ptr++;
        rest->len--;
    }
    if (rest->len == 0)
        return false;
    space = memchr(rest->ptr, ' ', rest->len);
    len = space ? (uint32_t)(space - rest->ptr) : rest->len;
    equals = memchr(rest->ptr, '=', len);
    key->ptr = rest->ptr;
    key->len = equals ? (uint32_t)(equals - rest->ptr) : len;
    value->ptr = equals ? equals + 1 : rest->ptr + len;
    value->len = equals ? len - key->len - 1 : 0;
    rest->ptr += len;
    rest->len -= len;
    return true;
}

static bool is_key(struct cp_str key, const char *name)
{
    return key.len == strlen(name) && memcmp(key.ptr, name, key.len) == 0;
}

/* Parses a number. A space or NUL follows the text, so strtoull stops in it. */
static uint64_t number(struct cp_str value)
{
    return value.len > 0 && *value.ptr >= '0' && *value.ptr <= '9'
               ? strtoull(value.ptr, NULL, 10)
               : 0;
}

/*
 * Stores a figure of the kernel. With recorded context switches the spans
 * already cover all of a thread's time. The kernel's run delay is then ignored,
 * because other states include parts of it.
 */
static void set_figure(const struct cp_trace_threads *t, struct cp_trace_row *r,
                       struct cp_str key, struct cp_str value)
{
    for (int c = 0; c < CP_TRACE_N_COLUMNS; c++)
        if (cp_trace_columns[c].key && is_key(key, cp_trace_columns[c].key) &&
            !(c == CP_TRACE_COL_WAIT && t->has_switches)) {
            set(r, (enum cp_trace_column)c, number(value));
            r->given |= 1u << c;
        }
}

/* Parses a cpprof.thread message; keeps start and end for finish_row. */
static enum cp_status parse_totals(struct cp_trace_threads *t,
                                   struct cp_str text, struct cp_error *err)
{
    struct cp_trace_row *r = NULL;
    struct cp_str key, value;
    uint32_t lane;

    while (next_pair(&text, &key, &value)) {
        if (is_key(key, "tid")) {
            lane = cp_trace_spans_find(t->spans, number(value));
            if (lane == CP_TRACE_NO_LANE)
                return CP_OK;
            r = row_of(t, lane, err);
            if (!r)
                return CP_ENOMEM;
        } else if (r && is_key(key, "start_ns")) {
            set(r, CP_TRACE_COL_START, number(value));
        } else if (r && is_key(key, "end_ns")) {
            set(r, CP_TRACE_COL_DURATION, number(value));
        } else if (r) {
            set_figure(t, r, key, value);
        }
    }
    return CP_OK;
}

static void parse_lost(struct cp_trace_threads *t, struct cp_str text)
{
    struct cp_str key, value;

    while (next_pair(&text, &key, &value))
        t->n_lost += number(value);
}

static void parse_header(struct cp_trace_threads *t,
                         const struct cp_trace_mark *m, struct cp_str text)
{
    struct cp_str key, value;

    t->recorder = m->lane;
    while (next_pair(&text, &key, &value))
        if (is_key(key, "switches"))
            t->has_switches = number(value) == 1;
}

static enum cp_status on_mark(void *context, const struct cp_trace_mark *m,
                              struct cp_error *err)
{
    struct cp_trace_threads *t = context;
    struct cp_str name, text;
    struct cp_trace_row *r;

    if (m->kind == CP_TRACE_MARK_SAMPLE && m->lane != CP_TRACE_NO_LANE) {
        r = row_of(t, m->lane, err);
        if (!r)
            return CP_ENOMEM;
        add(r, CP_TRACE_COL_SAMPLES, 1);
        return CP_OK;
    }
    if (m->kind != CP_TRACE_MARK_LOG ||
        !cp_trace_mark_may_be_recorders(m, t->recorder))
        return CP_OK;
    name = cp_trace_text(cp_trace_spans_names(t->spans), m->name);
    text = cp_trace_text(cp_trace_spans_names(t->spans), m->text);
    if (is_key(name, "cpprof.trace"))
        parse_header(t, m, text);
    else if (is_key(name, "cpprof.lost"))
        parse_lost(t, text);
    else if (is_key(name, "cpprof.thread"))
        return parse_totals(t, text, err);
    return CP_OK;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Columns that every trace has values for. */
static const enum cp_trace_column always[] = {
    CP_TRACE_COL_RUN, CP_TRACE_COL_IDLE,     CP_TRACE_COL_WAIT,
    CP_TRACE_COL_IO,  CP_TRACE_COL_SYSCALLS, CP_TRACE_COL_BLOCKS,
};

/* Computes the columns that need the whole trace. */
static void finish_row(const struct cp_trace_threads *t, struct cp_trace_row *r)
{
    const struct cp_trace_lane *l = cp_trace_spans_lane(t->spans, r->lane);
    const struct cp_trace_summary *s = cp_trace_spans_summary(t->spans);
    uint64_t start = l->first_ns;
    uint64_t end = cp_trace_row_has(r, CP_TRACE_COL_DURATION)
                       ? r->values[CP_TRACE_COL_DURATION]
                       : l->last_ns;
    uint64_t busy = r->values[CP_TRACE_COL_RUN];

    /* A thread found late has a state since the begin of the trace. */
    if (cp_trace_row_has(r, CP_TRACE_COL_START) &&
        r->values[CP_TRACE_COL_START] < start)
        start = r->values[CP_TRACE_COL_START];
    if (cp_trace_row_has(r, CP_TRACE_COL_USER))
        busy = r->values[CP_TRACE_COL_USER] + r->values[CP_TRACE_COL_SYS];
    set(r, CP_TRACE_COL_ID, l->id);
    set(r, CP_TRACE_COL_START, less(start, s->first_ns));
    set(r, CP_TRACE_COL_DURATION, less(end, start));
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        add(r, always[i], 0);
    if (end > start)
        set(r, CP_TRACE_COL_DUTY,
            (uint64_t)((double)busy * 10000 / (double)(end - start) + 0.5));
}

/* Creates rows for all lanes that existed, except the recorder's. */
static enum cp_status finish(struct cp_trace_threads *t, struct cp_error *err)
{
    uint32_t n = cp_trace_spans_n_lanes(t->spans);
    size_t kept = 0;

    if (n > 0 && !row_of(t, n - 1, err))
        return CP_ENOMEM;
    for (size_t i = 0; i < t->n_rows; i++) {
        if (t->rows[i].lane == t->recorder || t->rows[i].has == 0)
            continue;
        finish_row(t, &t->rows[i]);
        t->rows[kept++] = t->rows[i];
    }
    t->n_rows = kept;
    return CP_OK;
}

enum cp_status cp_trace_threads_read(struct cp_trace_threads **out,
                                     const void *bytes, size_t len,
                                     struct cp_error *err)
{
    struct cp_trace_threads *t = cp_alloc(1, sizeof(*t), err);
    struct cp_trace_watcher watcher = { .context = t,
                                        .span = on_span,
                                        .mark = on_mark };
    enum cp_status status;

    if (!t)
        return CP_ENOMEM;
    t->recorder = CP_TRACE_NO_LANE;
    status = cp_trace_spans_read(&t->spans, bytes, len, &watcher, err);
    if (status == CP_OK)
        status = finish(t, err);
    if (status == CP_OK)
        *out = t;
    else
        cp_trace_threads_free(t);
    return status;
}

void cp_trace_threads_free(struct cp_trace_threads *t)
{
    if (!t)
        return;
    cp_trace_spans_free(t->spans);
    cp_free(t->rows);
    cp_free(t);
}

/* Context of qsort_r. */
struct order {
    const struct cp_trace_threads *t;
    int column; /* -1 sorts by name */
    bool is_rising;
};

static int by_name(const struct order *o, const struct cp_trace_row *a,
                   const struct cp_trace_row *b)
{
    int way = cp_str_cmp(cp_trace_spans_title(o->t->spans, a->lane),
                         cp_trace_spans_title(o->t->spans, b->lane));

    return o->is_rising ? way : -way;
}

/*
 * Sort key: a row without a value sorts last. (gcc 12.2 miscompiles a == b into
 * b if both are a bit x >> n & 1 with unknown n; test_read_threads detects it.)
 */
struct key {
    bool is_missing;
    uint64_t value;
};

static struct key key_of(const struct order *o, const struct cp_trace_row *r)
{
    bool is_there = cp_trace_row_has(r, (enum cp_trace_column)o->column);
    uint64_t value = is_there ? r->values[o->column] : 0;

    return (struct key){ !is_there, o->is_rising ? value : UINT64_MAX - value };
}

static int by_number(const struct order *o, const struct cp_trace_row *a,
                     const struct cp_trace_row *b)
{
    struct key x = key_of(o, a), y = key_of(o, b);

    if (x.is_missing != y.is_missing)
        return x.is_missing ? 1 : -1;
    return (x.value > y.value) - (x.value < y.value);
}

static int compare(const void *a, const void *b, void *context)
{
    const struct cp_trace_row *x = a, *y = b;
    const struct order *o = context;
    int way = o->column < 0 ? by_name(o, x, y) : by_number(o, x, y);

    return way ? way : (x->lane > y->lane) - (x->lane < y->lane);
}

static enum cp_status no_column(const char *name, struct cp_error *err)
{
    char names[256] = "name";

    for (int i = 0; i < CP_TRACE_N_COLUMNS; i++) {
        (void)strcat(names, " ");
        (void)strcat(names, cp_trace_columns[i].name);
    }
    return cp_error_set(err, CP_EUSAGE, "unknown column %.40s; use one of %s",
                        name, names);
}

enum cp_status cp_trace_threads_sort(struct cp_trace_threads *t,
                                     const char *column, struct cp_error *err)
{
    bool is_turned = *column == '-';
    const char *name = column + is_turned;
    struct order o = { .t = t, .column = -1, .is_rising = !is_turned };

    if (strcmp(name, "name") != 0) {
        for (int i = 0; i < CP_TRACE_N_COLUMNS; i++)
            if (strcmp(name, cp_trace_columns[i].name) == 0)
                o.column = i;
        if (o.column < 0)
            return no_column(column, err);
        o.is_rising = cp_trace_columns[o.column].is_rising != is_turned;
    }
    if (t && t->n_rows > 0)
        qsort_r(t->rows, t->n_rows, sizeof(*t->rows), compare, &o);
    return CP_OK;
}
