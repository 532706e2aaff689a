/*
 * tcache.c - reads the tcache of every thread from memory.
 *
 * The layout is that of glibc 2.32 to 2.41: a thread-local variable of libc
 * points to a tcache_perthread_struct in a chunk of its own, with 64 counts of
 * two bytes and 64 list heads. The first word of a cached block is the pointer
 * to the next one, XORed with its own address >> 12 (safe-linking); the second
 * is the key.
 */
#include "runtime/heap/tcache.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/search.h"
#include "base/sort.h"
#include "runtime/os/clock.h"
#include "runtime/os/read_memory.h"
#include "runtime/os/timer.h"

#define MAX_BLOCKS 16384
#define MAX_TLS_WORDS 64 /* larger TLS of libc: unknown layout */
#define N_BINS 64
#define MIN_CHUNK_BYTES 32
#define CHUNK_ALIGN 16
#define HEADER_BYTES 16
#define FLAGS ((uintptr_t)7)
#define SAFE_LINKING_SHIFT 12

/* glibc's tcache_perthread_struct, with the header of its chunk. */
struct tcache_struct {
    uintptr_t prev_size, size; /* chunk header */
    uint16_t counts[N_BINS];   /* blocks in each bin */
    uintptr_t first[N_BINS];   /* address of the first block, or 0 */
};

/* A block in a bin, with the header of its chunk. */
struct cached_chunk {
    uintptr_t prev_size, size; /* chunk header */
    uintptr_t next;            /* next block ^ (own address >> 12) */
    uintptr_t key;
};

/* Where libc's thread-local variables are. */
struct libc_tls {
    uintptr_t libc;   /* an address in libc; 0 if not searched for yet */
    uintptr_t offset; /* from a thread's descriptor, modulo 2^64 */
    size_t n;         /* words; 0 if not found */
};

static struct libc_tls libc_tls;

static bool contains_address(const struct dl_phdr_info *object,
                             uintptr_t address)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];

        if (p->p_type == PT_LOAD &&
            address - (object->dlpi_addr + p->p_vaddr) < p->p_memsz)
            return true;
    }
    return false;
}

static int find_tls(struct dl_phdr_info *object, size_t size, void *out)
{
    struct libc_tls *v = out;

    (void)size;
    if (!contains_address(object, v->libc))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS && object->dlpi_tls_data) {
            v->offset =
                (uintptr_t)object->dlpi_tls_data - (uintptr_t)pthread_self();
            v->n = object->dlpi_phdr[i].p_memsz / sizeof(uintptr_t);
        }
    return 1;
}

/* A cursor in a bin. */
struct bin {
    size_t thread;  /* index of the owning thread */
    size_t count;   /* blocks from here on */
    uintptr_t at;   /* address of the next block; 0 means end of the list */
    uintptr_t size; /* bytes of each chunk */
};

static void add(struct cp_tcache *c, const struct bin *l)
{
    uintptr_t end = l->at - HEADER_BYTES + l->size + sizeof(uintptr_t);

    if (c->n < c->cap)
        c->blocks[c->n++] = (struct cp_tcache_block){ l->at, end, l->thread };
}

/* Reads a bin. Returns false if it is invalid or changes during the read. */
static bool read_bin(struct cp_tcache *c, struct bin bin)
{
    struct cached_chunk l;

    for (; bin.count > 0 && bin.at; bin.count--) {
        if (bin.at % CHUNK_ALIGN != 0 ||
            cp_read_memory(bin.at - HEADER_BYTES, &l, sizeof(l)) != sizeof(l) ||
            (l.size & ~FLAGS) != bin.size || l.key == 0)
            return false;
        if (c->key == 0)
            c->key = l.key;
        if (l.key != c->key)
            return false;
        add(c, &bin);
        bin.at = l.next ^ bin.at >> SAFE_LINKING_SHIFT;
    }
    return bin.count == 0 && bin.at == 0;
}

