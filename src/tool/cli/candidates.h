/* candidates - a list of completions; see prompt.h. */
#ifndef CP_CANDIDATES_H
#define CP_CANDIDATES_H

#include <stddef.h>

#include "base/arena.h"

struct cp_out;

/* Starts as { 0 }. */
struct cp_candidates {
    const char **items;
    size_t n, cap;
    struct cp_arena arena;
};

/* Sorts them and leaves each once. */
void cp_candidates_sort(struct cp_candidates *c);

/* How many bytes all of them begin with. */
size_t cp_candidates_common(const struct cp_candidates *c);

/* Lists them in columns of a screen so wide; of very many, the first. */
void cp_candidates_list(const struct cp_candidates *c, size_t width,
                        struct cp_out *out);

void cp_candidates_release(struct cp_candidates *c);

#endif
