/*
 * kernel_symbols - function names of the running kernel, for kernel profiles.
 *
 * KASLR moves the kernel at each boot. A profile's mapping starts at the
 * kernel's text at that time: its build id identifies the kernel, and its start
 * gives the distance that the addresses have moved.
 */
#ifndef CP_KERNEL_SYMBOLS_H
#define CP_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cp_code_map;

/* Whether a mapping's name is the kernel's: "[kernel.kallsyms]_text". */
bool cp_kernel_symbols_is(const char *name);

/*
 * Opens the running kernel's symbols if the mapping belongs to that kernel.
 * *base is the value to subtract from the mapping's addresses. A mapping
 * without a build id must start where the running kernel does.
 */
enum cp_status cp_kernel_symbols_open(struct cp_code_map **out,
                                      const char *build_id, uint64_t start,
                                      uint64_t *base, struct cp_error *err);

#endif
