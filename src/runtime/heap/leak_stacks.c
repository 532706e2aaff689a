/* leak_stacks.c - a lock-free table of glibc's thread descriptors. */
#include "runtime/heap/leak_stacks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "base/assert/assert.h"
#include "runtime/os/read_memory.h"
#include "runtime/os/read_memory.h"

#define N_SLOTS CP_LEAK_STACKS_MAX
#define MAX_PROBES 16
#define MIN_TID_OFFSET 64 /* bytes; range of the tid in a descriptor */
#define MAX_TID_OFFSET 1536

#if defined(__x86_64__)
static const bool has_known_layout = true; /* stack, TLS, descriptor */
#else
static const bool has_known_layout = false;
#endif

/* A hash table by descriptor, with open addressing; entries stay forever. */
static struct {
    _Atomic uintptr_t self; /* address of the descriptor; 0 means empty slot */
    _Atomic uintptr_t low;  /* lowest known address of the stack */
} slots[N_SLOTS];

static _Atomic uintptr_t main_thread; /* descriptor; 0 if not registered */

/* The first and third word of glibc's descriptor are its own address. */
static bool is_descriptor(uintptr_t self)
{
    uintptr_t words[3] = { 0 };

    return cp_read_memory(self, words, sizeof(words)) == sizeof(words) &&
           words[0] == self && words[2] == self;
}

/*
 * The offset of the tid in a descriptor, found by searching the calling
 * thread's own; 0 if it is not there. The descriptor of a different libc may be
 * shorter and end at an unmapped page, so cp_read_memory reads it.
 */
static uint32_t detect_tid_offset(void)
{
    uintptr_t self = (uintptr_t)pthread_self();
    int32_t tid = (int32_t)CP_SYSCALL(SYS_gettid, 0);
    int32_t words[MAX_TID_OFFSET / sizeof(tid)];
    long n =
        is_descriptor(self) ? cp_read_memory(self, words, sizeof(words)) : 0;

    for (uint32_t i = MIN_TID_OFFSET; (long)(i + sizeof(tid)) <= n;
         i += sizeof(tid))
        if (words[i / sizeof(tid)] == tid)
            return i;
    return 0;
}

/* Makes no system call: a seccomp filter may forbid it in a new thread. */
void cp_leak_stacks_register(uintptr_t low)
{
    uintptr_t self = (uintptr_t)pthread_self();
    size_t first = (size_t)(self >> 12 ^ self >> 22);

    for (size_t i = first; has_known_layout && i < first + MAX_PROBES; i++) {
        uintptr_t old = 0;

        if (atomic_compare_exchange_strong(&slots[i % N_SLOTS].self, &old,
                                           self) ||
            old == self) {
            atomic_store(&slots[i % N_SLOTS].low, low);
            return;
        }
    }
}

void cp_leak_stacks_register_main(void)
{
    atomic_store(&main_thread, (uintptr_t)pthread_self());
}

uintptr_t cp_leak_stacks_descriptor(size_t i)
{
    uintptr_t self = atomic_load(i < N_SLOTS ? &slots[i].self : &main_thread);

    CP_ASSERT(i <= N_SLOTS);
    return self && is_descriptor(self) ? self : 0;
}

int32_t cp_leak_stacks_tid(uintptr_t self)
{
    static _Atomic uint32_t cached_offset; /* 0 if not detected yet */
    uint32_t tid_offset = atomic_load(&cached_offset);
    int32_t tid = 0;

    CP_ASSERT(tid_offset == 0 ||
              (tid_offset >= MIN_TID_OFFSET && tid_offset < MAX_TID_OFFSET));
    if (tid_offset == 0 && self)
        atomic_store(&cached_offset, tid_offset = detect_tid_offset());
    return self && tid_offset &&
                   cp_read_memory(self + tid_offset, &tid, sizeof(tid)) ==
                       sizeof(tid)
               ? tid
               : 0;
}

/* The tid is 0 after the thread has ended, and -1 after it was joined. */
static bool has_ended(uintptr_t self, uint32_t tid_offset)
{
    int32_t tid = 1;

    return is_descriptor(self) &&
           cp_read_memory(self + tid_offset, &tid, sizeof(tid)) ==
               sizeof(tid) &&
           tid <= 0;
}

bool cp_leak_stacks_has_ended(size_t i, uintptr_t start, uintptr_t end,
                              uintptr_t out[2])
{
    uintptr_t self = atomic_load(&slots[i].self);
    uintptr_t low = atomic_load(&slots[i].low);
    uint32_t tid_offset;

    CP_ASSERT(i < N_SLOTS);
    if (low < start || low >= self || self >= end)
        return false;
    tid_offset = detect_tid_offset();
    if (tid_offset == 0 || !has_ended(self, tid_offset))
        return false;
    out[0] = low;
    out[1] = self;
    return true;
}
