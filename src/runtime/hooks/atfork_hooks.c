/*
 * atfork_hooks.c - registers the library's fork handlers before the program's.
 *
 * glibc runs prepare handlers in reverse order of registration, so the handlers
 * registered first take their locks last (lifecycle.h). The hook therefore
 * registers the library's own when the program registers its first. With musl
 * they are registered when the library starts (packaging/musl/shim.c).
 */

#include "runtime/hooks/real_function.h"
#include "runtime/process/fork_handlers.h"

/* glibc's function behind pthread_atfork, with the calling object. */
typedef void fork_handler(void);
int __register_atfork(fork_handler *prepare, fork_handler *parent,
                      fork_handler *child, void *object);

CP_REAL_ENTRY(__register_atfork, NULL);

extern void *__dso_handle __attribute__((visibility("hidden")));

static int register_own(fork_handler *prepare, fork_handler *parent,
                        fork_handler *child)
{
    __typeof__(__register_atfork) *real =
        (__typeof__(__register_atfork) *)cp_real_get(&real___register_atfork);

    return real(prepare, parent, child, &__dso_handle);
}

__attribute__((visibility("default"))) int
__register_atfork(fork_handler *prepare, fork_handler *parent,
                  fork_handler *child, void *object)
{
    __typeof__(__register_atfork) *real =
        (__typeof__(__register_atfork) *)cp_real_get(&real___register_atfork);

    (void)cp_fork_handlers_install(register_own);
    return real(prepare, parent, child, object);
}
