/*
 * new_hooks.c - operator new and delete.
 *
 * What is done depends on where the next operator comes from:
 *
 * - libstdc++ makes its operators of malloc and free. Then these do the same
 *   themselves, which saves a call, and leave only failure to libstdc++: it
 *   calls the new_handler, and throws.
 * - jemalloc, tcmalloc and mimalloc bring operators that do not go through
 *   malloc: these count and pass on.
 * - any other operator is the business of whoever wrote it: it is passed on,
 *   and what it takes from malloc is counted there.
 *
 * An exception of the next operator passes through here, so this file is
 * compiled with unwind tables; there is nothing to clean up.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/hooks/malloc_real.h"
#include "signal/heap/alloc_sampler.h"
#include "signal/tables/capture.h"

#define EXPORT __attribute__((visibility("default")))
#define PROBE_BYTES 64

enum way {
    WAY_UNKNOWN, /* it was not called yet */
    WAY_PLAIN,   /* malloc or free, and nothing else */
    WAY_COUNT,   /* goes past malloc: counted here */
    WAY_PASS,    /* not ours to look at */
};

typedef void any_function(void);

/*
 * One operator: the next function, and what is done with it. Those that delete
 * need not ask for that: they go on to `goal`, which is the function that is
 * right, and to begin with one that finds out which that is.
 */
struct operator
{
    const char *name;
    bool is_aligned;
    _Atomic uint8_t way;
    void *_Atomic next;
    any_function *_Atomic goal;
};

static bool is_of_malloc(const Dl_info *its)
{
    Dl_info mine;
    void *allocate;

    memcpy(&allocate, &cp_malloc_real.malloc, sizeof(allocate));
    return dladdr(allocate, &mine) && its->dli_fbase == mine.dli_fbase;
}

static bool is_of_libstdcxx(const Dl_info *its)
{
    const char *name = its->dli_fname ? strrchr(its->dli_fname, '/') : NULL;

    return name && strncmp(name, "/libstdc++.so", 13) == 0;
}

/*
 * What libstdc++'s operators call: one another, malloc and free. A program may
 * have its own of these alone: then they must be called for all.
 */
static bool are_bases_ours(void)
{
    static const char *const names[] = { "malloc",
                                         "free",
                                         "_Znwm",
                                         "_Znam",
                                         "_ZdlPv",
                                         "_ZdaPv",
                                         "_ZdlPvSt11align_val_t",
                                         "_ZdaPvSt11align_val_t" };
    Dl_info mine, its;

    if (!dladdr((const void *)names, &mine))
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *first = dlsym(RTLD_DEFAULT, names[i]);

        if (!first || !dladdr(first, &its) || its.dli_fbase != mine.dli_fbase)
            return false;
    }
    return true;
}

/*
 * Does the operator take its blocks from a function that is hooked, as aligned
 * ones of jemalloc do? Then that counts them. Said by one block, which is given
 * back as it was taken: allocators for debugging look at that.
 */
static bool is_counted_anyway(const struct operator* o, void *next)
{
    static const char none = 0;
    void *last = cp_malloc_find(o->name[3] == 'a' ? "_ZdaPvSt11align_val_t"
                                                  : "_ZdlPvSt11align_val_t");
    uint64_t before = cp_alloc_self.left;
    void *(*take)(size_t, uintptr_t, const void *), *block;
    void (*give)(void *, uintptr_t);
    bool is_counted;

    if (!o->is_aligned || !last)
        return false;
    memcpy(&take, &next, sizeof(take));
    memcpy(&give, &last, sizeof(give));
    cp_alloc_self.left = UINT64_MAX;
    block = take(PROBE_BYTES, PROBE_BYTES, &none);
    is_counted = cp_alloc_self.left != UINT64_MAX;
    cp_alloc_self.left = before;
    give(block, PROBE_BYTES);
    return is_counted;
}

/* Aligned blocks libstdc++ takes from aligned_alloc: left to it. */
static enum way way_of(const struct operator* o, void *next)
{
    Dl_info its;

