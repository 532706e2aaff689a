/*
 * arena.c - bump allocation from blocks of growing size.
 *
 * Small requests share a block. A request over a quarter of the block size gets
 * its own block, so that the shared block stays in use. The kernel zeroes large
 * blocks lazily, so an untouched array costs nothing.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST_BYTES ((size_t)1 << 10)
#define MAX_BYTES ((size_t)1 << 20)

struct cp_arena_block {
    struct cp_arena_block *next;
    alignas(16) char bytes[];
};

static struct cp_arena_block *add_block(struct cp_arena *a, size_t len,
                                        struct cp_error *err)
{
    struct cp_arena_block *block = cp_alloc(1, sizeof(*block) + len, err);

    if (!block)
        return NULL;
    block->next = a->blocks;
    a->blocks = block;
    return block;
}

static enum cp_status add_shared_block(struct cp_arena *a, struct cp_error *err)
{
    size_t len = a->next_bytes ? a->next_bytes : FIRST_BYTES;
    struct cp_arena_block *block = add_block(a, len, err);

    if (!block)
        return CP_ENOMEM;
    a->pos = block->bytes;
    a->end = block->bytes + len;
    a->next_bytes = len < MAX_BYTES ? len * 2 : MAX_BYTES;
    return CP_OK;
}

static void *alloc_bytes(struct cp_arena *a, size_t len, size_t align,
                         struct cp_error *err)
{
    size_t pad = (size_t)(-(uintptr_t)a->pos & (align - 1));

    if (len > (a->next_bytes ? a->next_bytes : FIRST_BYTES) / 4) {
        struct cp_arena_block *own = add_block(a, len, err);

        return own ? own->bytes : NULL;
    }
    if (!a->pos || len + pad > (size_t)(a->end - a->pos)) {
        if (add_shared_block(a, err) != CP_OK)
            return NULL;
        pad = 0;
    }
    char *p = a->pos + pad;
    a->pos = p + len;
    return p;
}

void *cp_arena_alloc(struct cp_arena *a, size_t n, size_t size,
                     struct cp_error *err)
{
    if (size && n > (size_t)PTRDIFF_MAX / 2 / size) {
        (void)cp_error_nomem(err);
        return NULL;
    }
    return alloc_bytes(a, n && size ? n * size : 1, 16, err);
}

char *cp_arena_copy(struct cp_arena *a, const char *bytes, size_t len,
                    struct cp_error *err)
{
    char *copy = alloc_bytes(a, len + 1, 1, err);

    if (copy && len)
        memcpy(copy, bytes, len);
    return copy;
}

char *cp_arena_printf(struct cp_arena *a, struct cp_error *err, const char *fmt,
                      ...)
{
    va_list args;
    char *text;
    int len;

    va_start(args, fmt);
    len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    text = len < 0 ? NULL : alloc_bytes(a, (size_t)len + 1, 1, err);
    if (!text)
        return NULL;
    va_start(args, fmt);
    (void)vsnprintf(text, (size_t)len + 1, fmt, args);
    va_end(args);
    return text;
}

enum cp_status cp_arena_reserve(struct cp_arena *a, void *p, size_t n,
                                size_t *cap, size_t need, size_t size,
                                struct cp_error *err)
{
    size_t want = *cap * 2 + 8;
    void *old, *grown;

    if (need <= *cap)
        return CP_OK;
    if (want < need)
        want = need;
    grown = cp_arena_alloc(a, want, size, err);
    if (!grown)
        return CP_ENOMEM;
    memcpy(&old, p, sizeof(old));
    if (n)
        memcpy(grown, old, n * size);
    memcpy(p, &grown, sizeof(grown));
    *cap = want;
    return CP_OK;
}

void cp_arena_take(struct cp_arena *a, struct cp_arena *from)
{
    struct cp_arena_block **end = &a->blocks;

    while (*end)
        end = &(*end)->next;
    *end = from->blocks;
    *from = (struct cp_arena){ 0 };
}

void cp_arena_release(struct cp_arena *a)
{
    struct cp_arena_block *block = a->blocks;

    while (block) {
        struct cp_arena_block *next = block->next;

        cp_free(block);
        block = next;
    }
    *a = (struct cp_arena){ 0 };
}
