/*
 * callgrind.c - reads callgrind files, and those of other tools in this format
 * (xdebug, and `pprof -callgrind`).
 *
 *   events: Ir Dr              names of the counters
 *   positions: instr line      columns before the costs
 *   ob=(1) /usr/bin/prog       object, file, function; later only "(1)"
 *   fl=(1) a.c
 *   fn=(1) main
 *   16 20 3                    line 16: 20 Ir, 3 Dr
 *   fi=, fe=                   another file, for inlined code
 *   cob=, cfi=, cfl=, cfn=     the callee of the next call
 *   calls=2 50                 two calls; the next line has their cost
 *   +1 400                     positions may be relative: +, -, * for the same
 *
 * callgrind.h describes how calls become stacks.
 */
#include "import/callgrind.h"

#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "import/callgrind_names.h"
#include "import/readers.h"

#define MAX_POSITIONS 8
#define LINES_TO_TRY 200

struct function_key {
    uint32_t object, file, name; /* string numbers */
};

struct reader {
    struct cp_gather g;
    struct cp_callgrind c;
    struct cp_callgrind_names objects, files, functions;
    struct function_key *keys; /* indexed by function */
    size_t cap_keys;
    struct cp_table by_key, costs;

    struct cp_text object, file, own_file, name; /* own_file: file of fl= */
    struct cp_text callee_object, callee_file, callee_name;
    bool has_function, has_callee,
        is_call; /* is_call: the next line has the cost of a call */
    uint32_t function;
    int64_t positions[MAX_POSITIONS];
    int64_t values[CP_GATHER_COLUMNS];
    uint32_t n_positions, n_values, line_position;
    struct cp_error *err;
};

static enum cp_status malformed(const struct reader *r, const char *what)
{
    return cp_error_set(r->err, CP_EFORMAT, "%s", what);
}

static uint32_t find_function(struct reader *r, struct cp_text object,
                              struct cp_text file, struct cp_text name)
{
    struct function_key k = { cp_gather_str(&r->g, object, r->err),
                              cp_gather_str(&r->g, file, r->err),
                              cp_gather_str(&r->g, name, r->err) };
    uint64_t hash = cp_hash_mix((uint64_t)k.object << 32 | k.file, k.name);
    size_t probe = 0;
    uint32_t i;

    if (k.object == CP_NO_STR || k.file == CP_NO_STR || k.name == CP_NO_STR)
        return CP_NONE;
    while ((i = cp_table_next(&r->by_key, hash, &probe)) != CP_NONE)
        if (r->keys[i].object == k.object && r->keys[i].file == k.file &&
            r->keys[i].name == k.name)
            return i;
    if (r->c.n_functions >= CP_NONE - 1 ||
        cp_reserve(&r->keys, &r->cap_keys, (size_t)r->c.n_functions + 1,
                   sizeof(*r->keys), r->err) != CP_OK ||
        cp_table_add(&r->by_key, hash, r->c.n_functions, r->err) != CP_OK)
        return CP_NONE;
    r->keys[r->c.n_functions] = k;
    return r->c.n_functions++;
}

static bool is_unknown(struct cp_text text)
{
    return text.pos == text.end || cp_text_equals(text, "???");
}

/* Returns the location of the current line. */
static uint32_t find_location(struct reader *r)
{
    struct cp_gather_frame f = { .mapping = CP_NONE };
    struct cp_text none = { 0 };

    f.line =
        r->line_position < r->n_positions ? r->positions[r->line_position] : 0;
    if (f.line < 0)
        f.line = 0;
    if (!is_unknown(r->object)) {
        f.mapping = cp_gather_mapping(&r->g, r->object, none, r->err);
        if (f.mapping == CP_NONE)
            return CP_NONE;
        r->g.b.profile->mappings[f.mapping].has_functions = true;
    }
    f.function = cp_gather_function(
        &r->g, r->name, is_unknown(r->file) ? none : r->file, 0, r->err);
    return f.function == CP_NONE ? CP_NONE : cp_gather_frame(&r->g, &f, r->err);
}

/*
 * Returns the cost of the current location and callee, extended to n values;
 * NULL on failure.
 */
