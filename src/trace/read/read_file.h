/*
 * read_file - splits the bytes of an execution trace into generations and
 * batches.
 *
 *   16 bytes     "go 1.22 trace", the rest NUL
 *   batch        1, generation, thread, time, length, that many bytes
 *   batch        49, experiment, then the same; skipped
 *   byte 52      end of a generation, from 1.26 on
 *
 * All numbers are varints. A generation is a part of the trace (about a second,
 * in Go) with its own strings and stacks. The first byte of a batch gives its
 * content: strings, stacks, CPU samples, the clock, or else events of one
 * thread.
 *
 * Only the headers of batches are read here, one generation at a time, so a
 * trace may have any length. A truncated trace, as of a program that died,
 * yields its complete generations.
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

/* Initialize with { 0 }; reused for the next generation. */
struct cp_trace_generation {
    uint64_t number;
    struct cp_trace_batch *batches;
    size_t n, cap;
    double ns_per_tick; /* 0 if there is no clock yet */
};

/* Initialize with cp_trace_file_init; borrows the bytes. */
struct cp_trace_file {
    struct cp_wire at;
    const uint8_t *start;
    int minor; /* minor version of Go, e.g. 22 */
    uint64_t number;
    bool is_cut;     /* the last batch is incomplete */
    uint64_t cut_at; /* offset of that batch */
};

enum cp_status cp_trace_file_init(struct cp_trace_file *f, const void *bytes,
                                  size_t len, struct cp_error *err);

/* Reads the next generation; its n is 0 past the last one. */
enum cp_status cp_trace_file_next(struct cp_trace_file *f,
                                  struct cp_trace_generation *g,
                                  struct cp_error *err);

void cp_trace_generation_release(struct cp_trace_generation *g);

#endif
