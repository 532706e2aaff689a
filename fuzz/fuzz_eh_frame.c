/*
 * fuzz_eh_frame.c - compiles unwind information and unwinds with it.
 *
 * The first byte selects whether the input starts with .eh_frame_hdr. The
 * resulting module must have a CFI row for every address, and unwinding a stack
 * made of the same bytes must end.
 */
#include <stdlib.h>

#include "signal/unwinder/unwind_table.h"
#include "signal/unwinder/walk.h"
#include "unwind/cfi.h"
#include "unwind/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static _Atomic uint64_t cache[CP_UNWIND_CACHE_SLOTS];

static void walk(const struct cp_unwind_module *m, const uint8_t *data,
                 size_t size)
{
    static uintptr_t stack[512], frames[CP_WALK_MAX];
    struct cp_unwind_table map = { 1, m, cache };

    memset((void *)cache, 0, sizeof(cache));
    memset(stack, 0, sizeof(stack));
    memcpy(stack, data, size < sizeof(stack) ? size : sizeof(stack));
    for (uintptr_t pc = m->start; pc < m->end; pc += 61) {
        struct cp_signal_walk w = {
            .table = &map,
            .reader = { .stack_low = (uintptr_t)stack,
                        .stack_high = (uintptr_t)(stack + 512) },
        };
        struct cp_signal_regs regs = { pc,
                                       (uintptr_t)stack,
                                       (uintptr_t)(stack + 64),
                                       (uintptr_t)(stack + 32),
                                       0,
                                       0 };

        if (cp_signal_walk(&w, regs, frames) > CP_WALK_MAX)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cp_compile_input in = { .code_start = 0x10000,
                                   .code_end = 0x20000,
                                   .max_rows = 100000 };
    struct cp_unwind_module m = { 0 };

    if (size < 2)
        return 0;
    in.machine = data[0] & 2 ? &cp_cfi_aarch64 : &cp_cfi_x86_64;
    in.bytes = (struct cp_eh_bytes){ .start = data + 1, .end = data + size };
    in.bytes.bias =
        0x8000 - (intptr_t)(data + 1); /* makes addresses repeatable */
    if (data[0] & 1)
        in.bytes.hdr = data + 1;
    else
        in.bytes.frame = data + 1;
    if (cp_compile(&in, &m, NULL) == CP_OK)
        walk(&m, data, size);
    cp_compile_release(&m);
    return 0;
}
