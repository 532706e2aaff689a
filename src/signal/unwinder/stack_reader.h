/*
 * reach - reads of a stack that cannot fault.
 *
 * A walk follows numbers that it found in memory, and any of them may be
 * wrong. So a word is read only if it lies in a stretch that is known to be
 * readable: the stack that the thread is on, from its stack pointer up to the
 * end that the runtime knows of (`stack_low`, `stack_high`), or pages that the
 * kernel was asked about. The question is a call that fails before it does
 * anything, but reads its argument first; it costs about as much as getpid.
 *
 * Nothing but the thread itself can take away the stack it is running on, so
 * what was readable stays so until the walk is over. That is not true of other
 * memory, and a walk that had to guess might be led there: from then on it
 * keeps to the stack, or what seems to be it: the pages that follow one another
 * (cp_stack_reader_bind).
 *
 * The stack of another thread is not walked in place but in a copy: `shift`
 * is how far the copy lies from the stack, and nothing outside it is read.
 */
#ifndef CP_STACK_READER_H
#define CP_STACK_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "signal/unwinder/no_sanitize.h"

#define CP_STACK_READER_PAGE ((uintptr_t)4096)

/* The stretch that is known to be readable: low up to high. */
struct cp_stack_reader {
    uintptr_t low, high;
    uintptr_t stack_low, stack_high; /* of the thread; 0, 0: not known */
    uintptr_t shift;                 /* 0: read in place */
    bool is_bound;                   /* to the stretch, which may grow */
};

/* Turns to the stack with this stack pointer. */
void cp_stack_reader_set_stack(struct cp_stack_reader *r, uintptr_t sp);

/* Keeps to the stack with this stack pointer until it turns again. */
void cp_stack_reader_bind(struct cp_stack_reader *r, uintptr_t sp);

/* Asks the kernel for the page of an address; false: not to be read. */
bool cp_stack_reader_page(struct cp_stack_reader *r, uintptr_t address);

/* Can the 8 bytes at this address be read? Asks the kernel; changes nothing. */
bool cp_stack_reader_is_readable(uintptr_t address);

/* Reads the word at an address; false: it cannot be read. */
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
