/*
 * heap - switches allocation sampling on and off, and reads the recorded
 * samples.
 *
 * The hooks (hooks/malloc_hooks.c) sample allocations and record them in
 * lock-free tables (signal/heap/alloc_sampler.h). This module maps the tables,
 * sets the sampling interval and returns the recorded samples row by row.
 * heap_kinds.h and leak_kind.h make profiles of the rows.
 *
 * Context: any thread outside signal handlers and outside the malloc hooks;
 * cp_heap_counts_mmap is also called by the mmap hooks.
 * Locking: cp_heap_detect_malloc, _enable and _pause take a lock of this
 * module; readers of rows take none.
 * Ordering: the tables are mapped before the interval becomes non-zero; hooks
 * use the tables only after they have read an interval that is not zero.
 * Failure: cp_heap_enable returns CP_OK without sampling if the program does
 * not call the library's malloc; cp_heap_disabled_reason then says why.
 */
#ifndef CP_HEAP_H
#define CP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CP_HEAP_DEFAULT_INTERVAL (512 << 10) /* bytes */

struct cp_heap_options {
    uint64_t interval;  /* mean bytes between samples; 0 disables sampling */
    size_t table_bytes; /* upper limit of all tables, bytes */
    bool counts_mmap;   /* also sample mappings that the program makes */
    uint64_t seed;      /* random seed; 0 means a new one in each process */
    void (*report)(const char *line); /* prints a warning; may be NULL */
    void (*reserve)(size_t bytes);    /* accounts for the tables' memory */
};

/* Call once, before cp_heap_enable. */
void cp_heap_configure(const struct cp_heap_options *options);

/*
 * The malloc hooks register themselves. malloc_owner returns the object whose
 * malloc the program calls instead of the hook: its file name, "" for the
 * executable, NULL if the program calls the hook. is_libc_malloc returns
 * whether the hook calls libc's malloc.
 */
void cp_heap_set_hooks(const char *(*malloc_owner)(void),
                       bool (*is_libc_malloc)(void));

/*
 * Calls both functions and stores their results; does nothing when called
 * again. They take the loader's lock, which another thread may hold for long
 * while it loads a library, and which may never be released in the child of a
 * fork. So this is called at the start of the process.
 */
void cp_heap_detect_malloc(void);

/* Whether libc's malloc allocates the program's blocks, as detected. */
bool cp_heap_is_libc_malloc(void);

/*
 * Starts sampling if the options ask for it and the hooks are called. Calling
 * it again is harmless; in the child of a fork it starts the refresh of the
 * code map again.
 */
enum cp_status cp_heap_enable(struct cp_error *err);

/* Stops sampling until cp_heap_enable; frees are still recorded. */
void cp_heap_pause(void);

/* Whether mappings that the program makes are sampled now. */
bool cp_heap_counts_mmap(void);

/* Why the heap profiles have no data, one line; NULL if they have data. */
const char *cp_heap_disabled_reason(void);

/* Resets the lock in the child of a fork, where its holder may not exist. */
void cp_heap_reset_after_fork(void);

/* Upper limit of the resident memory of the tables, bytes. */
size_t cp_heap_bytes(void);

struct cp_heap_stats {
    uint64_t interval;  /* bytes; 0 means off */
    uint64_t n_samples; /* blocks sampled so far */
    uint64_t n_live;    /* sampled blocks not freed yet */
    uint64_t n_lost;    /* samples dropped because a table was full */
};

void cp_heap_stats(struct cp_heap_stats *out);

/*
 * The samples of one stack and one size class (cp_alloc_size_class). Sizes in a
 * class are nearly equal, so one weight scales the whole row.
 */
struct cp_heap_row {
    uint64_t count, bytes;       /* sampled blocks, and their bytes */
    uint64_t freed, freed_bytes; /* the part of them that was freed */
    uint64_t growth; /* bytes added to the high-water mark; scaled already */
    uint64_t size;   /* bytes of the first block of the row */
};

/* Number of rows; most are empty. */
size_t cp_heap_n_rows(void);

/* Reads row i. Returns false if it is empty. */
bool cp_heap_row(size_t i, struct cp_heap_row *out);

/*
 * How many allocations each of `count` samples of the row represents, given
 * their bytes. Live and freed blocks of a row may differ in size, so each part
 * has its own weight.
 */
double cp_heap_weight(const struct cp_heap_row *row, uint64_t count,
                      uint64_t bytes);

#endif
