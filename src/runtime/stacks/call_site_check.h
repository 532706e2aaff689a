/*
 * call_site_check - tests whether a return address follows a call of a
 * function.
 *
 * The frame pointer of a sleeping thread is unknown and is searched for on its
 * stack (sleeping_stack.h). The stack also holds words of calls that have
 * returned. So a candidate must be confirmed by the code: a call instruction
 * ends at the return address, and its target, if it can be computed, is the
 * function.
 *
 * Context: the endpoint thread and the wall-clock sampler, in a reader slot.
 * Locking: none. Failure: code that cannot be read counts as no call site.
 */
#ifndef CP_CALL_SITE_CHECK_H
#define CP_CALL_SITE_CHECK_H

#include <stdint.h>

struct cp_unwind_table;

enum cp_call_site_result {
    CP_CALL_SITE_NO,
    CP_CALL_SITE_UNKNOWN, /* an indirect call; the target is not known */
    CP_CALL_SITE_YES,
};

/*
 * `return_address` is the candidate, `pc` an address in a function that sets up
 * a frame pointer. Returns CP_CALL_SITE_NO on machines other than x86-64.
 */
enum cp_call_site_result cp_call_site_check(const struct cp_unwind_table *map,
                                            uintptr_t return_address,
                                            uintptr_t pc);

#endif
