/*
 * compile - compiles the .eh_frame of one object into a module of the unwind
 * table (signal/unwinder/unwind_table.h).
 *
 * An entry takes about six bytes: an address at which the CFI row changes, and
 * the index of the row. Equal rows share an index (cfi_rows.h).
 *
 * Context: one thread at a time, not a signal handler. Locking: the caller's.
 */
#ifndef CP_COMPILE_H
#define CP_COMPILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "unwind/eh_frame.h"

struct cp_cfi_machine;
struct cp_unwind_module;

struct cp_compile_input {
    struct cp_eh_bytes bytes;
    uintptr_t code_start, code_end; /* range of the module; below 4 GiB */
    const struct cp_cfi_machine *machine;
    size_t max_rows; /* maximum entries; 0 means unlimited */
};

/*
 * Fills *out, which cp_compile_release frees. A function whose FDE is malformed
 * has no row. On failure *out is unchanged.
 */
enum cp_status cp_compile(const struct cp_compile_input *input,
                          struct cp_unwind_module *out, struct cp_error *err);

void cp_compile_release(struct cp_unwind_module *m);

/* Returns the memory of the module's tables, in bytes. */
size_t cp_compile_bytes(const struct cp_unwind_module *m);

#endif