    if (!dladdr(next, &its))
        return WAY_PASS;
    if (is_of_malloc(&its))
        return is_counted_anyway(o, next) ? WAY_PASS : WAY_COUNT;
    return is_of_libstdcxx(&its) && !o->is_aligned && are_bases_ours()
               ? WAY_PLAIN
               : WAY_PASS;
}

static void *plain_new(size_t size)
{
    void *block = malloc(size ? size : 1);

    if (!block)
        abort(); /* nobody here can throw */
    return block;
}

/* Where there is no C++ at all, but somebody calls its operators. */
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

/* Finds the next function, and what is to be done with it. */
static void find(struct operator* o, void *(*otherwise)(void))
{
    void *next = cp_malloc_find(o->name);
    enum way way = next ? way_of(o, next) : WAY_PASS;

    atomic_store(&o->next, next ? next : otherwise());
    atomic_store(&o->way, (uint8_t)way);
}

static inline uint8_t way_now(const struct operator* o)
{
    return atomic_load_explicit(&o->way, memory_order_acquire);
}

static inline bool is_way(const struct operator* o, enum way way)
{
    return way_now(o) == way;
}

/* Puts the next function of operator `o` into the pointer `call`. */
#define GET(o, call)                                                           \
    do {                                                                       \
        void *data = atomic_load_explicit(&(o).next, memory_order_relaxed);    \
                                                                               \
        memcpy(&(call), &data, sizeof(data));                                  \
    } while (0)

/* On the first call: it was not counted where the others are. */
static void learn_new(struct operator* o, size_t size)
{
    find(o, otherwise_new);
    if (is_way(o, WAY_PLAIN) || is_way(o, WAY_COUNT))
        (void)cp_malloc_counts(size);
}

/* As malloc does when it is time to look; NULL: it is not, or there is none. */
static void *look_malloc(const struct operator* o, size_t size,
                         uintptr_t caller)
{
    void *block;

    if (!is_way(o, WAY_PLAIN) || !cp_malloc_has_counted(size))
        return NULL;
    block = cp_malloc_real.malloc(size ? size : 1);
    cp_malloc_refresh(block, size, caller);
    return block;
}

/* Of an operator that goes past malloc, and before it is called: it may throw.
 */
static bool choose(const struct operator* o, size_t size)
{
    return is_way(o, WAY_COUNT) && cp_malloc_has_counted(size) &&
           cp_malloc_choose(size);
}

/*
 * Operators new: of a size, and of a size with one or two more arguments. Each
 * has a function for what is rare, which the first jumps to.
 */
