/* labels.c - see labels.h. */
#include "runtime/threads/labels.h"

#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "runtime/os/lock.h"

#define MASK (2 * CP_LABELS_MAX_SETS - 1)

struct set {
    uint64_t hash;
    size_t n;
    struct cp_label_pair pairs[];
};

static struct {
    struct cp_lock lock;
    struct cp_arena arena; /* sets and their texts */
    size_t bytes;
    const struct set *sets[CP_LABELS_MAX_SETS]; /* 0 is the empty one */
    uint32_t last_set;
    uint32_t by_hash[MASK + 1];
} all; /* all 0 at the start, so that the file has none of it */

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

static int same_pairs(const struct set *s, const struct cp_label_pair *pairs,
                      size_t n)
{
    if (s->n != n)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(s->pairs[i].key, pairs[i].key) != 0 ||
            strcmp(s->pairs[i].value, pairs[i].value) != 0)
            return 0;
    return 1;
}

static char *keep(const char *text, struct cp_error *err)
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
    for (size_t i = 0; i < n; i++) {
        s->pairs[i].key = keep(pairs[i].key, err);
        s->pairs[i].value = keep(pairs[i].value, err);
        if (!s->pairs[i].key || !s->pairs[i].value)
            return CP_ENOMEM;
    }
    all.sets[all.last_set + 1] = s;
    return CP_OK;
}

/* The number of a set with these pairs, added if new. */
static enum cp_status number_of(const struct cp_label_pair *pairs, size_t n,
                                uint32_t *out, struct cp_error *err)
{
    uint64_t hash = hash_pairs(pairs, n);
    size_t at = hash & MASK;
    enum cp_status status;

    if (n == 0) {
        *out = 0;
        return CP_OK;
    }
    for (; all.by_hash[at]; at = (at + 1) & MASK) {
        const struct set *s = all.sets[all.by_hash[at]];

        if (s->hash == hash && same_pairs(s, pairs, n)) {
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
                            text ? "too long" : "missing");
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
    status = number_of(pairs, n, out, err);
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
