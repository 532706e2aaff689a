/*
 * sample_recorder - sample tables that several recordings share.
 *
 * The first recording enables sampling, the last one disables it. Counts only
 * grow, so the samples of a recording are the counts at its end less the counts
 * at its start, which the mark holds.
 *
 * Tables form a list from the oldest to the newest. If the newest is half full
 * when a recording starts, a new table is published to the handlers. So every
 * recording has the rest of one table and all later ones. A table is
 * freed when no recording starts in it or before it.
 *
 * Context: any thread outside signal handlers. Handlers add samples
 * concurrently.
 * Locking: the caller serializes all calls (cp_refresh_lock).
 * Ordering: the store to *live publishes a table. A handler loads it in a
 * reader slot, so a table is freed only after a grace period
 * (signal/tables/readers.h); if that times out, the table is leaked.
 * Failure: CP_ENOMEM; nothing has changed then.
 */
#ifndef CP_RUNTIME_SAMPLE_RECORDER_H
#define CP_RUNTIME_SAMPLE_RECORDER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "signal/tables/samples.h"

struct cp_builder;

/* Capacity of a table, unless memory is limited: see runtime/os/tables.h. */
#define CP_SAMPLE_RECORDER_SLOTS ((size_t)1 << 16)
#define CP_SAMPLE_RECORDER_FRAMES ((size_t)1 << 21)

#define CP_SAMPLE_RECORDER_TABLES 8 /* maximum at a time */

struct cp_sample_recorder_table {
    struct cp_signal_samples samples;
    struct cp_sample_recorder_table *next; /* next newer table, or NULL */
    size_t n_recordings; /* open recordings that start in this table */
};

struct cp_sample_recorder {
    _Atomic(struct cp_signal_samples *) *live; /* the handlers' table pointer */
    struct cp_sample_recorder_table *oldest, *newest;
    size_t n_tables;     /* 0 to CP_SAMPLE_RECORDER_TABLES */
    size_t n_recordings; /* open */
};

struct cp_sample_recorder_count {
    uint64_t count, value;
};

/* The counts of one slot at the start of a recording. */
struct cp_sample_recorder_seen {
    size_t slot;
    struct cp_sample_recorder_count count;
};

/* The start of a recording: counts of the slots in use, by ascending slot. */
struct cp_sample_recorder_mark {
    struct cp_sample_recorder_table *table;
    struct cp_sample_recorder_seen *before;
    size_t n_before;
    struct cp_sample_recorder_count lost; /* samples that found no slot */
};

/* Starts a recording. */
enum cp_status cp_sample_recorder_open(struct cp_sample_recorder *r,
                                       struct cp_sample_recorder_mark *out,
                                       struct cp_error *err);

/*
 * Adds the samples of a recording, each with a count and a value, to a profile.
 * The recording stays open. `states` has the names of the samples' states from
 * 1 on, which become the label "state"; NULL means no label.
 */
enum cp_status
cp_sample_recorder_write(const struct cp_sample_recorder_mark *mark,
                         const char *const *states, struct cp_builder *b,
                         struct cp_error *err);

/* Ends a recording, and frees tables that no other one needs. */
void cp_sample_recorder_close(struct cp_sample_recorder *r,
                              struct cp_sample_recorder_mark *mark);

/* Upper bound of the resident memory of all tables, bytes. */
size_t cp_sample_recorder_bytes(const struct cp_sample_recorder *r);

/* Call in the child of a fork: resets the state to no open recording. */
void cp_sample_recorder_reset_after_fork(struct cp_sample_recorder *r);

#endif
