/*
 * decode.c - decodes the tables of a profile.proto message, all but samples.
 *
 * Each table is read in two passes. The first stores the numbers of the file.
 * The second replaces ids by array indexes (idmap.h) and string indexes of the
 * file by numbers of the profile's string table.
 */
#include "profile/codec/decode.h"

#include "base/bytes.h"
#include "profile/codec/decode_samples.h"
#include "profile/codec/decode_scan.h"
#include "profile/model/idmap.h"
#include "profile/model/profile.h"

#define MAX_FIELD 16

struct decoder {
    struct cp_scan scan;
    struct cp_profile *profile;
    struct cp_arena scratch;
    uint32_t *strings; /* profile string number by string index of the file */
    uint64_t n_strings;
    struct cp_idmap location_ids, function_ids, mapping_ids;
    size_t cap_lines;
    struct cp_error *err;
};

static enum cp_status not_a_profile(struct decoder *d, const char *what)
{
    return cp_error_set(d->err, CP_EOTHER, "%s", what);
}

/* Iterator over the messages of one table. */
struct table {
    const struct cp_scan *scan;
    size_t next_run;
    struct cp_wire run;
    uint32_t field;
};

static bool next_message(struct table *t, struct cp_wire_field *out)
{
    CP_ASSERT(t->next_run <= t->scan->n_runs);
    CP_ASSERT(t->run.pos <= t->run.end);
    while (t->run.pos == t->run.end) {
        if (t->next_run == t->scan->n_runs)
            return false;
        if (t->scan->runs[t->next_run].field == t->field)
            t->run = cp_scan_wire(t->scan, &t->scan->runs[t->next_run]);
        t->next_run++;
    }
    return cp_wire_field(&t->run, out);
}

/* Reads a message whose fields are all varints into value[1..max]. */
static bool read_numbers(struct cp_wire w, uint64_t *value, uint32_t max)
{
    struct cp_wire_field f;

    CP_ASSERT(max < MAX_FIELD);
    for (uint32_t i = 0; i <= max; i++)
        value[i] = 0;
    while (w.pos < w.end) {
        if (!cp_wire_field(&w, &f))
            return false;
        if (f.number < 1 || f.number > max)
            continue;
        if (f.type != CP_WIRE_VARINT)
            return false;
        value[f.number] = f.value;
    }
    return true;
}

static bool get_string(struct decoder *d, uint64_t index, uint32_t *out)
{
    if (index >= d->n_strings)
        return false;
    *out = d->strings[index];
    CP_ASSERT(*out < d->profile->strings.n);
    return true;
}

static enum cp_status read_strings(struct decoder *d)
{
    struct cp_profile *p = d->profile;
    struct table t = { .scan = &d->scan, .field = CP_SCAN_STRING };
    struct cp_wire_field f;

    d->n_strings = d->scan.n[CP_SCAN_STRING];
    d->strings =
        cp_arena_alloc(&d->scratch, d->n_strings, sizeof(uint32_t), d->err);
    if (!d->strings ||
        cp_strtab_init(&p->strings, &p->arena, d->n_strings, d->err) != CP_OK)
        return CP_ENOMEM;
    for (uint64_t i = 0; next_message(&t, &f); i++) {
        CP_ASSERT(i < d->n_strings);
        d->strings[i] =
            cp_strtab_add(&p->strings, (const char *)f.bytes.pos,
                          (size_t)(f.bytes.end - f.bytes.pos), d->err);
        if (d->strings[i] == CP_NO_STR)
            return CP_ENOMEM;
    }
    if (d->n_strings == 0 || d->strings[0] != 0)
        return not_a_profile(d, "the string table does not begin with \"\"");
    return CP_OK;
}

static enum cp_status read_value_type(struct decoder *d, struct cp_wire msg,
                                      struct cp_value_type *out)
{
    uint64_t v[3];

    if (!read_numbers(msg, v, 2) || !get_string(d, v[1], &out->type) ||
        !get_string(d, v[2], &out->unit))
        return not_a_profile(d, "a value type cannot be decoded");
    return CP_OK;
}

