/*
 * leak_holes - what a search for leaks does not look at: our own tables, and
 * what lies below the top of a stack.
 */
#ifndef CP_LEAK_HOLES_H
#define CP_LEAK_HOLES_H

#include <stddef.h>
#include <stdint.h>

#define CP_LEAK_HOLES_MAX 8192

struct cp_leak_holes {
    size_t n;
    struct {
        uintptr_t start, end;
    } list[CP_LEAK_HOLES_MAX];
};

/* Nothing where there is no place left: more is looked at then. */
void cp_leak_holes_add(struct cp_leak_holes *h, const void *start, size_t len);

/*
 * Moves *start out of holes, to `end` or beyond at most; returns the end of
 * the part from there on that has none.
 */
uintptr_t cp_leak_holes_next(const struct cp_leak_holes *h, uintptr_t *start,
                             uintptr_t end);

#endif
