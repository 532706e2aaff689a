/*
 * raw_labels.c - deduplicates label bytes, then decodes them into label sets.
 *
 * An entry of the block, aligned to four bytes:
 *
 *   number (4), first sample that has it (4), length (4), the bytes, padding
 */
#include "profile/codec/raw_labels.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/parallel.h"
#include "profile/codec/decode_samples.h"
#include "profile/codec/wire.h"
#include "profile/model/label_table.h"
#include "profile/model/profile.h"

#define UNIT sizeof(uint32_t)
#define FIRST_SLOTS 256
/* pieces of one table that are looked up in parallel */
#define DUPLICATE_PARTS 8
/* entries; smaller tables are decoded without a search for duplicates */
#define MIN_DUPLICATE_SEARCH 4096

struct entry {
    uint32_t number, first, len;
};

static struct entry entry_at(const struct cp_raw_labels *t, uint32_t at)
{
    struct entry e;

    CP_ASSERT(at > 0);
    CP_ASSERT((size_t)(at - 1) * UNIT + sizeof(e) <= t->len);
    memcpy(&e, t->block + (size_t)(at - 1) * UNIT, sizeof(e));
    CP_ASSERT(e.number > 0 && e.number <= t->n + 1);
    return e;
}

static const uint8_t *bytes_at(const struct cp_raw_labels *t, uint32_t at)
{
    return t->block + (size_t)(at - 1) * UNIT + sizeof(struct entry);
}

/* Returns the position of the next entry. */
static uint32_t next_at(uint32_t at, const struct entry *e)
{
    return at + (uint32_t)((sizeof(*e) + e->len + UNIT - 1) / UNIT);
}

enum cp_status cp_raw_labels_join(struct cp_raw_labels *t, const uint8_t *from,
                                  const uint8_t *to, struct cp_error *err)
{
    size_t have = t->joined_len ? 0 : (size_t)(t->to - t->from);
    size_t len = (size_t)(to - from);

    CP_ASSERT(from <= to && t->from <= t->to);
    if (cp_reserve(&t->joined, &t->joined_cap, t->joined_len + have + len, 1,
                   err) != CP_OK)
        return CP_ENOMEM;
    memcpy(t->joined + t->joined_len, t->from, have);
    t->joined_len += have;
    memcpy(t->joined + t->joined_len, from, len);
    t->joined_len += len;
    return CP_OK;
}

static struct cp_raw_slot *find_slot(const struct cp_raw_labels *t,
                                     const uint8_t *bytes, uint32_t len,
                                     uint32_t hash)
{
    uint32_t i = hash & t->mask;

    CP_ASSERT((t->mask & (t->mask + 1)) == 0 && t->n <= t->mask);
    for (; t->slots[i].at; i = (i + 1) & t->mask)
        if (t->slots[i].hash == hash &&
            entry_at(t, t->slots[i].at).len == len &&
            memcmp(bytes_at(t, t->slots[i].at), bytes, len) == 0)
            break;
    return &t->slots[i];
}

/*
 * Grows the hash table so that all pending samples fit at a load of at most
 * 1/2.
 */
static enum cp_status grow(struct cp_raw_labels *t, struct cp_error *err)
{
    struct cp_raw_slot *old = t->slots, *slots;
    uint32_t n_old = old ? t->mask + 1 : 0;
    uint32_t n_slots = old ? n_old * 2 : FIRST_SLOTS;

    if (old && t->n + CP_RAW_PENDING < t->mask / 2)
        return CP_OK;
    slots = n_slots ? cp_alloc_table(n_slots, sizeof(*slots), err) : NULL;
    if (!slots)
        return cp_error_nomem(err);
    t->slots = slots;
    t->mask = n_slots - 1;
    for (uint32_t k = 0; k < n_old; k++) {
        uint32_t i = old[k].hash & t->mask;

        while (old[k].at && slots[i].at)
            i = (i + 1) & t->mask;
        if (old[k].at)
            slots[i] = old[k];
    }
    CP_ASSERT(t->n + CP_RAW_PENDING <= t->mask);
    cp_free(old);
    return CP_OK;
}

