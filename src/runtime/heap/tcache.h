/*
 * leak_cache - blocks that were freed and that glibc keeps at hand for their
 * thread: no pointer there counts.
 *
 * Each thread has up to seven freed blocks of each size up to 1032 bytes in
 * lists. They look as if they were in use, and what the program had in them is
 * still there. The lists are found from the variable of libc's that each thread
 * has of its own, and nothing is believed that does not fit: the length of a
 * list must be what its count says, each block as long as its list demands, and
 * all must bear the mark that glibc writes into what it enters. A thread alone
 * can take a block out of its lists. So as long as it has used no time since
 * they were read, it sleeps and they are as they were; if it has, its blocks
 * count as in use.
 */
#ifndef CP_TCACHE_H
#define CP_TCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/heap/leak_stacks.h"

struct cp_tcache_blocks {
    uintptr_t start, end;
    size_t thread;
};

struct cp_tcache {
    struct cp_tcache_blocks *blocks; /* by address */
    size_t n, room;
    uintptr_t mark; /* of the thread that is looked at; 0: not seen yet */
    struct {
        int32_t tid;
        int64_t ns; /* the time it had used before its lists were read */
    } threads[CP_LEAK_STACKS_MAX + 1];
};

/*
 * Looks for that variable, once. Needs the loader, which may be locked for ever
 * in the child of a fork: so it is for the start.
 */
void cp_tcache_learn(void);

/* A list of what threads have at hand, to be filled; NULL: no memory for it */
struct cp_tcache *cp_tcache_new(void);

/* What they have at hand now. */
void cp_tcache_take(struct cp_tcache *c);

/* Is this address in a block that has been at hand since it was taken? */
bool cp_tcache_has(const struct cp_tcache *c, uintptr_t at);

void cp_tcache_free(struct cp_tcache *c);

#endif
