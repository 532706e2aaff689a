/*
 * compile - turns the .eh_frame of one object into a module of the walker.
 *
 * About six bytes a row; a row is an address at which the rule changes. Rules
 * are shared by all rows that have them: even large libraries have few.
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
    uintptr_t code_start, code_end; /* what is covered; under 4 GiB */
    const struct cp_cfi_machine *machine;
    size_t max_rows; /* give up beyond; 0: no limit */
};

/*
 * Fills *out, which cp_compile_release frees. Functions that cannot be read
 * have no rows. On failure *out is as it was.
 */
enum cp_status cp_compile(const struct cp_compile_input *input,
                          struct cp_unwind_module *out, struct cp_error *err);

void cp_compile_release(struct cp_unwind_module *m);

/* The bytes that the module's tables take. */
size_t cp_compile_bytes(const struct cp_unwind_module *m);

#endif
