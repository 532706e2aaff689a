/*
 * thread_records - storage of the thread records, with a hash table by tid.
 *
 * Records live in chunks that are mapped when needed and never unmapped, so a
 * handler may read any record at any time (cp_signal_thread_at).
 *
 * Context: any thread outside signal handlers; only threads.c uses it.
 * Locking: the caller holds the lock of the thread list; the two counters may
 * be read without it.
 * Ordering: the chunk pointer is stored with release after the chunk is mapped;
 * cp_signal_thread_at loads it with acquire.
 * Failure: NULL if there is no memory or the maximum is reached.
 */
#ifndef CP_THREAD_RECORDS_H
#define CP_THREAD_RECORDS_H

#include <stddef.h>
#include <stdint.h>

struct cp_signal_thread;

/* Allocates an empty record that is not in the hash table. */
struct cp_signal_thread *cp_thread_records_alloc(void);

/* Removes a record from the hash table and frees it. */
void cp_thread_records_free(struct cp_signal_thread *t);

/* Sets the tid of a record and inserts it, or removes it and clears the tid. */
void cp_thread_records_insert(struct cp_signal_thread *t, int32_t tid);
void cp_thread_records_remove(struct cp_signal_thread *t);

/* The record of a thread, or NULL. */
struct cp_signal_thread *cp_thread_records_find(int32_t tid);

/* Iterates over the records in use; starts and ends with NULL. */
struct cp_signal_thread *
cp_thread_records_next(const struct cp_signal_thread *before);

/* Number of records ever allocated, and number in use. */
uint32_t cp_thread_records_count(void);
size_t cp_thread_records_used(void);

#endif
