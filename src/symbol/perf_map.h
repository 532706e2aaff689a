/*
 * perf_map - names of functions that a compiler made while a program ran.
 *
 * Node, Java, Python and others write them to /tmp/perf-PID.map, a line each:
 * start, size, both hexadecimal, and the name, which may hold spaces. A place
 * may be used again; what was written last holds.
 */
#ifndef CP_PERF_MAP_H
#define CP_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_perf_map;

/* Reads the file. Lines that are not as they should be are left out. */
enum cp_status cp_perf_map_open(struct cp_perf_map **out, const char *path,
                                struct cp_error *err);

/* The same for text in memory, which is changed and must outlive the map. */
enum cp_status cp_perf_map_read(struct cp_perf_map **out, char *text,
                                size_t len, struct cp_error *err);

/* The name of the function at an address, borrowed; NULL if there is none. */
const char *cp_perf_map_find(const struct cp_perf_map *m, uint64_t address);

void cp_perf_map_close(struct cp_perf_map *m);

/* Whether a file name is that of such a map: .../perf-123.map. */
bool cp_perf_map_is_one(const char *path);

#endif
