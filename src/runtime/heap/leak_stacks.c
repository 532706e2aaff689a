/* leak_stacks.c - see leak_stacks.h. */
#include "runtime/heap/leak_stacks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "runtime/os/read_memory.h"
#include "signal/unwinder/syscall.h"

#define MAX_STACKS CP_LEAK_STACKS_MAX
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
} seen[MAX_STACKS];

static _Atomic uintptr_t main_thread;

/* The first and third word of glibc's descriptors are their own address. */
static bool is_descriptor(uintptr_t self)
{
    uintptr_t words[3] = { 0 };

    return cp_read_memory(self, words, sizeof(words)) == sizeof(words) &&
           words[0] == self && words[2] == self;
}

/*
 * Where descriptors have the id of their thread, learnt from the caller's own;
 * 0: nowhere. Another libc's may be short, and at the end of a page.
 */
static uint32_t find_id(void)
{
    uintptr_t self = (uintptr_t)pthread_self();
    int32_t id = (int32_t)CP_SYSCALL(SYS_gettid, 0);
    int32_t words[LAST_ID / sizeof(id)];
    long n =
        is_descriptor(self) ? cp_read_memory(self, words, sizeof(words)) : 0;

    for (uint32_t i = FIRST_ID; (long)(i + sizeof(id)) <= n; i += sizeof(id))
        if (words[i / sizeof(id)] == id)
            return i;
    return 0;
}

/* A thread that begins has no time, and may not be allowed to ask the kernel.
 */
void cp_leak_stacks_note(uintptr_t low)
{
    uintptr_t self = (uintptr_t)pthread_self();
    size_t first = (size_t)(self >> 12 ^ self >> 22);

    for (size_t i = first; is_known_layout && i < first + TRIES; i++) {
        uintptr_t old = 0;

        if (atomic_compare_exchange_strong(&seen[i % MAX_STACKS].self, &old,
                                           self) ||
            old == self) {
            atomic_store(&seen[i % MAX_STACKS].low, low);
            return;
        }
    }
}

void cp_leak_stacks_note_main(void)
{
    atomic_store(&main_thread, (uintptr_t)pthread_self());
}

uintptr_t cp_leak_stacks_descriptor(size_t i)
{
    uintptr_t self = atomic_load(i < MAX_STACKS ? &seen[i].self : &main_thread);

    return self && is_descriptor(self) ? self : 0;
}

int32_t cp_leak_stacks_tid(uintptr_t self)
{
    static _Atomic uint32_t known;
    uint32_t id_at = atomic_load(&known);
    int32_t id = 0;

    if (id_at == 0 && self)
        atomic_store(&known, id_at = find_id());
    return self && id_at &&
                   cp_read_memory(self + id_at, &id, sizeof(id)) == sizeof(id)
               ? id
               : 0;
}

/* The id is 0 when the thread is no more, and -1 when it has been joined. */
static bool has_ended(uintptr_t self, uint32_t id_at)
{
    int32_t id = 1;

    return is_descriptor(self) &&
           cp_read_memory(self + id_at, &id, sizeof(id)) == sizeof(id) &&
           id <= 0;
}

bool cp_leak_stacks_has_ended(size_t i, uintptr_t start, uintptr_t end,
                              uintptr_t out[2])
{
    uintptr_t self = atomic_load(&seen[i].self);
    uintptr_t low = atomic_load(&seen[i].low);
    uint32_t id_at;

    if (low < start || low >= self || self >= end)
        return false;
    id_at = find_id();
    if (id_at == 0 || !has_ended(self, id_at))
        return false;
    out[0] = low;
    out[1] = self;
    return true;
}