static enum cp_status read_types(struct decoder *d)
{
    struct cp_profile *p = d->profile;
    struct table t = { .scan = &d->scan, .field = CP_SCAN_TYPE };
    struct cp_wire_field f;

    if (d->scan.n[CP_SCAN_TYPE] > CP_MAX_TYPES)
        return cp_error_set(d->err, CP_EFORMAT,
                            "malformed profile: %llu sample types; the limit "
                            "is %u",
                            (unsigned long long)d->scan.n[CP_SCAN_TYPE],
                            CP_MAX_TYPES);
    p->types = cp_arena_alloc(&p->arena, d->scan.n[CP_SCAN_TYPE],
                              sizeof(*p->types), d->err);
    if (!p->types)
        return CP_ENOMEM;
    while (next_message(&t, &f)) {
        enum cp_status status =
            read_value_type(d, f.bytes, &p->types[p->n_types++]);

        CP_ASSERT(p->n_types <= d->scan.n[CP_SCAN_TYPE]);
        if (status != CP_OK)
            return status;
    }
    t = (struct table){ .scan = &d->scan, .field = CP_SCAN_PERIOD_TYPE };
    while (next_message(&t, &f)) {
        enum cp_status status = read_value_type(d, f.bytes, &p->period_type);
        if (status != CP_OK)
            return status;
    }
    return CP_OK;
}

static enum cp_status read_comments(struct decoder *d)
{
    struct cp_profile *p = d->profile;
    struct table t = { .scan = &d->scan, .field = CP_SCAN_COMMENT };
    struct cp_wire_field f;
    size_t cap = 0;

    while (next_message(&t, &f)) {
        bool is_packed = f.type == CP_WIRE_BYTES;

        for (;;) {
            if (is_packed && (f.bytes.pos == f.bytes.end ||
                              !cp_wire_varint(&f.bytes, &f.value)))
                break;
            if (cp_arena_reserve(&p->arena, &p->comments, p->n_comments, &cap,
                                 (size_t)p->n_comments + 1,
                                 sizeof(*p->comments), d->err) != CP_OK)
                return CP_ENOMEM;
            if (!get_string(d, f.value, &p->comments[p->n_comments++]))
                return not_a_profile(d, "a comment is out of range");
            if (!is_packed)
                break;
        }
        if (is_packed && f.bytes.pos != f.bytes.end)
            return not_a_profile(d, "comments cannot be decoded");
    }
    return CP_OK;
}

static enum cp_status read_scalars(struct decoder *d)
{
    struct cp_profile *p = d->profile;
    const uint64_t *v = d->scan.scalar;

    p->time_ns = (int64_t)v[CP_SCAN_TIME];
    p->duration_ns = (int64_t)v[CP_SCAN_DURATION];
    p->period = (int64_t)v[CP_SCAN_PERIOD];
    if (!get_string(d, v[CP_SCAN_DROP], &p->drop_frames) ||
        !get_string(d, v[CP_SCAN_KEEP], &p->keep_frames) ||
        !get_string(d, v[CP_SCAN_DEFAULT], &p->default_type) ||
        !get_string(d, v[CP_SCAN_DOC], &p->doc_url))
        return not_a_profile(d, "a string index is out of range");
    return CP_OK;
}

/* Builds the id map of a table whose elements begin with a 64-bit id. */
static enum cp_status index_ids(struct decoder *d, struct cp_idmap *map,
                                const char *table, size_t size, uint32_t n,
                                const char *what)
{
    uint64_t *ids = cp_arena_alloc(&d->scratch, n, sizeof(*ids), d->err);

    CP_ASSERT(size >= sizeof(*ids));
    if (!ids)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = *(const uint64_t *)(const void *)(table + i * size);
        if (ids[i] == 0)
            return cp_error_set(
                d->err, CP_EFORMAT,
                "malformed profile: found %s with reserved ID=0", what);
    }
    if (cp_idmap_init(map, &d->scratch, ids, n, d->err) != CP_OK)
        return CP_ENOMEM;
    if (map->has_duplicate)
        return cp_error_set(
            d->err, CP_EFORMAT,
            "malformed profile: multiple %ss with same id: %llu", what,
            (unsigned long long)map->duplicate);
    return CP_OK;
}

