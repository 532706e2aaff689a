/*
 * taken - a signal of ours once the program has taken it.
 *
 * A signal of a timer, or of an event, that has been ended may still be on its
 * way, for as long as its thread blocks it or gets no processor. So that the
 * program is never told of one, a handler of ours stays before its own, with
 * its mask and flags, and drops those. Nothing here touches errno.
 */
#ifndef CP_SIGNAL_SHIELD_H
#define CP_SIGNAL_SHIELD_H

#include <signal.h>

struct sigaction;

/* libc's sigaction, for whoever stands before it. */
typedef int cp_sigaction_fn(int, const struct sigaction *, struct sigaction *);

/*
 * What to install for an action of the program's that has a handler, or for
 * signals other than SIGTRAP also SIG_DFL.
 */
void cp_signal_shield_wrap(int sig, const struct sigaction *act,
                           struct sigaction *out);

/* The program's, of what is installed, if that is from cp_signal_shield_wrap.
 */
void cp_signal_shield_unwrap(int sig, struct sigaction *act);

/* Installs the program's own: no signal of ours can come any more. */
void cp_signal_shield_restore(int sig);

void cp_signal_shield_handle(int sig, siginfo_t *info, void *context);

#endif
