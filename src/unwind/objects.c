/*
 * objects.c - the list of loaded objects, and publishing of the unwind table.
 *
 * Objects are compiled inside the callback of dl_iterate_phdr: the loader's
 * lock keeps dlclose from unmapping them. So the callback must not wait for
 * other threads.
 *
 * A fingerprint identifies an object: its addresses and a hash of the start of
 * its .eh_frame_hdr. After a dlclose a different object may have the same
 * address.
 */
#include "unwind/objects.h"

#include <link.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/hash.h"
#include "signal/tables/readers.h"
#include "signal/unwinder/unwind_table.h"
#include "unwind/code_ranges.h"
#include "unwind/compile.h"
#include "unwind/unwind_info.h"

#define FINGERPRINT_BYTES 1024
#define BYTES_PER_ROW 8 /* memory for one entry while compiling */

struct object {
    uint64_t fingerprint;
    struct cp_unwind_module module;
    bool is_seen; /* whether the refresh in progress found it */
};

/* An unwind table with its cache and its modules, in one block. */
struct table_block {
    struct cp_unwind_table table;
    _Atomic uint64_t cache[CP_UNWIND_CACHE_SLOTS];
    struct cp_unwind_module modules[];
};

struct cp_objects {
    struct object *objects;
    size_t n, cap;
    struct cp_code_ranges code;
    struct table_block *published;
    size_t limit_bytes, used_bytes;
    unsigned long long n_adds; /* dlpi_adds at the last refresh */
    unsigned long long n_subs; /* dlpi_subs at the last refresh */
    unsigned n_changes;
    struct cp_error *err; /* error of the refresh in progress */
    enum cp_status status;
    bool is_changed;
};

struct cp_objects *cp_objects_new(size_t limit_bytes, struct cp_error *err)
{
    struct cp_objects *o = cp_alloc(1, sizeof(*o), err);

    if (o)
        o->limit_bytes = limit_bytes;
    return o;
}

static uint64_t fingerprint_of(const struct cp_compile_input *in)
{
    size_t len = in->bytes.hdr ? (size_t)(in->bytes.end - in->bytes.hdr) : 0;
    uint64_t at[] = { in->code_start, in->code_end,
                      (uint64_t)(uintptr_t)in->bytes.hdr, 0 };

    if (len > FINGERPRINT_BYTES)
        len = FINGERPRINT_BYTES;
    at[3] = len ? cp_hash_bytes(in->bytes.hdr, len) : 0;
    return cp_hash_bytes(at, sizeof(at));
}

static struct object *find_object(struct cp_objects *o, uint64_t fingerprint)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->objects[i].fingerprint == fingerprint && !o->objects[i].is_seen)
            return &o->objects[i];
    return NULL;
}

/*
 * Adds an object. One without unwind information is still a module, because it
 * has code.
 */
static enum cp_status add_object(struct cp_objects *o,
                                 struct cp_compile_input *in,
                                 uint64_t fingerprint)
{
    struct object *object;

    if (cp_reserve(&o->objects, &o->cap, o->n + 1, sizeof(*o->objects),
                   o->err) != CP_OK)
        return CP_ENOMEM;
    object = &o->objects[o->n];
    *object = (struct object){
        .fingerprint = fingerprint,
        .module = { .start = in->code_start, .end = in->code_end },
        .is_seen = true,
    };
    if (in->bytes.start && o->used_bytes < o->limit_bytes) {
        in->max_rows = (o->limit_bytes - o->used_bytes) / BYTES_PER_ROW + 1;
        if (cp_compile(in, &object->module, o->err) == CP_OK)
            o->used_bytes += cp_compile_bytes(&object->module);
    }
    o->n++;
    return CP_OK;
}

static int on_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct cp_objects *o = context;
    struct cp_compile_input in;
    struct object *known;
    uint64_t fingerprint;

    (void)size;
    o->n_adds = info->dlpi_adds;
    o->n_subs = info->dlpi_subs;
    if (!cp_unwind_info_find(info, &in))
        return 0;
    fingerprint = fingerprint_of(&in);
    known = find_object(o, fingerprint);
    if (known) {
        known->is_seen = true;
        return 0;
    }
    o->is_changed = true;
    o->status = add_object(o, &in, fingerprint);
    return o->status != CP_OK;
}

static int check_counters(struct dl_phdr_info *info, size_t size, void *context)
{
    struct cp_objects *o = context;

    (void)size;
    if (info->dlpi_adds != o->n_adds || info->dlpi_subs != o->n_subs)
        o->is_changed = true;
    return 1;
}

