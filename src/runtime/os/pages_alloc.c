/*
 * pages_alloc.c - size classes with free lists, and a mapping per large block.
 *
 * Blocks up to 32 KiB have a size of 2^n or 1.5 * 2^n. They are cut from chunks
 * of 256 KiB and return to the free list of their class. A larger block is a
 * mapping of its own. Every block starts with a header of 16 bytes.
 */
#include "runtime/os/pages_alloc.h"

#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "runtime/os/lock.h"

#define CHUNK_BYTES ((size_t)256 << 10)
#define MAX_SMALL ((size_t)32 << 10)
#define MIN_BLOCK ((size_t)32)
#define N_CLASSES 22
#define PAGE ((size_t)4096)
#define CHARGE_EIGHTHS 3 /* eighths of the limit: see cp_pages_charge */

struct head {
    size_t size;  /* bytes, including the header */
    size_t class; /* N_CLASSES means a mapping of its own */
};

_Static_assert(sizeof(struct head) == 16, "blocks are aligned to 16 bytes");

struct free_block {
    struct head head;
    struct free_block *next;
};

static struct {
    struct cp_lock lock; /* protects free, pos and end */
    struct free_block *free[N_CLASSES];
    char *pos, *end;         /* unused rest of the newest chunk */
    _Atomic size_t mapped;   /* bytes */
    _Atomic size_t limit;    /* bytes; 0 means unlimited */
    _Atomic size_t reserved; /* bytes of the limit used elsewhere */
    _Atomic size_t charged;  /* bytes of tables */
} pages;

void cp_pages_set_limit(size_t limit_bytes)
{
    atomic_store(&pages.limit, limit_bytes);
}

size_t cp_pages_limit(void)
{
    return atomic_load(&pages.limit);
}

void cp_pages_reserve(size_t bytes)
{
    atomic_fetch_add(&pages.reserved, bytes);
}

/* `all` is the sum of mapped bytes, including the new ones. */
static bool is_within_limit(size_t all)
{
    size_t limit = atomic_load(&pages.limit);

    return limit == 0 || all + atomic_load(&pages.reserved) <= limit;
}

bool cp_pages_charge(size_t bytes)
{
    size_t charged = atomic_fetch_add(&pages.charged, bytes) + bytes;
    size_t limit = atomic_load(&pages.limit);

    if (limit == 0 || charged <= limit / 8 * CHARGE_EIGHTHS)
        return true;
    cp_pages_uncharge(bytes);
    return false;
}

void cp_pages_uncharge(size_t bytes)
{
    size_t before = atomic_fetch_sub(&pages.charged, bytes);

    CP_ASSERT(before >= bytes);
}

size_t cp_pages_bytes(void)
{
    return atomic_load(&pages.mapped);
}

static void *map_bytes(size_t size)
{
    size_t all = atomic_fetch_add(&pages.mapped, size) + size;
    void *p = MAP_FAILED;

    if (is_within_limit(all))
        p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED)
        return p;
    atomic_fetch_sub(&pages.mapped, size);
    return NULL;
}

/* 32, 48, 64, 96, 128, ... */
static size_t class_size(size_t class)
{
    size_t base = MIN_BLOCK << class / 2;

    return class % 2 ? base + base / 2 : base;
}

static size_t class_of(size_t size)
{
    size_t class = 0;

    while (class_size(class) < size)
        class ++;
    return class;
}

/* Called with the lock held; *is_zeroed: the block is fresh from mmap. */
static struct head *take_block(size_t class, bool *is_zeroed)
{
    struct free_block *b = pages.free[class];
    size_t size = class_size(class);
    struct head *head;

    CP_ASSERT(cp_lock_is_held(&pages.lock) && class < N_CLASSES);
    *is_zeroed = !b;
    if (b) {
        CP_ASSERT(b->head.class == class && b->head.size == size);
        pages.free[class] = b->next;
        return &b->head;
    }
    if ((size_t)(pages.end - pages.pos) < size) {
        char *chunk = map_bytes(CHUNK_BYTES);

        if (!chunk)
            return NULL;
        pages.pos = chunk;
        pages.end = chunk + CHUNK_BYTES;
    }
    head = (struct head *)(void *)pages.pos;
    pages.pos += size;
    *head = (struct head){ size, class };
    return head;
}

