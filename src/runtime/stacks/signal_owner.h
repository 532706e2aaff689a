/*
 * signal_owner - owns the signal that the sampling handler uses.
 *
 * Chooses the signal, installs cp_signal_handle (signal/signals/handler.h) and
 * emulates sigaction() for the program, which must not notice the library. The
 * handler stays installed after the last recording, for late signals.
 *
 * If the program installs a handler for the signal, the library leaves the
 * signal to the program. A wrapper (signal/signals/signal_shield.h) then drops
 * the library's late signals, and the refresh thread installs the handler on a
 * different signal.
 *
 * Context: any thread outside signal handlers; cp_signal_owner_sigaction and
 * cp_signal_owner_has_owned also in the program's handlers, and in a child of
 * vfork.
 * Locking: cp_signal_owner_ensure and _release require cp_refresh_lock
 * (refresh_thread.h); the other functions take no lock.
 * Ordering: cp_handler_state.previous is stored before the handler is
 * installed, so the handler always finds the program's action.
 * Failure: see each function; the program's sigaction() fails as libc's does.
 */
#ifndef CP_SIGNAL_OWNER_H
#define CP_SIGNAL_OWNER_H

#include <stdbool.h>

#include "base/error.h"
#include "signal/signals/signal_shield.h"

struct sigaction;

/*
 * Sets the signal to use; call it before the first recording. 0 selects SIGPROF
 * if the program does not use it, else a free real-time signal.
 */
void cp_signal_owner_configure(int sig);

/* The signal in use; 0 while no handler is installed. */
int cp_signal_owner_signal(void);

/*
 * Returns the signal in use, or the one that the next recording would use. New
 * threads unblock it.
 */
int cp_signal_owner_choose(void);

/*
 * Installs the handler unless it is installed. If the program has replaced it,
 * selects a different signal. Fails with CP_EIO if sigaction() fails.
 */
enum cp_status cp_signal_owner_ensure(struct cp_error *err);

/* Restores the program's action of the signal and of SIGTRAP. */
void cp_signal_owner_release(void);

/* The same for good: the sigaction hook then treats no signal as owned. */
void cp_signal_owner_seal(void);

/* Whether the library uses the signal, or has used it before. */
bool cp_signal_owner_has_owned(int sig);

/*
 * sigaction() for such a signal: the program sees the actions that it has set
 * itself, and receives no signal of the library. `real` is libc's function.
 */
int cp_signal_owner_sigaction(cp_sigaction_fn *real, int sig,
                              const struct sigaction *act,
                              struct sigaction *old);

/*
 * Updates the masks of the library's handlers after the program has changed its
 * action of a signal `sig` that the library does not use: they block `sig` only
 * while its action is a handler (signal/signals/mask.h).
 */
void cp_signal_owner_update_mask(int sig);

/*
 * Clears SA_ONSTACK of the library's handlers, because threads of the program
 * share an alternate stack (runtime/threads/sigaltstack_sharing.h).
 */
void cp_signal_owner_clear_onstack(void);

/*
 * Resets the state in the child of a fork, where no signal of the library is
 * pending.
 */
void cp_signal_owner_reset_after_fork(void);

#endif
