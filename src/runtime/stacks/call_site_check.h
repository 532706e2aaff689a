/*
 * still_caller - can a function have been called from there?
 *
 * Of a thread that sleeps the frame pointer is not known, and is looked for on
 * its stack. What lies there may be left from calls that have ended, so the
 * code must bear out what is found: before the return address stands a call,
 * and what it calls, where that can be told, is the function.
 */
#ifndef CP_CALL_SITE_CHECK_H
#define CP_CALL_SITE_CHECK_H

#include <stdint.h>

struct cp_unwind_table;

enum cp_call_site_result {
    CP_CALL_SITE_NO,
    CP_CALL_SITE_UNKNOWN, /* there is a call, of nobody knows what */
    CP_CALL_SITE_YES,
};

/*
 * `back` is the address to return to, `pc` one in a function with a frame
 * pointer. CP_CALL_SITE_NO on other machines than x86-64.
 */
enum cp_call_site_result cp_call_site_check(const struct cp_unwind_table *map,
                                            uintptr_t back, uintptr_t pc);

#endif
