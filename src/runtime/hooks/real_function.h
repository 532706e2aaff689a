/*
 * next - the function that a hook goes on to: the next one of its name.
 *
 * All are found when the library is loaded, so that no hook enters the loader
 * later, where locks are held; but the first call may come before that.
 */
#ifndef CP_REAL_FUNCTION_H
#define CP_REAL_FUNCTION_H

#include <stdatomic.h>
#include <stddef.h>

/* Starts with its name; version is that of glibc where it has several. */
struct cp_real_function {
    const char *name, *version;
    void *_Atomic found;
};

/* Finds it, if it is not there yet; ends the program if there is none. */
void *cp_real_find(struct cp_real_function *next);

/* NULL: not yet. */
static inline void *cp_real_found(struct cp_real_function *next)
{
    return atomic_load_explicit(&next->found, memory_order_acquire);
}

static inline void *cp_real_get(struct cp_real_function *next)
{
    void *found = cp_real_found(next);

    return __builtin_expect(!found, 0) ? cp_real_find(next) : found;
}

/* Makes next_SYMBOL, which is looked for when the library is loaded. */
#define CP_REAL_ENTRY(symbol, glibc)                                           \
    static struct cp_real_function next_##symbol = { #symbol, glibc, NULL };   \
    static struct cp_real_function *listed_##symbol                            \
        __attribute__((section("cp_real_functions"), used)) = &next_##symbol

/* Declares `next` as a pointer to the next function called like `symbol`. */
#define CP_REAL_VERSION(symbol, glibc)                                         \
    CP_REAL_ENTRY(symbol, glibc);                                              \
    __typeof__(symbol) *next = (__typeof__(symbol) *)cp_real_get(&next_##symbol)

#define CP_REAL(symbol) CP_REAL_VERSION(symbol, NULL)

#endif
