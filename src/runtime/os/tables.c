/* tables.c - sizes, charges and maps sample tables. */
#include "runtime/os/tables.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/assert/assert.h"
#include "runtime/os/timer.h"
#include "signal/tables/samples.h"

#define PAGE 4096

static struct cp_tables_options limits;

void cp_tables_configure(const struct cp_tables_options *options)
{
    limits = *options;
}

static size_t bytes_of(size_t n_slots, size_t n_frames)
{
    return n_slots * sizeof(struct cp_signal_slot) +
           n_frames * sizeof(uintptr_t);
}

/* Charges a table of that size; the smallest is free. */
static bool try_charge(size_t n_slots, size_t n_frames)
{
    size_t bytes = bytes_of(n_slots, n_frames);

    if (n_slots <= CP_TABLES_MIN_SLOTS)
        return true;
    if (limits.max_bytes && bytes > limits.max_bytes)
        return false;
    return !limits.charge || limits.charge(bytes);
}

static void uncharge(size_t n_slots, size_t n_frames)
{
    if (n_slots > CP_TABLES_MIN_SLOTS && limits.uncharge)
        limits.uncharge(bytes_of(n_slots, n_frames));
}

static void *map_pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    cp_tables_disable_huge_pages(p, size);
    return p;
}

enum cp_status cp_tables_map(struct cp_signal_samples *s, size_t n_slots,
                             size_t n_frames, struct cp_error *err)
{
    char *p;

    for (; !try_charge(n_slots, n_frames); n_frames /= 2)
        n_slots /= 2;
    p = map_pages(bytes_of(n_slots, n_frames));
    if (!p) {
        uncharge(n_slots, n_frames);
        return cp_error_nomem(err);
    }
    CP_ASSERT(n_slots > 0 && (n_slots & (n_slots - 1)) == 0);
    s->n_slots = n_slots;
    s->n_frames = n_frames;
    s->seed = cp_timer_random(UINT64_MAX - 1);
    s->frames = (uintptr_t *)(void *)(p + n_slots * sizeof(*s->slots));
    s->slots = (struct cp_signal_slot *)(void *)p;
    return CP_OK;
}

void cp_tables_unmap(struct cp_signal_samples *s)
{
    if (!s->slots)
        return;
    (void)munmap(s->slots, bytes_of(s->n_slots, s->n_frames));
    uncharge(s->n_slots, s->n_frames);
}

size_t cp_tables_bytes(const struct cp_signal_samples *s)
{
    size_t n_slots = (size_t)atomic_load(&s->used_slots);
    size_t n_frames = (size_t)atomic_load(
        &s->used_frames); /* may exceed n_frames when full */

    if (n_frames > s->n_frames)
        n_frames = s->n_frames;
    return n_frames * sizeof(*s->frames) +
           cp_tables_resident_bytes(n_slots, s->n_slots, sizeof(*s->slots));
}

/* Worst case: each used slot is in a page of its own. */
static size_t worst_case_bytes(size_t used, size_t n, size_t size)
{
    size_t all = n * size;

    return used < all / PAGE ? used * PAGE : all;
}

/*
 * Slots are claimed in the primary part first. While the primary part is at
 * most half full, about one slot in thirty lies outside it.
 */
size_t cp_tables_resident_bytes(size_t used, size_t n, size_t size)
{
    if (n <= CP_SAMPLES_PRIMARY || used > CP_SAMPLES_PRIMARY / 2)
        return worst_case_bytes(used, n, size);
    return worst_case_bytes(used, CP_SAMPLES_PRIMARY, size) +
           worst_case_bytes(used / 24, n - CP_SAMPLES_PRIMARY, size);
}

void cp_tables_disable_huge_pages(void *from, size_t size)
{
    uintptr_t first = (uintptr_t)from & ~(uintptr_t)(PAGE - 1);
    int before = errno;

    (void)madvise((void *)first, (uintptr_t)from + size - first,
                  MADV_NOHUGEPAGE);
    errno = before;
}
