/*
 * recorder - a table of samples that several windows look at.
 *
 * The first window switches the table on, the last one off. Counts only grow
 * while it is on, so what a window saw is the difference between its end and
 * its beginning. Calls must come one at a time; the handlers go on meanwhile.
 */
#ifndef CP_RECORDER_H
#define CP_RECORDER_H

#include <stdint.h>

#include "base/error.h"
#include "profile/build.h"
#include "signal/samples.h"

#define CP_RECORDER_SLOTS ((size_t)1 << 16)
#define CP_RECORDER_FRAMES ((size_t)1 << 21)

struct cp_recorder {
    _Atomic(struct cp_signal_samples *) *live; /* where handlers look */
    struct cp_signal_samples samples;
    size_t n_windows;
};

/* What the counts were when a window was opened. */
struct cp_recorder_mark {
    struct cp_recorder_count {
        uint64_t count, value;
    } * before; /* for each slot; NULL: all were 0 */
    struct cp_recorder_count lost;
};

enum cp_status cp_recorder_open(struct cp_recorder *r,
                                struct cp_recorder_mark *out,
                                struct cp_error *err);

/*
 * Adds to the profile what the window saw: samples of a count and a value.
 * Stays open. `states` gives names to the states of samples (from 1; NULL ends
 * it), which become the label "state"; may be NULL.
 */
enum cp_status cp_recorder_write(const struct cp_recorder *r,
                                 const struct cp_recorder_mark *mark,
                                 const char *const *states,
                                 struct cp_builder *b, struct cp_error *err);

/* The last one out waits for the handlers that are at it, and clears. */
void cp_recorder_close(struct cp_recorder *r, struct cp_recorder_mark *mark);

/* The bytes that the table holds now, at most. */
size_t cp_recorder_bytes(const struct cp_recorder *r);

/* In the child of a fork: nobody looks on. */
void cp_recorder_forget(struct cp_recorder *r);

#endif
