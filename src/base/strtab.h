/*
 * strtab - interned strings: equal texts have equal numbers.
 *
 * Number 0 is the empty string. Text may contain any bytes, NUL included, and
 * has a terminating NUL. Entries live as long as the arena given to
 * cp_strtab_init.
 */
#ifndef CP_STRTAB_H
#define CP_STRTAB_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_arena;

#define CP_NO_STR                                                              \
    UINT32_MAX /* failure of cp_strtab_add; not found by cp_strtab_find */

struct cp_str {
    const char *ptr;
    uint32_t len;
};

struct cp_strtab {
    struct cp_arena *arena;
    struct cp_str *items;
    size_t cap;
    uint32_t n;
    uint32_t *slots; /* hash table of number + 1; 0 if free */
    uint32_t mask;
};

/*
 * Creates a table that contains only ""; reserves space for n_expected strings.
 */
enum cp_status cp_strtab_init(struct cp_strtab *t, struct cp_arena *arena,
                              size_t n_expected, struct cp_error *err);

/*
 * Returns the number of the string and adds it if new; CP_NO_STR with *err set
 * on failure.
 */
uint32_t cp_strtab_add(struct cp_strtab *t, const char *text, size_t len,
                       struct cp_error *err);

/* Returns the number of the string, or CP_NO_STR. */
uint32_t cp_strtab_find(const struct cp_strtab *t, const char *text,
                        size_t len);

/* Compares bytewise, like memcmp and then by length. */
int cp_str_cmp(struct cp_str a, struct cp_str b);

/* Compares struct cp_str for qsort. */
int cp_str_by_text(const void *a, const void *b);

#endif
