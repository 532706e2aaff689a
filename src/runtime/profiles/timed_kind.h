/*
 * timed_kind - the common part of the CPU and the wall-clock profile:
 * recordings of limited duration that share one sample recorder, each with its
 * own rate.
 *
 * The fastest recording sets the rate of the sampler. The value of a sample is
 * the time that it represents, so each recording is correct.
 *
 * Context: any thread outside signal handlers.
 * Locking: all functions take cp_refresh_lock, which protects struct
 * cp_timed_kind except for its constant fields.
 * Ordering: see sample_recorder.h.
 * Failure: CP_EUSAGE if the rate is too high; CP_ENOMEM; errors of the sampler.
 */
#ifndef CP_TIMED_KIND_H
#define CP_TIMED_KIND_H

#include <stdint.h>

#include "runtime/stacks/sample_recorder.h"

struct cp_builder;
struct cp_kind_request;
struct cp_profile;

struct cp_recording {
    struct cp_recording *next;           /* list of cp_timed_kind */
    struct cp_sample_recorder_mark mark; /* counts when it began */
    int hz;
    int64_t begin_ns;             /* start, CLOCK_MONOTONIC */
    int64_t time_ns;              /* start, CLOCK_REALTIME */
    int64_t cpu_ns;               /* CPU time of the process at the start */
    int64_t unattributed_ns;      /* see cp_timed_kind.unattributed_ns */
    uint64_t n_truncated, n_lost; /* counts at the start */
};

struct cp_timed_kind {
    struct cp_sample_recorder recorder;
    struct cp_recording *recordings; /* recordings in progress */
    int hz;                          /* fastest recording; 0 if none runs */
    int default_hz, max_hz;
    const char *type;          /* "cpu" or "wall"; unit nanoseconds */
    const char *const *states; /* see cp_sample_recorder_write; or NULL */
    /* Called when hz changes; may fail only if it was 0 before. */
    enum cp_status (*set_rate)(int hz, struct cp_error *err);
    /*
     * Returns the CPU time so far that no sample can show. NULL if the kind has
     * no such time.
     */
    int64_t (*unattributed_ns)(void);
    /* Adds comments to a recording's profile; may be NULL. */
    enum cp_status (*comment)(const struct cp_recording *w,
                              struct cp_builder *b, struct cp_error *err);
};

/* Samples of all timed kinds lost so far. */
uint64_t cp_timed_kind_lost(void);

/* Implementations of begin, finish and cancel of struct cp_kind. */
enum cp_status cp_timed_kind_begin(struct cp_timed_kind *p,
                                   const struct cp_kind_request *request,
                                   void **out_recording, struct cp_error *err);
enum cp_status cp_timed_kind_finish(struct cp_timed_kind *p, void *recording,
                                    struct cp_profile **out,
                                    struct cp_error *err);
void cp_timed_kind_cancel(struct cp_timed_kind *p, void *recording);

/* Call in the child of a fork: drops all recordings, without freeing them. */
void cp_timed_kind_reset_after_fork(struct cp_timed_kind *p);

#endif
