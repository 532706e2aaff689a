/*
 * perf_script.c - reads the output of `perf script`.
 *
 *   comm  pid/tid [cpu] 1234.567890:  250000 cycles:u:
 *           7f31c0 inner+0x1f (/usr/lib/libfoo.so)
 *           401136 main+0x16 (/home/me/prog)
 *
 * The fields depend on perf's -F option. The cpu, the time, the period and one
 * of pid and tid may be missing. Without call graphs the only frame follows the
 * event. The command name may contain blanks; symbols and files may contain
 * blanks and brackets.
 *
 * Values are the number of samples and, if there are periods, one value per
 * event. Labels: thread (the command name), pid, tid; and event for samples
 * without a period.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/path.h"
#include "import/gather.h"
#include "import/readers.h"

/* The first line of a sample. */
struct header {
    struct cp_text comm, event, frame;
    int64_t pid, tid, period, time_ns; /* -1 if missing */
};

/* A cached line and its index. */
struct cached_line {
    struct cp_text line;
    uint32_t index;
};

struct line_cache {
    struct cp_table table;
    struct cached_line *items;
    size_t cap;
    uint32_t n;
};

struct reader {
    struct cp_gather g;
    struct line_cache frames; /* line to location index */
    uint32_t samples;         /* column of the sample count */
    struct cp_text first_comm;
    struct header now; /* comm.pos is NULL between samples */
    uint32_t *stack;   /* stack of the current sample, leaf first */
    size_t cap_stack, n_stack;
    int64_t first_ns, last_ns;
};

static uint32_t find_cached(const struct line_cache *m, struct cp_text line,
                            uint64_t hash)
{
    size_t probe = 0, len = cp_text_len(line);
    uint32_t i;

    while ((i = cp_table_next(&m->table, hash, &probe)) != CP_NONE)
        if (cp_text_len(m->items[i].line) == len &&
            memcmp(m->items[i].line.pos, line.pos, len) == 0)
            return m->items[i].index;
    return CP_NONE;
}

/* Stores the index of a line; passes CP_NONE through. */
static uint32_t cache_line(struct line_cache *m, struct cp_text line,
                           uint64_t hash, uint32_t index, struct cp_error *err)
{
    if (index == CP_NONE ||
        cp_reserve(&m->items, &m->cap, (size_t)m->n + 1, sizeof(*m->items),
                   err) != CP_OK ||
        cp_table_add(&m->table, hash, m->n, err) != CP_OK)
        return CP_NONE;
    m->items[m->n++] = (struct cached_line){ line, index };
    return index;
}

static void free_cache(struct line_cache *m)
{
    cp_table_release(&m->table);
    cp_free(m->items);
}

/* Parses "1234.567890:" as nanoseconds; false if it is not a time. */
static bool read_time(struct cp_text word, int64_t *out)
{
    struct cp_text seconds, part;
    int64_t s, ns = 0, unit = 100000000;

    if (!cp_text_consume_digits(&word, &seconds) ||
        !cp_text_consume(&word, ".") || !cp_text_consume_digits(&word, &part) ||
        !cp_text_equals(word, ":") || !cp_text_to_int(seconds, &s) ||
        s > INT64_MAX / 2000000000)
        return false;
    for (; part.pos < part.end; part.pos++, unit /= 10)
        ns += (*part.pos - '0') * unit;
    *out = s * 1000000000 + ns;
    return true;
}

/* Parses "12" or "12/34". */
static bool read_ids(struct cp_text word, struct header *h)
{
    struct cp_text first, second;

    h->pid = h->tid = -1;
    if (!cp_text_consume_digits(&word, &first) ||
        !cp_text_to_int(first, &h->tid))
        return false;
    if (word.pos == word.end)
        return true;
    h->pid = h->tid;
    return cp_text_consume(&word, "/") &&
           cp_text_consume_digits(&word, &second) && word.pos == word.end &&
           cp_text_to_int(second, &h->tid);
}

