/*
 * stack_reader - reads words of a stack without ever faulting.
 *
 * A stack walk follows addresses that it finds in memory, and any of them may
 * be wrong. So it reads a word only inside a range that is known to be
 * readable: the thread's stack from its stack pointer up to stack_high, or
 * pages that the kernel has confirmed. The check is a system call that copies
 * its argument in and then fails; it costs about as much as getpid.
 *
 * Only the thread itself can unmap the stack that it runs on, so a readable
 * page of it stays readable during the walk. That is not true of other memory.
 * A walk that had to guess a frame may be led there, so from then on it reads
 * only the stack and the pages that follow it (cp_stack_reader_bind).
 *
 * The stack of another thread is walked in a copy: `shift` is the distance from
 * the stack to the copy, and nothing outside the copy is read.
 *
 * Context: any, signal handlers included.
 * Locking, ordering: none; a reader belongs to one walk.
 * Failure: false; the caller ends the walk.
 */
#ifndef CP_STACK_READER_H
#define CP_STACK_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "signal/unwinder/no_sanitize.h"

#define CP_STACK_READER_PAGE ((uintptr_t)4096)

struct cp_stack_reader {
    uintptr_t low, high;             /* range that is known to be readable */
    uintptr_t stack_low, stack_high; /* bounds of the stack; 0, 0 if unknown */
    uintptr_t shift;                 /* bytes to the copy; 0 if no copy */
    bool is_bound;                   /* the range may grow, but not move */
};

/* Sets the readable range to the stack that contains sp. */
void cp_stack_reader_set_stack(struct cp_stack_reader *r, uintptr_t sp);

/* From now on reads only the range that contains sp, and pages right above it,
 * until cp_stack_reader_set_stack. */
void cp_stack_reader_bind(struct cp_stack_reader *r, uintptr_t sp);

/*
 * Extends the range to the page of an address. Returns false if the page must
 * not be read.
 */
bool cp_stack_reader_page(struct cp_stack_reader *r, uintptr_t address);

/* Whether the 8 bytes at this address are readable. Costs one system call. */
bool cp_stack_reader_is_readable(uintptr_t address);

/* Reads the 8-byte word at an address. Returns false if it must not be read. */
CP_NO_SANITIZE static inline bool
cp_stack_reader_word(struct cp_stack_reader *r, uintptr_t address,
                     uintptr_t *out)
{
    if (address & 7)
        return false;
    if (address - r->low >= r->high - r->low &&
        !cp_stack_reader_page(r, address))
        return false;
    *out = *(const volatile uintptr_t *)(address + r->shift);
    return true;
}

#endif