#define NEW_BODY(symbol, aligned, types, params, args)                         \
    static struct operator o_##symbol = { .name = #symbol,                     \
                                          .is_aligned = (aligned) };           \
                                                                               \
    CP_RARE static void *rare_##symbol params                                  \
    {                                                                          \
        void *(*call)types, *block;                                            \
        bool is_chosen;                                                        \
                                                                               \
        if (is_way(&o_##symbol, WAY_UNKNOWN))                                  \
            learn_new(&o_##symbol, size);                                      \
        block = look_malloc(&o_##symbol, size, CP_CALLER);                     \
        if (block)                                                             \
            return block;                                                      \
        GET(o_##symbol, call);                                                 \
        is_chosen = choose(&o_##symbol, size);                                 \
        block = call args;                                                     \
        if (is_chosen)                                                         \
            cp_malloc_sample(block, size, CP_CALLER);                          \
        return block;                                                          \
    }                                                                          \
                                                                               \
    EXPORT void *symbol params;                                                \
    CP_HALF_LINE EXPORT void *symbol params                                    \
    {                                                                          \
        uint8_t way = way_now(&o_##symbol);                                    \
        void *(*call)types, *block;                                            \
                                                                               \
        if (way == WAY_PLAIN) {                                                \
            if (!cp_malloc_counts(size) &&                                     \
                (block = cp_malloc_real.malloc(size)) != NULL)                 \
                return block;                                                  \
        } else if (way == WAY_COUNT && !cp_malloc_counts(size)) {              \
            GET(o_##symbol, call);                                             \
            return call args;                                                  \
        }                                                                      \
        return rare_##symbol args;                                             \
    }

#define NEW(symbol) NEW_BODY(symbol, false, (size_t), (size_t size), (size))

#define NEW_1(symbol, aligned)                                                 \
    NEW_BODY(symbol, aligned, (size_t, uintptr_t),                             \
             (size_t size, uintptr_t more), (size, more))

#define NEW_2(symbol)                                                          \
    NEW_BODY(symbol, true, (size_t, uintptr_t, uintptr_t),                     \
             (size_t size, uintptr_t more, uintptr_t last),                    \
             (size, more, last))

NEW(_Znwm)
NEW(_Znam)
NEW_1(_ZnwmRKSt9nothrow_t, false)
NEW_1(_ZnamRKSt9nothrow_t, false)
NEW_1(_ZnwmSt11align_val_t, true)
NEW_1(_ZnamSt11align_val_t, true)
NEW_2(_ZnwmSt11align_val_tRKSt9nothrow_t)
NEW_2(_ZnamSt11align_val_tRKSt9nothrow_t)

/* `plain` is where it leads when free is all that it is. */
static void learn_delete(struct operator* o, any_function *plain)
{
    find(o, otherwise_delete);
    if (is_way(o, WAY_PLAIN)) {
        atomic_store(&o->goal, plain);
    } else {
        any_function *goal;

        GET(*o, goal);
        atomic_store(&o->goal, goal);
    }
}

/* For arguments that free has not. */
static inline void ignore(void *block, ...)
{
    (void)block;
}

/*
 * Operators delete, with up to two more arguments that are passed on. All of
 * libstdc++'s are free, those of aligned blocks too.
 */
#define DELETE_BODY(symbol, types, params, args)                               \
    static void rare_##symbol params;                                          \
                                                                               \
    static struct operator o_##symbol = { .name = #symbol,                     \
                                          .goal =                              \
                                              (any_function *)rare_##symbol }; \
                                                                               \
    static void plain_##symbol params                                          \
    {                                                                          \
        ignore args;                                                           \
        cp_malloc_real.free(block);                                            \
    }                                                                          \
                                                                               \
    CP_RARE static void rare_##symbol params                                   \
    {                                                                          \
        void(*call) types;                                                     \
                                                                               \
        if (is_way(&o_##symbol, WAY_UNKNOWN))                                  \
            learn_delete(&o_##symbol, (any_function *)plain_##symbol);         \
        if (!is_way(&o_##symbol, WAY_PASS) && !cp_malloc_before_free(block))   \
            return;                                                            \
        GET(o_##symbol, call);                                                 \
        call args;                                                             \
    }                                                                          \
                                                                               \
    EXPORT void symbol params;                                                 \
    CP_HALF_LINE EXPORT void symbol params                                     \
    {                                                                          \
        void(*goal) types;                                                     \
                                                                               \
        if (__builtin_expect(cp_alloc_may_be_sampled(block), 0)) {             \
            rare_##symbol args;                                                \
            return;                                                            \
        }                                                                      \
        goal = (void(*) types)atomic_load_explicit(&o_##symbol.goal,           \
                                                   memory_order_relaxed);      \
        goal args;                                                             \
    }

#define DELETE(symbol) DELETE_BODY(symbol, (void *), (void *block), (block))

#define DELETE_1(symbol)                                                       \
    DELETE_BODY(symbol, (void *, uintptr_t), (void *block, uintptr_t more),    \
                (block, more))

#define DELETE_2(symbol)                                                       \
    DELETE_BODY(symbol, (void *, uintptr_t, uintptr_t),                        \
                (void *block, uintptr_t more, uintptr_t last),                 \
                (block, more, last))

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