static enum cp_status add_entry(struct cp_raw_labels *t,
                                const struct cp_raw_pending *w,
                                struct cp_raw_slot *slot, struct cp_error *err)
{
    struct entry e = { t->n + 1, w->sample, w->len };
    size_t more = (sizeof(e) + w->len + UNIT - 1) / UNIT * UNIT;

    CP_ASSERT(!slot->at && t->len % UNIT == 0);
    if ((t->len + more) / UNIT >= UINT32_MAX)
        return cp_error_set(err, CP_EFORMAT,
                            "malformed profile: more than 16 GB of labels");
    if (cp_reserve(&t->block, &t->cap, t->len + more, 1, err) != CP_OK)
        return CP_ENOMEM;
    memcpy(t->block + t->len, &e, sizeof(e));
    memcpy(t->block + t->len + sizeof(e), w->bytes, w->len);
    *slot = (struct cp_raw_slot){ w->hash, (uint32_t)(t->len / UNIT) + 1 };
    t->len += more;
    t->n++;
    return CP_OK;
}

enum cp_status cp_raw_labels_flush(struct cp_raw_labels *t,
                                   struct cp_error *err)
{
    uint32_t n = t->n_pending;

    CP_ASSERT(n <= CP_RAW_PENDING);
    t->n_pending = 0;
    if (n > 0 && grow(t, err) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        __builtin_prefetch(&t->slots[t->pending[i].hash & t->mask]);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = t->slots[t->pending[i].hash & t->mask].at;

        if (at)
            __builtin_prefetch(t->block + (size_t)(at - 1) * UNIT);
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct cp_raw_pending *w = &t->pending[i];
        struct cp_raw_slot *slot = find_slot(t, w->bytes, w->len, w->hash);

        if (!slot->at && add_entry(t, w, slot, err) != CP_OK)
            return CP_ENOMEM;
        *w->out = entry_at(t, slot->at).number;
    }
    return CP_OK;
}

enum cp_status cp_raw_labels_end(struct cp_raw_labels *t, uint32_t sample,
                                 uint32_t *out, struct cp_error *err)
{
    const uint8_t *bytes = t->joined_len ? t->joined : t->from;
    size_t len = t->joined_len ? t->joined_len : (size_t)(t->to - t->from);

    *out = 0;
    if (len == 0)
        return CP_OK;
    if (len > UINT32_MAX / 2)
        return cp_error_set(
            err, CP_EFORMAT,
            "malformed profile: a sample has over 2 GB of labels");
    CP_ASSERT(t->n_pending < CP_RAW_PENDING);
    t->pending[t->n_pending++] = (struct cp_raw_pending){
        bytes, (uint32_t)len, (uint32_t)cp_hash_bytes(bytes, len), sample, out
    };
    if (t->n_pending < CP_RAW_PENDING && !t->joined_len)
        return CP_OK;
    return cp_raw_labels_flush(t, err);
}

/*
 * Reads Label { key, str, num, num_unit }; the strings are string indexes of
 * the file.
 */
static bool read_label(struct cp_wire w, uint64_t field[5])
{
    struct cp_wire_field f;

    memset(field, 0, 5 * sizeof(*field));
    while (w.pos < w.end) {
        if (!cp_wire_field(&w, &f))
            return false;
        if (f.number < 1 || f.number > 4)
            continue;
        if (f.type != CP_WIRE_VARINT)
            return false;
        field[f.number] = f.value;
    }
    return true;
}

/*
 * Appends the label to the list. A label without string, number and unit is
 * dropped, as the reference tool does.
 */
static enum cp_status add_label(const struct cp_decode_samples *in,
                                const uint64_t field[5], struct cp_label *list,
                                uint32_t *n, struct cp_error *err)
{
    if (field[1] >= in->n_strings || field[2] >= in->n_strings ||
        field[4] >= in->n_strings)
        return cp_error_set(err, CP_EFORMAT,
                            "malformed profile: a label's string index is out "
                            "of range");
    if (field[2] != 0)
        list[(*n)++] = (struct cp_label){ in->strings[field[1]],
                                          in->strings[field[2]], 0, 0 };
    else if (field[3] != 0 || field[4] != 0)
        list[(*n)++] =
            (struct cp_label){ in->strings[field[1]], CP_NONE,
                               in->strings[field[4]], (int64_t)field[3] };
    return CP_OK;
}

