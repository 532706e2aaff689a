/* leak_stacks.c - see leak_stacks.h. */
#include "runtime/leak_stacks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/leak_read.h"

#define MOST CP_LEAK_STACKS_MOST
#define TRIES 16
#define FIRST_ID 64 /* where an id may be in a descriptor */
#define LAST_ID 1536

#if defined(__x86_64__)
static const bool is_known_layout = true; /* stack, locals, descriptor */
#else
static const bool is_known_layout = false;
#endif

static struct {
    _Atomic uintptr_t self; /* the descriptor; 0: the place is empty */
    _Atomic uintptr_t low;
} seen[MOST];

static _Atomic uint32_t id_at; /* of a descriptor; 0: not known */
static _Atomic bool is_in_vain;

static int32_t int_at(uintptr_t address)
{
    int32_t value;

    memcpy(&value, (const void *)address, sizeof(value));
    return value;
}

/* Finds out where a descriptor has the id, or that it is there. */
static bool has_id(uintptr_t self)
{
    int32_t id = (int32_t)CP_SYSCALL(SYS_gettid, 0);
    uint32_t at = atomic_load(&id_at);

    for (uint32_t i = FIRST_ID; at == 0 && i < LAST_ID; i += 4)
        if (int_at(self + i) == id)
            at = i;
    if (at == 0 || int_at(self + at) != id) {
        atomic_store(&is_in_vain, true);
        return false;
    }
    atomic_store(&id_at, at);
    return true;
}

void cp_leak_stacks_note(uintptr_t low)
{
    uintptr_t self = (uintptr_t)pthread_self();
    size_t first = (size_t)(self >> 12 ^ self >> 22);

    if (!is_known_layout || atomic_load(&is_in_vain) || !has_id(self))
        return;
    for (size_t i = first; i < first + TRIES; i++) {
        uintptr_t old = 0;

        if (atomic_compare_exchange_strong(&seen[i % MOST].self, &old, self) ||
            old == self) {
            atomic_store(&seen[i % MOST].low, low);
            return;
        }
    }
}

/*
 * The descriptor's first and third word are its own address. The id is 0 when
 * the thread is no more, and -1 when it has been joined.
 */
static bool has_ended(uintptr_t self)
{
    uintptr_t words[3] = { 0 };
    int32_t id = 1;

    return cp_leak_read(self, words, sizeof(words)) == sizeof(words) &&
           words[0] == self && words[2] == self &&
           cp_leak_read(self + atomic_load(&id_at), &id, sizeof(id)) ==
               sizeof(id) &&
           id <= 0;
}

bool cp_leak_stacks_has_ended(size_t i, uintptr_t start, uintptr_t end,
                              uintptr_t out[2])
{
    uintptr_t self = atomic_load(&seen[i].self);
    uintptr_t low = atomic_load(&seen[i].low);

    if (low < start || low >= self || self >= end || atomic_load(&is_in_vain) ||
        !has_ended(self))
        return false;
    out[0] = low;
    out[1] = self;
    return true;
}
