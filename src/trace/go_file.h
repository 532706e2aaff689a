/*
 * go_file - the container of Go's execution trace, version 1.22: batches, and
 * the tables at the end of each generation.
 *
 *   file   "go 1.22 trace" and three NULs, then batches
 *   batch  1, generation, M, time, length, that many bytes of events
 *
 * All numbers are varints. A generation is self-contained: it ends with its own
 * strings and stacks. A reader holds one generation in memory, so a generation
 * ends after a few megabytes. It also ends after some time, because a reader
 * cannot use an incomplete last generation.
 */
#ifndef CP_TRACE_GO_FILE_H
#define CP_TRACE_GO_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/out.h"

struct cp_trace_head;
struct cp_trace_stacks;

#define CP_GO_BATCH_BYTES ((size_t)16 << 10)
#define CP_GO_NO_M UINT64_MAX

struct cp_go_file {
    struct cp_out *out;
    uint64_t generation, begin_ns; /* number and start of the current one */
    size_t generation_bytes;       /* approximate size of the generation */
    struct cp_arena arena;         /* strings of the generation */
    struct cp_strtab strings;
    uint64_t *used; /* indexed by stack: last generation that used it */
    uint32_t n_stacks;
    uint32_t *wanted; /* stacks of this generation */
    size_t n_wanted, cap_wanted;
    struct cp_out samples;
};

/* Starts the file and its first generation. Release it even after a failure. */
enum cp_status cp_go_file_init(struct cp_go_file *f, struct cp_out *out,
                               const struct cp_trace_head *head,
                               struct cp_error *err);
void cp_go_file_release(struct cp_go_file *f);

/* Marks the output as failed: without the lost bytes it is not a trace. */
void cp_go_file_fail(struct cp_go_file *f);

/* Writes the data as a batch of that M, and empties the data. */
void cp_go_file_batch(struct cp_go_file *f, uint64_t m, uint64_t time_ns,
                      struct cp_out *data);

/* Returns the number of a string or stack in this generation, or 0. */
uint64_t cp_go_file_string(struct cp_go_file *f, struct cp_str text);
uint64_t cp_go_file_stack(struct cp_go_file *f, uint32_t stack);

/* Adds a CPU sample of that thread and P. */
void cp_go_file_sample(struct cp_go_file *f, uint64_t time_ns, int32_t tid,
                       uint32_t proc, uint32_t stack);

/* Ends a generation after its last batch; begins the next one. */
void cp_go_file_end(struct cp_go_file *f, const struct cp_trace_stacks *stacks);
void cp_go_file_begin(struct cp_go_file *f, uint64_t begin_ns);

#endif