/* Parses the rest of the line behind the time: a period, the event, a frame. */
static bool read_event(struct cp_text rest, struct header *h)
{
    struct cp_text word;

    h->period = -1;
    (void)cp_text_consume_white(&rest);
    if (!cp_text_consume_word(&rest, &word))
        return false;
    if (cp_text_to_int(word, &h->period)) {
        (void)cp_text_consume_white(&rest);
        if (!cp_text_consume_word(&rest, &word))
            return false;
    }
    h->event = word;
    if (cp_text_starts(word, "PERF_RECORD_"))
        return true; /* not a sample */
    if (cp_text_len(word) < 2 || word.end[-1] != ':' || *word.pos == '[' ||
        cp_text_is_digit(*word.pos))
        return false; /* a number is from an incomplete heap profile */
    h->event = (struct cp_text){ word.pos, word.end - 1 };
    h->frame = cp_text_trim(rest);
    return true;
}

/*
 * Parses a header from the left. The last word that can be a thread id ends the
 * command name.
 */
static bool read_header(struct cp_text line, struct header *h)
{
    struct cp_text all = cp_text_trim(line), rest = all, word;
    struct header found = { .time_ns = -1 };
    bool has_ids = false;

    while (cp_text_consume_word(&rest, &word)) {
        struct header maybe = found;

        if (has_ids && read_time(word, &found.time_ns))
            break;
        if (has_ids &&
            read_event((struct cp_text){ word.pos, rest.end }, &maybe) &&
            maybe.event.pos == word.pos) {
            rest.pos = word.pos; /* there is no time */
            break;
        }
        if (word.pos > all.pos && read_ids(word, &maybe)) {
            maybe.comm = cp_text_trim((struct cp_text){ all.pos, word.pos });
            found = maybe;
            has_ids = true;
        }
        (void)cp_text_consume_white(&rest);
    }
    if (!has_ids || !read_event(rest, &found))
        return false;
    *h = found;
    return true;
}

/* Whether the first word is a hexadecimal number. */
static bool is_frame(struct cp_text text)
{
    struct cp_text digits;

    return cp_text_consume_hex(&text, &digits) &&
           (text.pos == text.end || cp_text_is_white(*text.pos));
}

/* Whether an indented line is a frame. */
static bool is_frame_line(struct cp_text line)
{
    return cp_text_consume_white(&line) > 0 && is_frame(line);
}

/* Removes "(file)" from the end, with nested brackets. */
static struct cp_text cut_file(struct cp_text *rest)
{
    struct cp_text file = { rest->end, rest->end };
    int depth = 0;

    if (rest->pos == rest->end || rest->end[-1] != ')')
        return (struct cp_text){ 0 };
    while (file.pos > rest->pos) {
        file.pos--;
        depth += *file.pos == ')' ? 1 : *file.pos == '(' ? -1 : 0;
        if (depth == 0)
            break;
    }
    if (depth != 0 || (file.pos > rest->pos && file.pos[-1] != ' '))
        return (struct cp_text){ 0 };
    rest->end = file.pos;
    return (struct cp_text){ file.pos + 1, file.end - 1 };
}

/* Removes "+0x1f" from a name. */
static struct cp_text cut_offset(struct cp_text name)
{
    const char *p = name.end;

    while (p > name.pos && cp_text_hex_value(p[-1]) >= 0)
        p--;
    if (p < name.end && p - name.pos > 3 && memcmp(p - 3, "+0x", 3) == 0)
        name.end = p - 3;
    return name;
}

static bool is_known(struct cp_text t)
{
    return t.pos < t.end && !cp_text_equals(t, "[unknown]") &&
           !cp_text_equals(t, "inlined");
}

/* Returns the location of "7f31c0 inner+0x1f (/usr/lib/libfoo.so)". */
static uint32_t read_frame(struct reader *r, struct cp_text line,
                           struct cp_error *err)
{
    struct cp_gather_frame f = { CP_NONE, CP_NONE, 0, 0, 0 };
    struct cp_text digits, file, none = { 0 };
    uint64_t hash = cp_hash_bytes(line.pos, cp_text_len(line));
    uint32_t location = find_cached(&r->frames, line, hash);
    struct cp_text rest = line;

    if (location != CP_NONE)
        return location;
    if (!cp_text_consume_hex(&rest, &digits) ||
        !cp_text_to_hex(digits, &f.address)) {
        (void)cp_error_set(err, CP_EFORMAT, "invalid address");
        return CP_NONE;
    }
    rest = cp_text_trim(rest);
    file = cut_file(&rest);
    rest = cut_offset(cp_text_trim(rest));
    if (is_known(file)) {
        f.mapping = cp_gather_mapping(&r->g, file, none, err);
        if (f.mapping == CP_NONE)
            return CP_NONE;
    }
    if (is_known(rest)) {
        f.function = cp_gather_function(&r->g, rest, none, 0, err);
        if (f.function == CP_NONE)
            return CP_NONE;
    }
    return cache_line(&r->frames, line, hash, cp_gather_frame(&r->g, &f, err),
                      err);
}

