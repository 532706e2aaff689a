/*
 * heap.c - sizes and maps the tables of sampled blocks, starts and pauses
 * sampling, and computes the weight of a sample.
 */
#include "runtime/heap/heap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/assert/assert.h"
#include "runtime/os/tables.h"
#include "runtime/os/timer.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/threads/hooks_bypassed.h"
#include "signal/heap/alloc_sampler.h"

#define SEED_STEP 0xd1342543de82ef95u
#define MAX_SLOTS ((size_t)1 << 17)
#define MIN_SLOTS ((size_t)1 << 10)
#define FRAMES_PER_SLOT ((size_t)31)
#define MAX_BUCKETS ((size_t)1 << 19)
#define MIN_BUCKETS ((size_t)1 << 10)
#define PAGE ((size_t)4096)
#define ADDRESS_SPACE_DIVISOR 8 /* tables use at most 1/8 of RLIMIT_AS */

/* Bytes that one slot, and one bucket, take in all tables together. */
#define SLOT_BYTES                                                             \
    (sizeof(struct cp_signal_slot) + sizeof(uint64_t) +                        \
     FRAMES_PER_SLOT * sizeof(uintptr_t))
#define BUCKET_BYTES                                                           \
    (CP_LIVE_BUCKET * (sizeof(uint64_t) + sizeof(struct cp_live_entry)))

static struct {
    struct cp_lock lock;
    struct cp_heap_options options;
    const char *(*malloc_owner)(void); /* NULL without hooks */
    bool (*is_libc_malloc)(void);      /* NULL without hooks */
    bool is_detected;                  /* owner and is_libc are valid */
    bool is_libc;                      /* result of is_libc_malloc */
    const char *owner;                 /* result of malloc_owner */
    bool is_disabled; /* disabled_reason is valid and was reported */
    char disabled_reason[256];
} heap = { .options = { .interval = CP_HEAP_DEFAULT_INTERVAL,
                        .table_bytes = (size_t)100 << 20 } };

/* Upper limit of all tables, bytes; lower if RLIMIT_AS is set. */
static size_t max_table_bytes(void)
{
    size_t max = heap.options.table_bytes;
    struct rlimit space;

    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY &&
        space.rlim_cur / ADDRESS_SPACE_DIVISOR < max)
        return (size_t)space.rlim_cur / ADDRESS_SPACE_DIVISOR;
    return max;
}

/* Two fifths of the bytes hold stacks. */
static size_t slots_for(size_t bytes)
{
    size_t n = MAX_SLOTS;

    while (n > MIN_SLOTS && n * SLOT_BYTES > bytes / 5 * 2)
        n /= 2;
    return n;
}

/*
 * Three fifths hold live blocks: enough buckets for the samples of a heap of
 * 64 GB at half load, or as many as fit.
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

/*
 * Returns the next table of the mapping, n entries of `size` bytes on pages of
 * its own. Without a mapping it only advances *used.
 */
static void *carve(size_t *used, char *from, size_t n, size_t size)
{
    char *table = from ? from + *used : NULL;

    CP_ASSERT(*used % PAGE == 0);
    *used += (n * size + PAGE - 1) & ~(PAGE - 1);
    return table;
}

/*
 * Places all tables in the mapping at `from` and returns their size. With
 * `from` NULL it only computes the size.
 */
static size_t lay_out(struct cp_alloc_sampler *h, char *from)
{
    size_t n_slots = h->samples.n_slots, used = 0;
    size_t n = cp_live_n_slots(h->live.n_overflow);

    CP_ASSERT((n_slots & (n_slots - 1)) == 0 && n_slots >= MIN_SLOTS);
    CP_ASSERT((h->live.n_overflow & (h->live.n_overflow - 1)) == 0);
    h->samples.slots = carve(&used, from, n_slots, sizeof(*h->samples.slots));
    h->samples.frames =
        carve(&used, from, h->samples.n_frames, sizeof(*h->samples.frames));
    h->growth = carve(&used, from, n_slots, sizeof(*h->growth));
    h->live.entries = carve(&used, from, n, sizeof(*h->live.entries));
    h->live.keys = carve(&used, from, n, sizeof(*h->live.keys));
    return used;
}