static bool overlaps_object(const struct cp_objects *o,
                            const struct cp_code_range *r)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->objects[i].is_seen && r->start < o->objects[i].module.end &&
            o->objects[i].module.start < r->end)
            return true;
    return false;
}

static void sort_modules(struct cp_unwind_module *m, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct cp_unwind_module moved = m[i];
        size_t at = i;

        for (; at > 0 && m[at - 1].start > moved.start; at--)
            m[at] = m[at - 1];
        m[at] = moved;
    }
}

static struct table_block *build_table(struct cp_objects *o)
{
    size_t max_modules = o->n + o->code.n, n = 0;
    struct table_block *block = cp_alloc(
        1, sizeof(*block) + max_modules * sizeof(block->modules[0]), o->err);

    if (!block)
        return NULL;
    for (size_t i = 0; i < o->n; i++)
        if (o->objects[i].is_seen)
            block->modules[n++] = o->objects[i].module;
    for (size_t i = 0; i < o->code.n; i++)
        if (!overlaps_object(o, &o->code.ranges[i]))
            block->modules[n++] =
                (struct cp_unwind_module){ .start = o->code.ranges[i].start,
                                           .end = o->code.ranges[i].end };
    CP_ASSERT(n <= max_modules);
    sort_modules(block->modules, n);
    block->table = (struct cp_unwind_table){ n, block->modules, block->cache };
    return block;
}

static void drop_unseen(struct cp_objects *o)
{
    size_t n = 0;

    for (size_t i = 0; i < o->n; i++) {
        if (o->objects[i].is_seen) {
            o->objects[n++] = o->objects[i];
            continue;
        }
        CP_ASSERT(o->used_bytes >= cp_compile_bytes(&o->objects[i].module));
        o->used_bytes -= cp_compile_bytes(&o->objects[i].module);
        cp_compile_release(&o->objects[i].module);
    }
    o->n = n;
}

/*
 * Publishes the new table. If the grace period does not end, the old table and
 * the modules of unloaded objects leak: readers may still use them.
 */
static enum cp_status publish(struct cp_objects *o)
{
    struct table_block *old = o->published, *block = build_table(o);

    if (!block)
        return CP_ENOMEM;
    o->published = block;
    cp_readers_publish(&block->table);
    if (cp_readers_wait()) {
        cp_free(old);
        drop_unseen(o);
    }
    return CP_OK;
}

static bool same_code(const struct cp_code_ranges *a,
                      const struct cp_code_ranges *b)
{
    return a->n == b->n &&
           (a->n == 0 ||
            memcmp(a->ranges, b->ranges, a->n * sizeof(*a->ranges)) == 0);
}

/* Reads the executable mappings. On failure the known ones stay. */
static void refresh_code(struct cp_objects *o)
{
    struct cp_code_ranges fresh = { 0 };

    if (cp_code_ranges_read(&fresh, NULL) != CP_OK ||
        same_code(&fresh, &o->code)) {
        cp_code_ranges_release(&fresh);
        return;
    }
    cp_code_ranges_release(&o->code);
    o->code = fresh;
    o->is_changed = true;
}

enum cp_status cp_objects_refresh(struct cp_objects *o, bool with_code,
                                  struct cp_error *err)
{
    o->err = err;
    o->status = CP_OK;
    (void)dl_iterate_phdr(check_counters, o);
    if (o->is_changed || !o->published) {
        for (size_t i = 0; i < o->n; i++)
            o->objects[i].is_seen = false;
        (void)dl_iterate_phdr(on_object, o);
        o->is_changed = true;
        o->n_changes++;
    }
    if (with_code)
        refresh_code(o);
    if (o->status == CP_OK && o->is_changed)
        o->status = publish(o);
    o->is_changed = o->status != CP_OK;
    return o->status;
}

unsigned cp_objects_changes(const struct cp_objects *o)
{
    return o->n_changes;
}

void cp_objects_stats(const struct cp_objects *o, struct cp_objects_stats *out)
{
    *out =
        (struct cp_objects_stats){ .n_objects = o->n, .bytes = o->used_bytes };
    for (size_t i = 0; i < o->n; i++) {
        out->n_rows += o->objects[i].module.n_rows;
        out->n_without += o->objects[i].module.pcs == NULL;
    }
}

void cp_objects_free(struct cp_objects *o)
{
    if (!o)
        return;
    cp_readers_publish(NULL);
    if (!cp_readers_wait())
        return;
    for (size_t i = 0; i < o->n; i++)
        cp_compile_release(&o->objects[i].module);
    cp_code_ranges_release(&o->code);
    cp_free(o->objects);
    cp_free(o->published);
    cp_free(o);
}
