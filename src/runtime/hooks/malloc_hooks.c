/*
 * malloc_hooks.c - hooks of malloc, free and their variants.
 *
 * The library exports these names, so a program that is linked with it or
 * preloads it calls the hooks. Each hook calls the real function, that of the
 * next object that defines the name: glibc, jemalloc, tcmalloc. The hooks do
 * not change the blocks.
 *
 * A call that is not sampled costs a subtraction and a test in the allocating
 * functions, and a load and a test in the freeing ones.
 *
 * dlsym itself may allocate while the hooks look the real functions up. These
 * early blocks come from a small static buffer and are never freed.
 *
 * Context: any thread, including signal handlers of the program. Locking: none.
 * Failure: a sample that cannot be recorded is lost; the allocation succeeds.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "runtime/heap/heap.h"
#include "runtime/hooks/malloc_real.h"
#include "signal/tables/capture.h"

#define EXPORT __attribute__((visibility("default")))

#define EARLY_BYTES 65536
#define EARLY_ALIGN 64
/* Bytes that a thread allocates between two checks while sampling is off. */
#define OFF_POLL_BYTES ((uint64_t)1 << 20)

/* Early blocks; the word before each block is its size. */
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

/* The initial functions: they look the real ones up and call them. */

static void *initial_malloc(size_t size);
static void find_real(void);

/* Whether the real functions cannot be found, or dlsym has called a hook. */
static bool is_unresolved(void)
{
    static _Atomic bool is_unavailable;

    if (cp_alloc_self.hook_depth || atomic_load(&is_unavailable))
        return true;
    find_real();
    if (cp_malloc_real.malloc == initial_malloc)
        atomic_store(&is_unavailable, true);
    return atomic_load(&is_unavailable);
}

static void *initial_malloc(size_t size)
{
    return is_unresolved() ? early_alloc(size) : cp_malloc_real.malloc(size);
}

static void *initial_calloc(size_t n, size_t size)
{
    if (!is_unresolved())
        return cp_malloc_real.calloc(n, size);
    return size && n > EARLY_BYTES / size ? NULL : early_alloc(n * size);
}

static void *initial_realloc(void *block, size_t size)
{
    if (!is_unresolved())
        return cp_malloc_real.realloc(block, size);
    return block ? NULL : early_alloc(size);
}

static void initial_free(void *block)
{
    if (!is_unresolved())
        cp_malloc_real.free(block);
}

static int initial_posix_memalign(void **out, size_t alignment, size_t size)
{
    return is_unresolved()
               ? ENOMEM
               : cp_malloc_real.posix_memalign(out, alignment, size);
}

static void *initial_aligned_alloc(size_t alignment, size_t size)
{
    return is_unresolved() ? NULL
                           : cp_malloc_real.aligned_alloc(alignment, size);
}

static void *initial_memalign(size_t alignment, size_t size)
{
    return is_unresolved() ? NULL : cp_malloc_real.memalign(alignment, size);
}

static void *initial_valloc(size_t size)
{
    return is_unresolved() ? NULL : cp_malloc_real.valloc(size);
}

static void *initial_pvalloc(size_t size)
{
    return is_unresolved() ? NULL : cp_malloc_real.pvalloc(size);
}

_Alignas(64) struct cp_malloc_real cp_malloc_real = {
    initial_malloc,   initial_calloc,         initial_realloc,
    initial_free,     initial_posix_memalign, initial_aligned_alloc,
    initial_memalign, initial_valloc,         initial_pvalloc,
};

