/*
 * recorder - tables of samples that several windows look at.
 *
 * The first window switches recording on, the last one off. Counts only grow,
 * so what a window saw is the difference between its end and its beginning.
 * When a window is opened and the table is half full, a new one is begun: a
 * window then has the rest of one table and all of the next. So however windows
 * overlap, there is always room. Calls must come one at a time; the handlers go
 * on meanwhile.
 */
#ifndef CP_RUNTIME_SAMPLE_RECORDER_H
#define CP_RUNTIME_SAMPLE_RECORDER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "signal/tables/samples.h"

struct cp_builder;

/* Of a table, if there is room: see tables.h. */
#define CP_SAMPLE_RECORDER_SLOTS ((size_t)1 << 16)
#define CP_SAMPLE_RECORDER_FRAMES ((size_t)1 << 21)

#define CP_SAMPLE_RECORDER_TABLES 8 /* at once, at most */

struct cp_sample_recorder_table {
    struct cp_signal_samples samples;
    struct cp_sample_recorder_table *next; /* the one begun after it */
    size_t n_windows;                      /* that begin here */
};

struct cp_sample_recorder {
    _Atomic(struct cp_signal_samples *) *live; /* where handlers look */
    struct cp_sample_recorder_table *oldest, *newest;
    size_t n_tables, n_windows;
};

struct cp_sample_recorder_count {
    uint64_t count, value;
};

/* What a slot had. */
struct cp_sample_recorder_seen {
    size_t slot;
    struct cp_sample_recorder_count count;
};

/*
 * Where a window begins, and what the counts were then: of the slots that were
 * in use, in their order. There may be hundreds of windows.
 */
struct cp_sample_recorder_mark {
    struct cp_sample_recorder_table *table;
    struct cp_sample_recorder_seen *before;
    size_t n_before;
    struct cp_sample_recorder_count lost;
};

enum cp_status cp_sample_recorder_open(struct cp_sample_recorder *r,
                                       struct cp_sample_recorder_mark *out,
                                       struct cp_error *err);

/*
 * Adds to the profile what the window saw: samples of a count and a value.
 * Stays open. `states` gives names to the states of samples (from 1; NULL ends
 * it), which become the label "state"; may be NULL.
 */
enum cp_status
cp_sample_recorder_write(const struct cp_sample_recorder_mark *mark,
                         const char *const *states, struct cp_builder *b,
                         struct cp_error *err);

/* Frees what no window needs any more, when the handlers have left it. */
void cp_sample_recorder_close(struct cp_sample_recorder *r,
                              struct cp_sample_recorder_mark *mark);

/* The bytes that the tables hold now, at most. */
size_t cp_sample_recorder_bytes(const struct cp_sample_recorder *r);

/* In the child of a fork: nobody looks on. */
void cp_sample_recorder_reset_after_fork(struct cp_sample_recorder *r);

#endif
