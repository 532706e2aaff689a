/* model_totals - totals of a thread, and the message that carries them. */
#ifndef CP_TRACE_MODEL_TOTALS_H
#define CP_TRACE_MODEL_TOTALS_H

#include <stdint.h>

struct cp_out;
struct cp_trace_account;

struct cp_model_totals {
    uint64_t wait_ns, io_ns, syscalls, errors, blocks, read_bytes, write_bytes;
};

struct cp_model_life {
    int32_t tid;
    const char *name;
    uint64_t start_ns, end_ns;
};

/*
 * Writes the message of category cpprof.thread (docs/trace-format.md), with a
 * terminating NUL.
 */
void cp_model_totals_write(struct cp_out *out, const struct cp_model_life *life,
                           const struct cp_model_totals *totals,
                           const struct cp_trace_account *account);

#endif
