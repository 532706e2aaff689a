/*
 * address_stack - a call stack as a legacy file has it: addresses, leaf first.
 *
 * Filled from a line of text or word by word, then turned into a sample. The
 * legacy readers keep one and use it again for each sample.
 */
#ifndef CP_ADDRESS_STACK_H
#define CP_ADDRESS_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text_lines.h"

struct cp_builder;
struct cp_profile;

/*
 * A file has return addresses, which are one past the call. Which frames of
 * a stack they are depends on who wrote it.
 */
enum cp_return_addresses {
    CP_RETURN_NONE,
    CP_RETURN_CALLERS, /* all but the leaf */
    CP_RETURN_ALL,
};

/* Starts as { .returns = ... }. */
struct cp_address_stack {
    enum cp_return_addresses returns;
    uint64_t *addresses;
    size_t n, cap;
    uint32_t *locs; /* scratch */
    size_t cap_locs;
};

void cp_address_stack_release(struct cp_address_stack *s);

/* Adds a caller. CP_EFORMAT when the stack gets deeper than CP_MAX_DEPTH. */
enum cp_status cp_address_stack_push(struct cp_address_stack *s,
                                     uint64_t address, struct cp_error *err);

/* Adds the 0x numbers of a text; `line` is for the message. */
enum cp_status cp_address_stack_read(struct cp_address_stack *s,
                                     struct cp_text text, struct cp_text line,
                                     struct cp_error *err);

/*
 * The same for the numbers after the '@' of a sample line, which end at the
 * first byte that is not a blank, a lower-case hexadecimal digit or an x. The
 * stack is emptied first.
 */
enum cp_status cp_address_stack_read_tail(struct cp_address_stack *s,
                                          struct cp_text tail,
                                          struct cp_text line,
                                          struct cp_error *err);

/* Adds a sample with this stack; its locations are added as needed. */
enum cp_status cp_address_stack_sample(struct cp_address_stack *s,
                                       struct cp_builder *b,
                                       const int64_t *values,
                                       uint32_t label_set,
                                       struct cp_error *err);

/* Takes the second frame from samples where it repeats the leaf's call. */
void cp_drop_repeated_leaves(struct cp_profile *p);

#endif