static void *alloc_small(size_t size)
{
    struct head *head;
    bool is_zeroed;

    cp_lock_acquire(&pages.lock);
    head = take_block(class_of(size), &is_zeroed);
    cp_lock_release(&pages.lock);
    if (!head)
        return NULL;
    if (!is_zeroed)
        memset(head + 1, 0, head->size - sizeof(*head));
    return head + 1;
}

static size_t round_up(size_t size)
{
    return (size + PAGE - 1) & ~(PAGE - 1);
}

static void *alloc_large(size_t size)
{
    struct head *head = map_bytes(round_up(size));

    if (!head)
        return NULL;
    *head = (struct head){ round_up(size), N_CLASSES };
    return head + 1;
}

static bool fits(size_t n, size_t size)
{
    return size == 0 || n <= ((size_t)PTRDIFF_MAX - PAGE) / size;
}

void *cp_alloc(size_t n, size_t size, struct cp_error *err)
{
    void *p = NULL;

    if (fits(n, size)) {
        size_t all = n * size + sizeof(struct head);

        p = all <= MAX_SMALL ? alloc_small(all) : alloc_large(all);
    }
    if (!p)
        (void)cp_error_nomem(err);
    return p;
}

/*
 * ThreadSanitizer does not intercept mremap. It would report a race with
 * earlier uses of the new addresses.
 */
#if defined(__SANITIZE_THREAD__)
static const bool can_mremap = false;
#else
static const bool can_mremap = true;
#endif

/* Moves the pages of a large block without a copy. */
static void *resize_large(struct head *head, size_t size)
{
    size_t old = head->size;
    void *p;

    CP_ASSERT(head->class == N_CLASSES && old % PAGE == 0);
    if (size > old && !is_within_limit(cp_pages_bytes() + (size - old)))
        return NULL;
    p = mremap(head, old, size, MREMAP_MAYMOVE);
    if (p == MAP_FAILED)
        return NULL;
    head = p;
    head->size = size;
    atomic_fetch_add(&pages.mapped, size - old);
    return head + 1;
}

void *cp_resize(void *p, size_t n, size_t size, struct cp_error *err)
{
    struct head *head = p ? (struct head *)p - 1 : NULL;
    size_t all, kept;
    void *moved;

    if (!head || !fits(n, size))
        return cp_alloc(n, size, err);
    all = n * size + sizeof(*head);
    if (head->class < N_CLASSES && all <= head->size)
        return p;
    if (can_mremap && head->class == N_CLASSES && all > MAX_SMALL) {
        moved = resize_large(head, round_up(all));
        if (!moved)
            (void)cp_error_nomem(err);
        return moved;
    }
    moved = cp_alloc(n, size, err);
    if (!moved)
        return NULL;
    kept = head->size < all ? head->size : all;
    memcpy(moved, p, kept - sizeof(*head));
    cp_free(p);
    return moved;
}

void cp_free(void *p)
{
    struct head *head = p ? (struct head *)p - 1 : NULL;
    struct free_block *b = (struct free_block *)(void *)head;

    if (!head)
        return;
    CP_ASSERT(head->class <= N_CLASSES && head->size > 0);
    if (head->class == N_CLASSES) {
        atomic_fetch_sub(&pages.mapped, head->size);
        (void)munmap(head, head->size);
        return;
    }
    cp_lock_acquire(&pages.lock);
    b->next = pages.free[head->class];
    pages.free[head->class] = b;
    cp_lock_release(&pages.lock);
}

void cp_pages_before_fork(void)
{
    cp_lock_acquire(&pages.lock);
}

void cp_pages_after_fork(void)
{
    cp_lock_release(&pages.lock);
}
