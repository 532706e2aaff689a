/*
 * sampler - what the profiles share that walk stacks.
 *
 * One signal and one handler, one map of all code, one thread of our own that
 * keeps both up to date as long as a window is open. Nothing of it exists
 * before the first window: no handler, no thread, no timer. Hooks (malloc's,
 * locks') need the map alone, and ask for it with cp_sampler_watch.
 */
#ifndef CP_SAMPLER_H
#define CP_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/os/lock.h"
#include "signal/signals/signal_shield.h"

struct sigaction;

/* Held while windows are opened and closed, of whatever kind. */
extern struct cp_lock cp_sampler_lock;

/* Set once, before the first window; 0 is the default. */
struct cp_sampler_options {
    size_t table_bytes; /* of unwind tables, at most */
    int signal;         /* 0: SIGPROF if nobody has it, else a real-time one */
};

void cp_sampler_configure(const struct cp_sampler_options *options);

/*
 * One more window: the handler is there, all threads are known, and all objects
 * or, if another one is open, all but those of the last moment, which are
 * looked for when a sample meets them. cp_sampler_open_now waits for those as
 * well. Called with the lock held.
 */
enum cp_status cp_sampler_open(struct cp_error *err);
enum cp_status cp_sampler_open_now(struct cp_error *err);
void cp_sampler_close(void);

/*
 * Work for the sampler's thread, where there is no other to be had: a turn of
 * it, which says how long it is to the next one (ns). As long as a window is
 * open; a turn may still be under way when it is set to NULL.
 */
typedef int64_t cp_sampler_guest(void);

void cp_sampler_set_guest(cp_sampler_guest *guest);

/*
 * When nothing is open or watched: gives the signal back as it was, and the
 * memory. Called without the lock.
 */
void cp_sampler_retire(void);

/*
 * From now on the map is kept up to date, windows or not; without a handler.
 * Called without the lock. Ends in the child of a fork.
 */
enum cp_status cp_sampler_watch(struct cp_error *err);

/*
 * The same without waiting for the first look at the map: the caller may hold
 * the loader's lock.
 */
enum cp_status cp_sampler_watch_soon(struct cp_error *err);

/* No more: nothing that hooks do needs it now. */
void cp_sampler_unwatch(void);

/* Wakes the thread: it is to see that it pauses (own_thread.h). */
void cp_sampler_wake(void);

/* For good: gives all signals back, and no hook asks for them again. */
void cp_sampler_seal(void);

/* The signal; 0 as long as there is none. */
int cp_sampler_signal(void);

/*
 * For our hook of sigaction: is it a signal that is ours, or has been? Then
 * this does what sigaction does, for the program as if we were not there, and
 * takes care that no signal of ours reaches it. `next` is libc's.
 */
bool cp_sampler_knows(int sig);
int cp_sampler_take_signal(cp_sigaction_fn *next, int sig,
                           const struct sigaction *act, struct sigaction *old);

/*
 * The program has changed what it does with that signal: the library's handlers
 * block it if it may run a handler, and only then (signal/signals/mask.h).
 */
void cp_sampler_note_action(int sig);

/* Our handlers go to the threads' own stacks: see sigaltstack_sharing.h. */
void cp_sampler_leave_alt_stack(void);

/* Which signal it would be: threads to come should not block it. */
int cp_sampler_choice(void);

/*
 * In the child of a fork: no window is open any more, and nobody watches.
 * Whether somebody did.
 */
bool cp_sampler_after_fork(void);

#endif
