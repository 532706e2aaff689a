/*
 * new_hooks.c - hooks of operator new and operator delete.
 *
 * What a hook does depends on where the real operator comes from:
 *
 * - libstdc++ implements its operators by malloc and free. The hook then calls
 *   malloc itself, which saves a call. If malloc fails, it calls libstdc++'s
 *   operator, which calls the new_handler and throws.
 * - jemalloc, tcmalloc and mimalloc define operators that do not call malloc.
 *   The hook counts the block and calls the operator.
 * - Any other operator is called unchanged. If it calls malloc, the hook of
 *   malloc counts the block.
 *
 * An exception of the real operator passes through the hook, so this file is
 * compiled with unwind tables; there is nothing to clean up.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/hooks/malloc_real.h"
#include "signal/tables/capture.h"

#define EXPORT __attribute__((visibility("default")))
#define TEST_BYTES 64

enum route {
    ROUTE_UNKNOWN,    /* not called yet */
    ROUTE_MALLOC,     /* the operator only calls malloc or free */
    ROUTE_COUNT_HERE, /* does not call malloc: counted by this hook */
    ROUTE_PASS,       /* called unchanged */
};

typedef void any_function(void);

/*
 * One operator. An operator delete does not test the route: it calls `target`,
 * which is first a function that detects the route, then the right function.
 */
struct operator
{
    const char *name;
    bool is_aligned;
    _Atomic uint8_t route;
    void *_Atomic real;
    any_function *_Atomic target;
};

static bool is_in_malloc_library(const Dl_info *object)
{
    Dl_info own;
    void *allocate;

    memcpy(&allocate, &cp_malloc_real.malloc, sizeof(allocate));
    return dladdr(allocate, &own) && object->dli_fbase == own.dli_fbase;
}

static bool is_in_libstdcxx(const Dl_info *object)
{
    const char *name =
        object->dli_fname ? strrchr(object->dli_fname, '/') : NULL;

    return name && strncmp(name, "/libstdc++.so", 13) == 0;
}

/*
 * Whether the program calls the hooks of all functions that libstdc++'s
 * operators call: each other, malloc and free. A program may replace some of
 * them; then libstdc++'s operators must call the replacement.
 */
static bool are_all_hooked(void)
{
    static const char *const names[] = { "malloc",
                                         "free",
                                         "_Znwm",
                                         "_Znam",
                                         "_ZdlPv",
                                         "_ZdaPv",
                                         "_ZdlPvSt11align_val_t",
                                         "_ZdaPvSt11align_val_t" };
    Dl_info own, object;

    if (!dladdr((const void *)names, &own))
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *first = dlsym(RTLD_DEFAULT, names[i]);

        if (!first || !dladdr(first, &object) ||
            object.dli_fbase != own.dli_fbase)
            return false;
    }
    return true;
}

/*
 * Whether the operator calls a hooked function, which counts its blocks, as the
 * aligned operators of jemalloc do. The test allocates one block and frees it
 * by the matching operator, because debugging allocators check that.
 */
static bool calls_a_hook(const struct operator* o, void *real)
{
    static const char none = 0;
    void *last = cp_malloc_find(o->name[3] == 'a' ? "_ZdaPvSt11align_val_t"
                                                  : "_ZdlPvSt11align_val_t");
    uint64_t before = cp_alloc_self.left;
    void *(*allocate)(size_t, uintptr_t, const void *), *block;
    void (*release)(void *, uintptr_t);
    bool is_counted;

    if (!o->is_aligned || !last)
        return false;
    memcpy(&allocate, &real, sizeof(allocate));
    memcpy(&release, &last, sizeof(release));
    cp_alloc_self.left = UINT64_MAX;
    block = allocate(TEST_BYTES, TEST_BYTES, &none);
    is_counted = cp_alloc_self.left != UINT64_MAX;
    cp_alloc_self.left = before;
    release(block, TEST_BYTES);
    return is_counted;
}

/* libstdc++'s aligned operators call aligned_alloc, whose hook counts. */
static enum route route_of(const struct operator* o, void *real)
{
    Dl_info object;

    if (!dladdr(real, &object))
        return ROUTE_PASS;
    if (is_in_malloc_library(&object))
        return calls_a_hook(o, real) ? ROUTE_PASS : ROUTE_COUNT_HERE;
    return is_in_libstdcxx(&object) && !o->is_aligned && are_all_hooked()
               ? ROUTE_MALLOC
               : ROUTE_PASS;
}

static void *malloc_new(size_t size)
{
    void *block = malloc(size ? size : 1);

    if (!block)
        abort(); /* without C++ no exception can be thrown */
    return block;
}

/* The operators of a program that has no C++ library but calls them. */
static void *fallback_new(void)
{
    void *(*function)(size_t) = malloc_new;
    void *data;

    memcpy(&data, &function, sizeof(data));
    return data;
}

static void *fallback_delete(void)
{
    void (*function)(void *) = free;
    void *data;

    memcpy(&data, &function, sizeof(data));
    return data;
}

/* Finds the real operator and its route. */
static void find(struct operator* o, void *(*fallback)(void))
{
    void *real = cp_malloc_find(o->name);
    enum route route = real ? route_of(o, real) : ROUTE_PASS;

    atomic_store(&o->real, real ? real : fallback());
    atomic_store(&o->route, (uint8_t)route);
}

static inline uint8_t get_route(const struct operator* o)
{
    return atomic_load_explicit(&o->route, memory_order_acquire);
}

