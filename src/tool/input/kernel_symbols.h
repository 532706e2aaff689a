/*
 * kernel_symbols - the functions of the running kernel, for profiles of it.
 *
 * A kernel is placed anew at each start. The mapping of a profile begins where
 * the kernel's text did, so its build id says whether it is the same kernel,
 * and its start how far the addresses have moved since.
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
 * Opens the running kernel's symbols if it is the kernel that the mapping is
 * of; *base is what to take off the mapping's addresses. A mapping without a
 * build id must begin where the running kernel does.
 */
enum cp_status cp_kernel_symbols_open(struct cp_code_map **out,
                                      const char *build_id, uint64_t start,
                                      uint64_t *base, struct cp_error *err);

#endif
