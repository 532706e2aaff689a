/*
 * tcache.c - see tcache.h.
 *
 * What is known of glibc 2.32 to 2.41: the thread's variable points to 64
 * counts of two bytes and as many lists, in a chunk of their own. A listed
 * block has the next one in its first word, by an exclusive or with its own
 * place, and the mark in its second.
 */
#include "runtime/heap/tcache.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "runtime/heap/leak_stacks.h"
#include "runtime/os/clock.h"
#include "runtime/os/read_memory.h"
#include "runtime/os/timer.h"

#define MAX_BLOCKS 16384
#define MAX_WORDS 64 /* of libc's variables of a thread */
#define N_LISTS 64
#define MIN_CHUNK 32
#define STEP 16
#define HEADER 16
#define FLAGS ((uintptr_t)7)
#define PLACE_SHIFT 12

struct lists {
    uintptr_t before, size; /* of the chunk that they are in */
    uint16_t counts[N_LISTS];
    uintptr_t first[N_LISTS];
};

struct listed {
    uintptr_t before, size; /* of the chunk */
    uintptr_t next, mark;
};

/* libc's variables of a thread, and how many words they are. */
struct variables {
    uintptr_t libc; /* an address in it; 0: not looked for yet */
    uintptr_t away; /* from the thread's descriptor */
    size_t n;       /* 0: not found */
};

static struct variables variables;

static bool has_address(const struct dl_phdr_info *object, uintptr_t address)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];

        if (p->p_type == PT_LOAD &&
            address - (object->dlpi_addr + p->p_vaddr) < p->p_memsz)
            return true;
    }
    return false;
}

static int find_variables(struct dl_phdr_info *object, size_t size, void *out)
{
    struct variables *v = out;

    (void)size;
    if (!has_address(object, v->libc))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS && object->dlpi_tls_data) {
            v->away =
                (uintptr_t)object->dlpi_tls_data - (uintptr_t)pthread_self();
            v->n = object->dlpi_phdr[i].p_memsz / sizeof(uintptr_t);
        }
    return 1;
}

/* A list of a thread's: its first block, how many, and how long they are. */
struct list {
    size_t thread, count;
    uintptr_t at, size;
};

static void add(struct cp_tcache *c, const struct list *l)
{
    uintptr_t end = l->at - HEADER + l->size + sizeof(uintptr_t);

    if (c->n < c->room)
        c->blocks[c->n++] = (struct cp_tcache_blocks){ l->at, end, l->thread };
}

/* Follows a list; false: it is none, or has changed meanwhile. */
static bool take_list(struct cp_tcache *c, struct list its)
{
    struct listed l;

    for (; its.count > 0 && its.at; its.count--) {
        if (its.at % STEP != 0 ||
            cp_read_memory(its.at - HEADER, &l, sizeof(l)) != sizeof(l) ||
            (l.size & ~FLAGS) != its.size || l.mark == 0)
            return false;
        if (c->mark == 0)
            c->mark = l.mark;
        if (l.mark != c->mark)
            return false;
        add(c, &its);
        its.at = l.next ^ its.at >> PLACE_SHIFT;
    }
    return its.count == 0 && its.at == 0;
}

static void take_lists(struct cp_tcache *c, size_t thread, uintptr_t at)
{
    struct lists l;
    size_t chunk = (sizeof(l) + STEP - 1) & ~(size_t)(STEP - 1);

    if (at % STEP != 0 || at < HEADER ||
        cp_read_memory(at - HEADER, &l, sizeof(l)) != sizeof(l) ||
        (l.size & ~FLAGS) != chunk)
        return;
    for (size_t i = 0; i < N_LISTS; i++) {
        struct list its = { thread, l.counts[i], l.first[i],
                            MIN_CHUNK + i * STEP };
        size_t before = c->n;

        if (!take_list(c, its))
            c->n = before;
    }
}

static int64_t time_of(int32_t tid)
{
    return cp_clock_ns(cp_timer_clock(tid));
}

static void take_thread(struct cp_tcache *c, size_t i)
{
    uintptr_t words[MAX_WORDS], self = cp_leak_stacks_descriptor(i);
    size_t n = variables.n;

    c->threads[i].tid = cp_leak_stacks_tid(self);
    if (c->threads[i].tid <= 0)
        return;
    c->threads[i].ns = time_of(c->threads[i].tid);
    if (c->threads[i].ns <= 0 || /* nobody tells */
        cp_read_memory(self + variables.away, words, n * sizeof(words[0])) !=
            (long)(n * sizeof(words[0])))
        return;
    c->mark = 0;
    for (size_t k = 0; k < n; k++)
        take_lists(c, i, words[k]);
}

void cp_tcache_learn(void)
{
    if (variables.libc)
        return;
    variables.libc = (uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    if (variables.libc)
        (void)dl_iterate_phdr(find_variables, &variables);
    if (variables.n > MAX_WORDS)
        variables.n = 0;
}

struct cp_tcache *cp_tcache_new(void)
{
    struct cp_tcache *c = cp_alloc(1, sizeof(*c), NULL);

    if (c) {
        c->blocks = cp_alloc(MAX_BLOCKS, sizeof(*c->blocks), NULL);
        c->room = c->blocks ? MAX_BLOCKS : 0;
    }
    return c;
}

void cp_tcache_take(struct cp_tcache *c)
{
    if (!c)
        return;
    c->n = 0;
    for (size_t i = 0; i <= CP_LEAK_STACKS_MAX && variables.n > 0; i++)
        take_thread(c, i);
    if (cp_sort_structs(c->blocks, c->n, sizeof(*c->blocks),
                        offsetof(struct cp_tcache_blocks, start),
                        NULL) != CP_OK)
        c->n = 0;
}

/* The last block that begins at or before the address; NULL: none. */
static const struct cp_tcache_blocks *find(const struct cp_tcache *c,
                                           uintptr_t at)
{
    size_t n =
        c->n ? cp_search_above(&c->blocks->start, sizeof(*c->blocks), c->n, at)
             : 0;

    return n > 0 ? &c->blocks[n - 1] : NULL;
}

bool cp_tcache_has(const struct cp_tcache *c, uintptr_t at)
{
    const struct cp_tcache_blocks *b = c ? find(c, at) : NULL;

    return b && at < b->end &&
           time_of(c->threads[b->thread].tid) == c->threads[b->thread].ns;
}

void cp_tcache_free(struct cp_tcache *c)
{
    if (c)
        cp_free(c->blocks);
    cp_free(c);
}
