/*
 * capture - records the stack of the program's code that called a hook.
 *
 * The hooks of malloc and of locks use it. They run in a thread of the program,
 * not in a signal handler of the library. The stack starts at the caller of the
 * hook; the library's own frames are removed.
 *
 * Context: hooks in any thread.
 * Locking: none.
 * Ordering: the reader epochs (readers.h) keep the unwind table alive; the
 *   caller keeps the sample table alive.
 * Failure: NULL; the sample is added to the table's lost samples.
 */
#ifndef CP_SIGNAL_CAPTURE_H
#define CP_SIGNAL_CAPTURE_H

#include <stdint.h>

struct cp_signal_samples;
struct cp_signal_slot;

/* The return address into the program; use it in a hook. */
#define CP_CALLER ((uintptr_t)__builtin_return_address(0))

/*
 * Adds count and value to the sample with the current stack, from `caller`
 * outwards, the labels of the thread and this state tag.
 */
struct cp_signal_slot *cp_signal_capture(struct cp_signal_samples *s,
                                         uintptr_t caller, uint32_t state,
                                         uint64_t count, uint64_t value);

#endif
