/*
 * code_map - names of code that is not in an ELF file.
 *
 * Reads these files and detects their format:
 *   /tmp/perf-PID.map   a line for each region of generated code
 *   jit-PID.dump        the same with source lines and moved code (jitdump)
 *   /proc/kallsyms      functions of the kernel and its modules
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

/*
 * Opens a map file. Fails if the file cannot be read, has a different format or
 * contains no region.
 */
enum cp_status cp_code_map_open(struct cp_code_map **out, const char *path,
                                struct cp_error *err);

/* Like cp_code_map_open, from bytes, which are copied. */
enum cp_status cp_code_map_view(struct cp_code_map **out, const void *bytes,
                                size_t len, struct cp_error *err);

/*
 * Like cp_symbolizer_resolve. If several regions contained the address, the
 * last one written wins. A function of a kernel module is "name [module]".
 * Frames live until the map is closed.
 */
enum cp_status cp_code_map_resolve(struct cp_code_map *m,
                                   const uint64_t *addresses, size_t n,
                                   cp_symbol_sink *sink, void *context,
                                   struct cp_error *err);

/* Finds the start of a function by name; false if it is unknown. */
bool cp_code_map_start(const struct cp_code_map *m, const char *name,
                       uint64_t *out);

/* Closes m, which may be NULL. */
void cp_code_map_close(struct cp_code_map *m);

#endif
