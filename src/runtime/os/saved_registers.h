/*
 * saved_registers - the registers that a call preserves, in memory.
 *
 * A search for leaks (leak.h) reads a sleeping thread from outside, and the
 * kernel does not give it these registers. Hooks of functions that sleep store
 * them first, in thread-local memory, which the search reads. A hook that has
 * used a register itself has pushed its old value to the stack, which the
 * search reads too.
 *
 * Context: hooks, on any thread. Locking: none. Failure: none.
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