static enum cp_status push_frame(struct reader *r, struct cp_text line,
                                 struct cp_error *err)
{
    uint32_t location = read_frame(r, cp_text_trim(line), err);

    if (location == CP_NONE)
        return CP_EFORMAT;
    if (cp_reserve(&r->stack, &r->cap_stack, r->n_stack + 1, sizeof(*r->stack),
                   err) != CP_OK)
        return CP_ENOMEM;
    r->stack[r->n_stack++] = location;
    return CP_OK;
}

static enum cp_status add_text_label(struct reader *r, struct cp_label *label,
                                     const char *key, struct cp_text text,
                                     struct cp_error *err)
{
    label->key = cp_builder_str(&r->g.b, key, strlen(key), err);
    label->str = cp_gather_str(&r->g, text, err);
    return label->key == CP_NO_STR || label->str == CP_NO_STR ? CP_ENOMEM
                                                              : CP_OK;
}

static uint32_t make_labels(struct reader *r, struct cp_error *err)
{
    const struct header *h = &r->now;
    struct cp_label labels[4] = { 0 };
    uint32_t n = 0;

    if (add_text_label(r, &labels[n++], "thread", h->comm, err) != CP_OK ||
        (h->period < 0 &&
         add_text_label(r, &labels[n++], "event", h->event, err) != CP_OK))
        return CP_NONE;
    if (h->pid >= 0)
        labels[n++] = (struct cp_label){ cp_builder_str(&r->g.b, "pid", 3, err),
                                         CP_NONE, 0, h->pid };
    labels[n++] = (struct cp_label){ cp_builder_str(&r->g.b, "tid", 3, err),
                                     CP_NONE, 0, h->tid };
    for (uint32_t i = 0; i < n; i++)
        if (labels[i].key == CP_NO_STR)
            return CP_NONE;
    return cp_builder_label_set(&r->g.b, labels, n, err);
}

/* Adds the current sample. */
static enum cp_status end_sample(struct reader *r, struct cp_error *err)
{
    const struct header *h = &r->now;
    uint32_t node = CP_GATHER_ROOT, row, labels, column;

    if (!h->comm.pos)
        return CP_OK;
    for (size_t i = r->n_stack; i-- > 0;) {
        node = cp_gather_call(&r->g, node, r->stack[i], err);
        if (node == CP_NONE)
            return CP_ENOMEM;
    }
    labels = make_labels(r, err);
    row = labels == CP_NONE ? CP_NONE : cp_gather_row(&r->g, node, labels, err);
    if (row == CP_NONE ||
        cp_gather_add(&r->g, row, r->samples, 1, err) != CP_OK)
        return CP_EFORMAT;
    r->now.comm.pos = NULL;
    r->n_stack = 0;
    if (h->period < 0)
        return CP_OK;
    column = cp_gather_column(&r->g, h->event,
                              cp_text_starts(h->event, "cpu-clock") ||
                                      cp_text_starts(h->event, "task-clock")
                                  ? "nanoseconds"
                                  : "count",
                              err);
    if (column == CP_NONE)
        return CP_EFORMAT;
    if (column == r->samples + 1)
        cp_gather_prefer(&r->g, column); /* default to the first event */
    return cp_gather_add(&r->g, row, column, h->period, err);
}

static enum cp_status begin_sample(struct reader *r, const struct header *h,
                                   struct cp_error *err)
{
    enum cp_status status = end_sample(r, err);

    if (status != CP_OK || cp_text_starts(h->event, "PERF_RECORD_"))
        return status;
    r->now = *h;
    if (!r->first_comm.pos)
        r->first_comm = h->comm;
    if (h->time_ns >= 0) {
        if (r->first_ns < 0 || h->time_ns < r->first_ns)
            r->first_ns = h->time_ns;
        r->last_ns = h->time_ns > r->last_ns ? h->time_ns : r->last_ns;
    }
    if (is_frame(h->frame) && h->frame.end[-1] == ')')
        status = push_frame(r, h->frame, err);
    return status;
}

