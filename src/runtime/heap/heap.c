/* heap.c - see heap.h. */
#include "runtime/heap/heap.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/error.h"
#include "runtime/os/lock.h"
#include "runtime/os/tables.h"
#include "runtime/os/timer.h"
#include "runtime/stacks/sampler.h"
#include "runtime/threads/hooks_bypassed.h"
#include "signal/heap/alloc_sampler.h"
#include "signal/tables/samples.h"

#define SEED_STEP 0xd1342543de82ef95u
#define MAX_SLOTS ((size_t)1 << 17)
#define MIN_SLOTS ((size_t)1 << 10)
#define FRAMES_OF_SLOT ((size_t)31)
#define MAX_BUCKETS ((size_t)1 << 19)
#define MIN_BUCKETS ((size_t)1 << 10)
#define PAGE ((size_t)4096)
#define PART_OF_SPACE 8 /* of a limited address space, for the tables */

/* Bytes of a slot, and of a bucket, with all that belongs to it. */
#define SLOT_BYTES                                                             \
    (sizeof(struct cp_signal_slot) + sizeof(uint64_t) +                        \
     FRAMES_OF_SLOT * sizeof(uintptr_t))
#define BUCKET_BYTES                                                           \
    (CP_LIVE_BUCKET * (sizeof(uint64_t) + sizeof(struct cp_live_entry)))

static struct {
    struct cp_lock lock;
    struct cp_heap_options options;
    const char *(*whose_malloc)(void); /* NULL: there are no hooks */
    bool (*is_of_libc)(void);
    bool is_learnt, is_libcs; /* see cp_heap_learn */
    const char *owner;        /* of the malloc that the program calls */
    bool is_blind;            /* and it was said */
    char disabled_reason[256];
} heap = { .options = { .interval = CP_HEAP_DEFAULT_INTERVAL,
                        .table_bytes = (size_t)100 << 20 } };

/* What the tables may have: less where the address space is limited. */
static size_t bytes_for_tables(void)
{
    size_t most = heap.options.table_bytes;
    struct rlimit space;

    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY &&
        space.rlim_cur / PART_OF_SPACE < most)
        return (size_t)space.rlim_cur / PART_OF_SPACE;
    return most;
}

/* Two fifths of it are for stacks. */
static size_t slots_for(size_t bytes)
{
    size_t n = MAX_SLOTS;

    while (n > MIN_SLOTS && n * SLOT_BYTES > bytes / 5 * 2)
        n /= 2;
    return n;
}

/*
 * Three are for live blocks: room for the samples of a heap of 64 GB, or for
 * as many as that allows.
 */
static size_t buckets_for(uint64_t interval, size_t bytes)
{
    uint64_t blocks = ((uint64_t)64 << 30) / (interval ? interval : 1);
    size_t n = MIN_BUCKETS;

    while (n < MAX_BUCKETS && n * CP_LIVE_BUCKET < blocks * 2 &&
           (2 * n + CP_LIVE_PRIMARY) * BUCKET_BYTES <= bytes / 5 * 3)
        n *= 2;
    return n;
}

/* The next table of the mapping: n of `size`, in pages of its own. */
static void *cut(size_t *used, char *from, size_t n, size_t size)
{
    char *table = from ? from + *used : NULL;

    *used += (n * size + PAGE - 1) & ~(PAGE - 1);
    return table;
}

/* Lays out the tables; without a mapping it only tells how long it must be. */
static size_t lay_out(struct cp_alloc_sampler *h, char *from)
{
    size_t n_slots = h->samples.n_slots, used = 0;
    size_t n = cp_live_n_places(h->live.n_overflow);

    h->samples.slots = cut(&used, from, n_slots, sizeof(*h->samples.slots));
    h->samples.frames =
        cut(&used, from, h->samples.n_frames, sizeof(*h->samples.frames));
    h->growth = cut(&used, from, n_slots, sizeof(*h->growth));
    h->live.entries = cut(&used, from, n, sizeof(*h->live.entries));
    h->live.keys = cut(&used, from, n, sizeof(*h->live.keys));
    return used;
}

/* One mapping for all, so that nothing is held if there is no room. */
static enum cp_status map_tables(uint64_t interval, struct cp_error *err)
{
    struct cp_alloc_sampler *h = &cp_alloc_sampler;
    size_t most = bytes_for_tables(), bytes;
    void *from;