/* Maps all tables at once, so that a failure leaves nothing mapped. */
static enum cp_status map_tables(uint64_t interval, struct cp_error *err)
{
    struct cp_alloc_sampler *h = &cp_alloc_sampler;
    size_t max = max_table_bytes(), bytes;
    void *from;

    CP_ASSERT(atomic_load(&h->interval) == 0); /* no hook uses the tables */
    h->samples.n_slots = slots_for(max);
    h->samples.n_frames = h->samples.n_slots * FRAMES_PER_SLOT;
    h->samples.seed = cp_timer_random(UINT64_MAX - 1);
    h->live.n_overflow = buckets_for(interval, max);
    bytes = lay_out(h, NULL);
    from = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (from == MAP_FAILED)
        return cp_error_set(err, CP_ENOMEM,
                            "no heap profile: cannot map %zu bytes for its "
                            "tables: %s; lower max_memory in CPPROF",
                            bytes, strerror(errno));
    cp_tables_disable_huge_pages(from, bytes);
    cp_tables_disable_huge_pages((void *)cp_alloc_filter,
                                 sizeof(cp_alloc_filter));
    if (heap.options.reserve)
        heap.options.reserve(bytes);
    (void)lay_out(h, from);
    CP_ASSERT(h->samples.slots && h->samples.frames && h->growth);
    CP_ASSERT(h->live.keys && h->live.entries);
    return CP_OK;
}

/*
 * Starts sampling. The store of the interval publishes the tables. Clearing
 * this thread's countdown makes its next allocation reach the sampler, which
 * draws a new distance.
 */
static enum cp_status start(uint64_t interval, struct cp_error *err)
{
    struct cp_alloc_sampler *h = &cp_alloc_sampler;

    CP_ASSERT(interval > 0);
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

void cp_heap_set_hooks(const char *(*malloc_owner)(void),
                       bool (*is_libc_malloc)(void))
{
    heap.malloc_owner = malloc_owner;
    heap.is_libc_malloc = is_libc_malloc;
}

/* Called with the lock held. */
static void detect(void)
{
    CP_ASSERT(atomic_load(&heap.lock.word) != 0);
    if (heap.is_detected || !heap.options.interval)
        return;
    heap.is_detected = true;
    heap.owner = heap.malloc_owner ? heap.malloc_owner() : NULL;
    heap.is_libc = heap.is_libc_malloc && heap.is_libc_malloc();
}

void cp_heap_detect_malloc(void)
{
    cp_lock_acquire(&heap.lock);
    detect();
    cp_lock_release(&heap.lock);
}

bool cp_heap_is_libc_malloc(void)
{
    return heap.is_libc;
}

/*
 * Stores why the heap profiles have no data, and reports the reason once.
 * Called with the lock held.
 */
static void set_disabled_reason(const char *owner)
{
    CP_ASSERT(atomic_load(&heap.lock.word) != 0);
    if (heap.is_disabled)
        return;
    heap.is_disabled = true;
    if (cp_hooks_are_bypassed()) {
        (void)snprintf(heap.disabled_reason, sizeof(heap.disabled_reason),
                       CP_HOOKS_BYPASSED_REASON);
        return;
    }
    if (owner && !*owner)
        (void)snprintf(heap.disabled_reason, sizeof(heap.disabled_reason),
                       "no heap profile: the program has a malloc linked in, "
                       "which libcpprof.so cannot intercept; link it "
                       "dynamically");
    else if (owner)
        (void)snprintf(heap.disabled_reason, sizeof(heap.disabled_reason),
                       "no heap profile: the program calls the malloc of %s; "
                       "preload libcpprof.so before it",
                       owner);
    else
        (void)snprintf(heap.disabled_reason, sizeof(heap.disabled_reason),
                       "no heap profile: the static library cannot intercept "
                       "malloc; use libcpprof.so");
    if (owner && heap.options.report)
        heap.options.report(heap.disabled_reason);
}

/* Called with the lock held. */
static enum cp_status enable(struct cp_error *err)
{
    uint64_t interval = heap.options.interval;
    enum cp_status status;