/* Iterator over the entries of a table, with the label set of each. */
struct cursor {
    const struct cp_raw_labels *t;
    uint32_t at, left;
    /* label set by entry number; 0 if not decoded yet or empty */
    uint32_t *set_of;
    /*
     * number of the entry with equal bytes in the first table, by entry number;
     * 0: none
     */
    uint32_t *first_number;
};

struct finish {
    const struct cp_decode_samples *in;
    struct cp_label_table table;
    struct cp_label *list;
    size_t cap;
    struct cursor cursors[CP_PARALLEL_MAX];
    size_t n;
};

/* Returns the label set of one entry; CP_NONE with *err set on failure. */
static uint32_t set_of_bytes(struct finish *f, struct cp_wire w,
                             struct cp_error *err)
{
    struct cp_wire_field field;
    uint64_t values[5];
    uint32_t n = 0;

    while (w.pos < w.end) {
        if (!cp_wire_field(&w, &field) || !read_label(field.bytes, values)) {
            (void)cp_error_set(err, CP_EFORMAT,
                               "malformed profile: a label cannot be decoded");
            return CP_NONE;
        }
        if (cp_reserve(&f->list, &f->cap, (size_t)n + 1, sizeof(*f->list),
                       err) != CP_OK ||
            add_label(f->in, values, f->list, &n, err) != CP_OK)
            return CP_NONE;
    }
    return cp_label_table_add(&f->table, f->list, n, err);
}

/*
 * Returns the cursor whose next entry has the lowest first sample; NULL at the
 * end.
 */
static struct cursor *earliest(struct cursor *cursors, size_t n)
{
    struct cursor *best = NULL;
    uint32_t first = UINT32_MAX;

    for (size_t i = 0; i < n; i++) {
        if (!cursors[i].left)
            continue;
        uint32_t sample = entry_at(cursors[i].t, cursors[i].at).first;
        if (!best || sample < first) {
            best = &cursors[i];
            first = sample;
        }
    }
    return best;
}

/* Looks up one piece of a table in the first table. */
static void find_duplicates(void *context, size_t piece)
{
    struct finish *f = context;
    const struct cp_raw_labels *first = f->cursors[0].t;
    const struct cursor *c = &f->cursors[1 + piece / DUPLICATE_PARTS];
    uint64_t n_slots = c->first_number ? (uint64_t)c->t->mask + 1 : 0;
    uint64_t part = piece % DUPLICATE_PARTS;

    CP_ASSERT(1 + piece / DUPLICATE_PARTS < f->n);
    for (uint64_t k = n_slots * part / DUPLICATE_PARTS;
         k < n_slots * (part + 1) / DUPLICATE_PARTS; k++) {
        const struct cp_raw_slot *slot = &c->t->slots[k], *found;
        struct entry e;

        if (!slot->at)
            continue;
        e = entry_at(c->t, slot->at);
        found = find_slot(first, bytes_at(c->t, slot->at), e.len, slot->hash);
        if (found->at)
            c->first_number[e.number] = entry_at(first, found->at).number;
    }
}

/*
 * Finds entries that also exist in the first table, on all cores. Most workers
 * see the same labels, so most entries need not be decoded again.
 */
static enum cp_status find_all_duplicates(struct finish *f,
                                          struct cp_error *err)
{
    for (size_t i = 1; i < f->n; i++) {
        struct cursor *c = &f->cursors[i];

        if (c->left < MIN_DUPLICATE_SEARCH ||
            f->cursors[0].left < MIN_DUPLICATE_SEARCH)
            continue;
        c->first_number =
            cp_alloc((size_t)c->left + 1, sizeof(*c->first_number), err);
        if (!c->first_number)
            return CP_ENOMEM;
    }
    if (f->n > 1 && f->cursors[0].left >= MIN_DUPLICATE_SEARCH)
        cp_parallel_run((f->n - 1) * DUPLICATE_PARTS, find_duplicates, f);
    return CP_OK;
}

