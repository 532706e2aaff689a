/*
 * mmap_hooks.c - hooks of mmap, munmap and mremap, for CPPROF=heap_mmap:1.
 *
 * With that option the heap profile samples anonymous mappings like blocks of
 * malloc; munmap at the start of a mapping frees it. It does not count mappings
 * that an allocator makes (calls from the object of malloc and from this
 * library), reservations (PROT_NONE) and mappings of files. glibc's malloc and
 * its thread stacks do not call the hooks.
 *
 * Before the constructor has found the real functions, the hooks make the
 * system call themselves: dlsym could call a hook again.
 */
#undef _FILE_OFFSET_BITS /* would make mmap an alias of mmap64 */
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/heap/heap.h"
#include "runtime/hooks/malloc_real.h"
#include "signal/tables/capture.h"

#define EXPORT __attribute__((visibility("default")))
#define N_EXCLUDED 2

struct range {
    uintptr_t start, end;
};

/* The real functions; NULL until the constructor runs. */
static struct {
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    int (*munmap)(void *, size_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
    struct range excluded[N_EXCLUDED]; /* this library, and malloc's object */
} real;

/* If the object contains the address range->start, sets its whole range. */
static int find_range(struct dl_phdr_info *info, size_t size, void *out)
{
    struct range *range = out, found = { UINTPTR_MAX, 0 };
    uintptr_t wanted = range->start;

    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;

        if (p->p_type != PT_LOAD)
            continue;
        if (start < found.start)
            found.start = start;
        if (start + p->p_memsz > found.end)
            found.end = start + p->p_memsz;
    }
    if (wanted < found.start || wanted >= found.end)
        return 0;
    *range = found;
    return 1;
}

static struct range range_of(uintptr_t address)
{
    struct range range = { address, 0 };

    return dl_iterate_phdr(find_range, &range) ? range : (struct range){ 0 };
}

static void find(const char *name, void *out)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (found)
        memcpy(out, &found, sizeof(found));
}

/* Runs after the constructor of malloc_hooks.c, which finds malloc. */
__attribute__((constructor(102))) static void prepare(void)
{
    real.excluded[0] = range_of((uintptr_t)&real);
    real.excluded[1] = range_of((uintptr_t)cp_malloc_real.malloc);
    cp_alloc_self.hook_depth++;
    find("mremap", &real.mremap);
    find("munmap", &real.munmap);
    find("mmap", &real.mmap);
    cp_alloc_self.hook_depth--;
}

/* Whether mappings that this caller makes are sampled. */
static bool is_counted(uintptr_t caller)
{
    if (__builtin_expect(!cp_heap_counts_mmap(), 1))
        return false;
    for (size_t i = 0; i < N_EXCLUDED; i++)
        if (caller >= real.excluded[i].start && caller < real.excluded[i].end)
            return false;
    return true;
}

/* Arguments of mmap. */
struct mmap_args {
    void *at;
    size_t len;
    int rights, flags, fd;
    off_t offset;
};

static void *map(const struct mmap_args *w)
{
    if (real.mmap)
        return real.mmap(w->at, w->len, w->rights, w->flags, w->fd, w->offset);
    return (void *)syscall(SYS_mmap, w->at, w->len, w->rights, w->flags, w->fd,
                           w->offset);
}

static void *map_counted(const struct mmap_args *w, uintptr_t caller)
{
    void *block = map(w);

    if (block != MAP_FAILED && w->flags & MAP_ANONYMOUS &&
        w->rights != PROT_NONE && is_counted(caller) &&
        cp_malloc_count_down(w->len))
        cp_malloc_maybe_sample(block, w->len, caller);
    return block;
}

EXPORT void *mmap(void *at, size_t len, int rights, int flags, int fd,
                  off_t offset)
{
    struct mmap_args args = { at, len, rights, flags, fd, offset };

    return map_counted(&args, CP_CALLER);
}

EXPORT void *mmap64(void *at, size_t len, int rights, int flags, int fd,
                    off_t offset)
{
    struct mmap_args args = { at, len, rights, flags, fd, offset };

    return map_counted(&args, CP_CALLER);
}

/*
 * Removes the mapping from the live table before munmap, because another thread
 * may get its address afterwards.
 */
EXPORT int munmap(void *at, size_t len)
{
    struct cp_live_entry entry = { 0 };
    int failed;

    if (is_counted(CP_CALLER) && cp_alloc_may_be_sampled(at))
        entry = cp_live_remove(at);
    failed =
        real.munmap ? real.munmap(at, len) : (int)syscall(SYS_munmap, at, len);
    if (failed)
        cp_live_insert(at, entry);
    else
        cp_alloc_count_free(at, entry);
    return failed;
}

static void *remap(void *at, size_t old_len, size_t len, int flags, void *to)
{
    if (real.mremap)
        return real.mremap(at, old_len, len, flags, to);
    return (void *)syscall(SYS_mremap, at, old_len, len, flags, to);
}

EXPORT void *mremap(void *at, size_t old_len, size_t len, int flags, ...)
{
    struct cp_live_entry entry = { 0 };
    bool is_sampled = is_counted(CP_CALLER);
    void *to = NULL, *block;
    va_list args;

    if (flags & MREMAP_FIXED) {
        va_start(args, flags);
        to = va_arg(args, void *);
        va_end(args);
    }
    if (is_sampled && cp_alloc_may_be_sampled(at))
        entry = cp_live_remove(at);
    block = remap(at, old_len, len, flags, to);
    if (block == MAP_FAILED) {
        cp_live_insert(at, entry);
        return block;
    }
    cp_alloc_count_free(at, entry);
    if (is_sampled && cp_malloc_count_down(len))
        cp_malloc_maybe_sample(block, len, CP_CALLER);
    return block;
}
