/*
 * leak_stacks - glibc's thread descriptors, and the stacks of ended threads.
 *
 * glibc keeps the stack of an ended thread, with its thread-local storage on
 * top, for the next thread. The pointers left there are stale. Each thread
 * registers its stack when it starts. Whether it has ended is read from its
 * descriptor (struct pthread): a valid descriptor contains its own address, and
 * the kernel clears the tid in it when the thread ends.
 *
 * Context: registration runs in the starting thread and makes no system call;
 * the other functions run in the thread that scans for leaks.
 * Locking: none. The slots are claimed by CAS and never freed.
 * Failure: with more than CP_LEAK_STACKS_MAX stacks, or an unknown libc,
 * stacks are not registered and the scan reads them.
 */
#ifndef CP_LEAK_STACKS_H
#define CP_LEAK_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CP_LEAK_STACKS_MAX 1024

/*
 * Registers the calling thread, which is starting on a stack that glibc
 * allocated and that extends at least down to `low`.
 */
void cp_leak_stacks_register(uintptr_t low);

/* Registers the calling thread as the main thread. */
void cp_leak_stacks_register_main(void);

/*
 * Returns the address of glibc's descriptor in slot i; slot CP_LEAK_STACKS_MAX
 * is the main thread. Returns 0 if the slot is empty or the memory is no longer
 * a descriptor. The thread may have ended.
 */
uintptr_t cp_leak_stacks_descriptor(size_t i);

/* The tid in a descriptor; 0 or less if the thread has ended or is unknown. */
int32_t cp_leak_stacks_tid(uintptr_t self);

/*
 * Whether the thread of slot i has ended and its stack lies in the mapping from
 * start to end. If so, sets out[0] and out[1] to the range of the stack.
 */
bool cp_leak_stacks_has_ended(size_t i, uintptr_t start, uintptr_t end,
                              uintptr_t out[2]);

#endif
