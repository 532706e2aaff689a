/*
 * readers.c - the reader slots, the published unwind table, the grace period.
 *
 * Epochs and frame buffers are separate arrays: a child of a fork loads all
 * epochs, and each page that it touches costs it a page fault.
 */
#include "signal/tables/readers.h"

#include <stdalign.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/assert/assert.h"
#include "signal/unwinder/syscall.h"
#include "signal/unwinder/unwind_table.h"

#define WAIT_POLL_NS 1000000
#define WAIT_MAX_POLLS 1000 /* one second */

static struct {
    alignas(64) _Atomic uint32_t epoch; /* odd while a reader is inside */
} heads[CP_READER_SLOTS];

static struct cp_reader_slot slots[CP_READER_SLOTS];
static _Atomic uint64_t empty_cache[CP_UNWIND_CACHE_SLOTS];
static const struct cp_unwind_table empty_table = { .cache = empty_cache };
static _Atomic(const struct cp_unwind_table *) published = &empty_table;

struct cp_reader_slot *cp_readers_enter(uint32_t hint)
{
    for (uint32_t i = 0; i < CP_READER_SLOTS; i++) {
        uint32_t at = (hint + i) % CP_READER_SLOTS;
        uint32_t epoch =
            atomic_load_explicit(&heads[at].epoch, memory_order_relaxed);

        if (!(epoch & 1) &&
            atomic_compare_exchange_strong(&heads[at].epoch, &epoch, epoch + 1))
            return &slots[at];
    }
    return NULL;
}

void cp_readers_exit(struct cp_reader_slot *slot)
{
    uint32_t epoch;

    CP_ASSERT(slot >= slots && slot < slots + CP_READER_SLOTS);
    epoch = atomic_fetch_add(&heads[slot - slots].epoch, 1);
    CP_ASSERT(epoch & 1);
    (void)epoch;
}

const struct cp_unwind_table *cp_unwind_table_current(void)
{
    const struct cp_unwind_table *table = atomic_load(&published);

    CP_ASSERT(table && table->cache);
    return table;
}

void cp_readers_publish(const struct cp_unwind_table *table)
{
    CP_ASSERT(!table || table->cache);
    CP_ASSERT(!table || table->modules || table->n_modules == 0);
    atomic_store(&published, table ? table : &empty_table);
}

void cp_readers_epochs(uint32_t out[CP_READER_SLOTS])
{
    for (uint32_t i = 0; i < CP_READER_SLOTS; i++)
        out[i] = atomic_load(&heads[i].epoch);
}

bool cp_readers_quiesced(const uint32_t epochs[CP_READER_SLOTS])
{
    for (uint32_t i = 0; i < CP_READER_SLOTS; i++)
        if (epochs[i] & 1 && atomic_load(&heads[i].epoch) == epochs[i])
            return false;
    return true;
}

/*
 * Sleeps by system call: libc's nanosleep is hooked and is a cancellation
 * point.
 */
bool cp_readers_wait(void)
{
    const struct timespec pause = { 0, WAIT_POLL_NS };
    uint32_t epochs[CP_READER_SLOTS];

    cp_readers_epochs(epochs);
    for (int i = 0; i < WAIT_MAX_POLLS; i++) {
        if (cp_readers_quiesced(epochs))
            return true;
        (void)CP_SYSCALL(SYS_nanosleep, (long)&pause, 0);
    }
    return false;
}

void cp_readers_reset_after_fork(void)
{
    for (uint32_t i = 0; i < CP_READER_SLOTS; i++)
        if (atomic_load(&heads[i].epoch) & 1)
            atomic_fetch_add(&heads[i].epoch, 1);
}