static struct cp_callgrind_cost *find_cost(struct reader *r, uint32_t callee,
                                           uint32_t n)
{
    struct cp_callgrind *c = &r->c;
    struct cp_callgrind_cost cost = { r->function, callee, find_location(r), n,
                                      c->n_values };
    uint64_t hash =
        cp_hash_mix((uint64_t)cost.function << 32 | cost.callee, cost.location);
    size_t probe = 0;
    uint32_t i;

    if (cost.location == CP_NONE ||
        cp_reserve(&c->values, &c->cap_values, c->n_values + n,
                   sizeof(*c->values), r->err) != CP_OK)
        return NULL;
    while ((i = cp_table_next(&r->costs, hash, &probe)) != CP_NONE)
        if (c->costs[i].function == cost.function &&
            c->costs[i].callee == cost.callee &&
            c->costs[i].location == cost.location)
            break;
    if (i != CP_NONE && c->costs[i].n_values >= n)
        return &c->costs[i];
    memset(c->values + c->n_values, 0, n * sizeof(*c->values));
    c->n_values += n;
    if (i != CP_NONE) { /* exists, but has fewer values */
        memcpy(c->values + cost.values, c->values + c->costs[i].values,
               c->costs[i].n_values * sizeof(*c->values));
        c->costs[i].values = cost.values;
        c->costs[i].n_values = n;
        return &c->costs[i];
    }
    if (c->n_costs >= CP_NONE - 1 ||
        cp_reserve(&c->costs, &c->cap_costs, c->n_costs + 1, sizeof(*c->costs),
                   r->err) != CP_OK ||
        cp_table_add(&r->costs, hash, (uint32_t)c->n_costs, r->err) != CP_OK)
        return NULL;
    c->costs[c->n_costs] = cost;
    return &c->costs[c->n_costs++];
}

/* Parses a number, or a difference to the previous one: "+3", "-3", "*". */
static bool read_number(struct cp_text word, int64_t *now)
{
    bool is_more = cp_text_consume(&word, "+");
    bool is_less = !is_more && cp_text_consume(&word, "-");
    int64_t value;
    uint64_t hex;

    if (cp_text_equals(word, "*"))
        return !is_more && !is_less;
    if (cp_text_consume(&word, "0x")) {
        if (!cp_text_to_hex(word, &hex))
            return false;
        value = (int64_t)hex;
    } else if (word.pos == word.end || !cp_text_is_digit(*word.pos) ||
               !cp_text_to_int(word, &value)) {
        return false;
    }
    if (!is_more && !is_less)
        *now = value;
    else if (is_more ? __builtin_add_overflow(*now, value, now)
                     : __builtin_sub_overflow(*now, value, now))
        return false;
    return true;
}

/* Parses the positions and the costs of a line. */
static enum cp_status read_numbers(struct reader *r, struct cp_text line)
{
    struct cp_text word;
    uint32_t n = 0;

    for (; cp_text_consume_word(&line, &word); n++) {
        bool is_position = n < r->n_positions;
        uint32_t i = is_position ? n : n - r->n_positions;

        if (!is_position && i >= r->c.n_events)
            return malformed(r, "more costs than events");
        if (!read_number(word, is_position ? &r->positions[i] : &r->values[i]))
            return malformed(r, "bad number");
        (void)cp_text_consume_white(&line);
    }
    r->n_values = n > r->n_positions ? n - r->n_positions : 0;
    return CP_OK;
}

/*
 * Returns the callee of the call announced by the previous line; CP_NONE if
 * there is none.
 */
static enum cp_status get_callee(struct reader *r, uint32_t *out)
{
    *out = CP_NONE;
    if (!r->is_call)
        return CP_OK;
    if (!r->has_callee)
        return malformed(r, "a call without a callee");
    *out = find_function(r, r->callee_object, r->callee_file, r->callee_name);
    if (*out == CP_NONE)
        return CP_ENOMEM;
    r->has_callee = r->is_call = false;
    r->callee_object = r->object;
    r->callee_file = r->own_file;
    return CP_OK;
}