static enum cp_status read_line(struct reader *r, struct cp_text line,
                                struct cp_error *err)
{
    struct header h;

    if (cp_text_is_blank(line))
        return end_sample(r, err);
    if (*line.pos == '#')
        return CP_OK;
    if (r->now.comm.pos && is_frame_line(line) && *line.pos == '\t')
        return push_frame(r, line, err);
    if (read_header(line, &h))
        return begin_sample(r, &h, err);
    if (r->now.comm.pos && is_frame_line(line))
        return push_frame(r, line, err);
    if (cp_text_is_white(*line.pos))
        return CP_OK; /* a source line, or more output of an event */
    return cp_error_set(err, CP_EFORMAT, "neither a sample nor a frame: %.*s",
                        (int)(cp_text_len(line) < 60 ? cp_text_len(line) : 60),
                        line.pos);
}

/* Whether the first line is a header with a time or a frame. */
static bool is_perf_script(struct cp_text rest)
{
    struct cp_text line = { 0 };
    struct header h;

    while (cp_text_next_line(&rest, &line))
        if (!cp_text_is_blank(line) && *line.pos != '#')
            break;
    if (!read_header(line, &h))
        return false;
    return h.time_ns >= 0 || h.frame.pos < h.frame.end ||
           (cp_text_next_line(&rest, &line) && is_frame_line(line));
}

/*
 * Returns the mapping that is probably the program: its name is that of the
 * first thread.
 */
static uint32_t main_mapping(const struct cp_profile *p, struct cp_text comm)
{
    size_t len = cp_text_len(comm);
    uint32_t best = 0;

    for (uint32_t i = p->n_mappings; i-- > 0;) {
        struct cp_str file = cp_profile_str(p, p->mappings[i].file);
        struct cp_str base = cp_path_base(file);

        if (len > 0 && base.len >= len && memcmp(base.ptr, comm.pos, len) == 0)
            return i;
        if (file.len && file.ptr[0] == '/' && !strstr(file.ptr, ".so"))
            best = i;
    }
    return best;
}

static void put_main_first(struct cp_profile *p, struct cp_text comm)
{
    uint32_t first = main_mapping(p, comm);
    struct cp_mapping m;

    for (uint32_t i = 0; i < p->n_mappings; i++)
        p->mappings[i].has_functions = true;
    if (first == 0)
        return;
    m = p->mappings[first];
    p->mappings[first] = p->mappings[0];
    p->mappings[0] = m;
    p->mappings[0].id = 1;
    p->mappings[first].id = (uint64_t)first + 1;
    for (uint32_t i = 0; i < p->n_locations; i++) {
        uint32_t *to = &p->locations[i].mapping;

        *to = *to == 0 ? first : *to == first ? 0 : *to;
    }
}

static struct cp_profile *finish(struct reader *r, struct cp_error *err)
{
    struct cp_profile *p = cp_gather_take(&r->g, err);

    if (!p)
        return NULL;
    put_main_first(p, r->first_comm);
    if (r->first_ns >= 0)
        p->duration_ns = r->last_ns - r->first_ns;
    return p;
}

static void release(struct reader *r)
{
    cp_gather_release(&r->g);
    free_cache(&r->frames);
    cp_free(r->stack);
}

struct cp_profile *cp_import_perf_script(const char *bytes, size_t len,
                                         struct cp_error *err)
{
    struct cp_text rest = cp_text_of(bytes, len), line;
    struct reader r = { .first_ns = -1 };
    struct cp_profile *p = NULL;
    enum cp_status status;
    size_t number = 0;

    if (!is_perf_script(rest)) {
        (void)cp_error_set(err, CP_EOTHER, "not the output of perf script");
        return NULL;
    }
    if (cp_gather_init(&r.g, len, err) != CP_OK)
        return NULL;
    r.samples = cp_gather_column(&r.g, cp_text_of("samples", 7), "count", err);
    status = r.samples == CP_NONE ? CP_ENOMEM : CP_OK;
    while (status == CP_OK && cp_text_next_line(&rest, &line)) {
        number++;
        status = read_line(&r, line, err);
    }
    if (status == CP_OK)
        status = end_sample(&r, err);
    if (status == CP_OK)
        p = finish(&r, err);
    else
        cp_error_prefix(err, "perf script, line %zu: ", number);
    release(&r);
    return p;
}
