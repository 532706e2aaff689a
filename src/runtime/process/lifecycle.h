/*
 * lifecycle - the states of the library inside a process.
 *
 *     OFF ──start──> ACTIVE <──attach, detach──> ACTIVE_ATTACHED
 *      │               ▲                                ▲
 *      │             start                            start
 *      │               │                                │
 *      │            DORMANT <──attach, detach──> DORMANT_ATTACHED
 *      └──attach────────────────────────────────────────┘
 *
 *     seal: every state but OFF ──> SEALED; unseal: back to that state
 *
 * OFF         The library is loaded and does nothing.
 * ACTIVE      The environment or a call of the program has started it.
 * DORMANT     Only cpprof attach has used it, and its session is over. Nothing
 *             is recorded and no thread runs.
 * *_ATTACHED  A session of cpprof attach is under way, with its own settings.
 * SEALED      The program installs a seccomp filter that would kill it for a
 *             system call of the library, so all recording has stopped.
 *
 * When the library is loaded, its constructor reads PPROFLISTEN and CPPROF and
 * starts the services that they select. It stays OFF if both are unset, and in
 * a set-user-ID program. There is no way back to OFF: initialised state stays
 * until the process is gone (fork_handlers.c says why).
 *
 * Context: any thread, outside signal handlers.
 * Locking: one lock for all transitions; cp_lifecycle_is_started takes none.
 * Ordering: the state is stored with release order after everything is
 * initialised, and loaded with acquire order.
 * Failure: the state is unchanged, unless a later step of the start failed; the
 * library is then started without block, mutex or threadcreate profiles.
 */
#ifndef CP_LIFECYCLE_H
#define CP_LIFECYCLE_H

#include <stdbool.h>

#include "base/error.h"

/* Starts the library on behalf of the program; does nothing if it is ACTIVE. */
enum cp_status cp_lifecycle_start(struct cp_error *err);

/*
 * Begins a session of cpprof attach. `settings` is "key:value,..." as in CPPROF
 * and overrides the environment. Nothing is printed on the stderr of the
 * program. cp_lifecycle_detach restores the settings.
 */
enum cp_status cp_lifecycle_attach(const char *settings, struct cp_error *err);
void cp_lifecycle_detach(void);

/* Neither OFF nor SEALED. One load. */
bool cp_lifecycle_is_started(void);

/* Whether the settings allow perf_event_open. */
bool cp_lifecycle_uses_perf(void);

/* False in a child of vfork(), which shares the memory of its parent. */
bool cp_lifecycle_is_own_process(void);

/*
 * Stops all recording, so that no hook makes a system call of its own
 * (sandbox.h). cp_lifecycle_unseal undoes it if the program could not install
 * its filter. The caller has ended the threads of the library (pause.h).
 */
void cp_lifecycle_seal(void);
void cp_lifecycle_unseal(void);

/* Writes "cpprof: LINE" to stderr, unless the settings say quiet. */
void cp_lifecycle_report(const char *line);

/* Updates the process id and resets the lock in the child of a fork. */
void cp_lifecycle_reset_after_fork(void);

#endif
