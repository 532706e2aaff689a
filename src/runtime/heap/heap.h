/*
 * heap - the heap profile: what was allocated, and what of it is still there.
 *
 * Sampling is done in the hooks (malloc_hooks.c, signal/heap/alloc_sampler.h);
 * this switches it on and shows what was found, row by row. heap_kinds.h makes
 * profiles of it.
 */
#ifndef CP_HEAP_H
#define CP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CP_HEAP_DEFAULT_INTERVAL (512 << 10)

struct cp_heap_options {
    uint64_t interval;             /* one byte in so many is sampled; 0: none */
    size_t table_bytes;            /* of all its tables, at most */
    bool counts_mmap;              /* mappings of the program too */
    uint64_t seed;                 /* of what is chosen; 0: another each time */
    void (*say)(const char *line); /* tells the user; NULL: nobody */
    void (*reserve)(size_t bytes); /* is told what the tables may hold */
};

/* Set once, before it is enabled. */
void cp_heap_configure(const struct cp_heap_options *options);

/*
 * The hooks tell that they are there, and how to find out who else has a
 * malloc that the program calls instead: its name, "" for the program's own
 * file, or NULL; and whether the next malloc is libc's.
 */
void cp_heap_set_hooks(const char *(*whose_malloc)(void),
                       bool (*is_of_libc)(void));

/*
 * Asks them, once. That needs the loader, which may be locked for long while a
 * library begins, and for ever in the child of a fork: so it is for the start.
 */
void cp_heap_learn(void);

/* Are the program's blocks libc's? */
bool cp_heap_is_of_libc(void);

/*
 * Begins to sample, if that is wanted and possible; once, and again in the
 * child of a fork to have its code known.
 */
enum cp_status cp_heap_enable(struct cp_error *err);

/* Nothing more is sampled until it is enabled again; frees are still seen. */
void cp_heap_pause(void);

/* Are mappings that the program makes itself to be counted, as of now? */
bool cp_heap_counts_mmap(void);

/* Why there is nothing to see, in one line; NULL: there is. */
const char *cp_heap_disabled_reason(void);

void cp_heap_after_fork(void);

/* Memory that the tables hold, at most. */
size_t cp_heap_bytes(void);

struct cp_heap_stats {
    uint64_t interval;
    uint64_t n_samples; /* taken */
    uint64_t n_live;    /* of them, not freed */
    uint64_t n_lost;    /* for which there was no room */
};

void cp_heap_stats(struct cp_heap_stats *out);

/*
 * What was found of one stack and of sizes that are nearly the same (the
 * classes of signal/heap/alloc_sampler.h), so that a row can be scaled as a
 * whole. Its counts are whole numbers of samples.
 */
struct cp_heap_row {
    uint64_t count, bytes;       /* sampled */
    uint64_t freed, freed_bytes; /* of them */
    uint64_t growth;             /* see signal/heap/alloc_sampler.h */
    uint64_t size;               /* of its first block */
};

size_t cp_heap_n_rows(void);

/* False: the row is empty. */
bool cp_heap_row(size_t i, struct cp_heap_row *out);

/*
 * What each of `count` samples of the row stands for that have so many bytes.
 * What lives may have other sizes than what was freed, so each has its own.
 */
double cp_heap_weight(const struct cp_heap_row *row, uint64_t count,
                      uint64_t bytes);

#endif
