/*
 * leak_holes - what a search for leaks does not look at: our own tables, and
 * what lies below the top of a stack.
 */
#ifndef CP_RUNTIME_EXCLUDED_RANGES_H
#define CP_RUNTIME_EXCLUDED_RANGES_H

#include <stddef.h>
#include <stdint.h>

#define CP_EXCLUDED_RANGES_MAX 8192

struct cp_excluded_ranges {
    size_t n;
    struct {
        uintptr_t start, end;
    } list[CP_EXCLUDED_RANGES_MAX];
};

/* Nothing where there is no place left: more is looked at then. */
void cp_excluded_ranges_add(struct cp_excluded_ranges *h, const void *start,
                            size_t len);

/*
 * Moves *start out of holes, to `end` or beyond at most; returns the end of
 * the part from there on that has none.
 */
uintptr_t cp_excluded_ranges_next(const struct cp_excluded_ranges *h,
                                  uintptr_t *start, uintptr_t end);

#endif
