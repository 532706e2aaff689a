/*
 * address_stack - a call stack of a legacy file: addresses, leaf first.
 *
 * A reader fills it from a line of text or one address at a time, then adds it
 * to the profile as a sample. One stack is reused for all samples.
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
 * Which frames hold a return address, which is one past the call instruction.
 * It depends on the format.
 */
enum cp_return_addresses {
    CP_RETURN_NONE,
    CP_RETURN_CALLERS, /* all frames except the leaf */
    CP_RETURN_ALL,
};

/* Initialize with { .returns = ... }. */
struct cp_address_stack {
    enum cp_return_addresses returns;
    uint64_t *addresses;
    size_t n, cap;
    uint32_t *locs; /* scratch space for location indexes */
    size_t cap_locs;
};

void cp_address_stack_release(struct cp_address_stack *s);

/* Appends a caller. Returns CP_EFORMAT if the stack exceeds CP_MAX_DEPTH. */
enum cp_status cp_address_stack_push(struct cp_address_stack *s,
                                     uint64_t address, struct cp_error *err);

/* Appends all 0x numbers of a text; an error message quotes `line`. */
enum cp_status cp_address_stack_read(struct cp_address_stack *s,
                                     struct cp_text text, struct cp_text line,
                                     struct cp_error *err);

/*
 * Replaces the stack by the numbers after the '@' of a sample line. They end at
 * the first byte that is not a blank, a lower-case hexadecimal digit or an x.
 */
enum cp_status cp_address_stack_read_tail(struct cp_address_stack *s,
                                          struct cp_text tail,
                                          struct cp_text line,
                                          struct cp_error *err);

/* Adds a sample with this stack, and its missing locations. */
enum cp_status cp_address_stack_sample(struct cp_address_stack *s,
                                       struct cp_builder *b,
                                       const int64_t *values,
                                       uint32_t label_set,
                                       struct cp_error *err);

/*
 * Removes the second frame of each sample if it repeats the call of the leaf.
 */
void cp_drop_repeated_leaves(struct cp_profile *p);

#endif
