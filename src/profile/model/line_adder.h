/*
 * line_adder - adds symbolized functions and lines to the locations of a
 * profile.
 *
 * Equal functions are added once. New lines replace the lines of a location.
 * The tool and the endpoint of the runtime library use it.
 */
#ifndef CP_LINE_ADDER_H
#define CP_LINE_ADDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_profile;

/* A frame to add; its strings may be NULL. */
struct cp_line_frame {
    const char *function, *file;
    int64_t line, column, start_line;
};

/* Initialize with cp_line_adder_init. */
struct cp_line_adder {
    struct cp_profile *profile;
    size_t cap_functions, cap_lines;
    uint32_t first;  /* index of the first function that the adder created */
    uint32_t *slots; /* hash table of function index + 1 */
    uint32_t mask;
    uint64_t next_id;
};

enum cp_status cp_line_adder_init(struct cp_line_adder *a, struct cp_profile *p,
                                  struct cp_error *err);

/* Replaces the lines of a location by these frames, innermost first. */
enum cp_status cp_line_adder_set(struct cp_line_adder *a, uint32_t location,
                                 const struct cp_line_frame *frames, size_t n,
                                 struct cp_error *err);

/* Frees the index; the added lines stay in the profile. */
void cp_line_adder_release(struct cp_line_adder *a);

#endif
