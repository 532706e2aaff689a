/*
 * new_hooks.c - operator new and delete, for allocators that have their own.
 *
 * libstdc++ makes them of malloc and free, which are hooked already: then these
 * only pass on. jemalloc, tcmalloc and mimalloc bring operators that do not go
 * through malloc: then these count. Which it is, is found by asking whether
 * the next operator comes from the same object as the next malloc.
 *
 * An exception of the next operator passes through here, so this file is
 * compiled with unwind tables; there is nothing to clean up.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/malloc_next.h"

#define EXPORT __attribute__((visibility("default")))

/* One operator: the next function, and whether calls of it are counted. */
struct operator
{
    const char *name;
    void *_Atomic next;
    _Atomic bool is_counted;
};

static bool is_of_malloc(void *function)
{
    Dl_info mine, its;
    void *allocate;

    memcpy(&allocate, &cp_malloc_next.malloc, sizeof(allocate));
    return dladdr(function, &its) && dladdr(allocate, &mine) &&
           its.dli_fbase == mine.dli_fbase;
}

static void *plain_new(size_t size)
{
    void *block = malloc(size ? size : 1);

    if (!block)
        abort(); /* nobody here can throw */
    return block;
}

/* Finds the next function; a C program's has none. */
static void *find(struct operator* o, void *otherwise)
{
    void *next = cp_malloc_find(o->name);

    atomic_store(&o->is_counted, next && is_of_malloc(next));
    atomic_store(&o->next, next ? next : otherwise);
    return next ? next : otherwise;
}

static void *otherwise_new(void)
{
    void *(*function)(size_t) = plain_new;
    void *data;

    memcpy(&data, &function, sizeof(data));
    return data;
}

static void *otherwise_delete(void)
{
    void (*function)(void *) = free;
    void *data;

    memcpy(&data, &function, sizeof(data));
    return data;
}

/* Puts the next function of operator `o` into the pointer `call`. */
#define GET(o, call, otherwise)                                                \
    do {                                                                       \
        void *data = atomic_load_explicit(&(o).next, memory_order_relaxed);    \
                                                                               \
        if (__builtin_expect(!data, 0))                                        \
            data = find(&(o), otherwise());                                    \
        memcpy(&(call), &data, sizeof(data));                                  \
    } while (0)

static bool is_time(struct operator* o, size_t size)
{
    return atomic_load_explicit(&o->is_counted, memory_order_relaxed) &&
           cp_malloc_counts(size);
}

static void before_delete(struct operator* o, void *block)
{
    if (__builtin_expect(cp_heap_may_be_sampled(block), 0) &&
        atomic_load_explicit(&o->is_counted, memory_order_relaxed))
        (void)cp_malloc_before_free(block);
}

/* Operators new: of a size, and of a size with one or two more arguments. */

#define NEW(symbol)                                                            \
    EXPORT void *symbol(size_t size);                                          \
    EXPORT void *symbol(size_t size)                                           \
    {                                                                          \
        static struct operator o = { .name = #symbol };                        \
        void *(*call)(size_t), *block;                                         \
                                                                               \
        GET(o, call, otherwise_new);                                           \
        block = call(size);                                                    \
        if (is_time(&o, size))                                                 \
            cp_malloc_look(block, size, CP_CALLER);                            \
        return block;                                                          \
    }

#define NEW_1(symbol)                                                          \
    EXPORT void *symbol(size_t size, uintptr_t more);                          \
    EXPORT void *symbol(size_t size, uintptr_t more)                           \
    {                                                                          \
        static struct operator o = { .name = #symbol };                        \
        void *(*call)(size_t, uintptr_t), *block;                              \
                                                                               \
        GET(o, call, otherwise_new);                                           \
        block = call(size, more);                                              \
        if (is_time(&o, size))                                                 \
            cp_malloc_look(block, size, CP_CALLER);                            \
        return block;                                                          \
    }

#define NEW_2(symbol)                                                          \
    EXPORT void *symbol(size_t size, uintptr_t more, uintptr_t last);          \
    EXPORT void *symbol(size_t size, uintptr_t more, uintptr_t last)           \
    {                                                                          \
        static struct operator o = { .name = #symbol };                        \
        void *(*call)(size_t, uintptr_t, uintptr_t), *block;                   \
                                                                               \
        GET(o, call, otherwise_new);                                           \
        block = call(size, more, last);                                        \
        if (is_time(&o, size))                                                 \
            cp_malloc_look(block, size, CP_CALLER);                            \
        return block;                                                          \
    }

NEW(_Znwm)
NEW(_Znam)
NEW_1(_ZnwmRKSt9nothrow_t)
NEW_1(_ZnamRKSt9nothrow_t)
NEW_1(_ZnwmSt11align_val_t)
NEW_1(_ZnamSt11align_val_t)
NEW_2(_ZnwmSt11align_val_tRKSt9nothrow_t)
NEW_2(_ZnamSt11align_val_tRKSt9nothrow_t)

/* Operators delete, with up to two more arguments that are passed on. */

#define DELETE(symbol)                                                         \
    EXPORT void symbol(void *block);                                           \
    EXPORT void symbol(void *block)                                            \
    {                                                                          \
        static struct operator o = { .name = #symbol };                        \
        void (*call)(void *);                                                  \
                                                                               \
        GET(o, call, otherwise_delete);                                        \
        before_delete(&o, block);                                              \
        call(block);                                                           \
    }

#define DELETE_1(symbol)                                                       \
    EXPORT void symbol(void *block, uintptr_t more);                           \
    EXPORT void symbol(void *block, uintptr_t more)                            \
    {                                                                          \
        static struct operator o = { .name = #symbol };                        \
        void (*call)(void *, uintptr_t);                                       \
                                                                               \
        GET(o, call, otherwise_delete);                                        \
        before_delete(&o, block);                                              \
        call(block, more);                                                     \
    }

#define DELETE_2(symbol)                                                       \
    EXPORT void symbol(void *block, uintptr_t more, uintptr_t last);           \
    EXPORT void symbol(void *block, uintptr_t more, uintptr_t last)            \
    {                                                                          \
        static struct operator o = { .name = #symbol };                        \
        void (*call)(void *, uintptr_t, uintptr_t);                            \
                                                                               \
        GET(o, call, otherwise_delete);                                        \
        before_delete(&o, block);                                              \
        call(block, more, last);                                               \
    }

DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE_1(_ZdlPvm)
DELETE_1(_ZdaPvm)
DELETE_1(_ZdlPvRKSt9nothrow_t)
DELETE_1(_ZdaPvRKSt9nothrow_t)
DELETE_1(_ZdlPvSt11align_val_t)
DELETE_1(_ZdaPvSt11align_val_t)
DELETE_2(_ZdlPvmSt11align_val_t)
DELETE_2(_ZdaPvmSt11align_val_t)
DELETE_2(_ZdlPvSt11align_val_tRKSt9nothrow_t)
DELETE_2(_ZdaPvSt11align_val_tRKSt9nothrow_t)