static enum cp_status read_costs(struct reader *r, struct cp_text line)
{
    struct cp_callgrind_cost *cost;
    uint32_t callee;
    enum cp_status status = read_numbers(r, line);

    if (status != CP_OK)
        return status;
    if (!r->has_function)
        return malformed(r, "a cost before the first function");
    status = get_callee(r, &callee);
    if (status != CP_OK || r->n_values == 0)
        return status; /* source of a jump, or all costs are zero */
    cost = find_cost(r, callee, r->n_values);
    if (!cost)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < r->n_values; i++) {
        int64_t *sum = &r->c.values[cost->values + i];

        if (__builtin_add_overflow(*sum, r->values[i], sum))
            return malformed(r, "costs that add up to too much");
    }
    return CP_OK;
}

/* Parses "Ir", "cpu(ms)" (pprof) or "Memory_(bytes)" (xdebug). */
static enum cp_status add_event(struct reader *r, struct cp_text name)
{
    const char *open = cp_text_find(name, "(");
    char unit[24] = "count";
    size_t len = 0;
    uint32_t column;

    if (open && name.end[-1] == ')') {
        while (open + 1 + len < name.end - 1 && len < sizeof(unit) - 1 &&
               ((open[1 + len] | 0x20) >= 'a' && (open[1 + len] | 0x20) <= 'z'))
            len++;
        if (len > 0 && open + 1 + len == name.end - 1 && open - name.pos > 1) {
            memcpy(unit, open + 1, len);
            unit[len] = '\0';
            name.end = open[-1] == '_' ? open - 1 : open;
        }
    }
    column = cp_gather_column(&r->g, name, unit, r->err);
    if (column == CP_NONE)
        return CP_EFORMAT;
    if (column != r->c.n_events)
        return malformed(r, "an event that is there twice");
    r->c.n_events++;
    return CP_OK;
}

/*
 * Parses the list of events. Parts of a file may repeat it but not change it.
 */
static enum cp_status read_events(struct reader *r, struct cp_text rest)
{
    enum cp_status status = CP_OK;
    struct cp_text word;

    (void)cp_text_consume_white(&rest);
    if (r->c.n_events > 0)
        return CP_OK;
    while (status == CP_OK && cp_text_consume_word(&rest, &word)) {
        status = add_event(r, word);
        (void)cp_text_consume_white(&rest);
    }
    if (status == CP_OK && r->c.n_events == 0)
        return malformed(r, "no events");
    if (status == CP_OK)
        cp_gather_prefer(&r->g, 0);
    return status;
}

static enum cp_status read_positions(struct reader *r, struct cp_text rest)
{
    struct cp_text word;

    r->n_positions = 0;
    r->line_position = MAX_POSITIONS;
    (void)cp_text_consume_white(&rest);
    while (cp_text_consume_word(&rest, &word)) {
        if (r->n_positions == MAX_POSITIONS)
            return malformed(r, "too many positions");
        if (cp_text_equals(word, "line"))
            r->line_position = r->n_positions;
        r->n_positions++;
        (void)cp_text_consume_white(&rest);
    }
    return r->n_positions ? CP_OK : malformed(r, "no positions");
}

/* Parses fn= and similar lines; CP_EOTHER if the line is none of these. */
static enum cp_status read_context(struct reader *r, struct cp_text line)
{
    enum cp_status status;

