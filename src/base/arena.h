/*
 * arena - memory that is freed all at once.
 *
 * A profile and a report each own one. Memory is zeroed; single allocations
 * cannot be freed.
 *
 * Locking: none; the caller must not use an arena from two threads at once.
 */
#ifndef CP_ARENA_H
#define CP_ARENA_H

#include <stddef.h>

#include "base/error.h"

struct cp_arena_block;

/* Initialize with { 0 }. */
struct cp_arena {
    struct cp_arena_block *blocks;
    char *pos, *end; /* free part of the newest shared block */
    size_t next_bytes;
};

/*
 * Returns n zeroed elements, aligned for any type; NULL with *err set on
 * failure.
 */
void *cp_arena_alloc(struct cp_arena *a, size_t n, size_t size,
                     struct cp_error *err);

/*
 * Returns a copy of len bytes with a terminating NUL; NULL with *err set on
 * failure.
 */
char *cp_arena_copy(struct cp_arena *a, const char *bytes, size_t len,
                    struct cp_error *err);

/* Formats into the arena; NULL with *err set on failure. */
char *cp_arena_printf(struct cp_arena *a, struct cp_error *err, const char *fmt,
                      ...) __attribute__((format(printf, 3, 4)));

/*
 * Ensures space for `need` elements in the arena array *p of capacity *cap;
 * moves the n elements in use. The old array stays in the arena, unused.
 */
enum cp_status cp_arena_reserve(struct cp_arena *a, void *p, size_t n,
                                size_t *cap, size_t need, size_t size,
                                struct cp_error *err);

/* Moves all memory of `from` to a; `from` becomes empty. */
void cp_arena_take(struct cp_arena *a, struct cp_arena *from);

/* Frees every block; the arena is empty and can be used again. */
void cp_arena_release(struct cp_arena *a);

#endif
