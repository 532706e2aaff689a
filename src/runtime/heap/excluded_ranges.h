/*
 * excluded_ranges - address ranges that the leak scan skips.
 *
 * They hold addresses of blocks that are not references of the program: the
 * library's own tables, the unused part of a stack below the stack pointer, and
 * the stacks of threads that have ended.
 *
 * Context: the thread that scans. Locking: none.
 */
#ifndef CP_RUNTIME_EXCLUDED_RANGES_H
#define CP_RUNTIME_EXCLUDED_RANGES_H

#include <stddef.h>
#include <stdint.h>

#define CP_EXCLUDED_RANGES_MAX 8192

/* Starts as { 0 }. Ranges may overlap and are in no order. */
struct cp_excluded_ranges {
    size_t n; /* at most CP_EXCLUDED_RANGES_MAX */
    struct {
        uintptr_t start, end; /* addresses; end is exclusive */
    } list[CP_EXCLUDED_RANGES_MAX];
};

/*
 * Adds a range; an empty one is ignored. When the list is full the range is
 * dropped: the scan then reads more and may miss a leak.
 */
void cp_excluded_ranges_add(struct cp_excluded_ranges *h, const void *start,
                            size_t len);

/*
 * Moves *start forward past every excluded range that contains it, possibly to
 * `end` or beyond. Returns the end of the part after *start that has no
 * excluded range, at most `end`.
 */
uintptr_t cp_excluded_ranges_next(const struct cp_excluded_ranges *h,
                                  uintptr_t *start, uintptr_t end);

#endif