    h->samples.n_slots = slots_for(most);
    h->samples.n_frames = h->samples.n_slots * FRAMES_OF_SLOT;
    h->samples.seed = cp_timer_random(UINT64_MAX - 1);
    h->live.n_overflow = buckets_for(interval, most);
    bytes = lay_out(h, NULL);
    from = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (from == MAP_FAILED)
        return cp_error_set(err, CP_ENOMEM,
                            "no heap profile: no room for its tables");
    cp_tables_keep_small(from, bytes);
    cp_tables_keep_small((void *)cp_alloc_filter, sizeof(cp_alloc_filter));
    if (heap.options.reserve)
        heap.options.reserve(bytes);
    (void)lay_out(h, from);
    return CP_OK;
}

/* Sampling from now on; the next call of this thread is seen already. */
static enum cp_status start(uint64_t interval, struct cp_error *err)
{
    struct cp_alloc_sampler *h = &cp_alloc_sampler;

    if (!h->live.keys) {
        enum cp_status status = map_tables(interval, err);

        if (status != CP_OK)
            return status;
        atomic_store(&h->seed, heap.options.seed
                                   ? heap.options.seed * SEED_STEP
                                   : cp_timer_random(UINT64_MAX - 1));
    }
    cp_alloc_self.left = 0;
    atomic_store(&h->interval, interval);
    return CP_OK;
}

void cp_heap_configure(const struct cp_heap_options *options)
{
    heap.options = *options;
}

void cp_heap_set_hooks(const char *(*whose_malloc)(void),
                       bool (*is_of_libc)(void))
{
    heap.whose_malloc = whose_malloc;
    heap.is_of_libc = is_of_libc;
}

static void learn(void)
{
    if (heap.is_learnt || !heap.options.interval)
        return;
    heap.is_learnt = true;
    heap.owner = heap.whose_malloc ? heap.whose_malloc() : NULL;
    heap.is_libcs = heap.is_of_libc && heap.is_of_libc();
}

void cp_heap_learn(void)
{
    cp_lock_acquire(&heap.lock);
    learn();
    cp_lock_release(&heap.lock);
}

bool cp_heap_is_of_libc(void)
{
    return heap.is_libcs;
}

/* Says once, and for the index page, why nothing will be seen. */
static void complain(const char *owner)
{
    if (heap.is_blind)
        return;
    heap.is_blind = true;
    if (cp_hooks_are_bypassed()) {
        (void)snprintf(heap.disabled_reason, sizeof(heap.disabled_reason),
                       CP_HOOKS_BYPASSED_REASON);
        return;
    }
    if (owner && !*owner)
        (void)snprintf(heap.disabled_reason, sizeof(heap.disabled_reason),
                       "no heap profile: the program has a malloc linked in, "
                       "and what it allocates cannot be seen");
    else if (owner)
        (void)snprintf(heap.disabled_reason, sizeof(heap.disabled_reason),
                       "no heap profile: malloc is that of %s, which comes "
                       "before libcpprof.so",
                       owner);
    else
        (void)snprintf(heap.disabled_reason, sizeof(heap.disabled_reason),
                       "no heap profile: the static library does not see "
                       "malloc; use libcpprof.so");
    if (owner && heap.options.say)
        heap.options.say(heap.disabled_reason);
}

static enum cp_status enable(struct cp_error *err)
{
    uint64_t interval = heap.options.interval;
    enum cp_status status;

    if (interval == 0)
        return CP_OK;
    learn();
    if (!heap.whose_malloc || heap.owner) {
        complain(heap.owner);
        return CP_OK;
    }
    status = cp_sampler_watch(err);
    if (status == CP_OK && atomic_load(&cp_alloc_sampler.interval) == 0)
        status = start(interval, err);
    return status;
}

enum cp_status cp_heap_enable(struct cp_error *err)
{
    enum cp_status status;

    cp_lock_acquire(&heap.lock);
    status = enable(err);
    cp_lock_release(&heap.lock);
    return status;
}

void cp_heap_pause(void)
{
    cp_lock_acquire(&heap.lock);
    atomic_store(&cp_alloc_sampler.interval, 0);
    cp_lock_release(&heap.lock);
}

bool cp_heap_counts_mmap(void)
{
    return heap.options.counts_mmap &&
           atomic_load_explicit(&cp_alloc_sampler.interval,
                                memory_order_relaxed) != 0;
}

