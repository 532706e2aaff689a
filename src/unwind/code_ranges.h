/*
 * code_ranges - the executable ranges of this process, from /proc/self/maps.
 *
 * For code that no loaded object accounts for: what a JIT compiler made.
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
    struct cp_code_range *ranges; /* by address */
    size_t n, cap;
};

/* Reads them anew; on failure *r has what could be read before it. */
enum cp_status cp_code_ranges_read(struct cp_code_ranges *r,
                                   struct cp_error *err);

void cp_code_ranges_release(struct cp_code_ranges *r);

#endif
