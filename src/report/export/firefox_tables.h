/*
 * firefox_tables - the tables of one thread in the Firefox Profiler's format.
 *
 * Stacks form a tree. Each node is a row of stackTable: the row of its caller,
 * and a frame. Only the stacks and frames that the thread uses have a row.
 */
#ifndef CP_FIREFOX_TABLES_H
#define CP_FIREFOX_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

struct cp_frames;
struct cp_profile;

struct cp_firefox_stack {
    uint32_t prefix, frame; /* rows; prefix is CP_NONE for a root */
};

/* Initialize with cp_firefox_tables_init; reused for each thread. */
struct cp_firefox_tables {
    const struct cp_frames *frames;
    uint32_t *row_of;  /* indexed by info: row in this thread, or CP_NONE */
    uint32_t *infos;   /* indexed by row */
    uint32_t n_frames; /* rows of frameTable and of funcTable */
    struct cp_firefox_stack *stacks;
    size_t cap_stacks;
    uint32_t n_stacks;
    struct cp_table by_key;
};

enum cp_status cp_firefox_tables_init(struct cp_firefox_tables *t,
                                      const struct cp_frames *frames,
                                      struct cp_error *err);

/* Empties the tables for the next thread. */
void cp_firefox_tables_reset(struct cp_firefox_tables *t);
void cp_firefox_tables_release(struct cp_firefox_tables *t);

/*
 * Finds or adds the row of a sample's stack; *out is CP_NONE for an empty
 * stack.
 */
enum cp_status cp_firefox_tables_add(struct cp_firefox_tables *t,
                                     const struct cp_profile *p,
                                     uint32_t sample, uint32_t *out,
                                     struct cp_error *err);

#endif
