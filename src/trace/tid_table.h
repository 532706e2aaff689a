/*
 * tid_table - a hash table from thread ids to structs of the owner.
 *
 * The owner gives the size of its struct. A freed struct is reused for the next
 * thread and keeps its contents.
 */
#ifndef CP_TRACE_TID_TABLE_H
#define CP_TRACE_TID_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define CP_TID_CHAINS 1024

struct cp_tid_entry {
    int32_t tid; /* 0 if free */
    uint32_t next;
    void *thread;
};

/* Initialize with { .size = sizeof(struct of the owner) }. */
struct cp_tid_table {
    size_t size;
    uint32_t chains[CP_TID_CHAINS]; /* index + 1, by hash */
    struct cp_tid_entry *entries;
    size_t n, cap; /* entries, including free ones */
    uint32_t free; /* head of the free list, index + 1 */
};

/* Returns the struct of the thread, or NULL. */
void *cp_tid_find(const struct cp_tid_table *t, int32_t tid);

/*
 * Adds a thread that is not in the table. The struct keeps the contents of its
 * last use; NULL if memory is exhausted.
 */
void *cp_tid_add(struct cp_tid_table *t, int32_t tid);

void cp_tid_remove(struct cp_tid_table *t, int32_t tid);

/* Frees all structs. The owner releases their contents first. */
void cp_tid_release(struct cp_tid_table *t);

#endif
