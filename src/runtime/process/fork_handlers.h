/*
 * fork_handlers - keeps the library consistent across fork().
 *
 * fork_handlers.c has one table of all handlers in their order, and the proof
 * that fork and exit are safe.
 *
 * Context: install from any thread; the handlers on the thread that forks.
 * Locking: `before` acquires the locks of the thread list, of labels and of the
 * page allocator; `parent` and `child` release them.
 * Failure: install returns false when libc has no memory; call it again.
 */
#ifndef CP_FORK_HANDLERS_H
#define CP_FORK_HANDLERS_H

#include <stdbool.h>

/* The type of pthread_atfork. */
typedef int cp_atfork(void (*before)(void), void (*parent)(void),
                      void (*child)(void));

/*
 * Registers the handlers by `add`, once. The hook of pthread_atfork calls this
 * before it registers the first handler of the program. Without that hook the
 * library registers them when it starts.
 */
bool cp_fork_handlers_install(cp_atfork *add);

/* Registers the handler that starts the endpoint of a child. Call it once. */
bool cp_fork_handlers_install_endpoint(void);

/*
 * Starts the refresh thread of a forked child whose parent had one. The child
 * calls this in its first pthread_create or when cpprof attach connects. It
 * costs one relaxed load if there is nothing to do. After a failure the next
 * call retries.
 */
void cp_fork_handlers_restart_refresh_thread(void);

#endif
