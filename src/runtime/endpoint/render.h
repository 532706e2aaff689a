/*
 * render - encodes a profile for the client: gzipped protobuf, Go's text
 * formats of debug=1 and debug=2, or the binary CPU format of gperftools.
 *
 * Context: the endpoint thread, or the thread that calls cpprof.h.
 * Locking: the caller owns `symbols`.
 * Failure: err, when memory is exhausted or /proc/self/maps is unreadable.
 */
#ifndef CP_RENDER_H
#define CP_RENDER_H

#include <stdbool.h>

#include "base/error.h"

struct cp_kind;
struct cp_mappings;
struct cp_out;
struct cp_profile;
struct cp_symbols;

struct cp_renderer {
    const struct cp_kind *kind;
    struct cp_symbols *symbols; /* NULL means addresses without names */
    int debug;                  /* `debug` parameter of the request */
    /* Mappings at the start of the recording, for code that has been unloaded
       since; or NULL. */
    const struct cp_mappings *before;
    bool is_gperf; /* text format of google-pprof and jeprof */
};

/* These add mappings, names and comments to the profile. */
enum cp_status cp_render_protobuf(const struct cp_renderer *r,
                                  struct cp_profile *p, struct cp_out *out,
                                  struct cp_error *err);
enum cp_status cp_render_text(const struct cp_renderer *r, struct cp_profile *p,
                              struct cp_out *out, struct cp_error *err);

/* The CPU format of gperftools: machine words, then the memory map. */
enum cp_status cp_render_gperf(struct cp_profile *p, struct cp_out *out,
                               struct cp_error *err);

#endif
