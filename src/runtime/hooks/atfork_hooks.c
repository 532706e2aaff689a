/*
 * atfork_hooks.c - functions that are called around forks: glibc's.
 *
 * Whoever adds the first has ours added before it (fork_handlers.h). With musl
 * they are added when the library starts (packaging/musl/shim.c).
 */
#include <stddef.h>

#include "runtime/hooks/real_function.h"
#include "runtime/process/fork_handlers.h"

/* What pthread_atfork calls, in each object its own. */
typedef void fork_call(void);
int __register_atfork(fork_call *before, fork_call *in_parent,
                      fork_call *in_child, void *object);

CP_REAL_ENTRY(__register_atfork, NULL);

extern void *__dso_handle __attribute__((visibility("hidden")));

static int add_first(fork_call *before, fork_call *in_parent,
                     fork_call *in_child)
{
    __typeof__(__register_atfork) *next =
        (__typeof__(__register_atfork) *)cp_real_get(&next___register_atfork);

    return next(before, in_parent, in_child, &__dso_handle);
}

__attribute__((visibility("default"))) int
__register_atfork(fork_call *before, fork_call *in_parent, fork_call *in_child,
                  void *object)
{
    __typeof__(__register_atfork) *next =
        (__typeof__(__register_atfork) *)cp_real_get(&next___register_atfork);

    (void)cp_fork_handlers_install(add_first);
    return next(before, in_parent, in_child, object);
}
