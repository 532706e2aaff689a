/*
 * render - a kind's profile to the bytes that a client gets.
 *
 * Protobuf in gzip, the text that Go prints for debug=1 and debug=2, or
 * gperftools' binary CPU format.
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
    struct cp_symbols *symbols; /* NULL: addresses stay what they are */
    int debug;
    /* What was mapped when the window was opened, or NULL: code that has
       been unloaded since is looked for there. */
    const struct cp_mappings *before;
    bool is_gperf; /* text for gperftools' tools and for jeprof */
};

/* Each changes the profile, which is of no use afterwards. */
enum cp_status cp_render_protobuf(const struct cp_renderer *r,
                                  struct cp_profile *p, struct cp_out *out,
                                  struct cp_error *err);
enum cp_status cp_render_text(const struct cp_renderer *r, struct cp_profile *p,
                              struct cp_out *out, struct cp_error *err);

/* gperftools' CPU profile: machine words, then the memory map. */
enum cp_status cp_render_gperf(struct cp_profile *p, struct cp_out *out,
                               struct cp_error *err);

#endif
