/*
 * arena - memory that is given back all at once.
 *
 * A profile and a report each own one. Memory comes zeroed; nothing is freed
 * singly. Not safe for use from two threads at once.
 */
#ifndef CP_ARENA_H
#define CP_ARENA_H

#include <stddef.h>

#include "base/error.h"

struct cp_arena_block;

/* Starts as { 0 }. */
struct cp_arena {
    struct cp_arena_block *blocks;
    char *pos, *end; /* the free part of the newest shared block */
    size_t next_bytes;
};

/* n zeroed elements, aligned for anything; NULL with *err set on failure. */
void *cp_arena_alloc(struct cp_arena *a, size_t n, size_t size,
                     struct cp_error *err);

/* A copy of len bytes and a closing NUL; NULL with *err set on failure. */
char *cp_arena_copy(struct cp_arena *a, const char *bytes, size_t len,
                    struct cp_error *err);

/* Like printf into the arena; NULL with *err set on failure. */
char *cp_arena_printf(struct cp_arena *a, struct cp_error *err, const char *fmt,
                      ...) __attribute__((format(printf, 3, 4)));

/*
 * Makes room for `need` elements in the arena array *p of capacity *cap,
 * moving the n that are there. The old array stays in the arena as waste.
 */
enum cp_status cp_arena_reserve(struct cp_arena *a, void *p, size_t n,
                                size_t *cap, size_t need, size_t size,
                                struct cp_error *err);

/* Takes over all memory of `from`, which is empty then. */
void cp_arena_take(struct cp_arena *a, struct cp_arena *from);

/* Frees every block; the arena is empty and usable again. */
void cp_arena_release(struct cp_arena *a);

#endif
