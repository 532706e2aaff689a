/*
 * malloc_hooks.c - malloc and its family, ours first and then whose they were.
 *
 * The library exports these names, so a program that is preloaded with it or
 * linked to it calls here. Each call goes on to the next object that has the
 * name: glibc, jemalloc, tcmalloc, whatever the program uses. Nothing about
 * the blocks is changed.
 *
 * The cost of a call that is not sampled is a subtraction and a test for the
 * allocating functions, and one load and a test for the freeing ones.
 *
 * Finding the next functions may itself allocate (dlsym does when it fails);
 * what is asked for meanwhile comes from a small buffer and is never freed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "runtime/heap/heap.h"
#include "runtime/hooks/malloc_real.h"
#include "signal/heap/alloc_sampler.h"
#include "signal/tables/capture.h"

#define EXPORT __attribute__((visibility("default")))

#define EARLY_BYTES 65536
#define EARLY_ALIGN 64
/* Between looks while sampling is off. */
#define OFF_BYTES ((uint64_t)1 << 20)

/* Blocks given out before the next functions were known. */
static _Alignas(EARLY_ALIGN) char early[EARLY_BYTES];
static _Atomic size_t early_used;

static void *early_alloc(size_t size)
{
    size_t need = (size + 2 * EARLY_ALIGN - 1) & ~(size_t)(EARLY_ALIGN - 1);
    size_t at;

    if (size > EARLY_BYTES) {
        errno = ENOMEM;
        return NULL;
    }
    at = atomic_fetch_add(&early_used, need);
    if (at + need > EARLY_BYTES) {
        errno = ENOMEM;
        return NULL;
    }
    *(size_t *)(void *)(early + at) = size;
    cp_alloc_mark_filter(early + at + EARLY_ALIGN);
    return early + at + EARLY_ALIGN;
}

static bool is_early(const void *block)
{
    return (const char *)block > early &&
           (const char *)block < early + EARLY_BYTES;
}

static size_t early_size(const void *block)
{
    return *(const size_t *)(const void *)((const char *)block - EARLY_ALIGN);
}

/* While the next functions are looked for, each hook lands here first. */

static void *first_malloc(size_t size);
static void find_next(void);

static bool is_finding(void)
{
    static _Atomic bool is_unavailable;

    if (cp_alloc_self.hook_depth || atomic_load(&is_unavailable))
        return true;
    find_next();
    if (cp_malloc_real.malloc == first_malloc)
        atomic_store(&is_unavailable, true);
    return atomic_load(&is_unavailable);
}

static void *first_malloc(size_t size)
{
    return is_finding() ? early_alloc(size) : cp_malloc_real.malloc(size);
}

static void *first_calloc(size_t n, size_t size)
{
    if (!is_finding())
        return cp_malloc_real.calloc(n, size);
    return size && n > EARLY_BYTES / size ? NULL : early_alloc(n * size);
}

static void *first_realloc(void *block, size_t size)
{
    if (!is_finding())
        return cp_malloc_real.realloc(block, size);
    return block ? NULL : early_alloc(size);
}

static void first_free(void *block)
{
    if (!is_finding())
        cp_malloc_real.free(block);
}

static int first_posix_memalign(void **out, size_t alignment, size_t size)
{
    return is_finding() ? ENOMEM
                        : cp_malloc_real.posix_memalign(out, alignment, size);
}

static void *first_aligned_alloc(size_t alignment, size_t size)
{
    return is_finding() ? NULL : cp_malloc_real.aligned_alloc(alignment, size);
}

static void *first_memalign(size_t alignment, size_t size)
{
    return is_finding() ? NULL : cp_malloc_real.memalign(alignment, size);
}

static void *first_valloc(size_t size)
{
    return is_finding() ? NULL : cp_malloc_real.valloc(size);
}

static void *first_pvalloc(size_t size)
{
    return is_finding() ? NULL : cp_malloc_real.pvalloc(size);
}

_Alignas(64) struct cp_malloc_real cp_malloc_real = {
    first_malloc,   first_calloc,         first_realloc,
    first_free,     first_posix_memalign, first_aligned_alloc,
    first_memalign, first_valloc,         first_pvalloc,
};

