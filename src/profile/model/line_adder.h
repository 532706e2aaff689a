/*
 * line_adder - gives the locations of a finished profile functions and lines.
 *
 * What a symbolizer needs: equal functions are added once, lines of a
 * location replace those that it had. Used by the tool and by the endpoint of
 * the runtime library.
 */
#ifndef CP_LINE_ADDER_H
#define CP_LINE_ADDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_profile;

/* A frame to be added; text may be NULL. */
struct cp_line_frame {
    const char *function, *file;
    int64_t line, column, start_line;
};

/* Starts with cp_line_adder_init. */
struct cp_line_adder {
    struct cp_profile *profile;
    size_t cap_functions, cap_lines;
    uint32_t first;  /* functions from here on are ours */
    uint32_t *slots; /* hash of function index + 1 */
    uint32_t mask;
    uint64_t next_id;
};

enum cp_status cp_line_adder_init(struct cp_line_adder *a, struct cp_profile *p,
                                  struct cp_error *err);

/* Gives a location these frames, innermost first, in place of its lines. */
enum cp_status cp_line_adder_set(struct cp_line_adder *a, uint32_t location,
                                 const struct cp_line_frame *frames, size_t n,
                                 struct cp_error *err);

/* The profile keeps what was added. */
void cp_line_adder_release(struct cp_line_adder *a);

#endif
