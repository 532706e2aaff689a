/*
 * pause - the program as if it had no threads of the library.
 *
 * Some calls depend on how many threads the process has: unshare and setns fail
 * in one that has several, and a seccomp filter may be installed on all of
 * them. cp_pause_begin ends all own threads (own_thread.h) and waits until the
 * kernel has forgotten them; cp_pause_end starts them again. A profile that is
 * being taken over HTTP ends, and its client sees the connection closed.
 *
 * Context: a thread of the program, outside of signal handlers. Locking: takes
 * the lock of the endpoint's state for a while. Failure: after 5 s the call
 * goes on with the threads that are left.
 */
#ifndef CP_PAUSE_H
#define CP_PAUSE_H

#include <stdbool.h>

/* Whether the process has own threads, and one of the program at most. */
bool cp_pause_is_useful(void);

/* is_single: waits until the program's one thread is all that there is. */
void cp_pause_begin(bool is_single);
void cp_pause_end(void);

#endif