/* memcpy converts dlsym's data pointer to a function pointer. */
#define FIND(name)                                                             \
    do {                                                                       \
        void *found = dlsym(RTLD_NEXT, #name);                                 \
                                                                               \
        if (found)                                                             \
            memcpy(&found_real.name, &found, sizeof(found));                   \
    } while (0)

static void find_real(void)
{
    struct cp_malloc_real found_real = { 0 };

    cp_alloc_self.hook_depth++;
    FIND(malloc);
    FIND(calloc);
    FIND(realloc);
    FIND(free);
    FIND(posix_memalign);
    FIND(aligned_alloc);
    FIND(memalign);
    FIND(valloc);
    FIND(pvalloc);
    if (found_real.malloc && found_real.free)
        cp_malloc_real = found_real;
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

/* Whether the object is the executable. */
static bool is_executable(const Dl_info *object)
{
    void *entry;
    uintptr_t at = getauxval(AT_ENTRY);
    Dl_info program;

    memcpy(&entry, &at, sizeof(entry));
    return dladdr(entry, &program) && program.dli_fbase == object->dli_fbase;
}

/*
 * Whether the function is a PLT stub that calls the hook. An executable that is
 * not position-independent and takes malloc's address defines such a stub under
 * the name malloc. A call of it counts the thread's bytes down.
 */
static bool is_stub_of_hook(void *first)
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

/* The object whose malloc the program calls; NULL if it calls the hook. */
static const char *malloc_owner(void)
{
    void *first = dlsym(RTLD_DEFAULT, "malloc");
    Dl_info object, own;

    if (!first || !dladdr(first, &object) || !dladdr(early, &own) ||
        object.dli_fbase == own.dli_fbase || is_stub_of_hook(first))
        return NULL;
    if (is_executable(&object) || !object.dli_fname)
        return "";
    return object.dli_fname;
}

/* Whether the real malloc and the real free are glibc's. */
static bool is_libc_malloc(void)
{
    void *address[3] = { dlsym(RTLD_DEFAULT, "gnu_get_libc_version") };
    Dl_info object[3];

    memcpy(&address[1], &cp_malloc_real.malloc, sizeof(address[1]));
    memcpy(&address[2], &cp_malloc_real.free, sizeof(address[2]));
    for (size_t i = 0; i < 3; i++)
        if (!address[i] || !dladdr(address[i], &object[i]) ||
            object[i].dli_fbase != object[0].dli_fbase)
            return false;
    return true;
}

/* With an interval of 1 the distance is 0, and every block is sampled. */
static uint64_t draw_distance(struct cp_alloc_thread *t, uint64_t interval)
{
    return interval > 1 ? cp_alloc_draw_distance(t, interval) : 0;
}

bool cp_malloc_should_sample(size_t size)
{
    struct cp_alloc_thread *t = &cp_alloc_self;
    uint64_t interval = atomic_load(&cp_alloc_sampler.interval);
    bool is_first = t->random == 0;
    uint64_t left;

    if (interval == 0) {
        t->left = OFF_POLL_BYTES;
        t->random = 0; /* marks the next call as the first of the thread */
        return false;
    }
    left = draw_distance(t, interval);
    if (is_first && left > size) { /* the countdown was not drawn at random */
        t->left = left - size;
        return false;
    }
    t->left = is_first ? draw_distance(t, interval) : left;
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

void cp_malloc_maybe_sample(void *block, size_t size, uintptr_t caller)
{
    if (cp_malloc_should_sample(size))
        cp_malloc_sample(block, size, caller);
}

bool cp_malloc_before_free(void *block)
{
    if (is_early(block))
        return false;
    cp_alloc_count_free(block, cp_live_remove(block));
    return true;
}

/* Runs before the constructor of lifecycle.c, which may start sampling. */
__attribute__((constructor(101))) static void prepare(void)
{
    if (cp_malloc_real.malloc == initial_malloc)
        find_real();
    cp_heap_set_hooks(malloc_owner, is_libc_malloc);
}

/*
 * The hooks. Each is a test and a tail call of the real function, without a
 * frame. The slow path is a separate function, also reached by a tail call, so
 * that both have the program's return address as their own.
 *
 * malloc and free share one line of the instruction cache: their placement
 * costs more than their work (docs/measurements/heap-cost.md).
 */

CP_SLOW_PATH void cp_malloc_slow_free(void *block)
{
    if (cp_malloc_before_free(block))
        cp_malloc_real.free(block);
}

CP_SLOW_PATH static void *slow_malloc(size_t size)
{
    void *block = cp_malloc_real.malloc(size);

    cp_malloc_maybe_sample(block, size, CP_CALLER);
    return block;
}

CP_CACHE_LINE EXPORT void *malloc(size_t size)
{
    if (cp_malloc_count_down(size))
        return slow_malloc(size);
    return cp_malloc_real.malloc(size);
}

CP_HALF_CACHE_LINE EXPORT void free(void *block)
{
    cp_malloc_free(block);
}

CP_SLOW_PATH static void *slow_calloc(size_t n, size_t size)
{
    void *block = cp_malloc_real.calloc(n, size);

    cp_malloc_maybe_sample(block, n * size, CP_CALLER);
    return block;
}

CP_HALF_CACHE_LINE EXPORT void *calloc(size_t n, size_t size)
{
    size_t all;

    if (!__builtin_mul_overflow(n, size, &all) && cp_malloc_count_down(all))
        return slow_calloc(n, size);
    return cp_malloc_real.calloc(n, size);
}

/* Copies an early block to a real one. */
static void *move_early(const void *block, size_t size)
{
    void *moved = cp_malloc_real.malloc(size);
    size_t old = early_size(block);

    if (moved)
        memcpy(moved, block, old < size ? old : size);
    return moved;
}

/*
 * Removes the old block from the live table before realloc, because another
 * thread may get its address as soon as it is freed. If realloc fails, the old
 * block is inserted again.
 */
static void *resize(void *block, size_t size, bool is_due, uintptr_t caller)
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
    if (is_due) /* also without a block: it draws the next distance */
        cp_malloc_maybe_sample(moved, size, caller);
    return moved;
}

CP_SLOW_PATH static void *slow_realloc(void *block, size_t size, bool is_due)
{
    return resize(block, size, is_due, CP_CALLER);
}

CP_CACHE_LINE EXPORT void *realloc(void *block, size_t size)
{
    bool is_due = cp_malloc_count_down(size);

    if (__builtin_expect(is_due || cp_alloc_may_be_sampled(block), 0))
        return slow_realloc(block, size, is_due);
    return cp_malloc_real.realloc(block, size);
}

/*
 * Calls the program's realloc, as libc does: if the program has its own malloc
 * linked in, only that one knows the block. The volatile pointer keeps the
 * compiler from calling the hook directly.
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

    if (status == 0 && cp_malloc_count_down(size))
        cp_malloc_maybe_sample(*out, size, CP_CALLER);
    return status;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    void *block = cp_malloc_real.aligned_alloc(alignment, size);

    if (cp_malloc_count_down(size))
        cp_malloc_maybe_sample(block, size, CP_CALLER);
    return block;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    void *block = cp_malloc_real.memalign(alignment, size);

    if (cp_malloc_count_down(size))
        cp_malloc_maybe_sample(block, size, CP_CALLER);
    return block;
}

EXPORT void *valloc(size_t size)
{
    void *block = cp_malloc_real.valloc(size);

    if (cp_malloc_count_down(size))
        cp_malloc_maybe_sample(block, size, CP_CALLER);
    return block;
}

EXPORT void *pvalloc(size_t size)
{
    void *block = cp_malloc_real.pvalloc(size);

    if (cp_malloc_count_down(size))
        cp_malloc_maybe_sample(block, size, CP_CALLER);
    return block;
}
