/*
 * probe - what the CPU and the wall profile have in common: recordings that
 * look at one recorder, each with a rate of its own. The fastest sets the pace;
 * a sample's value is the time it stands for, so each recording is right.
 */
#ifndef CP_TIMED_KIND_H
#define CP_TIMED_KIND_H

#include <stdint.h>

#include "base/error.h"
#include "runtime/stacks/sample_recorder.h"

struct cp_builder;
struct cp_kind_request;
struct cp_profile;

struct cp_recording {
    struct cp_recording *next;
    struct cp_sample_recorder_mark mark;
    int hz;
    int64_t begin_ns;             /* monotonic */
    int64_t time_ns;              /* of the day */
    int64_t cpu_ns;               /* of the process, when it was opened */
    int64_t unattributed_ns;      /* see cp_timed_kind.unattributed_ns */
    uint64_t n_truncated, n_lost; /* as they were then */
};

/* Used under cp_refresh_lock, but for what is constant. */
struct cp_timed_kind {
    struct cp_sample_recorder recorder;
    struct cp_recording *recordings;
    int hz; /* of the fastest recording; 0: there is none */
    int default_hz, max_hz;
    const char *type;          /* "cpu", "wall"; in nanoseconds */
    const char *const *states; /* see cp_sample_recorder_write */
    /* The pace has changed; can fail only when it was 0. */
    enum cp_status (*set_rate)(int hz, struct cp_error *err);
    /* What no sample can be of, so far; a recording has what it gained; or
     * NULL.
     */
    int64_t (*unattributed_ns)(void);
    /* Adds comments to a recording's profile; may be NULL. */
    enum cp_status (*comment)(const struct cp_recording *w,
                              struct cp_builder *b, struct cp_error *err);
};

/* Samples that could not be kept, of all probes, so far. */
uint64_t cp_timed_kind_lost(void);

/* What the functions of a kind (kind.h) do, for a probe. */
enum cp_status cp_timed_kind_begin(struct cp_timed_kind *p,
                                   const struct cp_kind_request *request,
                                   void **out_recording, struct cp_error *err);
enum cp_status cp_timed_kind_finish(struct cp_timed_kind *p, void *recording,
                                    struct cp_profile **out,
                                    struct cp_error *err);
void cp_timed_kind_cancel(struct cp_timed_kind *p, void *recording);

/* In the child of a fork: no recording is open any more. */
void cp_timed_kind_reset_after_fork(struct cp_timed_kind *p);

#endif
