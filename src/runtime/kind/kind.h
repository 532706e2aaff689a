/*
 * kind - the interface between the endpoint and a profile kind.
 *
 * Each kind (CPU, wall, heap, ...) describes itself by one constant struct
 * cp_kind. The endpoint does the rest for all kinds: paths, parameters, waits,
 * deltas, mappings, symbols, text and protobuf.
 *
 * Several recordings of one kind may be open at a time, one per client.
 *
 * Context: the endpoint thread, or a thread that calls the API of cpprof.h. A
 * callback must not wait for a thread of the program without a timeout.
 * Locking: the caller serializes the calls for one recording.
 * Failure: a status with a message in *err for the client.
 */
#ifndef CP_KIND_H
#define CP_KIND_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

struct cp_out;
struct cp_profile;

struct cp_kind;
struct cp_mappings;
struct cp_symbols;
struct cp_trace_format;

/* The output of a kind that writes bytes, not a profile. */
struct cp_kind_sink {
    struct cp_out *out;
    struct cp_symbols *symbols;       /* NULL means no symbolization */
    const struct cp_mappings *before; /* mappings at the start */
};

/* A checked request, with defaults filled in. */
struct cp_kind_request {
    const struct cp_kind *kind;
    double seconds; /* duration of the recording; 0 means a snapshot */
    int debug;      /* `debug`; 0 selects protobuf */
    int hz;         /* `hz`; 0 selects the default rate */
    bool gc;        /* `gc=1`: leave out unreachable memory */
    const struct cp_trace_format *format; /* trace; NULL selects the default */
    bool no_switches; /* `switches=0`: no context switches of the kernel */
};

/* The text format of `debug=1`, which differs by kind as in Go. */
enum cp_kind_text {
    CP_KIND_TEXT_COUNT,      /* "name profile: total 5" */
    CP_KIND_TEXT_HEAP,       /* "heap profile: 1: 2 [3: 4] @ heap/1048576" */
    CP_KIND_TEXT_CONTENTION, /* "--- contention:" */
    CP_KIND_TEXT_MUTEX,      /* "--- mutex:" */
    CP_KIND_TEXT_NONE,       /* `debug` is ignored */
};

struct cp_kind {
    const char *name;       /* last part of the path: "profile" */
    const char *summary;    /* one or two sentences for the index page */
    double default_seconds; /* 0 means a snapshot, returned at once */
    enum cp_kind_text text;
    bool no_delta;      /* a snapshot that does not accept `seconds` */
    bool has_fractions; /* `seconds` may be 0.5 (in Go only for trace) */

    /*
     * Opens a recording. On failure the client gets the message in *err, after
     * "Could not enable CPU profiling: " or the like.
     */
    enum cp_status (*begin)(const struct cp_kind_request *request,
                            void **out_recording, struct cp_error *err);

    /*
     * Closes the recording, even on failure, and returns its profile:
     *
     * - sample types, period and period type, samples, labels; ids 1..n, as
     *   profile/model/build.h assigns them. Values are scaled, except that
     *   CP_KIND_TEXT_HEAP has raw sampled sums if `debug` is not 0.
     * - locations with an address only: the pc of an interrupted leaf, else the
     *   return address - 1. The endpoint does not change a location with
     *   lines: frames such as "[lost samples]" have a name and address 0.
     * - comments, if any. The endpoint fills in time_ns and duration_ns where
     *   they are 0, unless the kind is a snapshot.
     */
    enum cp_status (*finish)(void *recording, struct cp_profile **out,
                             struct cp_error *err);

    /*
     * In place of finish for a kind that writes bytes (trace). pump writes the
     * bytes so far; the endpoint calls it several times a second while the
     * recording is open.
     */
    enum cp_status (*pump)(void *recording, const struct cp_kind_sink *sink,
                           struct cp_error *err);
    enum cp_status (*finish_bytes)(void *recording,
                                   const struct cp_kind_sink *sink,
                                   struct cp_error *err);

    /*
     * For `source=NAME`: writes a profile that a different component, such as
     * jemalloc, has recorded. Fails with CP_EUSAGE if there is no source of
     * that name. The pointer is NULL if the kind has no other source.
     */
    enum cp_status (*dump)(const char *source, struct cp_out *out,
                           struct cp_error *err);

    /* Closes the recording without a result: the client has disconnected. */
    void (*cancel)(void *recording);

    /*
     * A number that can be changed at run time by a POST with a parameter of
     * this name; NULL if there is none.
     */
    const char *setting;
    enum cp_status (*set)(uint64_t value, struct cp_error *err);

    /*
     * The count on the index page comes from count_of, or from count if that is
     * NULL. If both are NULL the page shows 0.
     */
    uint64_t (*count)(void);
    uint64_t (*count_of)(const struct cp_kind *kind);

    /* Why the profile is empty, for the index page; returns NULL if it is not.
     */
    const char *(*disabled_reason)(void);
};

/* Whether the kind has that name or alias. */
static inline bool cp_kind_is_named(const struct cp_kind *kind,
                                    const char *name)
{
    if (strcmp(name, "threads") == 0)
        name = "goroutine"; /* Go's name of this profile */
    return strcmp(kind->name, name) == 0;
}

#endif
