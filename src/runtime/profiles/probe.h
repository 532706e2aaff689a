/*
 * probe - what the CPU and the wall profile have in common: windows that look
 * at one recorder, each with a rate of its own. The fastest sets the pace; a
 * sample's value is the time it stands for, so each window is right.
 */
#ifndef CP_PROBE_H
#define CP_PROBE_H

#include <stdint.h>

#include "base/error.h"
#include "runtime/stacks/sample_recorder.h"

struct cp_builder;
struct cp_kind_request;
struct cp_profile;

struct cp_probe_window {
    struct cp_probe_window *next;
    struct cp_sample_recorder_mark mark;
    int hz;
    int64_t begin_ns;             /* monotonic */
    int64_t time_ns;              /* of the day */
    int64_t cpu_ns;               /* of the process, when it was opened */
    int64_t unseen_ns;            /* see cp_probe.unseen_ns */
    uint64_t n_truncated, n_lost; /* as they were then */
};

/* Used under cp_sampler_lock, but for what is constant. */
struct cp_probe {
    struct cp_sample_recorder recorder;
    struct cp_probe_window *windows;
    int hz; /* of the fastest window; 0: there is none */
    int default_hz, most_hz;
    const char *type;          /* "cpu", "wall"; in nanoseconds */
    const char *const *states; /* see cp_sample_recorder_write */
    /* The pace has changed; can fail only when it was 0. */
    enum cp_status (*set_rate)(int hz, struct cp_error *err);
    /* What no sample can be of, so far; a window has what it gained; or NULL.
     */
    int64_t (*unseen_ns)(void);
    /* Adds comments to a window's profile; may be NULL. */
    enum cp_status (*comment)(const struct cp_probe_window *w,
                              struct cp_builder *b, struct cp_error *err);
};

/* Samples that could not be kept, of all probes, so far. */
uint64_t cp_probe_lost(void);

/* What the functions of a kind (kind.h) do, for a probe. */
enum cp_status cp_probe_begin(struct cp_probe *p,
                              const struct cp_kind_request *request,
                              void **out_window, struct cp_error *err);
enum cp_status cp_probe_finish(struct cp_probe *p, void *window,
                               struct cp_profile **out, struct cp_error *err);
void cp_probe_cancel(struct cp_probe *p, void *window);

/* In the child of a fork: no window is open any more. */
void cp_probe_forget(struct cp_probe *p);

#endif