/* A function pointer out of dlsym's data pointer. */
#define NEXT(name)                                                             \
    do {                                                                       \
        void *found = dlsym(RTLD_NEXT, #name);                                 \
                                                                               \
        if (found)                                                             \
            memcpy(&found_next.name, &found, sizeof(found));                   \
    } while (0)

/* Finds the next functions. */
static void find_next(void)
{
    struct cp_malloc_real found_next = { 0 };

    cp_alloc_self.hook_depth++;
    NEXT(malloc);
    NEXT(calloc);
    NEXT(realloc);
    NEXT(free);
    NEXT(posix_memalign);
    NEXT(aligned_alloc);
    NEXT(memalign);
    NEXT(valloc);
    NEXT(pvalloc);
    if (found_next.malloc && found_next.free)
        cp_malloc_real = found_next;
    cp_alloc_self.hook_depth--;
}

void *cp_malloc_find(const char *name)
{
    void *found, *library;

    cp_alloc_self.hook_depth++;
    found = dlsym(RTLD_NEXT, name);
    if (!found) {
        library = dlopen("libstdc++.so.6", RTLD_NOLOAD | RTLD_LAZY);
        found = library ? dlsym(library, name) : NULL;
    }
    cp_alloc_self.hook_depth--;
    return found;
}

static bool is_of_program(const Dl_info *its)
{
    void *entry;
    uintptr_t at = getauxval(AT_ENTRY);
    Dl_info program;

    memcpy(&entry, &at, sizeof(entry));
    return dladdr(entry, &program) && program.dli_fbase == its->dli_fbase;
}

/*
 * A program that is not position-independent and takes malloc's address has a
 * stub of that name, which leads to ours: a call of it is counted.
 */
static bool leads_here(void *first)
{
    void *last = dlsym(RTLD_DEFAULT, "free"), *block;
    uint64_t before = cp_alloc_self.left;
    void *(*allocate)(size_t);
    void (*release)(void *);

    memcpy(&allocate, &first, sizeof(allocate));
    memcpy(&release, &last, sizeof(release));
    block = allocate(1);
    if (last)
        release(block);
    return cp_alloc_self.left != before;
}

/* Which object's malloc does the program call? Ours: NULL. */
static const char *whose_malloc(void)
{
    void *first = dlsym(RTLD_DEFAULT, "malloc");
    Dl_info its, mine;

    if (!first || !dladdr(first, &its) || !dladdr(early, &mine) ||
        its.dli_fbase == mine.dli_fbase || leads_here(first))
        return NULL;
    if (is_of_program(&its) || !its.dli_fname)
        return "";
    return its.dli_fname;
}

/* Is the next malloc glibc's, and its free as well? */
static bool is_of_libc(void)
{
    void *address[3] = { dlsym(RTLD_DEFAULT, "gnu_get_libc_version") };
    Dl_info its[3];

    memcpy(&address[1], &cp_malloc_real.malloc, sizeof(address[1]));
    memcpy(&address[2], &cp_malloc_real.free, sizeof(address[2]));
    for (size_t i = 0; i < 3; i++)
        if (!address[i] || !dladdr(address[i], &its[i]) ||
            its[i].dli_fbase != its[0].dli_fbase)
            return false;
    return true;
}

/* At an interval of 1 nothing is ever left: all are looked at. */
static uint64_t draw(struct cp_alloc_thread *t, uint64_t interval)
{
    return interval > 1 ? cp_alloc_draw_distance(t, interval) : 0;
}

bool cp_malloc_choose(size_t size)
{
    struct cp_alloc_thread *t = &cp_alloc_self;
    uint64_t interval = atomic_load(&cp_alloc_sampler.interval);
    bool is_first = t->random == 0;
    uint64_t left;

    if (interval == 0) {
        t->left = OFF_BYTES;
        t->random = 0; /* when it is on again, it begins anew */
        return false;
    }
    left = draw(t, interval);
    if (is_first && left > size) { /* what it had did not come from here */
        t->left = left - size;
        return false;
    }
    t->left = is_first ? draw(t, interval) : left;
    return t->hook_depth == 0;
}

void cp_malloc_sample(void *block, size_t size, uintptr_t caller)
{
    if (!block)
        return;
    cp_alloc_self.hook_depth++;
    cp_alloc_record(block, size, caller);
    cp_alloc_self.hook_depth--;
}

void cp_malloc_refresh(void *block, size_t size, uintptr_t caller)
{
    if (cp_malloc_choose(size))
        cp_malloc_sample(block, size, caller);
}

bool cp_malloc_before_free(void *block)
{
    if (is_early(block))
        return false;
    cp_alloc_count_free(block, cp_live_remove(block));
    return true;
}

/* Before lifecycle.c's, which may start to sample. */
__attribute__((constructor(101))) static void prepare(void)
{
    if (cp_malloc_real.malloc == first_malloc)
        find_next();
    cp_heap_set_hooks(whose_malloc, is_of_libc);
}

/*
 * The hooks. Each is a test and a jump to the next function, without a frame;
 * what is rare is in a function of its own, which it jumps to as well, so that
 * both see the program's return address as theirs.
 *
 * malloc and free are one line of the cache together: where they lie costs
 * more than what they do (docs/measurements/heap-cost.md).
 */

CP_RARE void cp_malloc_rare_free(void *block)
{
    if (cp_malloc_before_free(block))
        cp_malloc_real.free(block);
}

CP_RARE static void *rare_malloc(size_t size)
{
    void *block = cp_malloc_real.malloc(size);

    cp_malloc_refresh(block, size, CP_CALLER);
    return block;
}

CP_LINE EXPORT void *malloc(size_t size)
{
    if (cp_malloc_counts(size))
        return rare_malloc(size);
    return cp_malloc_real.malloc(size);
}

CP_HALF_LINE EXPORT void free(void *block)
{
    cp_malloc_free(block);
}

CP_RARE static void *rare_calloc(size_t n, size_t size)
{
    void *block = cp_malloc_real.calloc(n, size);

    cp_malloc_refresh(block, n * size, CP_CALLER);
    return block;
}

CP_HALF_LINE EXPORT void *calloc(size_t n, size_t size)
{
    size_t all;

    if (!__builtin_mul_overflow(n, size, &all) && cp_malloc_counts(all))
        return rare_calloc(n, size);
    return cp_malloc_real.calloc(n, size);
}

/* A block of ours is copied to a real one. */
static void *move_early(const void *block, size_t size)
{
    void *moved = cp_malloc_real.malloc(size);
    size_t old = early_size(block);

    if (moved)
        memcpy(moved, block, old < size ? old : size);
    return moved;
}

/*
 * The old block leaves the table before another thread can be given its
 * address; it comes back if it is not freed after all.
 */
static void *resize(void *block, size_t size, bool is_time, uintptr_t caller)
{
    struct cp_live_entry entry = { 0 };
    void *moved;

    if (block && is_early(block))
        return move_early(block, size);
    if (block && cp_alloc_may_be_sampled(block))
        entry = cp_live_remove(block);
    moved = cp_malloc_real.realloc(block, size);
    if (!moved && size > 0)
        cp_live_insert(block, entry);
    else
        cp_alloc_count_free(block, entry);
    if (is_time) /* with nothing, too: the next mark is drawn */
        cp_malloc_refresh(moved, size, caller);
    return moved;
}

CP_RARE static void *rare_realloc(void *block, size_t size, bool is_time)
{
    return resize(block, size, is_time, CP_CALLER);
}

CP_LINE EXPORT void *realloc(void *block, size_t size)
{
    bool is_time = cp_malloc_counts(size);

    if (__builtin_expect(is_time || cp_alloc_may_be_sampled(block), 0))
        return rare_realloc(block, size, is_time);
    return cp_malloc_real.realloc(block, size);
}

/*
 * As libc does it, it is the program's realloc: where malloc is linked into the
 * program, that one knows the block and the next one does not.
 */
EXPORT void *reallocarray(void *block, size_t n, size_t size)
{
    static void *(*volatile first)(void *, size_t) = realloc;
    size_t all;

    if (__builtin_mul_overflow(n, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return first(block, all);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t size)
{
    int status = cp_malloc_real.posix_memalign(out, alignment, size);

    if (status == 0 && cp_malloc_counts(size))
        cp_malloc_refresh(*out, size, CP_CALLER);
    return status;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    void *block = cp_malloc_real.aligned_alloc(alignment, size);

    if (cp_malloc_counts(size))
        cp_malloc_refresh(block, size, CP_CALLER);
    return block;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    void *block = cp_malloc_real.memalign(alignment, size);

    if (cp_malloc_counts(size))
        cp_malloc_refresh(block, size, CP_CALLER);
    return block;
}

EXPORT void *valloc(size_t size)
{
    void *block = cp_malloc_real.valloc(size);

    if (cp_malloc_counts(size))
        cp_malloc_refresh(block, size, CP_CALLER);
    return block;
}

EXPORT void *pvalloc(size_t size)
{
    void *block = cp_malloc_real.pvalloc(size);

    if (cp_malloc_counts(size))
        cp_malloc_refresh(block, size, CP_CALLER);
    return block;
}
