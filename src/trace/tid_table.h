/*
 * tid_table - from thread ids to indexes of what is known of the threads.
 *
 * What is known is in an array of the owner's, one struct a thread of a size
 * that it says; a place is used again when its thread has gone.
 */
#ifndef CP_TRACE_TID_TABLE_H
#define CP_TRACE_TID_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define CP_TID_CHAINS 1024

struct cp_tid_entry {
    int32_t tid; /* 0: the place is free */
    uint32_t next;
    void *thread;
};

/* Starts as { .size = sizeof(struct of the owner) }. */
struct cp_tid_table {
    size_t size;
    uint32_t chains[CP_TID_CHAINS]; /* index + 1 */
    struct cp_tid_entry *entries;
    size_t n, cap; /* places, free ones too */
    uint32_t free; /* chain */
};

/* What is known of the thread, or NULL. */
void *cp_tid_find(const struct cp_tid_table *t, int32_t tid);

/* A place for a thread that has none: as it was left; NULL: no memory. */
void *cp_tid_add(struct cp_tid_table *t, int32_t tid);

void cp_tid_remove(struct cp_tid_table *t, int32_t tid);

/* All places are the owner's to clean up before. */
void cp_tid_release(struct cp_tid_table *t);

#endif