/* Reads all bins if `at` points to a tcache_perthread_struct. */
static void read_bins(struct cp_tcache *c, size_t thread, uintptr_t at)
{
    struct tcache_struct l;
    size_t chunk = (sizeof(l) + CHUNK_ALIGN - 1) & ~(size_t)(CHUNK_ALIGN - 1);

    if (at % CHUNK_ALIGN != 0 || at < HEADER_BYTES ||
        cp_read_memory(at - HEADER_BYTES, &l, sizeof(l)) != sizeof(l) ||
        (l.size & ~FLAGS) != chunk)
        return;
    for (size_t i = 0; i < N_BINS; i++) {
        struct bin bin = { thread, l.counts[i], l.first[i],
                           MIN_CHUNK_BYTES + i * CHUNK_ALIGN };
        size_t n_before = c->n;

        if (!read_bin(c, bin))
            c->n = n_before;
        CP_ASSERT(c->n <= c->cap);
    }
}

static int64_t cpu_time_ns(int32_t tid)
{
    return cp_clock_ns(cp_timer_clock(tid));
}

/* Tries each of libc's thread-local words as the pointer to the tcache. */
static void read_thread(struct cp_tcache *c, size_t i)
{
    uintptr_t words[MAX_TLS_WORDS], self = cp_leak_stacks_descriptor(i);
    size_t n = libc_tls.n;

    CP_ASSERT(n <= MAX_TLS_WORDS && i <= CP_LEAK_STACKS_MAX);
    c->threads[i].tid = cp_leak_stacks_tid(self);
    if (c->threads[i].tid <= 0)
        return;
    c->threads[i].cpu_ns = cpu_time_ns(c->threads[i].tid);
    if (c->threads[i].cpu_ns <= 0 || /* the clock cannot be read */
        cp_read_memory(self + libc_tls.offset, words, n * sizeof(words[0])) !=
            (long)(n * sizeof(words[0])))
        return;
    c->key = 0;
    for (size_t k = 0; k < n; k++)
        read_bins(c, i, words[k]);
}

void cp_tcache_detect(void)
{
    if (libc_tls.libc)
        return;
    libc_tls.libc = (uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    if (libc_tls.libc)
        (void)dl_iterate_phdr(find_tls, &libc_tls);
    if (libc_tls.n > MAX_TLS_WORDS)
        libc_tls.n = 0;
}

struct cp_tcache *cp_tcache_new(void)
{
    struct cp_tcache *c = cp_alloc(1, sizeof(*c), NULL);

    CP_ASSERT(libc_tls.n <= MAX_TLS_WORDS);
    if (c) {
        c->blocks = cp_alloc(MAX_BLOCKS, sizeof(*c->blocks), NULL);
        c->cap = c->blocks ? MAX_BLOCKS : 0;
    }
    return c;
}

void cp_tcache_read(struct cp_tcache *c)
{
    if (!c)
        return;
    c->n = 0;
    for (size_t i = 0; i <= CP_LEAK_STACKS_MAX && libc_tls.n > 0; i++)
        read_thread(c, i);
    if (cp_sort_structs(c->blocks, c->n, sizeof(*c->blocks),
                        offsetof(struct cp_tcache_block, start), NULL) != CP_OK)
        c->n = 0;
}

/* Returns the last block that starts at or before the address, or NULL. */
static const struct cp_tcache_block *find(const struct cp_tcache *c,
                                          uintptr_t at)
{
    size_t n =
        c->n ? cp_search_above(&c->blocks->start, sizeof(*c->blocks), c->n, at)
             : 0;

    return n > 0 ? &c->blocks[n - 1] : NULL;
}

bool cp_tcache_contains(const struct cp_tcache *c, uintptr_t at)
{
    const struct cp_tcache_block *b = c ? find(c, at) : NULL;

    CP_ASSERT(!b || b->thread <= CP_LEAK_STACKS_MAX);
    return b && at < b->end &&
           cpu_time_ns(c->threads[b->thread].tid) ==
               c->threads[b->thread].cpu_ns;
}

void cp_tcache_free(struct cp_tcache *c)
{
    if (c)
        cp_free(c->blocks);
    cp_free(c);
}
