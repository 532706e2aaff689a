/*
 * kind - what the endpoint knows of one kind of profile.
 *
 * A probe (CPU, wall, heap, ...) describes itself with one constant struct
 * cp_kind. The endpoint does the rest for all of them: the address, the
 * parameters, waiting, deltas, mappings, symbols, text and protobuf. All calls
 * come from the endpoint's thread; none may block or wait for the program.
 *
 * Several windows of one kind may be open at once: each client has its own.
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

/* Where the bytes of a kind go that is no profile, and what it may use. */
struct cp_kind_sink {
    struct cp_out *out;
    struct cp_symbols *symbols;       /* NULL: addresses will do */
    const struct cp_mappings *before; /* what was mapped at the beginning */
};

/* What the client asked for, checked and with defaults filled in. */
struct cp_kind_request {
    const struct cp_kind *kind; /* of which it is asked */
    double seconds; /* how long the window will be open; 0: a snapshot */
    int debug;      /* the `debug` parameter; 0: a protobuf is wanted */
    int hz;         /* the `hz` parameter; 0: the default rate */
    bool gc;        /* `gc=1`: forget what is garbage before counting */
    const struct cp_trace_format *format; /* of a trace; NULL: the default */
    bool no_switches; /* `switches=0`: without the kernel's records */
};

/* How `debug=1` looks; Go has a form of its own for each. */
enum cp_kind_text {
    CP_KIND_TEXT_COUNT,      /* "name profile: total 5" */
    CP_KIND_TEXT_HEAP,       /* "heap profile: 1: 2 [3: 4] @ heap/1048576" */
    CP_KIND_TEXT_CONTENTION, /* "--- contention:" */
    CP_KIND_TEXT_MUTEX,      /* "--- mutex:" */
    CP_KIND_TEXT_NONE,       /* `debug` is ignored */
};

struct cp_kind {
    const char *name;       /* the last part of the address: "profile" */
    const char *summary;    /* a sentence or two for the index page */
    double default_seconds; /* 0: a snapshot, answered at once */
    enum cp_kind_text text;
    bool no_delta;      /* a snapshot for which `seconds` is refused */
    bool has_fractions; /* `seconds` may be 0.5 (Go: trace only) */

    /*
     * Opens a window. On failure the client gets *err's message, after
     * "Could not enable CPU profiling: " or the like.
     */
    enum cp_status (*begin)(const struct cp_kind_request *request,
                            void **out_window, struct cp_error *err);

    /*
     * Ends the window, whatever the outcome, and gives its profile:
     *
     * - sample types, period and period type, samples, labels; ids 1..n
     *   (build.h gives them so). Values are scaled; but for `debug` other than
     *   0 those of CP_KIND_TEXT_HEAP are the raw sums of what was sampled.
     * - locations with an address only: the pc itself for a leaf that was
     *   interrupted, else the return address less one. A location that has
     *   lines already is left alone, for frames such as "[lost samples]",
     *   whose address is 0.
     * - comments of its own, if any. time_ns and duration_ns are filled in by
     *   the endpoint where they are 0 and the kind is no snapshot.
     */
    enum cp_status (*finish)(void *window, struct cp_profile **out,
                             struct cp_error *err);

    /*
     * Instead of finish, when the answer is no profile (trace): its bytes.
     * pump gives those that there are by now, and is called several times a
     * second while the window is open.
     */
    enum cp_status (*pump)(void *window, const struct cp_kind_sink *sink,
                           struct cp_error *err);
    enum cp_status (*finish_bytes)(void *window,
                                   const struct cp_kind_sink *sink,
                                   struct cp_error *err);

    /*
     * Instead of all of it, when the client asks for what somebody else has
     * recorded: `source=NAME`. CP_EUSAGE: there is nothing of that name here.
     * NULL: there is no other source.
     */
    enum cp_status (*dump)(const char *source, struct cp_out *out,
                           struct cp_error *err);

    /* Ends the window without a result: the client went away. */
    void (*cancel)(void *window);

    /*
     * A number that can be changed while the program runs, by a POST with a
     * parameter of this name; NULL: there is none.
     */
    const char *setting;
    enum cp_status (*set)(uint64_t value, struct cp_error *err);

    /* What the index page shows as the count; NULL: 0. */
    uint64_t (*count)(void);
    uint64_t (*count_of)(const struct cp_kind *kind); /* or so */

    /* Why the kind has no data, one line of text; NULL if it has data. */
    const char *(*disabled_reason)(void);
};

/* Whether the profile kind has that name, or that alias. */
static inline bool cp_kind_is_named(const struct cp_kind *kind,
                                    const char *name)
{
    if (strcmp(name, "threads") == 0)
        name = "goroutine"; /* Go's word for threads */
    return strcmp(kind->name, name) == 0;
}

#endif
