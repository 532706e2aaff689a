/*
 * sample_reader.c - decodes the locations, values and label bytes of one
 * sample.
 */
#include "profile/codec/sample_reader.h"

#include "profile/codec/varints.h"
#include "profile/model/idmap.h"
#include "profile/model/profile.h"

enum cp_status cp_sample_broken(struct cp_error *err, uint32_t number,
                                const char *what)
{
    return cp_error_set(err, CP_EFORMAT, "malformed profile: sample %u %s",
                        number, what);
}

/* State of the sample being decoded. */
struct reading {
    uint32_t *locs;
    int64_t *values;
    uint32_t n_locs, n_values, n_types;
    uint32_t any_missing; /* not 0 if a location id is unknown */
    uint32_t max_loc;     /* highest id - 1; used if the reader has no id map */
};

/* Returns the index of a location, or id - 1 without an id map. */
static uint32_t location_index(const struct cp_idmap *ids, uint64_t id)
{
    if (ids)
        return cp_idmap_find(ids, id);
    return id > UINT32_MAX ? CP_NONE : (uint32_t)id - 1;
}

static void add_loc(struct reading *r, const struct cp_idmap *ids, uint64_t id)
{
    uint32_t loc = location_index(ids, id);

    CP_ASSERT(r->n_locs < CP_MAX_DEPTH);
    r->locs[r->n_locs++] = loc;
    r->any_missing |= loc == CP_NONE;
    r->max_loc = loc > r->max_loc ? loc : r->max_loc;
}

static void add_value(struct reading *r, uint64_t value)
{
    if (r->n_values < r->n_types)
        r->values[r->n_values] = (int64_t)value;
    r->n_values++;
}

/*
 * Reads one varint that the fast loops do not handle: the last bytes, or a long
 * one.
 */
static bool read_rest(struct reading *r, const struct cp_idmap *ids,
                      struct cp_wire *w)
{
    uint64_t id;

    if (!cp_wire_varint(w, &id))
        return false;
    add_loc(r, ids, id);
    return true;
}

static bool read_packed_locs(struct reading *r, const struct cp_idmap *ids,
                             struct cp_wire w)
{
    /* the compiler can keep a copy in registers */
    const struct cp_idmap map = *ids;
    uint32_t pair[2];

    while (w.pos < w.end) {
        uint32_t *at = r->locs + r->n_locs;
        uint32_t missing = 0;

        CP_ASSERT(r->n_locs < CP_MAX_DEPTH);
        while (cp_wire_pair(&w, pair)) {
            at[0] = cp_idmap_find(&map, pair[0]);
            at[1] = cp_idmap_find(&map, pair[1]);
            missing |= (at[0] == CP_NONE) | (at[1] == CP_NONE);
            at += 2;
        }
        r->n_locs = (uint32_t)(at - r->locs);
        r->any_missing |= missing;
        if (w.pos < w.end && !read_rest(r, ids, &w))
            return false;
    }
    return true;
}

/*
 * Reads location ids without an id map. Loading spends most of its time in this
 * loop.
 */
static bool read_packed_ids(struct reading *r, const struct cp_varints *varints,
                            struct cp_wire w)
{
    uint32_t pair[2];

    while (w.pos < w.end) {
        struct cp_varint_range range = { UINT32_MAX, 0 };

        r->n_locs +=
            (uint32_t)cp_varints_read(varints, &w, r->locs + r->n_locs, &range);
        if (range.min == 0)
            r->max_loc = CP_NONE;
        else if (range.max > r->max_loc)
            r->max_loc = range.max - 1;
        while (cp_wire_pair(&w, pair)) {
            add_loc(r, NULL, pair[0]);
            add_loc(r, NULL, pair[1]);
        }
        if (w.pos < w.end && !read_rest(r, NULL, &w))
            return false;
    }
    return true;
}

static bool read_packed_values(struct reading *r, struct cp_wire w)
{
    uint64_t value;

    while (w.pos < w.end) {
        if (!cp_wire_varint(&w, &value))
            return false;
        add_value(r, value);
    }
    return true;
}

static bool read_field(const struct cp_sample_reader *reader, struct reading *r,
                       const struct cp_wire_field *f)
{
    const struct cp_idmap *ids = reader->ids;

    if (f->type != CP_WIRE_BYTES && f->type != CP_WIRE_VARINT)
        return false;
    if (f->number == 1 && f->type == CP_WIRE_BYTES)
        return ids ? read_packed_locs(r, ids, f->bytes)
                   : read_packed_ids(r, reader->varints, f->bytes);
    if (f->number == 2 && f->type == CP_WIRE_BYTES)
        return read_packed_values(r, f->bytes);
    if (f->number == 1)
        add_loc(r, ids, f->value);
    else
        add_value(r, f->value);
    return true;
}

static enum cp_status check(struct cp_sample_reader *reader,
                            const struct reading *r, uint32_t number)
{
    reader->max_loc = r->max_loc;
    if (r->any_missing && reader->ids)
        return cp_sample_broken(&reader->err, number,
                                "refers to a location id that does not exist");
    if (r->n_values != r->n_types)
        return cp_error_set(&reader->err, CP_EFORMAT,
                            "malformed profile: mismatch: sample has %u values "
                            "vs. %u types",
                            r->n_values, r->n_types);
    return CP_OK;
}

enum cp_status cp_sample_read(struct cp_sample_reader *reader,
                              struct cp_wire msg, uint32_t number,
                              uint64_t *first_loc)
{
    struct cp_profile *p = reader->profile;
    struct reading r = { .locs = p->locs + *first_loc,
                         .values = p->values + (size_t)number * reader->n_types,
                         .n_types = reader->n_types,
                         .max_loc = reader->max_loc };
    struct cp_wire_field f;
    bool is_ok = true;

    CP_ASSERT(reader->ids || reader->varints);
    CP_ASSERT(reader->n_types <= CP_MAX_TYPES);
    cp_raw_labels_begin(&reader->labels);
    while (msg.pos < msg.end) {
        const uint8_t *from = msg.pos;

        is_ok = cp_wire_field(&msg, &f);
        if (is_ok && f.number == 3)
            is_ok = f.type == CP_WIRE_BYTES;
        else if (is_ok && (f.number == 1 || f.number == 2))
            is_ok = read_field(reader, &r, &f);
        if (!is_ok)
            return cp_sample_broken(&reader->err, number, "cannot be decoded");
        if (f.number == 3 && cp_raw_labels_add(&reader->labels, from, msg.pos,
                                               &reader->err) != CP_OK)
            return CP_ENOMEM;
    }
    CP_ASSERT(msg.pos == msg.end);
    CP_ASSERT(r.n_locs <= CP_MAX_DEPTH);
    p->samples[number].locs = *first_loc;
    p->samples[number].n_locs = r.n_locs;
    *first_loc += r.n_locs;
    if (cp_raw_labels_end(&reader->labels, number,
                          &p->samples[number].label_set, &reader->err) != CP_OK)
        return CP_ENOMEM;
    return check(reader, &r, number);
}
