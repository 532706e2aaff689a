/*
 * code_ranges - the executable ranges of this process, from /proc/self/maps.
 *
 * They include code that no loaded object contains: output of a JIT compiler.
 *
 * Context: any thread, not a signal handler. Locking: none.
 */
#ifndef CP_CODE_RANGES_H
#define CP_CODE_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_code_range {
    uintptr_t start, end;
};

struct cp_code_ranges {
    struct cp_code_range *ranges; /* sorted by address */
    size_t n, cap;
};

/* Replaces the list; on failure *r has the ranges read so far. */
enum cp_status cp_code_ranges_read(struct cp_code_ranges *r,
                                   struct cp_error *err);

void cp_code_ranges_release(struct cp_code_ranges *r);

#endif
