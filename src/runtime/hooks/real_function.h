/*
 * real_function - the function that a hook calls: the next definition of its
 * name in the loader's search order (RTLD_NEXT).
 *
 * A constructor finds all of them when the library is loaded, so that no hook
 * enters the loader later, where other threads may hold its lock. A hook that
 * is called before that finds its function itself.
 *
 * Context: hooks in any thread. Locking: dlsym takes the loader's lock.
 * Ordering: `found` is published by a release store and acquired by readers.
 * Failure: the process is aborted with a message if libc has no such function.
 */
#ifndef CP_REAL_FUNCTION_H
#define CP_REAL_FUNCTION_H

#include <stdatomic.h>
#include <stddef.h>

struct cp_real_function {
    const char *name;
    const char *version; /* symbol version, if glibc has several; or NULL */
    void *_Atomic found; /* NULL if not found yet */
};

/* Finds the function; aborts if there is none. */
void *cp_real_find(struct cp_real_function *real);

/* The function if it was found before; NULL otherwise. */
static inline void *cp_real_found(struct cp_real_function *real)
{
    return atomic_load_explicit(&real->found, memory_order_acquire);
}

/* The function; finds it if necessary. */
static inline void *cp_real_get(struct cp_real_function *real)
{
    void *found = cp_real_found(real);

    return __builtin_expect(!found, 0) ? cp_real_find(real) : found;
}

/* Defines real_SYMBOL and lists it for the constructor of real_function.c. */
#define CP_REAL_ENTRY(symbol, glibc)                                           \
    static struct cp_real_function real_##symbol = { #symbol, glibc, NULL };   \
    static struct cp_real_function *listed_##symbol                            \
        __attribute__((section("cp_real_functions"), used)) = &real_##symbol

/* Declares `real`, a pointer to the function that the hook `symbol` calls. */
#define CP_REAL_VERSION(symbol, glibc)                                         \
    CP_REAL_ENTRY(symbol, glibc);                                              \
    __typeof__(symbol) *real = (__typeof__(symbol) *)cp_real_get(&real_##symbol)

#define CP_REAL(symbol) CP_REAL_VERSION(symbol, NULL)

#endif
