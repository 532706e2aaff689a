/*
 * next - the function that a hook goes on to: the next one of its name.
 *
 * All are found when the library is loaded, so that no hook enters the loader
 * later, where locks are held; but the first call may come before that.
 */
#ifndef CP_NEXT_H
#define CP_NEXT_H

#include <stdatomic.h>
#include <string.h>

/* Starts with its name; version is that of glibc where it has several. */
struct cp_next {
    const char *name, *version;
    void *_Atomic found;
};

/* Finds it, if it is not there yet; ends the program if there is none. */
void *cp_next_find(struct cp_next *next);

static inline void *cp_next_get(struct cp_next *next)
{
    void *found = atomic_load_explicit(&next->found, memory_order_acquire);

    return __builtin_expect(!found, 0) ? cp_next_find(next) : found;
}

/* Declares `next` as a pointer to the next function called like `symbol`. */
#define CP_NEXT_VERSION(symbol, glibc)                                         \
    static struct cp_next next_##symbol = { #symbol, glibc, NULL };            \
    static struct cp_next *listed_##symbol                                     \
        __attribute__((section("cp_nexts"), used)) = &next_##symbol;           \
    __typeof__(symbol) *next;                                                  \
    void *next_data = cp_next_get(&next_##symbol);                             \
                                                                               \
    (void)listed_##symbol;                                                     \
    memcpy(&next, &next_data, sizeof(next))

#define CP_NEXT(symbol) CP_NEXT_VERSION(symbol, NULL)

/* The same for hooks that must be quick: NULL if it has not been found yet. */
#define CP_NEXT_IF_FOUND(symbol)                                               \
    static struct cp_next next_##symbol = { #symbol, NULL, NULL };             \
    static struct cp_next *listed_##symbol                                     \
        __attribute__((section("cp_nexts"), used)) = &next_##symbol;           \
    __typeof__(symbol) *next;                                                  \
    void *next_data =                                                          \
        atomic_load_explicit(&next_##symbol.found, memory_order_acquire);      \
                                                                               \
    (void)listed_##symbol;                                                     \
    memcpy(&next, &next_data, sizeof(next))

#endif
