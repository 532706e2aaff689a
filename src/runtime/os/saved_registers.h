/*
 * saved_registers - the callee-saved registers of a sleeping thread, in
 * memory.
 *
 * The leak search (runtime/heap/leak.h) must see every pointer of the program,
 * and the kernel does not report these registers of a sleeping thread. Hooks of
 * functions that sleep store them in thread-local memory first, which the
 * search scans. If a hook uses a register itself, it has pushed the old value
 * to the stack, which the search scans too.
 *
 * Context: hooks, on any thread. Locking: none.
 * Ordering: none; the search reads threads that sleep.
 * Failure: none.
 */
#ifndef CP_SAVED_REGISTERS_H
#define CP_SAVED_REGISTERS_H

#include <stdint.h>

#include "signal/unwinder/arch.h"

extern _Thread_local uintptr_t cp_saved_registers[CP_ARCH_CALLEE_SAVED]
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline __attribute__((always_inline)) void cp_save_registers(void)
{
    cp_arch_save_registers(cp_saved_registers);
}

#endif
