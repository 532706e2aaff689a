/*
 * alt_stacks - the stacks that the program's signal handlers run on.
 *
 * Ours runs there too, for threads whose own stack is too small for it. Some
 * programs give all their threads one and the same (varnish), to die on: two
 * samples at a time would overwrite each other. As soon as that is seen our
 * handlers go to the threads' own stacks.
 */
#ifndef CP_SIGALTSTACK_SHARING_H
#define CP_SIGALTSTACK_SHARING_H

#include <signal.h>
#include <stdbool.h>

/*
 * From our hook of sigaltstack, before the call: is it now known that threads
 * share one? True once, when it has become so.
 */
bool cp_sigaltstack_detect_sharing(const stack_t *stack);

/*
 * After the call, if it was done: the thread has no other one any more. What it
 * has left may be another's next, while it is still there.
 */
void cp_sigaltstack_drop_others(const stack_t *stack);

/* SA_ONSTACK as long as no stack is shared, else 0: for our handlers' flags. */
int cp_sigaltstack_onstack_flag(void);

#endif
