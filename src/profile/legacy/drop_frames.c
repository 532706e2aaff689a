/*
 * drop_frames.c - the regular expressions of frames to drop.
 *
 * An expression must match a complete function name without its arguments. The
 * alternatives stand one a line and are concatenated by the compiler.
 */
#include "profile/legacy/drop_frames.h"

#include <string.h>

#include "profile/model/profile.h"

/* Function names of one allocator, without prefix. */
#define ALLOCATORS "calloc|cfree|malloc|free|memalign|pvalloc|valloc|realloc"

#define HEAP_DROP                                                              \
    "(tc_)?(" ALLOCATORS ")|"                                                  \
    "do_memalign|(__|tc_)?posix_memalign|__libc_malloc|"                       \
    "malloc_zone_(malloc|calloc|valloc|realloc|memalign|free)|"                \
    "tc_(new|delete)(array)?|tc_new(array)?_nothrow|"                          \
    "tcmalloc::.*|"                                                            \
    "(::)?do_malloc(_pages|_no_errno)?|"                                       \
    "DoSampledAllocation|MallocedMemBlock::MallocedMemBlock|"                  \
    "BaseArena::.*|"                                                           \
    "operator new(\\[\\])?|__builtin_(vec_)?(new|delete)|"                     \
    "_M_allocate|allocate|cpp_alloc|"                                          \
    "(__gnu_cxx::new_allocator|__malloc_alloc_template|simple_alloc)::"        \
    "allocate|"                                                                \
    "runtime\\..*"

static const char heap_drop[] = HEAP_DROP;

/*
 * jemalloc's own functions, and the allocator functions with its usual
 * prefixes.
 */
static const char jemalloc_drop[] = HEAP_DROP
    "|"
    "(je_|_rjem_|__)?(" ALLOCATORS "|aligned_alloc|posix_memalign)|"
    "(je_|_rjem_)?([mrxsdn]allocx|sdallocx_noflags|malloc_usable_size)|"
    "(je_|_rjem_(je_)?)?(prof|arena|tcache|large|imalloc|iralloc)_.*|"
    "(je_)?(fallback|fallbackNewImpl|newImpl)|imalloc(_body)?|"
    "operator (new|delete)(\\[\\])?|__rust_(alloc|realloc|alloc_zeroed)";

static const char heap_keep[] = "runtime\\.(panic|reflectcall|call[0-9]*)";

static const char contention_drop[] =
    "(base::)?(RecordLock|SubmitMutex|SubmitSpinLock)ProfileData.*|"
    "((base::)?Mutex::)?(AwaitCommon|Unlock|ReaderUnlock).*|"
    "((base::)?MutexLock::)?~MutexLock.*|"
    "(SpinLock::)?(Unlock|SlowUnlock).*|"
    "(SpinLockHolder::)?~SpinLockHolder.*";

static const char other_drop[] =
    "ProfileData::(Add|prof_handler)|CpuProfiler::prof_handler|"
    "__pthread_sighandler|__restore";

/* The sample types, in order, that select a list. */
static const struct {
    const char *types[5];
    const char *drop, *keep;
} lists[] = {
    { { "allocations", "size" }, heap_drop, heap_keep },
    { { "objects", "space" }, heap_drop, heap_keep },
    { { "inuse_objects", "inuse_space" }, heap_drop, heap_keep },
    { { "alloc_objects", "alloc_space" }, heap_drop, heap_keep },
    { { "alloc_objects", "alloc_space", "inuse_objects", "inuse_space" },
      heap_drop,
      heap_keep },
    { { "contentions", "delay" }, contention_drop, "" },
};

static bool has_types(const struct cp_profile *p, const char *const *types)
{
    uint32_t i = 0;

    for (; types[i]; i++)
        if (i >= p->n_types ||
            strcmp(cp_profile_cstr(p, p->types[i].type), types[i]) != 0)
            return false;
    return i == p->n_types;
}

static enum cp_status set_lists(struct cp_profile *p, const char *drop,
                                const char *keep, struct cp_error *err)
{
    uint32_t d = cp_strtab_add(&p->strings, drop, strlen(drop), err);
    uint32_t k = cp_strtab_add(&p->strings, keep, strlen(keep), err);

    if (d == CP_NO_STR || k == CP_NO_STR)
        return CP_ENOMEM;
    p->drop_frames = d;
    p->keep_frames = k;
    return CP_OK;
}

enum cp_status cp_drop_frames_set(struct cp_profile *p, struct cp_error *err)
{
    if (p->drop_frames)
        return CP_OK;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (has_types(p, lists[i].types))
            return set_lists(p, lists[i].drop, lists[i].keep, err);
    return set_lists(p, other_drop, "", err);
}

enum cp_status cp_drop_frames_set_jemalloc(struct cp_profile *p,
                                           struct cp_error *err)
{
    return set_lists(p, jemalloc_drop, heap_keep, err);
}

bool cp_drop_frames_is_jemalloc(const struct cp_profile *p)
{
    return p->drop_frames &&
           strcmp(cp_profile_cstr(p, p->drop_frames), jemalloc_drop) == 0;
}
