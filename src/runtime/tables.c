/* tables.c - see tables.h. */
#include "runtime/tables.h"

#include <sys/mman.h>

#include "runtime/timer.h"

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

/* May a table of that size be? It is counted then, but for the smallest. */
static bool may_have(size_t n_slots, size_t n_frames)
{
    size_t bytes = bytes_of(n_slots, n_frames);

    if (n_slots <= CP_TABLES_LEAST_SLOTS)
        return true;
    if (limits.most_bytes && bytes > limits.most_bytes)
        return false;
    return !limits.hold || limits.hold(bytes);
}

static void let_go(size_t n_slots, size_t n_frames)
{
    if (n_slots > CP_TABLES_LEAST_SLOTS && limits.let_go)
        limits.let_go(bytes_of(n_slots, n_frames));
}

static void *map_pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

enum cp_status cp_tables_map(struct cp_signal_samples *s, size_t n_slots,
                             size_t n_frames, struct cp_error *err)
{
    char *p;

    for (; !may_have(n_slots, n_frames); n_frames /= 2)
        n_slots /= 2;
    p = map_pages(bytes_of(n_slots, n_frames));
    if (!p) {
        let_go(n_slots, n_frames);
        return cp_error_nomem(err);
    }
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
    let_go(s->n_slots, s->n_frames);
}

size_t cp_tables_bytes(const struct cp_signal_samples *s)
{
    size_t n_slots = (size_t)atomic_load(&s->used_slots);
    size_t n_frames = (size_t)atomic_load(&s->used_frames); /* or wanted */
    size_t most = s->n_slots * sizeof(*s->slots);

    if (n_frames > s->n_frames)
        n_frames = s->n_frames;
    /* A page for each slot, until all pages are touched. */
    return n_frames * sizeof(*s->frames) +
           (n_slots * PAGE < most ? n_slots * PAGE : most);
}