/* Decodes the entry at the cursor into a label set and advances the cursor. */
static enum cp_status make_set(struct finish *f, struct cursor *c,
                               struct cp_error *err)
{
    struct entry e = entry_at(c->t, c->at);
    const uint8_t *bytes = bytes_at(c->t, c->at);
    uint32_t first_number = c->first_number ? c->first_number[e.number] : 0;
    uint32_t *known = first_number ? &f->cursors[0].set_of[first_number]
                                   : &c->set_of[e.number];

    CP_ASSERT(c->left > 0 && first_number <= f->cursors[0].t->n);
    if (!*known)
        *known = set_of_bytes(f, (struct cp_wire){ bytes, bytes + e.len }, err);
    if (*known == CP_NONE)
        return CP_EFORMAT;
    c->set_of[e.number] = *known;
    c->at = next_at(c->at, &e);
    c->left--;
    return CP_OK;
}

static enum cp_status make_sets(struct finish *f, struct cp_error *err)
{
    enum cp_status status = find_all_duplicates(f, err);
    struct cursor *c;

    while (status == CP_OK && (c = earliest(f->cursors, f->n)) != NULL)
        status = make_set(f, c, err);
    return status;
}

static enum cp_status build_sets(struct finish *f,
                                 const struct cp_raw_run *runs, size_t n_runs,
                                 struct cp_error *err)
{
    enum cp_status status = make_sets(f, err);

    for (size_t k = 0; status == CP_OK && k < n_runs; k++) {
        const uint32_t *set_of = f->cursors[runs[k].table].set_of;
        struct cp_sample *samples = f->in->profile->samples;

        CP_ASSERT(runs[k].table < f->n);
        for (uint32_t i = runs[k].from; set_of && i < runs[k].to; i++)
            samples[i].label_set = set_of[samples[i].label_set];
    }
    return status;
}

/*
 * Reserves memory. Most tables hold the same sets, and a label takes about four
 * bytes.
 */
static enum cp_status expect(struct cp_label_table *table,
                             struct cp_raw_labels *const *tables, size_t n,
                             struct cp_error *err)
{
    size_t n_sets = 0, n_bytes = 0;

    for (size_t i = 0; i < n; i++) {
        n_sets = tables[i]->n > n_sets ? tables[i]->n : n_sets;
        n_bytes += tables[i]->len - tables[i]->n * sizeof(struct entry);
    }
    return cp_label_table_expect(table, n_sets, n_bytes / 4, err);
}

/* Initializes one cursor per table; an empty table has no set_of array. */
static enum cp_status begin(struct finish *f,
                            struct cp_raw_labels *const *tables, size_t n,
                            struct cp_error *err)
{
    CP_ASSERT(n <= CP_PARALLEL_MAX);
    f->n = n;
    for (size_t i = 0; i < n; i++) {
        struct cursor *c = &f->cursors[i];

        *c = (struct cursor){ .t = tables[i], .at = 1, .left = tables[i]->n };
        if (c->left == 0)
            continue;
        c->set_of = cp_alloc((size_t)c->left + 1, sizeof(*c->set_of), err);
        if (!c->set_of)
            return CP_ENOMEM;
    }
    return CP_OK;
}

enum cp_status cp_raw_labels_finish(struct cp_raw_labels *const *tables,
                                    size_t n, const struct cp_raw_run *runs,
                                    size_t n_runs,
                                    const struct cp_decode_samples *in,
                                    struct cp_error *err)
{
    struct finish f = { .in = in };
    enum cp_status status = cp_label_table_init(&f.table, in->profile, err);

    if (status == CP_OK)
        status = expect(&f.table, tables, n, err);
    if (status == CP_OK)
        status = begin(&f, tables, n, err);
    if (status == CP_OK)
        status = build_sets(&f, runs, n_runs, err);
    for (size_t i = 0; i < n; i++) {
        cp_free(f.cursors[i].set_of);
        cp_free(f.cursors[i].first_number);
    }
    cp_label_table_release(&f.table);
    cp_free(f.list);
    return status;
}

void cp_raw_labels_release(struct cp_raw_labels *t)
{
    cp_free(t->block);
    cp_free(t->slots);
    cp_free(t->joined);
    *t = (struct cp_raw_labels){ 0 };
}
