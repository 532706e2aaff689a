/*
 * capture - records the stack of whoever called a hook.
 *
 * For the hooks of malloc and of locks, which run in the program's own
 * threads but not in signal context. The frames of the hook itself are left
 * out.
 */
#ifndef CP_SIGNAL_CAPTURE_H
#define CP_SIGNAL_CAPTURE_H

#include <stdint.h>

struct cp_signal_samples;
struct cp_signal_slot;

/* The return address into the program, in a hook. */
#define CP_CALLER ((uintptr_t)__builtin_return_address(0))

/*
 * Adds count and value to the stack that ends at `caller`, with the labels of
 * the thread and this state. NULL: it is lost, and counted so.
 */
struct cp_signal_slot *cp_signal_capture(struct cp_signal_samples *s,
                                         uintptr_t caller, uint32_t state,
                                         uint64_t count, uint64_t value);

#endif
