/*
 * callgrind_names - numbered names of a callgrind file: "(12) main" at first,
 * then "(12)".
 *
 * One list each for objects, files and functions. Texts point into the file.
 */
#ifndef CP_CALLGRIND_NAMES_H
#define CP_CALLGRIND_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "base/text_lines.h"

/* Initialize with { 0 }. */
struct cp_callgrind_names {
    struct cp_table table;
    uint64_t *numbers;
    struct cp_text *names;
    size_t cap_numbers, cap_names;
    uint32_t n;
};

/* Resolves "name", "(12) name" or "(12)" to the name. */
enum cp_status cp_callgrind_names_read(struct cp_callgrind_names *list,
                                       struct cp_text text, struct cp_text *out,
                                       struct cp_error *err);

void cp_callgrind_names_release(struct cp_callgrind_names *list);

#endif
