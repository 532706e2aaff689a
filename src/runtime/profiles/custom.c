/*
 * custom.c - implements each profile as a table of stacks, and a hash table
 * that maps a value to its stack. The hash table uses open addressing with
 * linear probing; removal shifts entries back, so that it has no tombstones.
 */
#include "runtime/profiles/custom.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/hash.h"
#include "profile/model/build.h"
#include "runtime/kind/kind.h"
#include "runtime/stacks/cumulative_table.h"
#include "runtime/stacks/refresh_thread.h"
#include "signal/tables/capture.h"
#include "signal/tables/samples.h"

#define NAME_BYTES 64
#define SLOTS ((size_t)1 << 14)
#define FRAMES ((size_t)1 << 18)
#define MIN_ENTRIES 64

struct entry {
    const void *value;           /* NULL means free entry */
    struct cp_signal_slot *slot; /* its stack; NULL if the table was full */
};

struct cp_custom {
    struct cp_kind kind; /* first member: a kind is cast to its profile */
    char name[NAME_BYTES];
    struct cp_signal_samples table; /* stacks, and values of each */
    struct cp_lock lock;            /* protects entries, n and cap */
    struct entry *entries;          /* hash table by value */
    size_t n, cap;                  /* cap is a power of two, at least 2 * n */
};

static struct cp_custom customs[CP_CUSTOM_MAX_PROFILES];
static _Atomic size_t n_customs;
static struct cp_lock customs_lock;

const struct cp_kind *cp_custom_kind(size_t i)
{
    return i < atomic_load(&n_customs) ? &customs[i].kind : NULL;
}

void cp_custom_reset_after_fork(void)
{
    cp_lock_reset(&customs_lock);
    for (size_t i = 0; i < CP_CUSTOM_MAX_PROFILES; i++) {
        if (atomic_load(&customs[i].lock.word) != 0) { /* update interrupted */
            customs[i].entries = NULL;
            customs[i].n = customs[i].cap = 0;
            cp_cumulative_table_reset_after_fork(&customs[i].table);
        }
        cp_lock_reset(&customs[i].lock);
    }
}

/* ---- values ---- */

static size_t home_index(const struct cp_custom *c, const void *value)
{
    return (size_t)cp_hash_mix((uintptr_t)value, 1) & (c->cap - 1);
}

/* The index of the value, or of the free entry where it belongs. */
static size_t find_index(const struct cp_custom *c, const void *value)
{
    size_t at = home_index(c, value);

    CP_ASSERT(c->n < c->cap); /* a free entry ends the search */
    while (c->entries[at].value && c->entries[at].value != value)
        at = (at + 1) & (c->cap - 1);
    return at;
}

/* Makes room for one more value; the load factor stays at most 1/2. */
static enum cp_status grow(struct cp_custom *c, struct cp_error *err)
{
    struct cp_custom larger = { .cap = c->cap ? 2 * c->cap : MIN_ENTRIES };

    if (2 * (c->n + 1) <= c->cap)
        return CP_OK;
    larger.entries = cp_alloc(larger.cap, sizeof(*larger.entries), err);
    if (!larger.entries)
        return CP_ENOMEM;
    memset(larger.entries, 0, larger.cap * sizeof(*larger.entries));
    for (size_t i = 0; i < c->cap; i++)
        if (c->entries[i].value)
            larger.entries[find_index(&larger, c->entries[i].value)] =
                c->entries[i];
    cp_free(c->entries);
    c->entries = larger.entries;
    c->cap = larger.cap;
    return CP_OK;
}

static enum cp_status add_value(struct cp_custom *c, const void *value,
                                uintptr_t caller, struct cp_error *err)
{
    enum cp_status status = grow(c, err);
    size_t at;

    if (status != CP_OK)
        return status;
    at = find_index(c, value);
    if (c->entries[at].value)
        return cp_error_set(err, CP_EUSAGE,
                            "cannot add to profile %s: it has the value "
                            "already; remove it first",
                            c->name);
    c->entries[at] =
        (struct entry){ value, cp_signal_capture(&c->table, caller, 0, 1, 0) };
    c->n++;
    return CP_OK;
}

/*
 * Removes the entry `gap`, and moves back later entries of the cluster that are
 * allowed to be there, so that every search still finds its value.
 */
static void delete_at(struct cp_custom *c, size_t gap)
{
    size_t mask = c->cap - 1;

    CP_ASSERT(c->n > 0 && gap < c->cap);
    CP_ASSERT((c->cap & mask) == 0);
    for (size_t i = (gap + 1) & mask; c->entries[i].value; i = (i + 1) & mask) {
        size_t home = home_index(c, c->entries[i].value);

        if (((i - home) & mask) < ((i - gap) & mask))
            continue;
        c->entries[gap] = c->entries[i];
        gap = i;
    }
    c->entries[gap].value = NULL;
}

static enum cp_status remove_value(struct cp_custom *c, const void *value,
                                   struct cp_error *err)
{
    size_t at = c->cap ? find_index(c, value) : 0;

