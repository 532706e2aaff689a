/*
 * mmap_hooks.c - memory that the program maps itself, if that is wanted.
 *
 * `heap_mmap:1` has anonymous mappings in the heap profile, counted as if
 * malloc had given them, and munmap of one from its beginning as its end. What
 * an allocator maps is not counted again: calls from the object that malloc is
 * in, and from this library, are left alone, as are reservations that nobody
 * can write (PROT_NONE) and mappings of files. glibc's own malloc and thread
 * stacks do not come by here.
 *
 * Before the next functions are known, which is before any constructor, the
 * kernel is called: to look for them then could come back here.
 */
#undef _FILE_OFFSET_BITS /* it makes mmap another name of mmap64 */
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/heap/heap.h"
#include "runtime/hooks/malloc_real.h"
#include "signal/heap/alloc_sampler.h"
#include "signal/tables/capture.h"

#define EXPORT __attribute__((visibility("default")))
#define N_OWN 2

struct range {
    uintptr_t start, end;
};

static struct {
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    int (*munmap)(void *, size_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
    struct range not_counted[N_OWN]; /* this library, and malloc's object */
} next;

/* Is it an object that has the address? Then all of its memory. */
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

/* After malloc_hooks.c's: the next malloc is known. */
__attribute__((constructor(102))) static void prepare(void)
{
    next.not_counted[0] = range_of((uintptr_t)&next);
    next.not_counted[1] = range_of((uintptr_t)cp_malloc_real.malloc);
    cp_alloc_self.hook_depth++;
    find("mremap", &next.mremap);
    find("munmap", &next.munmap);
    find("mmap", &next.mmap);
    cp_alloc_self.hook_depth--;
}

static bool is_counted(uintptr_t caller)
{
    if (__builtin_expect(!cp_heap_counts_mmap(), 1))
        return false;
    for (size_t i = 0; i < N_OWN; i++)
        if (caller >= next.not_counted[i].start &&
            caller < next.not_counted[i].end)
            return false;
    return true;
}

/* What mmap is given. */
struct wish {
    void *at;
    size_t len;
    int rights, flags, fd;
    off_t offset;
};

static void *map(const struct wish *w)
{
    if (next.mmap)
        return next.mmap(w->at, w->len, w->rights, w->flags, w->fd, w->offset);
    return (void *)syscall(SYS_mmap, w->at, w->len, w->rights, w->flags, w->fd,
                           w->offset);
}

static void *map_counted(const struct wish *w, uintptr_t caller)
{
    void *block = map(w);

    if (block != MAP_FAILED && w->flags & MAP_ANONYMOUS &&
        w->rights != PROT_NONE && is_counted(caller) &&
        cp_malloc_counts(w->len))
        cp_malloc_refresh(block, w->len, caller);
    return block;
}

EXPORT void *mmap(void *at, size_t len, int rights, int flags, int fd,
                  off_t offset)
{
    struct wish wish = { at, len, rights, flags, fd, offset };

    return map_counted(&wish, CP_CALLER);
}

EXPORT void *mmap64(void *at, size_t len, int rights, int flags, int fd,
                    off_t offset)
{
    struct wish wish = { at, len, rights, flags, fd, offset };

    return map_counted(&wish, CP_CALLER);
}

/* Before the kernel can give the address to somebody else. */
EXPORT int munmap(void *at, size_t len)
{
    struct cp_live_entry entry = { 0 };
    int failed;

    if (is_counted(CP_CALLER) && cp_alloc_may_be_sampled(at))
        entry = cp_live_remove(at);
    failed =
        next.munmap ? next.munmap(at, len) : (int)syscall(SYS_munmap, at, len);
    if (failed)
        cp_live_insert(at, entry);
    else
        cp_alloc_count_free(at, entry);
    return failed;
}

static void *remap(void *at, size_t old_len, size_t len, int flags, void *to)
{
    if (next.mremap)
        return next.mremap(at, old_len, len, flags, to);
    return (void *)syscall(SYS_mremap, at, old_len, len, flags, to);
}

EXPORT void *mremap(void *at, size_t old_len, size_t len, int flags, ...)
{
    struct cp_live_entry entry = { 0 };
    bool is_ours = is_counted(CP_CALLER);
    void *to = NULL, *block;
    va_list args;

    if (flags & MREMAP_FIXED) {
        va_start(args, flags);
        to = va_arg(args, void *);
        va_end(args);
    }
    if (is_ours && cp_alloc_may_be_sampled(at))
        entry = cp_live_remove(at);
    block = remap(at, old_len, len, flags, to);
    if (block == MAP_FAILED) {
        cp_live_insert(at, entry);
        return block;
    }
    cp_alloc_count_free(at, entry);
    if (is_ours && cp_malloc_counts(len))
        cp_malloc_refresh(block, len, CP_CALLER);
    return block;
}
