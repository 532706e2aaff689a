/*
 * labels.c - an arena of sets, and a hash table with open addressing that finds
 * equal sets.
 */
#include "runtime/threads/labels.h"

#include <string.h>

#include "base/arena.h"
#include "base/assert/assert.h"
#include "base/hash.h"
#include "runtime/os/lock.h"

#define MASK (2 * CP_LABELS_MAX_SETS - 1) /* the table is at most half full */

_Static_assert((CP_LABELS_MAX_SETS & (CP_LABELS_MAX_SETS - 1)) == 0,
               "the hash table has a power of two of entries");

struct set {
    uint64_t hash;
    size_t n;
    struct cp_label_pair pairs[];
};

static struct {
    struct cp_lock lock;   /* protects all below */
    struct cp_arena arena; /* sets and their strings */
    size_t bytes;          /* arena use; at most CP_LABELS_MAX_BYTES */
    const struct set *sets[CP_LABELS_MAX_SETS]; /* set 0 is empty */
    uint32_t last_set;                          /* highest number in use */
    uint32_t by_hash[MASK + 1]; /* set numbers; 0 means a free entry */
} all; /* zero at the start, so it takes no space in the file */

size_t cp_labels_get(uint32_t set, const struct cp_label_pair **out)
{
    const struct set *s = set < CP_LABELS_MAX_SETS ? all.sets[set] : NULL;

    *out = s ? s->pairs : NULL;
    return s ? s->n : 0;
}

static uint64_t hash_pairs(const struct cp_label_pair *pairs, size_t n)
{
    uint64_t h = n;

    for (size_t i = 0; i < n; i++) {
        h = cp_hash_mix(h, cp_hash_bytes(pairs[i].key, strlen(pairs[i].key)));
        h = cp_hash_mix(h,
                        cp_hash_bytes(pairs[i].value, strlen(pairs[i].value)));
    }
    return h;
}

static bool are_equal(const struct set *s, const struct cp_label_pair *pairs,
                      size_t n)
{
    if (s->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(s->pairs[i].key, pairs[i].key) != 0 ||
            strcmp(s->pairs[i].value, pairs[i].value) != 0)
            return false;
    return true;
}

static char *copy_text(const char *text, struct cp_error *err)
{
    all.bytes += strlen(text) + 1;
    return cp_arena_copy(&all.arena, text, strlen(text), err);
}

static enum cp_status add_set(const struct cp_label_pair *pairs, size_t n,
                              uint64_t hash, struct cp_error *err)
{
    size_t size = sizeof(struct set) + n * sizeof(*pairs);
    struct set *s;

    if (all.last_set == CP_LABELS_MAX_SETS - 1 ||
        all.bytes + size + n * 2 * CP_LABELS_MAX_TEXT > CP_LABELS_MAX_BYTES)
        return cp_error_set(err, CP_ENOMEM, "too many different labels");
    s = cp_arena_alloc(&all.arena, 1, size, err);
    if (!s)
        return CP_ENOMEM;
    all.bytes += size;
    s->hash = hash;
    s->n = n;
    CP_ASSERT(n > 0 && n <= CP_LABELS_MAX_PAIRS);
    for (size_t i = 0; i < n; i++) {
        s->pairs[i].key = copy_text(pairs[i].key, err);
        s->pairs[i].value = copy_text(pairs[i].value, err);
        if (!s->pairs[i].key || !s->pairs[i].value)
            return CP_ENOMEM;
    }
    CP_ASSERT(all.bytes <= CP_LABELS_MAX_BYTES);
    all.sets[all.last_set + 1] = s;
    return CP_OK;
}

/* Finds the number of a set, and adds the set if it is new. */
static enum cp_status find_or_add(const struct cp_label_pair *pairs, size_t n,
                                  uint32_t *out, struct cp_error *err)
{
    uint64_t hash = hash_pairs(pairs, n);
    size_t at = hash & MASK;
    enum cp_status status;

    CP_ASSERT(cp_lock_is_held(&all.lock));
    if (n == 0) {
        *out = 0;
        return CP_OK;
    }
    for (; all.by_hash[at]; at = (at + 1) & MASK) {
        const struct set *s = all.sets[all.by_hash[at]];

        CP_ASSERT(all.by_hash[at] <= all.last_set && s);
        if (s->hash == hash && are_equal(s, pairs, n)) {
            *out = all.by_hash[at];
            return CP_OK;
        }
    }
    status = add_set(pairs, n, hash, err);
    if (status != CP_OK)
        return status;
    all.by_hash[at] = ++all.last_set;
    *out = all.last_set;
    return CP_OK;
}

static enum cp_status check_text(const char *text, const char *what,
                                 struct cp_error *err)
{
    if (!text || strnlen(text, CP_LABELS_MAX_TEXT + 1) > CP_LABELS_MAX_TEXT)
        return cp_error_set(err, CP_EUSAGE, "%s of a label: %s", what,
                            text ? "longer than 1024 bytes" : "missing");
    return CP_OK;
}

enum cp_status cp_labels_change(uint32_t set, const char *key,
                                const char *value, uint32_t *out,
                                struct cp_error *err)
{
    struct cp_label_pair pairs[CP_LABELS_MAX_PAIRS + 1];
    const struct cp_label_pair *old;
    size_t n = 0, n_old = cp_labels_get(set, &old), i = 0;
    enum cp_status status;

    if (check_text(key, "key", err) != CP_OK ||
        (value && check_text(value, "value", err) != CP_OK))
        return CP_EUSAGE;
    while (i < n_old && strcmp(old[i].key, key) < 0)
        pairs[n++] = old[i++];
    if (value)
        pairs[n++] = (struct cp_label_pair){ key, value };
    if (i < n_old && strcmp(old[i].key, key) == 0)
        i++;
    while (i < n_old)
        pairs[n++] = old[i++];
    if (n > CP_LABELS_MAX_PAIRS)
        return cp_error_set(err, CP_EUSAGE, "more than %d labels on a thread",
                            CP_LABELS_MAX_PAIRS);
    cp_lock_acquire(&all.lock);
    status = find_or_add(pairs, n, out, err);
    cp_lock_release(&all.lock);
    return status;
}

void cp_labels_before_fork(void)
{
    cp_lock_acquire(&all.lock);
}

void cp_labels_after_fork(void)
{
    cp_lock_release(&all.lock);
}
