/*
 * pages_alloc.c - see pages_alloc.h.
 *
 * Up to 32 KiB: blocks of a power of two (and one and a half of it) are cut
 * from chunks of 256 KiB and go into the free list of their size. Above: a
 * mapping for each, which is given back when freed. Every block has 16 bytes
 * in front that say how large it is.
 */
#include "runtime/os/pages_alloc.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/error.h"
#include "runtime/os/lock.h"

#define CHUNK_BYTES ((size_t)256 << 10)
#define LARGEST_SMALL ((size_t)32 << 10)
#define MIN_BLOCK ((size_t)32)
#define N_CLASSES 22
#define PAGE ((size_t)4096)
#define HELD_EIGHTHS 3 /* of the limit: see cp_pages_charge */

struct head {
    size_t size;  /* with the head */
    size_t class; /* N_CLASSES: a mapping of its own */
};

_Static_assert(sizeof(struct head) == 16, "blocks stay aligned");

struct free_block {
    struct head head;
    struct free_block *next;
};

static struct {
    struct cp_lock lock;
    struct free_block *free[N_CLASSES];
    char *pos, *end; /* of the newest chunk */
    _Atomic size_t mapped, limit, reserved, held;
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

/* May so much be mapped in all? */
static bool is_within_limit(size_t all)
{
    size_t limit = atomic_load(&pages.limit);

    return limit == 0 || all + atomic_load(&pages.reserved) <= limit;
}

bool cp_pages_charge(size_t bytes)
{
    size_t held = atomic_fetch_add(&pages.held, bytes) + bytes;
    size_t limit = atomic_load(&pages.limit);

    if (limit == 0 || held <= limit / 8 * HELD_EIGHTHS)
        return true;
    cp_pages_uncharge(bytes);
    return false;
}

void cp_pages_uncharge(size_t bytes)
{
    atomic_fetch_sub(&pages.held, bytes);
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

/* Under the lock; zeroed or not, as *is_zeroed says. */
static struct head *take_small(size_t class, bool *is_zeroed)
{
    struct free_block *b = pages.free[class];
    size_t size = class_size(class);
    struct head *head;

    *is_zeroed = !b;
    if (b) {
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
    head = take_small(class_of(size), &is_zeroed);
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

        p = all <= LARGEST_SMALL ? alloc_small(all) : alloc_large(all);
    }
    if (!p)
        (void)cp_error_nomem(err);
    return p;
}

/*
 * ThreadSanitizer does not see mremap, and so takes what a stack at this
 * address was used for, before, for a race with us. It sees mmap.
 */
#if defined(__SANITIZE_THREAD__)
static const bool can_move = false;
#else
static const bool can_move = true;
#endif

/* A large block can be moved by the kernel, page by page. */
static void *resize_large(struct head *head, size_t size)
{
    size_t old = head->size;
    void *p;

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
    if (can_move && head->class == N_CLASSES && all > LARGEST_SMALL) {
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