    if (!c->cap || !c->entries[at].value)
        return cp_error_set(err, CP_EUSAGE,
                            "cannot remove from profile %s: it has no such "
                            "value",
                            c->name);
    if (c->entries[at].slot)
        atomic_fetch_sub(&c->entries[at].slot->count, 1);
    else
        atomic_fetch_sub(&c->table.lost_count, 1);
    delete_at(c, at);
    c->n--;
    return CP_OK;
}

static enum cp_status refuse_null(const struct cp_custom *c,
                                  struct cp_error *err)
{
    return cp_error_set(err, CP_EUSAGE,
                        "profile %s: the value is NULL; use a unique address",
                        c->name);
}

enum cp_status cp_custom_add(struct cp_custom *c, const void *value,
                             uintptr_t caller, struct cp_error *err)
{
    enum cp_status status;

    if (!value)
        return refuse_null(c, err);
    cp_lock_acquire(&c->lock);
    status = add_value(c, value, caller, err);
    cp_lock_release(&c->lock);
    return status;
}

enum cp_status cp_custom_remove(struct cp_custom *c, const void *value,
                                struct cp_error *err)
{
    enum cp_status status;

    if (!value)
        return refuse_null(c, err);
    cp_lock_acquire(&c->lock);
    status = remove_value(c, value, err);
    cp_lock_release(&c->lock);
    return status;
}

/* ---- the profile kind ---- */

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_recording, struct cp_error *err)
{
    (void)err;
    *out_recording = (struct cp_custom *)(uintptr_t)request->kind;
    return CP_OK;
}

static void value_of(const struct cp_signal_slot *slot, struct cp_stack *stack,
                     int64_t *out)
{
    (void)stack;
    out[0] = (int64_t)atomic_load(&slot->count);
}

static enum cp_status finish(void *recording, struct cp_profile **out,
                             struct cp_error *err)
{
    const struct cp_custom *c = recording;
    struct cp_builder b = { 0 };
    enum cp_status status = cp_builder_init(&b, err);

    if (status == CP_OK)
        status = cp_builder_type(&b, c->name, "count", err);
    if (status == CP_OK)
        status = cp_builder_period(&b, c->name, "count", 1, err);
    if (status == CP_OK)
        status = cp_cumulative_table_write(&c->table, value_of, &b, err);
    if (status == CP_OK)
        *out = cp_builder_take(&b);
    cp_builder_release(&b);
    return status;
}

static void cancel(void *recording)
{
    (void)recording;
}

static uint64_t count_of(const struct cp_kind *kind)
{
    struct cp_custom *c = (struct cp_custom *)(uintptr_t)kind;
    uint64_t n;

    cp_lock_acquire(&c->lock);
    n = c->n;
    cp_lock_release(&c->lock);
    return n;
}

/* The name becomes part of a URL. */
static bool is_valid_name(const char *name)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

    return *name && *name != '.' && strlen(name) < NAME_BYTES &&
           name[strspn(name, good)] == '\0';
}

/* Whether a custom profile has this name. Called with the lock held. */
static bool is_in_use(const char *name)
{
    for (size_t i = 0; i < atomic_load(&n_customs); i++)
        if (strcmp(customs[i].name, name) == 0)
            return true;
    return false;
}

/* Called with the lock held. */
static enum cp_status create(struct cp_custom **out, const char *name,
                             bool is_reserved, struct cp_error *err)
{
    size_t i = atomic_load(&n_customs);
    struct cp_custom *c = &customs[i < CP_CUSTOM_MAX_PROFILES ? i : 0];

    if (i == CP_CUSTOM_MAX_PROFILES)
        return cp_error_set(err, CP_EUSAGE,
                            "cannot create profile %.100s: there are %d "
                            "already, which is the maximum",
                            name, CP_CUSTOM_MAX_PROFILES);
    if (!is_valid_name(name))
        return cp_error_set(err, CP_EUSAGE,
                            "cannot create profile %.100s: use letters, "
                            "digits, _, - and ., at most %d",
                            name, NAME_BYTES - 1);
    if (is_reserved || is_in_use(name))
        return cp_error_set(err, CP_EUSAGE,
                            "cannot create profile %.100s: the name is in use; "
                            "choose another",
                            name);
    if (cp_cumulative_table_map(&c->table, SLOTS, FRAMES, err) != CP_OK)
        return CP_ENOMEM;
    (void)snprintf(c->name, sizeof(c->name), "%s", name);
    c->kind = (struct cp_kind){ .name = c->name,
                                .summary = "Defined by the program.",
                                .text = CP_KIND_TEXT_COUNT,
                                .begin = begin,
                                .finish = finish,
                                .cancel = cancel,
                                .count_of = count_of };
    atomic_store(&n_customs, i + 1);
    *out = c;
    return CP_OK;
}

enum cp_status cp_custom_new(struct cp_custom **out, const char *name,
                             bool is_reserved, struct cp_error *err)
{
    enum cp_status status = cp_refresh_acquire_for_hooks(err);

    if (status != CP_OK)
        return status;
    cp_lock_acquire(&customs_lock);
    status = create(out, name, is_reserved, err);
    cp_lock_release(&customs_lock);
    return status;
}
