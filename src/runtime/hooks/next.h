/*
 * next - the function that a hook goes on to: the next one of its name.
 *
 * All are found when the library is loaded, so that no hook enters the loader
 * later, where locks are held; but the first call may come before that.
 */
#ifndef CP_NEXT_H
#define CP_NEXT_H

#include <stdatomic.h>
#include <stddef.h>

/* Starts with its name; version is that of glibc where it has several. */
struct cp_next {
    const char *name, *version;
    void *_Atomic found;
};

/* Finds it, if it is not there yet; ends the program if there is none. */
void *cp_next_find(struct cp_next *next);

/* NULL: not yet. */
static inline void *cp_next_found(struct cp_next *next)
{
    return atomic_load_explicit(&next->found, memory_order_acquire);
}

static inline void *cp_next_get(struct cp_next *next)
{
    void *found = cp_next_found(next);

    return __builtin_expect(!found, 0) ? cp_next_find(next) : found;
}

/* Makes next_SYMBOL, which is looked for when the library is loaded. */
#define CP_NEXT_ENTRY(symbol, glibc)                                           \
    static struct cp_next next_##symbol = { #symbol, glibc, NULL };            \
    static struct cp_next *listed_##symbol                                     \
        __attribute__((section("cp_nexts"), used)) = &next_##symbol

/* Declares `next` as a pointer to the next function called like `symbol`. */
#define CP_NEXT_VERSION(symbol, glibc)                                         \
    CP_NEXT_ENTRY(symbol, glibc);                                              \
    __typeof__(symbol) *next = (__typeof__(symbol) *)cp_next_get(&next_##symbol)

#define CP_NEXT(symbol) CP_NEXT_VERSION(symbol, NULL)

#endif
