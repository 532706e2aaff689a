/*
 * thread_records - where the records of threads lie, and finding one by its
 * thread's id.
 *
 * Records are in chunks that are mapped when needed and stay for ever: a
 * handler may look at one whenever it likes (cp_signal_thread_at). threads.c
 * uses this, under its lock.
 */
#ifndef CP_THREAD_RECORDS_H
#define CP_THREAD_RECORDS_H

#include <stddef.h>
#include <stdint.h>

struct cp_signal_thread;

/* An empty record, in no chain; NULL: no memory. */
struct cp_signal_thread *cp_thread_records_alloc(void);

/* Gives one that is in a chain back. */
void cp_thread_records_free(struct cp_signal_thread *t);

/* From here on the record is that thread's, or nobody's. */
void cp_thread_records_insert(struct cp_signal_thread *t, int32_t tid);
void cp_thread_records_remove(struct cp_signal_thread *t);

/* The record of that thread, or NULL. */
struct cp_signal_thread *cp_thread_records_find(int32_t tid);

/* The next one in use; the first after NULL, and NULL after the last. */
struct cp_signal_thread *
cp_thread_records_next(const struct cp_signal_thread *before);

/*
 * How many there are, in use or not, and how many are in use; that is known
 * without the lock, too.
 */
uint32_t cp_thread_records_count(void);
size_t cp_thread_records_used(void);

#endif
