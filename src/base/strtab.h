/*
 * strtab - interned strings: equal text, equal number.
 *
 * Number 0 is always the empty string. Text may hold any bytes, NUL included,
 * and is followed by a NUL for the convenience of C. Entries live as long as
 * the arena that the table was given.
 */
#ifndef CP_STRTAB_H
#define CP_STRTAB_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_arena;

#define CP_NO_STR UINT32_MAX /* "failed" from add, "absent" from find */

struct cp_str {
    const char *ptr;
    uint32_t len;
};

struct cp_strtab {
    struct cp_arena *arena;
    struct cp_str *items;
    size_t cap;
    uint32_t n;
    uint32_t *slots; /* open addressing, number + 1, 0 for empty */
    uint32_t mask;
};

/* An empty table but for "", with room for n_expected without growing. */
enum cp_status cp_strtab_init(struct cp_strtab *t, struct cp_arena *arena,
                              size_t n_expected, struct cp_error *err);

/* The number of that text, added if new; CP_NO_STR with *err on failure. */
uint32_t cp_strtab_add(struct cp_strtab *t, const char *text, size_t len,
                       struct cp_error *err);

/* The number of that text, or CP_NO_STR. */
uint32_t cp_strtab_find(const struct cp_strtab *t, const char *text,
                        size_t len);

/* Compares bytewise as Go does: negative, zero or positive. */
int cp_str_cmp(struct cp_str a, struct cp_str b);

/* The same for qsort over struct cp_str. */
int cp_str_by_text(const void *a, const void *b);

#endif
