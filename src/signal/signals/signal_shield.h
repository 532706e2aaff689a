/*
 * signal_shield - wraps the program's handler for a signal that the library
 * used before, so that the program never sees a late signal of the library.
 *
 * A signal of a deleted timer or a closed perf event stays pending while its
 * thread blocks it or does not run. The shield discards such a signal and calls
 * the program's handler for all others. It has the mask and the flags that the
 * program asked for.
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
 * Converts the program's action into the action to install. The action has a
 * handler, or is SIG_DFL for a signal other than SIGTRAP.
 */
void cp_signal_shield_wrap(int sig, const struct sigaction *act,
                           struct sigaction *out);

/* Converts an installed action back into the program's, if it is a shield. */
void cp_signal_shield_unwrap(int sig, struct sigaction *act);

/*
 * Installs the program's action directly. Call it when no signal of the library
 * can be pending.
 */
void cp_signal_shield_restore(int sig);

/* The shield: the handler that wraps the program's handler. */
void cp_signal_shield_handle(int sig, siginfo_t *info, void *context);

#endif
