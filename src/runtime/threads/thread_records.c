/*
 * thread_records.c - chunks of records, a free list, and a hash table with
 * chaining.
 *
 * A link is a record's number + 1; 0 ends a list. A record is in the free list
 * or in one chain, never in both.
 */
#include "runtime/threads/thread_records.h"

#include <string.h>
#include <sys/mman.h>

#include "base/assert/assert.h"
#include "signal/tables/thread.h"

#define CHAINS 4096

static struct {
    uint32_t n;              /* records ever allocated */
    uint32_t free;           /* head of the free list */
    uint32_t by_tid[CHAINS]; /* heads of the chains */
    _Atomic size_t n_used;   /* records that are not in the free list */
} records;

/* Maps the chunk of a record, unless it is mapped. */
static bool map_chunk(uint32_t number)
{
    size_t size = CP_THREADS_CHUNK * sizeof(struct cp_signal_thread);
    void *chunk;

    if (number / CP_THREADS_CHUNK >= CP_THREADS_CHUNKS)
        return false;
    if (cp_signal_thread_at(number))
        return true;
    chunk = mmap(NULL, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED)
        return false;
    atomic_store_explicit(&cp_signal_threads[number / CP_THREADS_CHUNK], chunk,
                          memory_order_release);
    return true;
}

/* Keeps the number, which the handler of a late signal may read. */
static void clear(struct cp_signal_thread *t)
{
    size_t at = offsetof(struct cp_signal_thread, number);
    size_t after = at + sizeof(t->number);

    memset(t, 0, at);
    memset((char *)t + after, 0, sizeof(*t) - after);
}

struct cp_signal_thread *cp_thread_records_alloc(void)
{
    struct cp_signal_thread *t;
    uint32_t number = records.free ? records.free - 1 : records.n;

    if (!map_chunk(number))
        return NULL;
    t = cp_signal_thread_at(number);
    CP_ASSERT(t && atomic_load(&t->tid) == 0);
    if (records.free) {
        CP_ASSERT(t->number == number);
        records.free = t->runtime.next;
    } else {
        records.n++;
        t->number = number;
    }
    clear(t);
    records.n_used++;
    return t;
}

static uint32_t *chain_of(int32_t tid)
{
    return &records.by_tid[(uint32_t)tid % CHAINS];
}

struct cp_signal_thread *cp_thread_records_find(int32_t tid)
{
    for (uint32_t at = *chain_of(tid); at;) {
        struct cp_signal_thread *t = cp_signal_thread_at(at - 1);

        if (atomic_load_explicit(&t->tid, memory_order_relaxed) == tid)
            return t;
        at = t->runtime.next;
        CP_ASSERT(at <= records.n);
    }
    return NULL;
}

void cp_thread_records_insert(struct cp_signal_thread *t, int32_t tid)
{
    uint32_t *first = chain_of(tid);

    CP_ASSERT(tid > 0 && t->number < records.n);
    CP_ASSERT(!cp_thread_records_find(tid));
    t->runtime.next = *first;
    *first = t->number + 1;
    atomic_store(&t->tid, tid);
}

void cp_thread_records_remove(struct cp_signal_thread *t)
{
    uint32_t *at = chain_of(atomic_load(&t->tid));

    CP_ASSERT(atomic_load(&t->tid) != 0);
    while (*at != t->number + 1) {
        CP_ASSERT(*at != 0); /* the record is in its chain */
        at = &cp_signal_thread_at(*at - 1)->runtime.next;
    }
    *at = t->runtime.next;
    atomic_store(&t->tid, 0);
}

void cp_thread_records_free(struct cp_signal_thread *t)
{
    CP_ASSERT(records.n_used > 0);
    cp_thread_records_remove(t);
    t->runtime.next = records.free;
    records.free = t->number + 1;
    records.n_used--;
}

struct cp_signal_thread *
cp_thread_records_next(const struct cp_signal_thread *before)
{
    uint32_t i = before ? before->number + 1 : 0;

    for (; i < records.n; i++) {
        struct cp_signal_thread *t = cp_signal_thread_at(i);

        CP_ASSERT(t && t->number == i);
        if (atomic_load(&t->tid))
            return t;
    }
    return NULL;
}

uint32_t cp_thread_records_count(void)
{
    return records.n;
}

size_t cp_thread_records_used(void)
{
    return records.n_used;
}
