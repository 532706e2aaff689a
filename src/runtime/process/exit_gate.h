/*
 * exit_gate - keeps forks apart from libc's list of exit functions.
 *
 * glibc has a lock for that list, and a fork does not wait for it. If another
 * thread has it just then, in the dlopen or dlclose of any library, the child
 * is born with a lock that nobody will open, and hangs when it calls exit. So
 * the functions that take it (atexit_hooks.c) go through here: a fork waits
 * until nobody is inside, and nobody enters while it lasts.
 *
 * The library makes that gap wider: in a program that loads libraries all the
 * time 4 of 300 children hang without the library, 18 with the library but
 * without this gate, and none with it (tests/cli/harm, check_forks).
 *
 * No wait is for ever, for either may hold what the other needs: a program is
 * then where it would be without us. Who does not come out, because an exit
 * function takes its time or has left by longjmp, is waited for once, and so
 * are a fork that does not end and many that do not leave a gap.
 *
 * Any thread may call these; also handlers that fork.
 */
#ifndef CP_EXIT_GATE_H
#define CP_EXIT_GATE_H

#include <stdbool.h>

/* From now on it is known of forks. Until then nobody is counted. */
void cp_exit_gate_open(void);

/* True: cp_exit_gate_leave is to follow. */
bool cp_exit_gate_enter(void);
void cp_exit_gate_leave(void);

/* False: somebody was inside to the end of the wait. */
bool cp_exit_gate_before_fork(void);
void cp_exit_gate_after_fork(bool is_child);

#endif