const char *cp_heap_disabled_reason(void)
{
    if (heap.is_blind)
        return heap.disabled_reason;
    if (heap.options.interval == 0)
        return "off: CPPROF=heap_interval:0";
    return NULL;
}

void cp_heap_after_fork(void)
{
    cp_lock_reset(&heap.lock);
}

/* What n entries of a table hold that are anywhere in it, at most. */
static size_t scattered_bytes(size_t n, size_t n_all, size_t size)
{
    size_t all = n_all * size;

    return n < all / 4096 ? n * 4096 : all;
}

size_t cp_heap_bytes(void)
{
    const struct cp_alloc_sampler *h = &cp_alloc_sampler;
    size_t n_slots = (size_t)atomic_load(&h->samples.used_slots);
    size_t n_live = (size_t)atomic_load(&h->counts.n_live);
    size_t n_all = cp_live_n_places(h->live.n_overflow);

    if (!h->live.keys)
        return 0;
    return (size_t)atomic_load(&h->samples.used_frames) * sizeof(uintptr_t) +
           cp_tables_touched(n_slots, h->samples.n_slots,
                             sizeof(*h->samples.slots)) +
           cp_tables_touched(n_slots, h->samples.n_slots, sizeof(*h->growth)) +
           scattered_bytes(n_live, n_all, sizeof(*h->live.keys)) +
           scattered_bytes(n_live, n_all, sizeof(*h->live.entries)) +
           sizeof(cp_alloc_filter);
}

void cp_heap_stats(struct cp_heap_stats *out)
{
    const struct cp_alloc_sampler *h = &cp_alloc_sampler;

    out->interval = atomic_load(&h->interval);
    out->n_samples = atomic_load(&h->counts.n_samples);
    out->n_live = atomic_load(&h->counts.n_live);
    out->n_lost =
        atomic_load(&h->counts.n_lost) + atomic_load(&h->samples.lost_count);
}

/* 1 - exp(-x) for x >= 0, without loss for small x and without libm. */
static double one_less_exp(double x)
{
    double term = 1, sum = 0, part;
    int halvings = 0;

    if (x > 40)
        return 1;
    for (; x > 0.5; halvings++)
        x /= 2;
    for (int k = 1; k < 16; k++) {
        term *= -x / k;
        sum -= term;
    }
    part = sum; /* 1 - exp(-x) of the reduced x */
    for (; halvings > 0; halvings--)
        part = part * (2 - part); /* 1 - (1 - part)^2 */
    return part;
}

/*
 * The mean of sizes in a row, which differ by a sixteenth at most: to take it
 * for all of them is off by 1 in 3,000. A sample that is just being added may
 * have its count in it already and not its bytes.
 */
static double size_of(const struct cp_heap_row *row, uint64_t count,
                      uint64_t bytes)
{
    if (count &&
        cp_alloc_size_class(bytes / count) == cp_alloc_size_class(row->size))
        return (double)bytes / (double)count;
    return (double)row->size;
}

double cp_heap_weight(const struct cp_heap_row *row, uint64_t count,
                      uint64_t bytes)
{
    uint64_t interval = atomic_load(&cp_alloc_sampler.interval);
    double size = size_of(row, count, bytes);

    return interval > 1 && size > 0 ? 1 / one_less_exp(size / (double)interval)
                                    : 1;
}

bool cp_heap_row(size_t i, struct cp_heap_row *out)
{
    const struct cp_alloc_sampler *h = &cp_alloc_sampler;
    const struct cp_signal_slot *slot = &h->samples.slots[i];

    if (atomic_load_explicit(&slot->frames, memory_order_acquire) ==
        CP_SAMPLE_UNWRITTEN)
        return false;
    /* What is freed first: it never is more than what was allocated. */
    out->growth = atomic_load(&h->growth[i]);
    out->freed = atomic_load(&slot->freed);
    out->freed_bytes = atomic_load(&slot->freed_value);
    out->count = atomic_load(&slot->count);
    out->bytes = atomic_load(&slot->value);
    out->size = slot->first_value;
    if (out->bytes < out->freed_bytes)
        out->bytes = out->freed_bytes;
    return out->count > 0;
}

size_t cp_heap_n_rows(void)
{
    return cp_alloc_sampler.live.keys ? cp_alloc_sampler.samples.n_slots : 0;
}