    CP_ASSERT(atomic_load(&heap.lock.word) != 0);
    if (interval == 0)
        return CP_OK;
    detect();
    if (!heap.malloc_owner || heap.owner) {
        set_disabled_reason(heap.owner);
        return CP_OK;
    }
    status = cp_refresh_acquire_for_hooks(err);
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
    if (heap.is_disabled)
        return heap.disabled_reason;
    if (heap.options.interval == 0)
        return "off: CPPROF=heap_interval:0";
    return NULL;
}

void cp_heap_reset_after_fork(void)
{
    cp_lock_reset(&heap.lock);
}

/* Upper limit of the memory that n randomly placed entries make resident. */
static size_t scattered_bytes(size_t n, size_t n_all, size_t size)
{
    size_t all = n_all * size;

    return n < all / PAGE ? n * PAGE : all;
}

size_t cp_heap_bytes(void)
{
    const struct cp_alloc_sampler *h = &cp_alloc_sampler;
    size_t n_slots = (size_t)atomic_load(&h->samples.used_slots);
    size_t n_live = (size_t)atomic_load(&h->counts.n_live);
    size_t n_all = cp_live_n_slots(h->live.n_overflow);

    if (!h->live.keys)
        return 0;
    return (size_t)atomic_load(&h->samples.used_frames) * sizeof(uintptr_t) +
           cp_tables_resident_bytes(n_slots, h->samples.n_slots,
                                    sizeof(*h->samples.slots)) +
           cp_tables_resident_bytes(n_slots, h->samples.n_slots,
                                    sizeof(*h->growth)) +
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

/*
 * 1 - exp(-x) for x >= 0, exact for small x (as -expm1(-x)) and without libm.
 * Halves x until a short Taylor series is exact, then squares back.
 */
static double one_minus_exp(double x)
{
    double term = 1, sum = 0, part;
    int halvings = 0;

    CP_ASSERT(x >= 0);
    if (x > 40)
        return 1;
    for (; x > 0.5; halvings++)
        x /= 2;
    for (int k = 1; k < 16; k++) {
        term *= -x / k;
        sum -= term;
    }
    part = sum; /* 1 - exp(-x) of the halved x */
    for (; halvings > 0; halvings--)
        part = part * (2 - part); /* 1 - (1 - part)^2 */
    return part;
}

/*
 * The mean size of the samples. Sizes in a row differ by at most 1/16, so using
 * the mean for all of them is wrong by at most 1 in 3,000. The writer adds the
 * count before the bytes: if the mean is outside the row's size class, a sample
 * is being added, and the size of the first block is used instead.
 */
static double mean_size(const struct cp_heap_row *row, uint64_t count,
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
    double size = mean_size(row, count, bytes);

    return interval > 1 && size > 0 ? 1 / one_minus_exp(size / (double)interval)
                                    : 1;
}

bool cp_heap_row(size_t i, struct cp_heap_row *out)
{
    const struct cp_alloc_sampler *h = &cp_alloc_sampler;
    const struct cp_signal_slot *slot = &h->samples.slots[i];

    CP_ASSERT(i < h->samples.n_slots);
    /* The store of `frames` publishes first_value. */
    if (atomic_load_explicit(&slot->frames, memory_order_acquire) ==
        CP_SAMPLE_UNWRITTEN)
        return false;
    /*
     * Freed counts are read first, so that they never exceed the allocated
     * ones.
     */
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

/* A row is a slot of the sample table. */
size_t cp_heap_n_rows(void)
{
    return cp_alloc_sampler.live.keys ? cp_alloc_sampler.samples.n_slots : 0;
}
