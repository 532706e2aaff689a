/*
 * signal_shield - a handler in front of the program's own, once the program has
 * installed a handler for a signal that the library used before.
 *
 * A signal of a deleted timer, or of a closed perf event, may still be pending,
 * as long as its thread blocks it or does not run. The shield discards such a
 * signal and calls the program's handler for all others. It has the mask and
 * the flags that the program asked for.
 *
 * Context: the shield: signal handler; the other functions: any. errno is kept.
 * Locking: none; concurrent calls of sigaction for one signal have no order, as
 *   without the library.
 * Ordering: wrap stores the flags before the handler, before the shield is
 *   installed.
 * Failure: none.
 */
#ifndef CP_SIGNAL_SHIELD_H
#define CP_SIGNAL_SHIELD_H

#include <signal.h>

struct sigaction;

/* The type of libc's sigaction. */
typedef int cp_sigaction_fn(int, const struct sigaction *, struct sigaction *);

/*
 * Turns the program's action into the one to install. The action has a handler,
 * or is SIG_DFL for a signal other than SIGTRAP.
 */
void cp_signal_shield_wrap(int sig, const struct sigaction *act,
                           struct sigaction *out);

/* Turns an installed action back into the program's, if it is a shield. */
void cp_signal_shield_unwrap(int sig, struct sigaction *act);

/* Installs the program's action: no signal of the library can be pending. */
void cp_signal_shield_restore(int sig);

/* The handler in front of the program's. */
void cp_signal_shield_handle(int sig, siginfo_t *info, void *context);

#endif