    if (cp_text_consume(&line, "fn=")) {
        r->has_callee = false;
        r->file = r->own_file;
        status = cp_callgrind_names_read(&r->functions, line, &r->name, r->err);
        if (status != CP_OK)
            return status;
        r->callee_object = r->object;
        r->callee_file = r->own_file;
        r->function = find_function(r, r->object, r->own_file, r->name);
        r->has_function = true;
        return r->function == CP_NONE ? CP_ENOMEM : CP_OK;
    }
    if (cp_text_consume(&line, "fl=")) {
        status = cp_callgrind_names_read(&r->files, line, &r->own_file, r->err);
        r->file = r->callee_file = r->own_file;
        return status;
    }
    if (cp_text_consume(&line, "fi=") || cp_text_consume(&line, "fe="))
        return cp_callgrind_names_read(&r->files, line, &r->file, r->err);
    if (cp_text_consume(&line, "ob=")) {
        status = cp_callgrind_names_read(&r->objects, line, &r->object, r->err);
        r->callee_object = r->object;
        return status;
    }
    if (cp_text_consume(&line, "cfn=")) {
        r->has_callee = true;
        return cp_callgrind_names_read(&r->functions, line, &r->callee_name,
                                       r->err);
    }
    if (cp_text_consume(&line, "cfi=") || cp_text_consume(&line, "cfl="))
        return cp_callgrind_names_read(&r->files, line, &r->callee_file,
                                       r->err);
    if (cp_text_consume(&line, "cob="))
        return cp_callgrind_names_read(&r->objects, line, &r->callee_object,
                                       r->err);
    if (cp_text_consume(&line, "calls=")) {
        r->is_call = true;
        return CP_OK;
    }
    return CP_EOTHER;
}

static bool is_cost(struct cp_text line)
{
    return line.pos < line.end &&
           (cp_text_is_digit(*line.pos) || strchr("+-*", *line.pos));
}

/* Whether the line is a header such as "version: 1". */
static bool is_header(struct cp_text line)
{
    while (line.pos < line.end &&
           (((*line.pos | 0x20) >= 'a' && (*line.pos | 0x20) <= 'z') ||
            *line.pos == '_' || *line.pos == '-'))
        line.pos++;
    return line.pos < line.end && *line.pos == ':';
}

static enum cp_status read_line(struct reader *r, struct cp_text line)
{
    enum cp_status status;

    line = cp_text_trim(line);
    if (line.pos == line.end || *line.pos == '#')
        return CP_OK;
    if (is_cost(line))
        return read_costs(r, line);
    status = read_context(r, line);
    if (status != CP_EOTHER)
        return status;
    if (cp_text_consume(&line, "events:"))
        return read_events(r, line);
    if (cp_text_consume(&line, "positions:"))
        return read_positions(r, line);
    if (is_header(line) || cp_text_starts(line, "jump=") ||
        cp_text_starts(line, "jcnd=") || cp_text_starts(line, "rec="))
        return CP_OK;
    return malformed(r, "a line that is not understood");
}

/* Whether an "events:" line comes before any line that is not a header. */
static bool is_callgrind(struct cp_text rest)
{
    struct cp_text line;

    for (int i = 0; i < LINES_TO_TRY && cp_text_next_line(&rest, &line); i++) {
        if (cp_text_starts(line, "events:"))
            return true;
        if (!cp_text_is_blank(line) && *line.pos != '#' && !is_header(line))
            return false;
    }
    return false;
}

/* Frees the name tables, which are only needed while the file is parsed. */
static void release_names(struct reader *r)
{
    cp_callgrind_names_release(&r->objects);
    cp_callgrind_names_release(&r->files);
    cp_callgrind_names_release(&r->functions);
    cp_table_release(&r->by_key);
    cp_table_release(&r->costs);
    cp_free(r->keys);
}

struct cp_profile *cp_import_callgrind(const char *bytes, size_t len,
                                       struct cp_error *err)
{
    struct cp_text rest = cp_text_of(bytes, len), line;
    struct reader r = { .n_positions = 1, .err = err };
    struct cp_profile *p = NULL;
    enum cp_status status = CP_OK;
    size_t number = 0;

    if (!is_callgrind(rest)) {
        (void)cp_error_set(err, CP_EOTHER, "not a callgrind file");
        return NULL;
    }
    if (cp_gather_init(&r.g, len, err) != CP_OK)
        return NULL;
    while (status == CP_OK && cp_text_next_line(&rest, &line)) {
        number++;
        status = read_line(&r, line);
    }
    release_names(&r);
    if (status == CP_OK)
        status = cp_callgrind_stacks(&r.c, &r.g, err);
    else
        cp_error_prefix(err, "callgrind, line %zu: ", number);
    cp_free(r.c.costs);
    cp_free(r.c.values);
    if (status == CP_OK)
        p = cp_gather_take(&r.g, err);
    cp_gather_release(&r.g);
    return p;
}