static enum cp_status read_mappings(struct decoder *d)
{
    struct cp_profile *p = d->profile;
    struct table t = { .scan = &d->scan, .field = CP_SCAN_MAPPING };
    struct cp_wire_field f;
    uint64_t v[MAX_FIELD];

    p->mappings = cp_arena_alloc(&p->arena, d->scan.n[CP_SCAN_MAPPING],
                                 sizeof(*p->mappings), d->err);
    if (!p->mappings)
        return CP_ENOMEM;
    while (next_message(&t, &f)) {
        struct cp_mapping *m = &p->mappings[p->n_mappings++];

        CP_ASSERT(p->n_mappings <= d->scan.n[CP_SCAN_MAPPING]);
        if (!read_numbers(f.bytes, v, 10) || !get_string(d, v[5], &m->file) ||
            !get_string(d, v[6], &m->build_id))
            return not_a_profile(d, "a mapping cannot be decoded");
        m->id = v[1];
        m->start = v[2];
        m->limit = v[3];
        m->offset = v[4];
        m->has_functions = v[7] != 0;
        m->has_filenames = v[8] != 0;
        m->has_line_numbers = v[9] != 0;
        m->has_inline_frames = v[10] != 0;
    }
    return index_ids(d, &d->mapping_ids, (const char *)p->mappings,
                     sizeof(*p->mappings), p->n_mappings, "mapping");
}

static enum cp_status read_functions(struct decoder *d)
{
    struct cp_profile *p = d->profile;
    struct table t = { .scan = &d->scan, .field = CP_SCAN_FUNCTION };
    struct cp_wire_field f;
    uint64_t v[MAX_FIELD];

    p->functions = cp_arena_alloc(&p->arena, d->scan.n[CP_SCAN_FUNCTION],
                                  sizeof(*p->functions), d->err);
    if (!p->functions)
        return CP_ENOMEM;
    while (next_message(&t, &f)) {
        struct cp_function *fn = &p->functions[p->n_functions++];

        CP_ASSERT(p->n_functions <= d->scan.n[CP_SCAN_FUNCTION]);
        if (!read_numbers(f.bytes, v, 5) || !get_string(d, v[2], &fn->name) ||
            !get_string(d, v[3], &fn->system_name) ||
            !get_string(d, v[4], &fn->filename))
            return not_a_profile(d, "a function cannot be decoded");
        fn->id = v[1];
        fn->start_line = (int64_t)v[5];
    }
    return index_ids(d, &d->function_ids, (const char *)p->functions,
                     sizeof(*p->functions), p->n_functions, "function");
}

static enum cp_status read_line(struct decoder *d, struct cp_location *l,
                                struct cp_wire msg)
{
    struct cp_profile *p = d->profile;
    uint64_t v[4];

    CP_ASSERT(l->lines + l->n_lines == p->n_lines);
    if (!read_numbers(msg, v, 3))
        return not_a_profile(d, "a line cannot be decoded");
    if (cp_arena_reserve(&p->arena, &p->lines, p->n_lines, &d->cap_lines,
                         (size_t)p->n_lines + 1, sizeof(*p->lines),
                         d->err) != CP_OK)
        return CP_ENOMEM;
    struct cp_line *line = &p->lines[p->n_lines++];
    line->function = cp_idmap_find(&d->function_ids, v[1]);
    line->line = (int64_t)v[2];
    line->column = (int64_t)v[3];
    l->n_lines++;
    if (line->function == CP_NONE)
        return cp_error_set(d->err, CP_EFORMAT,
                            "malformed profile: location %u has a line with "
                            "function id %llu, which does not exist",
                            p->n_locations, (unsigned long long)v[1]);
    return CP_OK;
}

static enum cp_status read_location(struct decoder *d, struct cp_location *l,
                                    struct cp_wire w)
{
    struct cp_wire_field f;

