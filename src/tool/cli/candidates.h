/* candidates - the list of completions that the prompt offers (prompt.h). */
#ifndef CP_CANDIDATES_H
#define CP_CANDIDATES_H

#include <stddef.h>

#include "base/arena.h"

struct cp_out;

/* Initialize with { 0 }. */
struct cp_candidates {
    const char **items;
    size_t n, cap;
    struct cp_arena arena;
};

/* Sorts the candidates and removes duplicates. */
void cp_candidates_sort(struct cp_candidates *c);

/* Returns the length in bytes of their common prefix. */
size_t cp_candidates_common(const struct cp_candidates *c);

/*
 * Lists the candidates in columns, for a screen of `width` columns. Cuts a very
 * long list.
 */
void cp_candidates_list(const struct cp_candidates *c, size_t width,
                        struct cp_out *out);

void cp_candidates_release(struct cp_candidates *c);

#endif
