/*
 * read_file - finds the parts of an execution trace in its bytes.
 *
 *   16 bytes     "go 1.22 trace", the rest NUL
 *   batch        1, generation, thread, time, length, that many bytes
 *   batch        49, experiment, and then the same; passed over
 *   byte 52      end of a generation, from 1.26 on
 *
 * All numbers are varints. A generation is a part of the trace (of about a
 * second, in Go) with strings and stacks of its own. What is in a batch is
 * told by its first byte: strings, stacks, CPU samples, the clock, or else
 * events of one thread.
 *
 * Only the heads of batches are looked at here, a generation at a time, so a
 * trace of any length can be gone through. A trace that was cut short, as that
 * of a program that died, gives what there is of it.
 */
#ifndef CP_TRACE_READ_FILE_H
#define CP_TRACE_READ_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/codec/wire.h"

#define CP_TRACE_HEAD_BYTES 16
#define CP_TRACE_NO_THREAD UINT64_MAX

struct cp_trace_batch {
    uint64_t thread, time;
    struct cp_wire data;
};

/* Starts as { 0 }; its memory is used again for the next one. */
struct cp_trace_generation {
    uint64_t number;
    struct cp_trace_batch *batches;
    size_t n, cap;
    double ns_per_tick; /* 0: the clock was not told */
};

/* Starts with cp_trace_file_init; the bytes are borrowed. */
struct cp_trace_file {
    struct cp_wire at;
    const uint8_t *start;
    int minor; /* of Go's version: 22 */
    uint64_t number;
    bool is_cut;     /* the last batch is not whole */
    uint64_t cut_at; /* where it begins */
};

enum cp_status cp_trace_file_init(struct cp_trace_file *f, const void *bytes,
                                  size_t len, struct cp_error *err);

/* The next generation; its n is 0 behind the last. */
enum cp_status cp_trace_file_next(struct cp_trace_file *f,
                                  struct cp_trace_generation *g,
                                  struct cp_error *err);

void cp_trace_generation_release(struct cp_trace_generation *g);

#endif
