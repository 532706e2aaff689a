/* custom.c - see custom.h. */
#include "runtime/profiles/custom.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "profile/model/build.h"
#include "profile/model/profile.h"
#include "runtime/kind/kind.h"
#include "runtime/os/lock.h"
#include "runtime/stacks/cumulative_table.h"
#include "runtime/stacks/sampler.h"
#include "signal/tables/capture.h"
#include "signal/tables/samples.h"

#define NAME_BYTES 64
#define SLOTS ((size_t)1 << 14)
#define FRAMES ((size_t)1 << 18)
#define MIN_ENTRIES 64

struct entry {
    const void *value; /* NULL: free */
    struct cp_signal_slot *slot;
};

struct cp_custom {
    struct cp_kind kind; /* the first member */
    char name[NAME_BYTES];
    struct cp_signal_samples table;
    struct cp_lock lock;
    struct entry *entries; /* a hash by value; cap is a power of two */
    size_t n, cap;
};

static struct cp_custom customs[CP_CUSTOM_MAX];
static _Atomic size_t n_customs;
static struct cp_lock customs_lock;

const struct cp_kind *cp_custom_kind(size_t i)
{
    return i < atomic_load(&n_customs) ? &customs[i].kind : NULL;
}

void cp_custom_after_fork(void)
{
    cp_lock_reset(&customs_lock);
    for (size_t i = 0; i < CP_CUSTOM_MAX; i++) {
        if (atomic_load(&customs[i].lock.word) != 0) { /* somebody was at it */
            customs[i].entries = NULL;
            customs[i].n = customs[i].cap = 0;
            cp_cumulative_table_clear(&customs[i].table);
        }
        cp_lock_reset(&customs[i].lock);
    }
}

/* Values. */

static size_t home_of(const struct cp_custom *c, const void *value)
{
    return (size_t)cp_hash_mix((uintptr_t)value, 1) & (c->cap - 1);
}

/* Where the value is, or the free place where it belongs. */
static size_t place_of(const struct cp_custom *c, const void *value)
{
    size_t at = home_of(c, value);

    while (c->entries[at].value && c->entries[at].value != value)
        at = (at + 1) & (c->cap - 1);
    return at;
}

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
            larger.entries[place_of(&larger, c->entries[i].value)] =
                c->entries[i];
    cp_free(c->entries);
    c->entries = larger.entries;
    c->cap = larger.cap;
    return CP_OK;
}

static enum cp_status add(struct cp_custom *c, const void *value,
                          uintptr_t caller, struct cp_error *err)
{
    enum cp_status status = grow(c, err);
    size_t at;

    if (status != CP_OK)
        return status;
    at = place_of(c, value);
    if (c->entries[at].value)
        return cp_error_set(err, CP_EUSAGE, "%s: the value is there already",
                            c->name);
    c->entries[at] =
        (struct entry){ value, cp_signal_capture(&c->table, caller, 0, 1, 0) };
    c->n++;
    return CP_OK;
}

/* Fills a place that became free with those after it that belong before it. */
static void close_gap(struct cp_custom *c, size_t gap)
{
    size_t mask = c->cap - 1;

    for (size_t i = (gap + 1) & mask; c->entries[i].value; i = (i + 1) & mask) {
        size_t home = home_of(c, c->entries[i].value);

        if (((i - home) & mask) < ((i - gap) & mask))
            continue;
        c->entries[gap] = c->entries[i];
        gap = i;
    }
    c->entries[gap].value = NULL;
}

static enum cp_status take_away(struct cp_custom *c, const void *value,
                                struct cp_error *err)
{
    size_t at = c->cap ? place_of(c, value) : 0;

    if (!c->cap || !c->entries[at].value)
        return cp_error_set(err, CP_EUSAGE, "%s: no such value", c->name);
    if (c->entries[at].slot)
        atomic_fetch_sub(&c->entries[at].slot->count, 1);
    else
        atomic_fetch_sub(&c->table.lost_count, 1);
    close_gap(c, at);
    c->n--;
    return CP_OK;
}

enum cp_status cp_custom_add(struct cp_custom *c, const void *value,
                             uintptr_t caller, struct cp_error *err)
{
    enum cp_status status;

    if (!value)
        return cp_error_set(err, CP_EUSAGE,
                            "%s: the value is NULL; pass a unique address",
                            c->name);
    cp_lock_acquire(&c->lock);
    status = add(c, value, caller, err);
    cp_lock_release(&c->lock);
    return status;
}

enum cp_status cp_custom_remove(struct cp_custom *c, const void *value,
                                struct cp_error *err)
{
    enum cp_status status;

    if (!value)
        return cp_error_set(err, CP_EUSAGE,
                            "%s: the value is NULL; pass a unique address",
                            c->name);
    cp_lock_acquire(&c->lock);
    status = take_away(c, value, err);
    cp_lock_release(&c->lock);
    return status;
}

/* The kind. */

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_window, struct cp_error *err)
{
    (void)err;
    *out_window = (struct cp_custom *)(uintptr_t)request->kind;
    return CP_OK;
}

static void value_of(const struct cp_signal_slot *slot, struct cp_stack *stack,
                     int64_t *out)
{
    (void)stack;
    out[0] = (int64_t)atomic_load(&slot->count);
}

static enum cp_status finish(void *window, struct cp_profile **out,
                             struct cp_error *err)
{
    const struct cp_custom *c = window;
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

static void cancel(void *window)
{
    (void)window;
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

/* It becomes a part of an address. */
static bool is_good_name(const char *name)
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
static enum cp_status make(struct cp_custom **out, const char *name,
                           bool is_reserved, struct cp_error *err)
{
    size_t i = atomic_load(&n_customs);
    struct cp_custom *c = &customs[i < CP_CUSTOM_MAX ? i : 0];

    if (i == CP_CUSTOM_MAX)
        return cp_error_set(err, CP_EUSAGE, "more than %d profiles",
                            CP_CUSTOM_MAX);
    if (!is_good_name(name) || is_reserved || is_in_use(name))
        return cp_error_set(err, CP_EUSAGE,
                            "no name for a profile, or taken: "
                            "%.100s",
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
    enum cp_status status = cp_sampler_watch(err);

    if (status != CP_OK)
        return status;
    cp_lock_acquire(&customs_lock);
    status = make(out, name, is_reserved, err);
    cp_lock_release(&customs_lock);
    return status;
}
