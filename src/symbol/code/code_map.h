/*
 * code_map - names of code that is in no ELF file.
 *
 * Reads what programs and the kernel write about such code, whichever it is:
 *   /tmp/perf-PID.map   a line for each piece of generated code
 *   jit-PID.dump        the same with lines, and code that moves (jitdump)
 *   /proc/kallsyms      the kernel's functions and those of its modules
 * Addresses are those of the process, or of the kernel.
 */
#ifndef CP_CODE_MAP_H
#define CP_CODE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "symbol/table/frame.h"

struct cp_code_map;

/* Fails if there is no such file, or it is none of those, or says nothing. */
enum cp_status cp_code_map_open(struct cp_code_map **out, const char *path,
                                struct cp_error *err);

/* The same from bytes, which are copied. */
enum cp_status cp_code_map_view(struct cp_code_map **out, const void *bytes,
                                size_t len, struct cp_error *err);

/*
 * As cp_symbolizer_resolve. Where several pieces of code were at one address,
 * the one that was written last is meant. A function of a kernel module is
 * "name [module]". Frames live until the map is closed.
 */
enum cp_status cp_code_map_resolve(struct cp_code_map *m,
                                   const uint64_t *addresses, size_t n,
                                   cp_symbol_sink *sink, void *context,
                                   struct cp_error *err);

/* Where a function begins; false if the map has none of that name. */
bool cp_code_map_start(const struct cp_code_map *m, const char *name,
                       uint64_t *out);

/* NULL is allowed. */
void cp_code_map_close(struct cp_code_map *m);

#endif
