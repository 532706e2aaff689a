/*
 * sigaltstack_sharing - detects threads that share an alternate signal stack.
 *
 * The library's handlers use alternate stacks (SA_ONSTACK), for threads whose
 * stack is too small. Some programs (varnish) give all threads the same stack,
 * because their handlers only report a crash on it. Two concurrent samples
 * would overwrite each other there. As soon as two live threads use one stack,
 * the library's handlers stop using alternate stacks.
 *
 * Context: the hook of sigaltstack() on any thread.
 * Locking: none; all fields are atomic. Two stacks that hash to one entry
 * replace each other, so sharing may be detected late.
 * Failure: none.
 */
#ifndef CP_SIGALTSTACK_SHARING_H
#define CP_SIGALTSTACK_SHARING_H

#include <signal.h>
#include <stdbool.h>

/*
 * Called before the thread sets `stack`: records it. Returns true once, when
 * the first sharing is detected.
 */
bool cp_sigaltstack_detect_sharing(const stack_t *stack);

/*
 * Called after the thread has set `stack`: the thread has stopped using all
 * other stacks, so a different thread may set those without sharing.
 */
void cp_sigaltstack_drop_others(const stack_t *stack);

/* SA_ONSTACK until sharing is detected, then 0. */
int cp_sigaltstack_onstack_flag(void);

#endif