    l->lines = d->profile->n_lines;
    l->mapping = CP_NONE;
    while (w.pos < w.end) {
        if (!cp_wire_field(&w, &f))
            return not_a_profile(d, "a location cannot be decoded");
        if (f.number < 1 || f.number > 5)
            continue;
        if (f.type != (f.number == 4 ? CP_WIRE_BYTES : CP_WIRE_VARINT))
            return not_a_profile(d, "a location cannot be decoded");
        if (f.number == 1)
            l->id = f.value;
        else if (f.number == 2)
            l->mapping = cp_idmap_find(&d->mapping_ids, f.value);
        else if (f.number == 3)
            l->address = f.value;
        else if (f.number == 5)
            l->is_folded = f.value != 0;
        else if (read_line(d, l, f.bytes) != CP_OK)
            return CP_EFORMAT;
    }
    return CP_OK;
}

static enum cp_status read_locations(struct decoder *d)
{
    struct cp_profile *p = d->profile;
    struct table t = { .scan = &d->scan, .field = CP_SCAN_LOCATION };
    uint64_t n = d->scan.n[CP_SCAN_LOCATION];
    struct cp_wire_field f;

    p->locations = cp_arena_alloc(&p->arena, n, sizeof(*p->locations), d->err);
    if (!p->locations ||
        cp_arena_reserve(&p->arena, &p->lines, 0, &d->cap_lines, n + n / 8,
                         sizeof(*p->lines), d->err) != CP_OK)
        return CP_ENOMEM;
    while (next_message(&t, &f)) {
        enum cp_status status =
            read_location(d, &p->locations[p->n_locations++], f.bytes);

        CP_ASSERT(p->n_locations <= n);
        if (status != CP_OK)
            return status;
    }
    return index_ids(d, &d->location_ids, (const char *)p->locations,
                     sizeof(*p->locations), p->n_locations, "location");
}

static enum cp_status read_samples(struct decoder *d, cp_decode_step *step,
                                   void *context)
{
    struct cp_decode_samples in = {
        .scan = &d->scan,
        .location_ids = &d->location_ids,
        .strings = d->strings,
        .n_strings = d->n_strings,
        .profile = d->profile,
    };

    if (d->profile->n_types == 0 && d->scan.n[CP_SCAN_SAMPLE] > 0)
        return cp_error_set(
            d->err, CP_EFORMAT,
            "malformed profile: missing sample type information");
    return step(&in, context, d->err);
}

enum cp_status cp_decode_tables(struct cp_profile *p, const uint8_t *data,
                                size_t len, cp_decode_step *step, void *context,
                                struct cp_error *err)
{
    struct cp_error unseen = { 0 };
    struct decoder d = { .profile = p, .err = err ? err : &unseen };
    bool is_ok = cp_scan_init(&d.scan, data, len, d.err) == CP_OK &&
                 read_strings(&d) == CP_OK && read_types(&d) == CP_OK &&
                 read_comments(&d) == CP_OK && read_scalars(&d) == CP_OK &&
                 read_mappings(&d) == CP_OK && read_functions(&d) == CP_OK &&
                 read_locations(&d) == CP_OK &&
                 read_samples(&d, step, context) == CP_OK;

    cp_scan_release(&d.scan);
    cp_arena_release(&d.scratch);
    return is_ok ? CP_OK : CP_EFORMAT;
}

/*
 * context is the input buffer; its pages are discarded while they are decoded.
 */
static enum cp_status decode_all_samples(const struct cp_decode_samples *in,
                                         void *context, struct cp_error *err)
{
    struct cp_decode_samples mine = *in;

    mine.discard = context;
    return cp_decode_samples(&mine, err);
}

struct cp_profile *cp_decode(struct cp_bytes *raw, bool may_discard,
                             struct cp_error *err)
{
    struct cp_profile *p = cp_profile_new(err);

    if (p && cp_decode_tables(p, raw->data, raw->len, decode_all_samples,
                              may_discard ? raw : NULL, err) == CP_OK)
        return p;
    cp_profile_free(p);
    return NULL;
}