static inline bool has_route(const struct operator* o, enum route route)
{
    return get_route(o) == route;
}

/* Sets the function pointer `call` to the real operator of `o`. */
#define GET_REAL(o, call)                                                      \
    do {                                                                       \
        void *data = atomic_load_explicit(&(o).real, memory_order_relaxed);    \
                                                                               \
        memcpy(&(call), &data, sizeof(data));                                  \
    } while (0)

/* On the first call the hook has not counted the size yet. */
static void detect_new(struct operator* o, size_t size)
{
    find(o, fallback_new);
    if (has_route(o, ROUTE_MALLOC) || has_route(o, ROUTE_COUNT_HERE))
        (void)cp_malloc_count_down(size);
}

/*
 * Allocates a block by malloc and samples it. Returns NULL if the operator has
 * a different route, if no sample is due, or if malloc fails.
 */
static void *sample_malloc(const struct operator* o, size_t size,
                           uintptr_t caller)
{
    void *block;

    if (!has_route(o, ROUTE_MALLOC) || !cp_malloc_is_due(size))
        return NULL;
    block = cp_malloc_real.malloc(size ? size : 1);
    cp_malloc_maybe_sample(block, size, caller);
    return block;
}

/*
 * For ROUTE_COUNT_HERE: whether to sample the block. Called before the
 * operator, which may throw.
 */
static bool should_sample(const struct operator* o, size_t size)
{
    return has_route(o, ROUTE_COUNT_HERE) && cp_malloc_is_due(size) &&
           cp_malloc_should_sample(size);
}

/*
 * Defines an operator new with a size and up to two more arguments: the hook
 * and its slow path.
 */
#define NEW_BODY(symbol, aligned, types, params, args)                         \
    static struct operator o_##symbol = { .name = #symbol,                     \
                                          .is_aligned = (aligned) };           \
                                                                               \
    CP_SLOW_PATH static void *slow_##symbol params                             \
    {                                                                          \
        void *(*call)types, *block;                                            \
        bool is_due;                                                           \
                                                                               \
        if (has_route(&o_##symbol, ROUTE_UNKNOWN))                             \
            detect_new(&o_##symbol, size);                                     \
        block = sample_malloc(&o_##symbol, size, CP_CALLER);                   \
        if (block)                                                             \
            return block;                                                      \
        GET_REAL(o_##symbol, call);                                            \
        is_due = should_sample(&o_##symbol, size);                             \
        block = call args;                                                     \
        if (is_due)                                                            \
            cp_malloc_sample(block, size, CP_CALLER);                          \
        return block;                                                          \
    }                                                                          \
                                                                               \
    EXPORT void *symbol params;                                                \
    CP_HALF_CACHE_LINE EXPORT void *symbol params                              \
    {                                                                          \
        uint8_t route = get_route(&o_##symbol);                                \
        void *(*call)types, *block;                                            \
                                                                               \
        if (route == ROUTE_MALLOC) {                                           \
            if (!cp_malloc_count_down(size) &&                                 \
                (block = cp_malloc_real.malloc(size)) != NULL)                 \
                return block;                                                  \
        } else if (route == ROUTE_COUNT_HERE && !cp_malloc_count_down(size)) { \
            GET_REAL(o_##symbol, call);                                        \
            return call args;                                                  \
        }                                                                      \
        return slow_##symbol args;                                             \
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

/* `plain` becomes the target if the operator only calls free. */
static void detect_delete(struct operator* o, any_function *plain)
{
    find(o, fallback_delete);
    if (has_route(o, ROUTE_MALLOC)) {
        atomic_store(&o->target, plain);
    } else {
        any_function *target;

        GET_REAL(*o, target);
        atomic_store(&o->target, target);
    }
}

/* Silences warnings about arguments that free does not have. */
static inline void ignore(void *block, ...)
{
    (void)block;
}

/*
 * Defines an operator delete with up to two more arguments. All of libstdc++'s
 * delete operators only call free, including those of aligned blocks.
 */
#define DELETE_BODY(symbol, types, params, args)                               \
    static void slow_##symbol params;                                          \
                                                                               \
    static struct operator o_##symbol = { .name = #symbol,                     \
                                          .target =                            \
                                              (any_function *)slow_##symbol }; \
                                                                               \
    static void plain_##symbol params                                          \
    {                                                                          \
        ignore args;                                                           \
        cp_malloc_real.free(block);                                            \
    }                                                                          \
                                                                               \
    CP_SLOW_PATH static void slow_##symbol params                              \
    {                                                                          \
        void(*call) types;                                                     \
                                                                               \
        if (has_route(&o_##symbol, ROUTE_UNKNOWN))                             \
            detect_delete(&o_##symbol, (any_function *)plain_##symbol);        \
        if (!has_route(&o_##symbol, ROUTE_PASS) &&                             \
            !cp_malloc_before_free(block))                                     \
            return;                                                            \
        GET_REAL(o_##symbol, call);                                            \
        call args;                                                             \
    }                                                                          \
                                                                               \
    EXPORT void symbol params;                                                 \
    CP_HALF_CACHE_LINE EXPORT void symbol params                               \
    {                                                                          \
        void(*target) types;                                                   \
                                                                               \
        if (__builtin_expect(cp_alloc_may_be_sampled(block), 0)) {             \
            slow_##symbol args;                                                \
            return;                                                            \
        }                                                                      \
        target = (void(*) types)atomic_load_explicit(&o_##symbol.target,       \
                                                     memory_order_relaxed);    \
        target args;                                                           \
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
