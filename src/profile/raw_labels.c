/* raw_labels.c - distinct label bytes, then label sets; see raw_labels.h. */
#include "profile/raw_labels.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "profile/decode_samples.h"
#include "profile/label_table.h"

void cp_raw_labels_begin(struct cp_raw_labels *t)
{
    t->from = t->to = NULL;
    t->joined_len = 0;
}

static enum cp_status join(struct cp_raw_labels *t, const uint8_t *from,
                           const uint8_t *to, struct cp_error *err)
{
    size_t len = (size_t)(to - from);

    if (cp_reserve(&t->joined, &t->joined_cap, t->joined_len + len, 1, err) !=
        CP_OK)
        return CP_ENOMEM;
    memcpy(t->joined + t->joined_len, from, len);
    t->joined_len += len;
    return CP_OK;
}

enum cp_status cp_raw_labels_add(struct cp_raw_labels *t, const uint8_t *from,
                                 const uint8_t *to, struct cp_error *err)
{
    if (t->joined_len == 0 && (!t->from || t->to == from)) {
        t->from = t->from ? t->from : from;
        t->to = to;
        return CP_OK;
    }
    if (t->joined_len == 0 && join(t, t->from, t->to, err) != CP_OK)
        return CP_ENOMEM;
    return join(t, from, to, err);
}

static uint32_t *find_slot(const struct cp_raw_labels *t, const uint8_t *bytes,
                           uint32_t len, uint32_t hash)
{
    uint32_t i = hash & t->mask;

    for (; t->slots[i]; i = (i + 1) & t->mask) {
        const struct cp_raw_entry *e = &t->entries[t->slots[i] - 1];

        if (e->hash == hash && e->len == len &&
            memcmp(e->bytes, bytes, len) == 0)
            break;
    }
    return &t->slots[i];
}

static enum cp_status grow(struct cp_raw_labels *t, struct cp_error *err)
{
    uint32_t n_slots = t->slots ? (t->mask + 1) * 2 : 256;
    uint32_t *slots;

    if (t->slots && t->n < t->mask / 2)
        return CP_OK;
    slots = cp_alloc(n_slots, sizeof(*slots), err);
    if (!slots)
        return CP_ENOMEM;
    cp_free(t->slots);
    t->slots = slots;
    t->mask = n_slots - 1;
    for (size_t i = 0; i < t->n; i++)
        *find_slot(t, t->entries[i].bytes, t->entries[i].len,
                   t->entries[i].hash) = (uint32_t)i + 1;
    return CP_OK;
}

static enum cp_status add_entry(struct cp_raw_labels *t, const uint8_t *bytes,
                                uint32_t len, uint32_t hash,
                                struct cp_error *err)
{
    char *copy = cp_arena_copy(&t->arena, (const char *)bytes, len, err);

    if (!copy || cp_reserve(&t->entries, &t->cap, t->n + 1, sizeof(*t->entries),
                            err) != CP_OK)
        return CP_ENOMEM;
    t->entries[t->n++] =
        (struct cp_raw_entry){ (const uint8_t *)copy, len, hash };
    return CP_OK;
}

enum cp_status cp_raw_labels_end(struct cp_raw_labels *t, uint32_t *out,
                                 struct cp_error *err)
{
    const uint8_t *bytes = t->joined_len ? t->joined : t->from;
    size_t len = t->joined_len ? t->joined_len : (size_t)(t->to - t->from);
    uint32_t hash, *slot;

    *out = 0;
    if (len == 0)
        return CP_OK;
    if (len > UINT32_MAX)
        return cp_error_set(err, CP_EFORMAT, "a sample with 4 GB of labels");
    if (grow(t, err) != CP_OK)
        return CP_ENOMEM;
    hash = (uint32_t)cp_hash_bytes(bytes, len);
    slot = find_slot(t, bytes, (uint32_t)len, hash);
    if (!*slot) {
        if (add_entry(t, bytes, (uint32_t)len, hash, err) != CP_OK)
            return CP_ENOMEM;
        *slot = (uint32_t)t->n;
    }
    *out = *slot;
    return CP_OK;
}

/* Reads Label { key, str, num, num_unit } as indexes into the file's table. */
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
 * Adds the label to the list, unless it says nothing: without text, number
 * and unit it is dropped, as the reference does.
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

struct finish {
    const struct cp_decode_samples *in;
    struct cp_label_table table;
    struct cp_label *list;
    size_t cap;
};

/* The label set of one entry; CP_NONE with *err on failure. */
static uint32_t set_of_entry(struct finish *f, const struct cp_raw_entry *entry,
                             struct cp_error *err)
{
    struct cp_wire w = { entry->bytes, entry->bytes + entry->len };
    struct cp_wire_field field;
    uint64_t values[5];
    uint32_t n = 0;

    while (w.pos < w.end) {
        if (!cp_wire_field(&w, &field) || !read_label(field.bytes, values)) {
            (void)cp_error_set(err, CP_EFORMAT,
                               "malformed profile: a label cannot be read");
            return CP_NONE;
        }
        if (cp_reserve(&f->list, &f->cap, (size_t)n + 1, sizeof(*f->list),
                       err) != CP_OK ||
            add_label(f->in, values, f->list, &n, err) != CP_OK)
            return CP_NONE;
    }
    return cp_label_table_add(&f->table, f->list, n, err);
}

static enum cp_status finish_table(struct finish *f,
                                   const struct cp_raw_labels *t, uint32_t from,
                                   uint32_t to, struct cp_error *err)
{
    uint32_t *set_of = cp_alloc(t->n + 1, sizeof(*set_of), err);
    enum cp_status status = set_of ? CP_OK : CP_ENOMEM;

    for (size_t i = 0; status == CP_OK && i < t->n; i++) {
        set_of[i + 1] = set_of_entry(f, &t->entries[i], err);
        if (set_of[i + 1] == CP_NONE)
            status = CP_EFORMAT;
    }
    for (uint32_t i = from; status == CP_OK && i < to; i++) {
        uint32_t *set = &f->in->profile->samples[i].label_set;

        *set = set_of[*set];
    }
    cp_free(set_of);
    return status;
}

enum cp_status cp_raw_labels_finish(struct cp_raw_labels *const *tables,
                                    const uint32_t *from, size_t n,
                                    const struct cp_decode_samples *in,
                                    struct cp_error *err)
{
    struct finish f = { .in = in };
    enum cp_status status = cp_label_table_init(&f.table, in->profile, err);

    for (size_t i = 0; status == CP_OK && i < n; i++)
        if (tables[i]->n > 0)
            status = finish_table(&f, tables[i], from[i], from[i + 1], err);
    cp_label_table_release(&f.table);
    cp_free(f.list);
    return status;
}

void cp_raw_labels_release(struct cp_raw_labels *t)
{
    cp_arena_release(&t->arena);
    cp_free(t->entries);
    cp_free(t->slots);
    cp_free(t->joined);
    *t = (struct cp_raw_labels){ 0 };
}
